"""Selection rates and means, of few items too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import hypergeom, ttest_ind
from statsmodels.stats.proportion import confint_proportions_2indep

import fairpairs as fp
from fairpairs.mathematics.inference import shuffled_means

from ..synthetic import rows, two


@pytest.fixture
def _quick(monkeypatch):
    monkeypatch.setattr(shuffled_means, "SHUFFLES", 499)
    monkeypatch.setattr(shuffled_means, "MIN_SHUFFLES", 499)


@pytest.mark.slow
def test_selection_rates_have_the_interval_of_the_score_test(data, full):
    part, member = two(data, "b")
    (row,) = rows(full, criterion="demographic_parity", group="b").to_dict("records")
    selected, sizes = part.groupby(member)["yhat"].sum(), member.value_counts().sort_index()
    low, high = confint_proportions_2indep(
        selected[1], sizes[1], selected[0], sizes[0], method="score", correction=False
    )
    assert_allclose([row["ci_low"], row["ci_high"]], [low, high], atol=0.005)


def test_scores_on_another_scale_than_labels_have_no_difference(data):
    result = fp.audit(data["y"], 10 * data["score"], sensitive_features=data["sex"])
    (row,) = rows(result, criterion="differential_parity").to_dict("records")
    assert row["verdict"] == "cannot be estimated"
    assert "on another scale than labels of 0 and 1" in row["note"]


@pytest.mark.parametrize(("few", "errors"), [(5, 0), (10, 2), (29, 0), (60, 1), (60, 0)])
def test_means_of_few_or_nearly_constant_items_are_compared_as_counts(few, errors):
    """Welch's t calls 5 items that are all right different from 2,000; counts do not."""
    y = np.arange(2000 + few) % 2
    group = np.repeat(["many", "few"], [2000, few])
    yhat = y.copy()
    yhat[1:200:2] = 0  # 100 of the many are missed
    yhat[np.flatnonzero((group == "few") & (y == 1))[:errors]] = 0
    row = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    row = row.loc["mean error"]
    chance = hypergeom(2000 + few, 100 + errors, few).pmf(np.arange(few + 1))
    assert row["pvalue"] == pytest.approx(chance[chance <= chance[errors] * (1 + 1e-7)].sum())
    assert row["verdict"] == "not shown"
    assert row["ci_low"] < row["estimate"] < row["ci_high"]
    assert "Fisher's exact test, Newcombe's interval" in row["note"]
    if errors == 0:
        error = yhat - y
        plain = ttest_ind(error[group == "few"], error[group == "many"], equal_var=False)
        assert plain.pvalue < 0.001


@pytest.mark.parametrize(("name", "size"), [("absolute", np.abs), ("squared", np.square)])
def test_mean_errors_are_means_of_sizes_and_have_ratios(data, name, size):
    """As Welch's t of the sizes, and as means of predictions that are the sizes."""
    label, prediction, rng = data["points"], data["score"], np.random.default_rng(4)
    distance = size(label - prediction)
    clusters, weight = rng.integers(0, 300, len(data)), rng.uniform(0.5, 2, len(data))
    for design in ({}, {"clusters": clusters}, {"sample_weight": weight}):
        options = {"sensitive_features": data["race"], **design}
        ours = fp.audit(label, prediction, margin={f"mean_{name}_error": 0.2}, **options)
        theirs = fp.audit(label, distance, margin={"demographic_parity": 0.2}, **options)
        (b, _), (other, _) = (
            rows(result, measure=measure).to_dict("records")
            for result, measure in ((ours, f"mean {name} error"), (theirs, "mean prediction"))
        )
        for key in ("estimate", "ci_low", "ci_high", "pvalue", "pvalue_within", "effect_size"):
            assert b[key] == pytest.approx(other[key], rel=1e-6), key
        means = ours.by_group[f"mean {name} error"]
        assert b["ratio"] == pytest.approx(means["b"] / means[b["reference"]])
        assert b["ratio_low"] < b["ratio"] < b["ratio_high"]
        # 1 is left out just where the interval of the difference leaves out 0
        assert (b["ratio_low"] > 1) == (b["ci_low"] > 0)
        assert (b["ratio_high"] < 1) == (b["ci_high"] < 0)
    result = fp.audit(label, prediction, sensitive_features=data["race"])
    row = rows(result, measure=f"mean {name} error", group="b").iloc[0]
    first, second = (distance[data["race"] == group] for group in "ba")
    assert row["estimate"] == pytest.approx(first.mean() - second.mean())
    welch = ttest_ind(first, second, equal_var=False)
    assert row["pvalue"] >= welch.pvalue * (1 - 1e-9)
    assert row["pvalue"] == pytest.approx(welch.pvalue, rel=0.2)


@pytest.mark.slow
def test_ratios_of_skewed_errors_cover_the_true_one(_quick):
    """The logarithm's Student's t alone misses the ratio of these squares in 0.11 of data sets."""
    rng, missed, sets = np.random.default_rng(5), np.zeros(2), 600
    for _ in range(sets):
        values = rng.laplace(size=75) ** 2
        member = np.repeat([1, 0], [15, 60])
        values[:15] *= 3
        below, above = shuffled_means.log_ratio_limits(values, member, 0.05)
        ratio = np.log(values[:15].mean() / values[15:].mean())
        missed += ratio + below > np.log(3), ratio + above < np.log(3)
    assert missed.sum() / sets < 0.075


def test_no_error_and_one_row_have_no_ratio():
    group = np.repeat(["a", "b", "c"], [40, 40, 1])
    label = np.arange(81.0)
    result = fp.audit(label, label + (group != "a"), sensitive_features=group, reference="b")
    found = rows(result, measure="mean squared error").set_index("group")
    assert found[["ratio", "ratio_low", "ratio_high"]].isna().all(axis=None)


def test_the_answer_says_how_far_predictions_are_off(data):
    label, prediction = data["points"], data["score"] + 3 * (data["sex"] == "f")
    options = {"sensitive_features": data["sex"], "criterion": "mean_absolute_error"}
    result = fp.audit(label, prediction, reference={"sex": "m"}, **options)
    (reason,) = result.answer.reasons
    assert reason.startswith("Mean absolute error: the prediction is off points by ")
    means = result.rates.set_index(["measure", "group"])["estimate"]["mean absolute error"]
    assert f"{means['f']:.2f} (sex=f) and {means['m']:.2f} (sex=m) on average: " in reason
    assert f"; ratio {means['f'] / means['m']:.2f} (" in reason
    new = fp.compare(label, prediction, data["score"], **options)
    assert new.about["gate"]["criteria"] == ["mean_absolute_error"]
    by_sex = [np.abs(label - y).groupby(data["sex"]).mean() for y in (data["score"], prediction)]
    differences = [abs(means["f"] - means["m"]) for means in by_sex]
    row = new.tests.set_index("criterion").loc["mean_absolute_error"]
    assert abs(row["new"]) - abs(row["old"]) == pytest.approx(differences[0] - differences[1])
    with pytest.raises(fp.InputError, match="mean_absolute_error does not apply"):
        fp.audit(data["y"], data["yhat"], **options)
