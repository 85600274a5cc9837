"""The tests of a ranking: xAUC, its measures, and what an adjustment does."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.metrics import brier_score_loss, roc_auc_score

from fairpairs import xauc
from fairpairs.datasets.prepared import PreparedDataset
from fairpairs.errors import InputError
from fairpairs.experiments.predictions import Settings
from fairpairs.experiments.seeds import stream
from fairpairs.experiments.split import stratified_split
from fairpairs.experiments.summaries import summarise
from fairpairs.experiments.testing import run_test
from fairpairs.fairness.ranking_adjustment import XaucAdjustment, equalize_xauc
from fairpairs.fairness.ranking_differences import difference_variances
from fairpairs.fairness.ranking_rates import ranking_rates
from fairpairs.fairness_tests import ranking, xauc_adjustment

TESTS = ["xauc", "ranking", "xauc_adjustment"]
REPEATS = [4, 5, 9]
SETTINGS = Settings(seed=11, alpha=0.2, pairs_per_item=2.0)


@pytest.fixture
def predictions(small_dataset):
    """Scores that tell something, some of them tied, in repeats of several sizes."""
    rng = np.random.default_rng(0)
    parts = []
    for repeat, size in zip(REPEATS, (300, 250, 200), strict=True):
        item = np.sort(rng.choice(500, size, replace=False))
        noise = rng.normal(size=size)
        score = expit(small_dataset.label[item] - 0.5 + noise).round(2)
        parts.append(
            pd.DataFrame(
                {
                    "repeat": np.int32(repeat),
                    "item": item.astype(np.int32),
                    "score": score,
                    "prediction": (score > 0.5).astype(np.int8),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def run(test, predictions, dataset, settings=SETTINGS, treatment="none"):
    return run_test(test, predictions, dataset, treatment=treatment, settings=settings)


def arrays(predictions, dataset):
    """The labels, scores and groups of each repeat and attribute."""
    for repeat, part in predictions.groupby("repeat"):
        rows = dataset.frame.set_index("item").loc[part["item"]]
        for attribute in dataset.attributes:
            yield (
                (repeat, attribute),
                rows["label"].to_numpy(),
                part["score"].to_numpy(),
                rows[f"sensitive_{attribute}"].to_numpy(),
            )


def own_rows(frame, repeat, attribute):
    return frame[(frame["repeat"] == repeat) & (frame["attribute"] == attribute)]


def test_xauc_is_tested_as_repeat_by_repeat(small_dataset, predictions):
    settings = replace(SETTINGS, alpha=0.15)
    frame = run("xauc", predictions, small_dataset, settings)
    assert len(frame) == 3 * 2 * 4
    for key, label, score, group in arrays(predictions, small_dataset):
        alone = xauc(label, score, sensitive_features=group, correction="holm")
        rows, table = own_rows(frame, *key), alone.to_frame()
        assert_array_equal(rows["hypothesis"], table["hypothesis"])
        assert_allclose(rows["estimate"], table["estimate"], rtol=1e-12)
        assert_allclose(rows["statistic"], table["statistic"], rtol=1e-12)
        assert_allclose(rows["p_value"], alone.difference.pvalue, rtol=1e-12)  # not adjusted
        assert_array_equal(rows["rejected"], table["pvalue"] < 0.15)  # by Holm
        assert_array_equal(rows["n"], table["n"])
        assert_array_equal(rows["smallest_cell"], table["smallest_cell"])
        assert_array_equal(rows["note"], table["note"])
        assert rows["standard_error"].isna().all()
    assert 0 < frame["rejected"].sum() < len(frame)
    assert (frame["rejected"] < (frame["p_value"] < 0.15)).any()  # the correction decides


def area(label, score, positive, negative):
    """The AUC of some positive items above some negative ones."""
    used = ((label == 1) & positive) | ((label == 0) & negative)
    return roc_auc_score(label[used], score[used])


def measured(label, score, group):
    """The measures of a ranking, by their definitions."""
    zero, one, everyone = group == 0, group == 1, group >= 0
    values = {
        "AUC": area(label, score, everyone, everyone),
        "AUC(0)": area(label, score, zero, zero),
        "AUC(1)": area(label, score, one, one),
        "xAUC(0,1)": area(label, score, zero, one),
        "xAUC(1,0)": area(label, score, one, zero),
        "xAUC_1(0)": area(label, score, zero, everyone),
        "xAUC_1(1)": area(label, score, one, everyone),
        "xAUC_0(0)": area(label, score, everyone, zero),
        "xAUC_0(1)": area(label, score, everyone, one),
        "Brier": brier_score_loss(label, score),
        "Brier(0)": brier_score_loss(label[zero], score[zero]),
        "Brier(1)": brier_score_loss(label[one], score[one]),
    }
    for measure in ("AUC", "xAUC_1", "xAUC_0"):
        values[f"Δ{measure}"] = values[f"{measure}(0)"] - values[f"{measure}(1)"]
    values["ΔxAUC"] = values["xAUC(0,1)"] - values["xAUC(1,0)"]
    return values


def test_the_measures_are_those_of_the_definitions(small_dataset, predictions):
    frame = run("ranking", predictions, small_dataset)
    for key, label, score, group in arrays(predictions, small_dataset):
        rows = own_rows(frame, *key).set_index("hypothesis")
        expected = measured(label, score, group)
        assert set(rows.index) == set(expected)
        for name, value in expected.items():
            assert_allclose(rows.loc[name, "estimate"], value, rtol=1e-12, err_msg=name)
    assert set(frame["test"]) == {"ranking"}
    assert frame[["statistic", "p_value"]].isna().all(axis=None)
    assert not frame["rejected"].any()


def test_the_errors_are_those_of_delong(small_dataset, predictions):
    frame = run("ranking", predictions, small_dataset)
    for key, label, score, group in arrays(predictions, small_dataset):
        errors = own_rows(frame, *key).set_index("hypothesis")["standard_error"]
        table = xauc(label, score, sensitive_features=group).rates()
        by_groups = table.set_index(["positive", "negative"])["standard_error"]
        for name, cell in {
            "AUC": ("all", "all"),
            "AUC(0)": ("0", "0"),
            "AUC(1)": ("1", "1"),
            "xAUC(0,1)": ("0", "1"),
            "xAUC(1,0)": ("1", "0"),
            "xAUC_1(0)": ("0", "all"),
            "xAUC_1(1)": ("1", "all"),
            "xAUC_0(0)": ("all", "0"),
            "xAUC_0(1)": ("all", "1"),
        }.items():
            assert_allclose(errors[name], by_groups[cell], rtol=1e-12, err_msg=name)
        differences = errors[["ΔAUC", "ΔxAUC", "ΔxAUC_1", "ΔxAUC_0"]]
        rates = ranking_rates(label, score, group, 2)
        assert_allclose(differences**2, difference_variances(rates), rtol=1e-9)
        assert errors[["Brier", "Brier(0)", "Brier(1)"]].isna().all()


@pytest.mark.parametrize("test", TESTS)
def test_repeats_in_chunks_have_the_rows_of_all_at_once(small_dataset, predictions, test):
    whole = run(test, predictions, small_dataset)
    chunks = [
        run(test, predictions[predictions["repeat"].isin(chunk)], small_dataset)
        for chunk in ([4], [5, 9])
    ]
    keys = ["attribute", "repeat"]
    ordered = [
        frame.sort_values(keys, kind="stable").reset_index(drop=True)
        for frame in (whole, pd.concat(chunks))
    ]
    pd.testing.assert_frame_equal(*ordered, check_exact=True)


@pytest.mark.parametrize("test", TESTS)
def test_the_order_of_the_items_changes_nothing(small_dataset, predictions, test):
    shuffled = predictions.sample(frac=1, random_state=1)
    whole = run(test, predictions, small_dataset)
    pd.testing.assert_frame_equal(run(test, shuffled, small_dataset), whole, check_exact=True)


@pytest.mark.parametrize("test", TESTS)
def test_a_real_label_is_refused_in_one_sentence(test):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"item": range(40), "label": rng.normal(size=40), "sensitive_a": [0, 1] * 20}
    )
    dataset = PreparedDataset("points", frame, {}, ("a",))
    scored = pd.DataFrame({"repeat": 0, "item": range(40), "prediction": rng.normal(size=40)})
    with pytest.raises(InputError) as error:
        run(test, scored.assign(score=scored["prediction"]), dataset)
    assert str(error.value) == (
        f"The test {test} needs a label of 0 and 1: for a real label, take comparative_separation."
    )


@pytest.fixture
def lacking(small_dataset, predictions):
    """The same predictions, but no woman of repeat 5 has label 1."""
    frame = small_dataset.frame.set_index("item").loc[predictions["item"]]
    positive = ((frame["label"] == 1) & (frame["sensitive_sex"] == 0)).to_numpy()
    return predictions[~(positive & (predictions["repeat"] == 5))].reset_index(drop=True)


def test_a_group_without_positives_is_not_tested_and_says_why(small_dataset, lacking):
    frame = run("xauc", lacking, small_dataset)
    rows = own_rows(frame, 5, "sex").set_index("hypothesis")
    none = ["AUC(0) = AUC(1)", "xAUC(0,1) = xAUC(1,0)", "xAUC_1(0) = xAUC_1(1)"]
    assert set(rows.loc[none, "note"]) == {"a group without positive items"}
    assert rows.loc[none, ["estimate", "statistic", "p_value"]].isna().all(axis=None)
    assert not rows.loc[none, "rejected"].any()
    other = rows.loc["xAUC_0(0) = xAUC_0(1)"]  # positive items of everyone
    assert np.isfinite(other["p_value"])
    assert frame[frame["repeat"] != 5]["p_value"].notna().all()


def test_a_group_without_positives_has_no_measure_of_them(small_dataset, lacking):
    frame = run("ranking", lacking, small_dataset)
    known = own_rows(frame, 5, "sex").set_index("hypothesis")["estimate"].notna()
    assert set(known[~known].index) == {"AUC(0)", "xAUC(0,1)", "xAUC_1(0)", "ΔAUC", "ΔxAUC",
                                        "ΔxAUC_1"}  # fmt: skip
    assert frame[frame["repeat"] != 5]["estimate"].notna().all()


def test_a_group_without_items_has_no_measure_at_all(small_dataset, predictions):
    women = small_dataset.frame["sensitive_sex"].iloc[predictions["item"]].to_numpy() == 0
    men = predictions[~(women & (predictions["repeat"] == 4))].reset_index(drop=True)
    rows = own_rows(run("ranking", men, small_dataset), 4, "sex").set_index("hypothesis")
    assert np.isnan(rows.loc["Brier(0)", "estimate"])
    assert rows.loc["AUC", "estimate"] == pytest.approx(rows.loc["AUC(1)", "estimate"])
    assert own_rows(run("xauc", men, small_dataset), 4, "sex")["p_value"].isna().all()
    assert own_rows(run("xauc_adjustment", men, small_dataset), 4, "sex")["estimate"].isna().all()


def test_repeats_without_a_number_are_left_out_of_the_means(small_dataset, lacking):
    frame = run("ranking", lacking, small_dataset)
    violations, estimates = summarise([frame, run("xauc", lacking, small_dataset)])
    row = violations[violations["attribute"] == "sex"].iloc[0]
    assert (row["repeats"], row["tested"], row["incomplete"]) == (3, 3, 1)
    means = estimates[estimates["attribute"] == "sex"].set_index("hypothesis")["mean"]
    own = frame[(frame["attribute"] == "sex") & (frame["hypothesis"] == "ΔxAUC")]
    assert means["ΔxAUC"] == pytest.approx(own["estimate"].dropna().mean())
    assert own["estimate"].isna().sum() == 1


def test_a_mistake_in_the_decomposition_would_be_noticed(small_dataset, predictions, monkeypatch):
    def wrong(rates):
        right = np.ones(rates.concordant.shape[:-2])
        return {"AUC": right, "sum of xAUC": 1.001 * right}

    monkeypatch.setattr(ranking, "decomposition", wrong)
    with pytest.raises(ArithmeticError, match="Proposition 1 does not hold"):
        run("ranking", predictions, small_dataset)


ADJUSTMENT = [
    "shift of log odds",
    *(
        f"{name} {when} it"
        for when in ("before", "after")
        for name in ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier")
    ),
]


def test_the_adjustment_is_found_on_one_half_and_judged_on_the_other(small_dataset, predictions):
    frame = run("xauc_adjustment", predictions, small_dataset, treatment="reweighing")
    for key, label, score, group in arrays(predictions, small_dataset):
        repeat, attribute = key
        rng = stream(11, "adjustment", "small", "reweighing", attribute, repeat)
        half = stratified_split(2 * group + label, 0.5, rng)
        ways, shifts = {"before": [], "after": []}, []
        for fitted in (half, ~half):
            found = equalize_xauc(
                label[fitted], score[fitted], sensitive_features=group[fitted], reference=1
            )
            shifts.append(found.shifts[0])
            after, judged = score.copy(), ~fitted
            after[group == 0] = expit(logit(score[group == 0]) + shifts[-1])
            for when, scores in (("before", score), ("after", after)):
                ways[when].append(measured(label[judged], scores[judged], group[judged]))
        own = own_rows(frame, *key)
        assert list(own["hypothesis"]) == ADJUSTMENT
        values = own.set_index("hypothesis")["estimate"]
        assert_allclose(values["shift of log odds"], np.mean(shifts), rtol=1e-9)
        for when, both in ways.items():
            for name in ("ΔxAUC", "AUC", "Brier"):
                expected = np.mean([way[name] for way in both])
                assert_allclose(values[f"{name} {when} it"], expected, atol=1e-9)
            expected = np.mean([abs(way["ΔxAUC"]) for way in both])
            assert_allclose(values[f"|ΔxAUC| {when} it"], expected, atol=1e-9)


def test_no_item_is_judged_by_a_shift_that_it_helped_to_find(
    small_dataset, predictions, monkeypatch
):
    part = predictions[predictions["repeat"] == 4]
    part = part.assign(score=np.linspace(0.1, 0.9, len(part)))  # a score names an item
    fitted, judged = [], []

    class Noted(XaucAdjustment):
        def transform(self, y_score, *, sensitive_features):
            judged.append(set(y_score))
            return super().transform(y_score, sensitive_features=sensitive_features)

    def noted(label, score, **keywords):
        fitted.append(set(score))
        return Noted(**vars(equalize_xauc(label, score, **keywords)))

    monkeypatch.setattr(xauc_adjustment, "equalize_xauc", noted)
    run("xauc_adjustment", part, small_dataset)
    assert len(fitted) == len(judged) == 2 * 2  # two halves, two attributes
    for found, seen in zip(fitted, judged, strict=True):
        assert not found & seen
        assert found | seen == set(part["score"])
    assert judged[0] == fitted[1]


def test_scores_that_were_shifted_are_shifted_back():
    rng = np.random.default_rng(3)
    n = 20_000
    group, label = rng.integers(2, size=(2, n))
    frame = pd.DataFrame({"item": range(n), "label": label, "sensitive_a": group})
    score = expit(2 * label - 1 + rng.normal(size=n) - 1.0 * (group == 0))
    scored = pd.DataFrame({"repeat": 0, "item": range(n), "score": score, "prediction": 0})
    dataset = PreparedDataset("shifted", frame, {}, ("a",))
    values = run("xauc_adjustment", scored, dataset).set_index("hypothesis")["estimate"]
    # the error of a shift is some 0.02 here
    assert values["shift of log odds"] == pytest.approx(1.0, abs=0.08)
    before = norm.cdf(1 / np.sqrt(2)) - norm.cdf(3 / np.sqrt(2))
    assert values["ΔxAUC before it"] == pytest.approx(before, abs=0.02)
    assert abs(values["ΔxAUC after it"]) < 0.02
    assert values["AUC after it"] > values["AUC before it"]


def test_the_halves_follow_the_seed(small_dataset, predictions):
    once, twice = (run("xauc_adjustment", predictions, small_dataset) for _ in range(2))
    pd.testing.assert_frame_equal(once, twice, check_exact=True)
    other = run(
        "xauc_adjustment", predictions, small_dataset, settings=Settings(12, 0.2, 2.0)
    ).set_index(["attribute", "repeat", "hypothesis"])["estimate"]
    once = once.set_index(["attribute", "repeat", "hypothesis"])["estimate"]
    changed = (once != other).groupby("hypothesis").all()
    assert changed["shift of log odds"]
    assert changed["AUC after it"]


def test_a_half_without_a_cell_has_no_adjustment():
    # one positive item of group 0: it lies in one of the halves
    label, group = [1] + [0] * 9 + [0, 1] * 10, [0] * 10 + [1] * 20
    frame = pd.DataFrame({"item": range(30), "label": label, "sensitive_a": group})
    score = np.random.default_rng(0).random((2, 30))
    scored = pd.DataFrame({"item": [*range(30)] * 2, "score": score.ravel(), "prediction": 0})
    scored["repeat"] = np.repeat([0, 1], 30)
    frame = run("xauc_adjustment", scored, PreparedDataset("few", frame, {}, ("a",)))
    assert list(frame["hypothesis"]) == ADJUSTMENT * 2
    assert frame["estimate"].isna().all()
