"""The study of levels and power: designs, test sets, and how often each test rejects."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

from fairpairs.papers.experiments.pair_counts import SimulatedSets
from fairpairs.papers.studies.calibration import measure as module
from fairpairs.papers.studies.calibration.design import design
from fairpairs.papers.studies.calibration.measure import measure_design
from tests.papers.studies.calibration.test_design import settings

#: What `measure_design` returns.
KINDS = {
    **dict.fromkeys(("design", "title", "test", "quantity"), "str"),
    **dict.fromkeys(("n", "repeats", "used"), "int64"),
    **dict.fromkeys(("pairs_per_item", "rejected", "standard_error", "expected"), "float64"),
    **{"separation": "bool", "small": "float64"},
}
GAPS, RATES, BOTH = ("H0c", "H0w"), ("H0t", "H0f"), ("either", "holm")

#: How far a share may lie from what it should be, in standard errors: by chance in 5e-4.
FEW = 3.5


@pytest.fixture
def study(table_1):
    """A function that runs a small study."""

    def run(kind, *, repeats=30, permutation_repeats=4, permutations=19, seed=1, **own):
        return measure_design(
            "mine",
            settings(kind, **own),
            classifiers=table_1,
            repeats=repeats,
            permutation_repeats=permutation_repeats,
            permutations=permutations,
            seed=seed,
            alpha=0.05,
        )

    return run


def cell(frame, test, quantity):
    """The row of one test and quantity, of a study of one size."""
    (row,) = frame[(frame["test"] == test) & (frame["quantity"] == quantity)].to_dict("records")
    return row


def keys(frame):
    frame = frame.assign(pairs_per_item=frame["pairs_per_item"].fillna(0))
    return list(
        frame[["n", "pairs_per_item", "test", "quantity"]].itertuples(index=False, name=None)
    )


def expected_keys(on_items, on_pairs, sizes, ratios, permuted):
    return {
        *((n, 0, test, q) for n in sizes for test, qs in on_items.items() for q in qs),
        *(
            (n, ratio, test, q)
            for n in sizes
            for ratio in ratios
            for test, qs in on_pairs.items()
            for q in qs
        ),
        *(
            (n, 0, test, "joint")
            for n in permuted
            for test in ("permutation", "permutation_information")
        ),
    }


PAPER, DYADIC = (*GAPS, *BOTH), (*GAPS, *BOTH, "joint")
ON_PAIRS = {"fresh_pairs": PAPER, "binomial": PAPER, "drawn_pairs": DYADIC}
ROWS = {
    "classifier": (
        {"classifier": "f0"},
        {"all_pairs": DYADIC, "separation": (*RATES, *BOTH)},
        ON_PAIRS,
    ),
    "regression": (
        {"noise": [1, 1]},
        {"all_pairs_raw": DYADIC, "all_pairs_balanced": DYADIC, "residuals": ("joint",)},
        {**ON_PAIRS, "drawn_pairs_balanced": DYADIC},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ROWS)
def test_there_is_a_row_for_each_size_test_and_quantity(study, kind):
    own, on_items, on_pairs = ROWS[kind]
    frame = study(kind, items=[60, 90], pairs_per_item=[2, 3.5], permuted_items=[50], **own)
    assert {column: str(of) for column, of in frame.dtypes.items()} == KINDS
    found = keys(frame)
    assert len(set(found)) == len(found)
    assert set(found) == expected_keys(on_items, on_pairs, [60, 90], [2, 3.5], [50])


def test_a_row_says_what_it_is_of(study):
    frame = study("classifier", classifier="f2", title="F & 2", permuted_items=[50])
    assert set(frame["design"]) == {"mine"}
    assert set(frame["title"]) == {"F & 2"}
    assert set(frame["separation"]) == {False}
    permuted = frame["test"].str.startswith("permutation")
    assert set(frame.loc[permuted, "repeats"]) == {4}
    assert set(frame.loc[~permuted, "repeats"]) == {30}
    assert (frame["used"] <= frame["repeats"]).all()
    rate = frame["rejected"]
    assert rate.between(0, 1).all()
    assert_allclose(frame["standard_error"], np.sqrt(rate * (1 - rate) / frame["used"]))
    assert frame.loc[~permuted, "small"].between(0, 1).all()


@pytest.mark.slow
def test_formulas_are_for_both_hypotheses_of_classifiers(study):
    frame = study("classifier", classifier="f2", permuted_items=[50])
    assert list(frame["expected"].notna()) == list(frame["quantity"].isin(BOTH))
    assert study("regression", noise=[1, 1])["expected"].isna().all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_study_and_another_seed_another(study):
    own = {"noise": [1, 1], "permuted_items": [40]}
    one = study("regression", **own)
    pd.testing.assert_frame_equal(one, study("regression", **own), check_exact=True)
    other = study("regression", seed=2, **own)
    assert (one["rejected"] != other["rejected"]).any()


@pytest.mark.slow
def test_each_size_has_numbers_of_its_own(study):
    """So a size more changes nothing of the others."""
    own = {"classifier": "f2", "permuted_items": [40]}
    one = study("classifier", items=[60], pairs_per_item=[2], **own)
    more = study("classifier", items=[90, 60], pairs_per_item=[1, 2], **own)
    kept = more[(more["n"] != 90) & (more["pairs_per_item"] != 1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(one, kept, check_exact=True)


@pytest.mark.parametrize(
    ("size", "steps"), [(100, [7]), (300, [3, 3, 1]), (1000, [1] * 7), (20_000, [1] * 7)]
)
def test_batches_have_as_many_test_sets_as_are_asked_for(table_1, monkeypatch, size, steps):
    monkeypatch.setattr(module, "BATCH", 1000)
    made = design("mine", settings("regression", noise=[1, 1]), table_1)
    rng = np.random.default_rng(0)
    found = [len(sets.group) for sets in module._batches(made, 20, 7, size, rng)]
    assert found == steps


def test_an_empty_cell_leaves_out_its_test_set_alone(study):
    """Few pairs: the hypothesis within groups can often not be tested."""
    frame = study("classifier", classifier="f0", items=[20], pairs_per_item=[0.5], repeats=60)
    row = cell(frame, "binomial", "H0w")
    assert 2 < row["used"] < 60
    assert row["small"] == 1
    assert np.isfinite(row["rejected"])
    assert row["standard_error"] == pytest.approx(
        np.sqrt(row["rejected"] * (1 - row["rejected"]) / row["used"])
    )


@pytest.mark.parametrize("kind", ROWS)
def test_the_smallest_test_sets_that_the_schema_admits_warn_of_nothing(study, kind):
    """In some of them a group or a label is absent; no warning is raised."""
    frame = study(kind, items=[20], pairs_per_item=[0.5], repeats=300, **ROWS[kind][0])
    assert (frame["used"] <= 300).all()
    assert list(frame["rejected"].isna()) == list(frame["used"] == 0)


@pytest.mark.slow
def test_a_test_set_that_cannot_be_permuted_is_not_used(study):
    """A group lacks a label in some of them; `used` says in how many there was a p-value."""
    own = {"classifier": "f3", "pairs_per_item": [], "items": [20], "permuted_items": [4]}
    row = cell(study("classifier", permutation_repeats=30, **own), "permutation", "joint")
    assert row["repeats"] == 30
    assert 0 < row["used"] < 30
    assert 0 <= row["rejected"] <= 1


@pytest.mark.slow
def test_what_is_expected_of_an_unfair_classifier_is_found(study):
    frame = study("classifier", classifier="f2", items=[500], pairs_per_item=[4], repeats=300)
    known = frame[frame["expected"].notna()]
    assert len(known) == 10
    assert (known["expected"] > 0.15).all()
    off = (known["rejected"] - known["expected"]).abs()
    assert (off < FEW * known["standard_error"] + 0.02).all()


def test_permutations_of_a_grossly_unfair_regression_reject_always(study):
    """19 permutations reach 1/20, which is to count as a rejection at 0.05."""
    own = {"noise": [0.3, 0.3], "score_shift": 3, "label_shift": 0.5}
    frame = study("regression", permuted_items=[60], permutation_repeats=5, **own)
    for test in ("permutation", "permutation_information"):
        row = cell(frame, test, "joint")
        assert (row["n"], row["repeats"], row["used"]) == (60, 5, 5)
        assert row["rejected"] == 1, test
        assert np.isnan(row["pairs_per_item"])
        assert np.isnan(row["small"])


@pytest.mark.parametrize("seed", range(4))
def test_the_regression_of_the_score_is_that_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    r, n = 3, 25 + 10 * seed
    group = (rng.random((r, n)) < 0.3).astype(np.int64)
    label = rng.normal(size=(r, n)) + 0.7 * group
    score = 0.5 * label + 0.3 * seed * group + rng.normal(size=(r, n))
    pvalues = module._residual_test(SimulatedSets(group, label, score))
    assert pvalues.shape == (r,)
    for i in range(r):
        fit = sm.OLS(score[i], sm.add_constant(np.column_stack([label[i], group[i]]))).fit()
        assert_allclose(pvalues[i], fit.pvalues[2], rtol=1e-9)
