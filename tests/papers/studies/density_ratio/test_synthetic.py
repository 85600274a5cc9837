"""The study of density-ratio measures on synthetic data, at a small size."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.mathematics.density_ratio.measures import density_ratio_fairness
from fairpairs.papers.ratio_estimators.estimators import ESTIMATORS
from fairpairs.papers.studies.density_ratio.measured import measured
from fairpairs.papers.studies.density_ratio.synthetic import (
    AS_PUBLISHED,
    KERNEL_CLASSIFIERS,
    STUDIED,
    as_published,
    synthetic_data,
    synthetic_study,
    true_independence,
)

SETTINGS = {"means": [0.5, 3.5], "items": 120, "caps": [0.9], "matching_repeats": 0}


def test_a_synthetic_data_set_has_the_privileged_first():
    unprivileged = np.arange(50.0)
    y, prediction, group = synthetic_data(100, 120, unprivileged, np.random.default_rng(0))
    assert_array_equal(prediction[group == 0], unprivileged)
    assert_array_equal(group, np.repeat([1, 0], [70, 50]))
    assert prediction[group == 1].mean() == pytest.approx(100, abs=0.5)
    assert len(y) == 120
    assert abs(y.mean()) < 0.4


def test_the_true_values_of_independence():
    truth = true_independence(1.2, np.array([0.0, 1.0]))
    assert truth["population"] == pytest.approx((1 + np.exp(1.44)) / 2)

    def density(x, mean):
        return np.exp(-((x - mean) ** 2) / 2)

    ratios = [density(x, 1.2) / density(x, 0) for x in (0.0, 1.0)]
    assert truth["sample"] == pytest.approx(np.mean(ratios))


@pytest.mark.slow
def test_chunks_of_the_study_are_the_study():
    whole = synthetic_study(SETTINGS, repeats=[0, 1], seed=1)
    chunks = [synthetic_study(SETTINGS, repeats=[repeat], seed=1) for repeat in (0, 1)]
    pd.testing.assert_frame_equal(whole, pd.concat(chunks, ignore_index=True), check_exact=True)
    # two truths, and seven estimators with and without a cap of two measures
    assert len(whole) == 2 * 2 * (2 + 7 * 2 * 2)
    assert set(whole["estimator"]) == {*STUDIED, *AS_PUBLISHED, "population", "sample"}
    first, second = (chunk["value"].to_numpy() for chunk in chunks)
    own = chunks[0]["estimator"] != "population"
    assert (first[own] != second[own]).all()
    failed = whole[whole["value"].isna()]
    assert failed["note"].str.startswith(("The two groups can be", "The ratio of the")).all()
    assert (failed["cap"] == 0).all()
    other = synthetic_study(SETTINGS, repeats=[0], seed=2)["value"].to_numpy()
    assert (other[own] != first[own]).all()


@pytest.mark.slow
def test_a_value_of_the_study_is_that_of_the_measure():
    from fairpairs.papers.experiments.seeds import stream

    found = synthetic_study(SETTINGS, repeats=[4], seed=9).set_index(
        ["mean", "estimator", "cap", "measure"]
    )["value"]
    rng = stream(9, "density ratio", 4)
    unprivileged = rng.normal(size=60)
    y, prediction, group = synthetic_data(0.5, 120, unprivileged, rng)
    for name, estimator in {**STUDIED, **as_published(120)}.items():
        for cap in (0.0, 0.9):
            result = density_ratio_fairness(
                y, prediction, sensitive_features=group, estimator=estimator, cap=cap or None
            )
            assert_allclose(
                [found[0.5, name, cap, measure] for measure in ("independence", "separation")],
                result.difference.estimate[:2],
            )
    sample = true_independence(0.5, prediction)["sample"]
    assert found[0.5, "sample", 0.0, "independence"] == pytest.approx(sample)


def test_the_published_kernels_are_those_of_the_package_that_the_paper_cites():
    assert list(AS_PUBLISHED) == [f"{name}_published" for name in KERNEL_CLASSIFIERS]
    assert all(own.intercept for own in KERNEL_CLASSIFIERS.values())
    left, right = np.array([[0.3, -1.0]]), np.array([[1.1, 0.4]])
    kernels = []
    for own in as_published(1000).values():
        assert not own.intercept
        assert own.strength == 0.01 * 1000
        features = own.features(np.vstack([left, right]), own.width or 1.0)
        kernels.append(features.kernel(left, right).item())
    squared, product = ((left - right) ** 2).sum(), (left * right).sum()
    assert_allclose(kernels, [np.exp(-squared), (1 + product) ** 3])


def test_of_separable_groups_only_the_capped_values_are_measured():
    group = np.repeat([1, 0], 20)
    score = group * 10 + np.tile(np.arange(20) / 20, 2)
    y = np.tile(np.arange(20.0), 2)
    found = [
        row[2:]
        for row in measured(
            y, score, group, {"logistic": ESTIMATORS["logistic"]}, measures=("independence",),
            caps=[0.999, 0.9],
        )
    ]  # fmt: skip
    assert [row[:2] for row in found] == [(cap, "independence") for cap in (0, 0.999, 0.9)]
    assert np.isnan(found[0][2])
    assert found[0][3].startswith("The two groups can be separated perfectly")
    # half the items have odds of the cap, the others none
    assert found[1][2] == pytest.approx(999 / 2, rel=1e-3)
    assert found[2][2] == pytest.approx(9 / 2, rel=1e-3)
    assert found[1][3] == found[2][3] == ""
