"""Criteria of rates of decisions, against scipy, statsmodels and each other."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtri, xlogy
from scipy.stats import barnard_exact, fisher_exact
from statsmodels.stats.proportion import proportions_ztest

import fairpairs as fp
from fairpairs.mathematics.inference.contrasts.binomial import BinomialContrast

from ..synthetic import rows, two

#: Columns of a line that do not name its criterion.
NUMBERS = [
    "estimate", "ci_low", "ci_high", "effect_size", "pvalue", "margin_low", "margin_high",
    "pvalue_within", "ratio", "ratio_low", "ratio_high", "n", "smallest_cell",
]  # fmt: skip
#: What a difference is of.
KEY = ["attribute", "group", "reference"]


def exact(table):
    """The two-sided p of Barnard's test, the largest over all common rates, not the likely ones."""
    sides = (barnard_exact(table, alternative=side).pvalue for side in ("less", "greater"))
    return min(1.0, 2 * min(sides))


def score_interval(counted, of):
    """The differences whose score statistic is 1.96, with the most likely rates that have them."""
    counted, of = np.array(counted, dtype=float), np.array(of, dtype=float)
    first, second = counted / of

    def squared(apart):
        def unlikely(rate):
            rates = np.array([rate + apart, rate])
            return -(xlogy(counted, rates) + xlogy(of - counted, 1 - rates)).sum()

        ends = (max(0, -apart), min(1, 1 - apart))
        rate = minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-10}).x
        rates = np.array([rate + apart, rate])
        return (first - second - apart) ** 2 / (rates * (1 - rates) / of).sum() - ndtri(0.975) ** 2

    return [brentq(squared, first - second, end * 0.999) for end in (-1, 1)]


def test_one_person_shows_no_violation():
    """Wald's variance of a rate of 0 or 1 is zero: z would be beyond any bound."""
    y = np.array([1] * 2000 + [0] * 2000 + [1, 0])
    yhat = np.array([1, 1, 1, 0] * 500 + [0, 0, 0, 1] * 500 + [0, 1])
    group = np.array(["many"] * 4000 + ["one"] * 2)
    result = fp.audit(y, yhat, y_score=yhat, sensitive_features=group)
    frame = result.to_frame().set_index("measure")
    member = (group == "one").astype(int)
    assert fp.separation_test(y, yhat, sensitive_features=member, method="wald").violated
    assert not fp.separation_test(y, yhat, sensitive_features=member).violated
    rates = [
        "TPR",
        "FPR",
        "average odds",
        "comparative, across",
        "comparative, within",
        "selection rate",
    ]
    assert "violated" not in set(frame.loc[rates, "verdict"])
    for measure in ("TPR", "FPR"):  # the chance of the one person is 0.25, in each direction
        assert_allclose(frame.loc[measure, "pvalue"], 0.5, atol=0.05)
        assert "exact test" in frame.loc[measure, "note"]
        assert frame.loc[measure, "ci_high"] - frame.loc[measure, "ci_low"] > 0.7
    assert frame.loc["average odds", "pvalue"] > 0.5
    assert np.isnan(frame.loc["comparative, across", "ci_low"])


def test_small_cells_have_exact_intervals():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 150)
    group = np.where(np.arange(300) % 10 < 1, "few", "many")
    yhat = np.where(group == "few", 1, rng.integers(0, 2, 300))  # all of the few are selected
    frame = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    hits = yhat[(y == 1) & (group == "many")].sum()
    low, high = BinomialContrast((15, int(hits)), (15, 135)).limits(0.05)
    assert_allclose(frame.loc["TPR", ["ci_low", "ci_high"]].astype(float), [low, high])
    assert 0.2 < low < 1 - hits / 135 < high < 0.7
    assert (frame.loc[["TPR", "FPR", "average odds"], "verdict"] == "violated").all()
    aod = frame.loc["average odds"]
    assert low < aod["ci_low"] < aod["estimate"] < aod["ci_high"]  # two cells tell more than one
    selected = yhat[group == "many"].sum()
    assert frame.loc["selection rate", "pvalue"] < exact([[30, selected], [0, 270 - selected]])


def test_precision_and_false_omission_rate_are_compared_as_other_rates(data, full):
    part, member = two(data, "b")
    for measure, prediction in (("precision", 1), ("false omission rate", 0)):
        (row,) = rows(full, measure=measure, attribute="race", group="b").to_dict("records")
        inside = part["yhat"] == prediction
        table = pd.crosstab(member[inside], part["y"][inside]).to_numpy()
        counted, of = table[::-1, 1], table[::-1].sum(axis=1)
        assert_allclose(row["estimate"], counted[0] / of[0] - counted[1] / of[1])
        assert_allclose(row["pvalue"], proportions_ztest(counted, of)[1], rtol=0.7)
        interval = score_interval(counted, of)
        assert_allclose([row["ci_low"], row["ci_high"]], interval, atol=0.005)
        assert row["n"] == inside.sum()


def test_error_rates_are_complements(full):
    pairs = {"FNR": "TPR", "FDR": "precision"}
    for error, rate in pairs.items():
        ours = rows(full, measure=error)
        theirs = ours[KEY].merge(rows(full, measure=rate), on=KEY)
        assert_allclose(ours["estimate"], -theirs["estimate"])
        assert_allclose(ours["ci_low"], -theirs["ci_high"])
        assert_allclose(ours["ci_high"], -theirs["ci_low"])
        assert_allclose(ours["pvalue"], theirs["pvalue"])


def test_few_predictions_are_tested_exactly():
    y = np.tile([0, 1], 300)
    group = np.where(np.arange(600) < 60, "few", "many")
    yhat = np.where(np.arange(600) % 20 < 3, 1, 0)
    yhat[:60] = 0
    yhat[[1, 3, 5]] = 1
    frame = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    inside = yhat == 1
    table = pd.crosstab(group[inside], y[inside]).to_numpy()
    row = frame.loc["precision"]
    # Fisher's two-sided p has one tail here, and Barnard's orders by a skewed z
    assert fisher_exact(table).pvalue < row["pvalue"] < exact(table.T)
    assert row["smallest_cell"] == 3
    yhat[:60] = 0
    frame = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    assert frame.loc[["precision", "FDR"], "note"].eq("empty cell").all()
    assert np.isfinite(frame.loc["false omission rate", "pvalue"])


def designs(data):
    rng = np.random.default_rng(5)
    clusters, weight = rng.integers(0, len(data) // 3, len(data)), rng.uniform(0.5, 2, len(data))
    return {
        "plain": {},
        "clusters": {"clusters": clusters},
        "weights": {"sample_weight": weight},
        "frequencies": {
            "sample_weight": rng.integers(1, 4, len(data)), "weight_kind": "frequency",
        },
        "both": {"clusters": clusters, "sample_weight": weight},
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("design", ["plain", "frequencies", "both"])
def test_accuracy_is_the_selection_rate_of_right_predictions(data, design):
    data = data.head(400)
    options = {
        "sensitive_features": data["race"], "margin": 0.1, **designs(data)[design],
    }  # fmt: skip
    right = (data["y"] == data["yhat"]).astype(int)
    ours = rows(fp.audit(data["y"], data["yhat"], **options), measure="accuracy")
    theirs = rows(fp.audit(data["y"], right, **options), measure="selection rate")
    assert_allclose(ours[NUMBERS], theirs[NUMBERS], rtol=1e-9)
    assert np.isfinite(ours["pvalue_within"]).all()


def test_accuracy_is_tested_as_statsmodels_does(data, full):
    part, member = two(data, "b")
    (row,) = rows(full, measure="accuracy", attribute="race", group="b").to_dict("records")
    right = part["y"] == part["yhat"]
    counted, of = ([np.sum(x[member == g]) for g in (1, 0)] for x in (right, np.ones(len(part))))
    assert_allclose(row["pvalue"], proportions_ztest(counted, of)[1], rtol=0.5)
    assert_allclose([row["ci_low"], row["ci_high"]], score_interval(counted, of), atol=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("design", ["plain", "frequencies", "both"])
def test_equal_opportunity_is_the_tpr_of_separation(data, design):
    data = data.head(400)
    options = {
        "sensitive_features": data[["race", "sex"]], "margin": 0.1, **designs(data)[design],
    }  # fmt: skip
    result = fp.audit(data["y"], data["yhat"], criterion="equal_opportunity", **options)
    ours = rows(result, criterion="equal_opportunity")
    theirs = rows(result, criterion="separation", measure="TPR")
    both = theirs[KEY].merge(ours, on=KEY)
    assert len(theirs) == 3  # of each two races only what counts, equal opportunity
    assert_allclose(both[NUMBERS], theirs[NUMBERS], rtol=1e-12)
    assert result.about["gate"]["criteria"] == ["equal_opportunity"]
    assert result.about["gate"]["lines"] == len(ours) == 4
    assert {finding.measure for finding in result.answer.findings} == {"TPR"}


def test_a_part_of_separation_is_a_line_only_where_it_is_named(data):
    options = {"sensitive_features": data["sex"]}
    assert rows(fp.audit(data["y"], data["yhat"], **options), criterion="equal_opportunity").empty
    margin = {"equal_opportunity": 0.1}
    result = fp.audit(data["y"], data["yhat"], margin=margin, **options)
    assert rows(result, criterion="equal_opportunity")["margin"].tolist() == [0.1]
    assert "equal_opportunity" not in str(result.about["notes"])
    with pytest.raises(
        fp.InputError, match="separation has the comparisons of equal_opportunity: name"
    ):
        fp.audit(
            data["y"], data["yhat"], criterion=["equal_opportunity", "equalized_odds"], **options
        )


def test_equalized_odds_is_separation(data):
    options = {"sensitive_features": data["sex"]}
    ours, theirs = (
        fp.audit(data["y"], data["yhat"], criterion=name, margin={name: 0.1}, **options).to_dict()
        for name in ("equalized_odds", "separation")
    )
    assert ours == theirs
    with pytest.raises(fp.InputError, match="margin names separation twice, once by another name"):
        fp.audit(
            data["y"], data["yhat"], margin={"separation": 0.1, "equalized_odds": 0.2}, **options
        )


def test_equal_opportunity_of_each_class(data):
    label, prediction = (data[name].map({0: "no", 1: "yes"}) for name in ("y", "yhat"))
    label, prediction = label.copy(), prediction.copy()
    label[::7] = prediction[::7] = "maybe"
    result = fp.audit(
        label, prediction, sensitive_features=data["sex"], criterion="equal_opportunity"
    )
    assert result.about["gate"]["lines"] == 3
    with pytest.raises(fp.InputError, match="average_odds does not apply"):
        fp.audit(label, prediction, sensitive_features=data["sex"], criterion="average_odds")
