"""What counts for the verdict of a whole audit, against statsmodels and known answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests

import fairpairs as fp
from fairpairs.audits.criteria.rates import OF_RATES

from ..synthetic import audited, loans, rows


@pytest.mark.slow
@pytest.mark.parametrize("criterion", [None, "xauc", ["separation", "demographic_parity"]])
@pytest.mark.parametrize("correction", ["holm", "none"])
def test_p_is_adjusted_by_holm_over_all_that_counts(criterion, correction):
    result = audited(criterion=criterion, correction=correction, intersections=True)
    counted = {None: ["separation", "xauc"], "xauc": ["xauc"]}.get(
        criterion if isinstance(criterion, str | None) else "", criterion
    )
    frame = result.to_frame()
    counts = frame["criterion"].isin(counted)
    assert frame["attribute"].nunique() == 3
    assert_allclose(
        frame.loc[counts, "pvalue_gate"],
        multipletests(frame.loc[counts, "pvalue"], method="holm")[1],
    )
    assert frame.loc[~counts, "pvalue_gate"].isna().all()
    assert result.about["gate"] == {
        "criteria": counted, "lines": counts.sum(), "hypotheses": counts.sum(), "untested": 0,
        "within": None, "beyond": None, "pvalue": result.pvalue, "pvalue_within": None,
        "shown": None,
    }  # fmt: skip
    assert result.pvalue == frame["pvalue_gate"].min()
    assert result.violated is bool(result.pvalue < 0.05)


@pytest.mark.parametrize("n", [200, 24])
def test_a_perfect_model_is_not_violated(n):
    label, group = np.array([1, 0] * (n // 2)), np.repeat(["a", "b"], n // 2)
    result = fp.audit(label, label, y_score=label, sensitive_features=group)
    assert result.violated is False
    assert result.pvalue == 1
    frame = result.to_frame()
    frame = frame[frame["criterion"] != "calibration_slope"]  # of scores of 0 and 1 there is none
    assert (frame["pvalue_adjusted"] == 1).all()
    assert (frame["verdict"] == "not shown").all()
    if n == 200:
        frame = frame.set_index("measure")
        assert (
            frame.loc[["TPR", "average odds", "xAUC", "comparative, across"], "note"]
            == "no variance"
        ).all()
        assert result.about["gate"]["hypotheses"] == 0
        assert "Together: p = 1.000, by Holm." in result.to_text()


def test_what_does_not_vary_is_no_hypothesis():
    """Nobody with a negative label is flagged: FPR is 0 in both groups, and TPR is tested alone."""
    label, decided, _, features = loans()
    decided = np.where(label == 0, 0, decided)
    frame = fp.audit(label, decided, sensitive_features={"a": features["area"]}).to_frame()
    frame = frame.set_index("measure")
    assert frame.loc["FPR", ["pvalue", "pvalue_gate", "note"]].tolist() == [
        1, 1, "no variance"
    ]  # fmt: skip
    assert frame.loc["TPR", "pvalue_adjusted"] == frame.loc["TPR", "pvalue"]
    assert frame.loc["TPR", "pvalue_gate"] == frame.loc["TPR", "pvalue"]


def test_what_cannot_be_tested_is_neither_violated_nor_not():
    label = np.arange(40.0)
    result = fp.audit(label, label + 0.5, sensitive_features=np.repeat(["low", "high"], 20))
    assert result.violated is None
    assert np.isnan(result.pvalue)
    assert result.about["gate"]["pvalue"] is None
    assert "Together: cannot be tested." in " ".join(result.to_text().split())


def test_intervals_of_a_perfect_model():
    label, group = np.repeat([0, 1], 60), np.tile([0, 1], 60)
    frame = fp.audit(label, label, y_score=label, sensitive_features=group).to_frame()
    frame = frame[frame["note"].str.contains("no variance|constant")]
    assert frame["pvalue"].eq(1).all()
    without = frame["ci_low"].isna()
    assert set(frame.loc[without, "criterion"]) == {
        "comparative_separation", "differential_parity", "calibration",
    }  # fmt: skip
    of_rates = {each.name for each in OF_RATES} - {"equal_opportunity"}
    assert set(frame.loc[~without, "criterion"]) == {"average_odds", "xauc", *of_rates}
    options = {"sensitive_features": group}
    assert fp.separation_test(label, label, **options).to_frame()["ci_low"].lt(0).all()
    wald = fp.separation_test(label, label, method="wald", **options)
    assert wald.to_frame()["ci_low"].isna().all()


def test_too_few_shuffles_for_all_that_counts_are_told():
    label, _, score, features = loans(n=200)
    result = fp.audit(
        score, score + label, sensitive_features=features, n_permutations=39,
        criterion=["comparative_separation", "information_separation"],
    )  # fmt: skip
    (note,) = [note for note in result.about["notes"] if "shuffles" in note]
    assert note == (
        "The 39 shuffles are too few for some of what counts: a p of theirs, adjusted by Holm, is "
        "below the level from 120 shuffles on."
    )


def test_too_few_shuffles_for_any_p_that_counts_are_refused():
    label, _, score, features = loans(n=200)

    def of(n):
        return fp.audit(
            score, score + label, sensitive_features=features, n_permutations=n,
            criterion="information_separation",
        )  # fmt: skip

    sentence = (
        "n_permutations: with 39 shuffles no p of information_separation can be below the level "
        "0.05: give 40 or more."
    )
    with pytest.raises(fp.InputError) as error:
        of(39)
    assert str(error.value) == sentence
    assert of(40).violated is not None


def test_pvalues_are_adjusted_within_attribute_and_criterion(full):
    frame = full.to_frame()
    for _, family in frame.groupby(["attribute", "criterion"]):
        expected = multipletests(family["pvalue"], method="holm")[1]
        assert_allclose(family["pvalue_adjusted"], expected)
    assert (frame["verdict"] == "violated").equals(frame["pvalue_adjusted"] < 0.05)


@pytest.mark.parametrize(("correction", "needed"), [("holm", 40), ("sidak", 39), ("none", 20)])
def test_too_few_permutations_are_no_test(data, correction, needed):
    """Two groups against one: two hypotheses in a family."""

    def found(n):
        result = fp.audit(
            data["points"][:300], data["score"][:300], sensitive_features=data["race"][:300],
            correction=correction, n_permutations=n,
        )  # fmt: skip
        return rows(result, criterion="information_separation")

    few, enough = found(needed - 1), found(needed)
    assert (few["verdict"] == "cannot be tested").all()
    assert (
        few["note"].str.endswith(f"too few for a p below 0.05: at least {needed} are needed").all()
    )
    assert set(enough["verdict"]) <= {"violated", "not shown"}
    # the smallest p that so many shuffles have
    smallest = np.array([1 / (needed + 1)] * 2)
    adjust = {"holm": "holm", "sidak": "sidak"}.get(correction)
    assert (multipletests(smallest, method=adjust)[1] if adjust else smallest).max() < 0.05
