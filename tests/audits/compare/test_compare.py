"""The lines of a comparison, from Python."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from fairpairs.audits.compare.fields import VERDICTS
from fairpairs.audits.compare.result import growth
from fairpairs.audits.lines.verdicts import WORDS
from fairpairs.base.errors import InputError


def people(n=2000, seed=0):
    """Predictions of two models that decide most items alike; the new one is fairer."""
    rng = np.random.default_rng(seed)
    group, y = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]), rng.integers(0, 2, n)
    noise = rng.normal(size=n)
    old = y + noise - 0.6 * (group == "b")
    new = y + noise + rng.normal(0, 0.1, n)
    return pd.DataFrame({"y": y, "group": group, "old": old, "new": new})


def compared(frame, *, scores=False, real=False, **options):
    old, new = frame["old"], frame["new"]
    given = {"y_score_old": old, "y_score_new": new} if scores else {}
    if not real:
        old, new = (old > 0.5).astype(int), (new > 0.5).astype(int)
    return fp.compare(
        frame["y"], old, new, sensitive_features={"group": frame["group"]}, **given, **options
    )


def line(result, measure, group="b"):
    rows = result.tests[result.tests["reference"] == "a"]
    ((_, row),) = rows[(rows["measure"] == measure) & (rows["group"] == group)].iterrows()
    return row


@pytest.mark.slow
def test_the_gaps_are_those_of_two_audits():
    frame = people()
    result = compared(frame, scores=True)
    for model in ("old", "new"):
        audit = fp.audit(
            frame["y"], (frame[model] > 0.5).astype(int), y_score=frame[model],
            sensitive_features={"group": frame["group"]},
        ).to_frame()  # fmt: skip
        key = ["attribute", "group", "reference", "criterion", "measure"]
        both = result.tests.merge(audit, on=key)
        assert len(both) == len(result.tests)
        np.testing.assert_allclose(both[model], both["estimate"], rtol=1e-9, atol=1e-12)


def test_a_fairer_model_is_improved_with_less_variance():
    result = compared(people(), scores=True, margin=0.05)
    for measure in ("TPR", "FPR", "average odds", "xAUC", "selection rate"):
        assert line(result, measure)["verdict"] == "improved"
        assert line(result, measure)["variance_ratio"] < 0.6
    assert result.worse is False
    assert (result.tests["pvalue_not_worse"] <= 1).all()


@pytest.mark.parametrize(
    ("old", "new", "low", "high", "grown"),
    [(-0.02, -0.16, -0.19, -0.09, (0.14, 0.09, 0.19)), (0.3, 0.1, -0.3, -0.1, (-0.2, -0.3, -0.1)),
     (-0.16, 0.38, 0.5, 0.6, (0.22, np.nan, np.nan))],
)  # fmt: skip
def test_the_answer_says_how_much_larger_a_gap_is_whatever_its_sign(old, new, low, high, grown):
    row = {"old": old, "new": new, "ci_low": low, "ci_high": high}
    np.testing.assert_allclose(growth(row), grown)


@pytest.mark.slow
def test_gaps_are_to_the_cost_or_the_advantage_of_a_group():
    """The old model finds fewer of group b; the model turned round finds more of it."""
    frame = people()
    frame["turned"] = frame["new"] + 0.6 * (frame["group"] == "b")
    for good, sides in ((1, ("harms", "favours")), (0, ("favours", "harms"))):
        same = compared(
            frame.assign(new=frame["old"] - 0.3 * (frame["group"] == "b")), favourable=good
        )
        (tpr,) = (o for o in same.answer.findings if (o.group, o.measure) == ("b", "TPR"))
        assert same.about["favourable"] == str(good) and tpr.cost is (sides[0] == "harms")
        assert tpr.sentence.endswith(f" This {sides[0]} group=b.")
        turned = compared(frame.assign(new=frame["turned"]), favourable=good)
        (tpr,) = (o for o in turned.answer.findings if (o.group, o.measure) == ("b", "TPR"))
        assert " points lower than group=a and is " in tpr.sentence
        assert tpr.sentence.endswith((f" {sides[1]} group=b.", f" {sides[0]} group=a."))
    assert all(one.cost is None for one in compared(frame).answer.findings)
    with pytest.raises(InputError, match="favourable: '2' is no value of y_true: name one of 1, 0"):
        compared(frame, favourable="2")


@pytest.mark.slow
def test_a_less_fair_model_is_worse_beyond_the_margin_or_within():
    frame = people().rename(columns={"old": "new", "new": "old"})
    result = compared(frame, margin=0.02)
    assert line(result, "TPR")["verdict"] == "worse beyond the margin"
    assert result.worse
    assert result.shown is False
    assert line(compared(frame, margin=0.6), "TPR")["verdict"] == "worse within the margin"
    assert line(compared(frame), "TPR")["verdict"] == "worse"


@pytest.mark.slow
def test_identical_models_do_not_differ():
    frame = people(20_000).assign(new=lambda f: f["old"])
    result = compared(frame, scores=True, margin=0.05)
    assert (result.tests["change"] == 0).all()
    assert (result.tests["pvalue"] == 1).all()
    assert len(result.changed) == 0
    assert result.worse is False
    assert result.shown
    small = compared(people(60).assign(new=lambda f: f["old"]), margin=0.05)
    assert small.shown is False


def test_real_predictions_have_means_and_no_decisions():
    frame = people()
    result = compared(frame, real=True)
    assert len(result.decisions) == len(result.changed) == 0
    assert np.isfinite(line(result, "mean prediction")["pvalue"])
    same = compared(frame.assign(new=frame["old"]), real=True)
    row = line(same, "mean prediction")
    assert (row["pvalue"], row["note"]) == (1, "no prediction changed")
    assert "mean prediction" in same.to_text()


def test_labels_of_numbers_are_compared():
    frame = people()
    rng = np.random.default_rng(1)
    y = frame["y"] + rng.normal(size=len(frame))
    result = fp.compare(y, frame["old"], frame["new"], sensitive_features=frame["group"])
    assert np.isfinite(result.tests["pvalue"]).any()
    assert result.worse is not None


def test_who_changed_is_counted_by_group_and_label():
    frame = people()
    items = [f"person {i}" for i in range(len(frame))]
    result = compared(frame, items=items)
    old, new = frame["old"] > 0.5, frame["new"] > 0.5
    for row in result.decisions.to_dict("records"):
        inside = (frame["group"] == row["group"]) & (frame["y"] == (row["label"] == "positive"))
        assert row["items"] == inside.sum()
        assert row["to_positive"] == (inside & ~old & new).sum()
        assert row["to_negative"] == (inside & old & ~new).sum()
        assert row["to_positive_low"] <= row["to_positive_share"] <= row["to_positive_high"]
    differs = (old != new).to_numpy()
    assert list(result.changed["item"]) == [items[i] for i in np.flatnonzero(differs)]
    assert list(result.changed["group"]) == list(frame["group"][differs])
    assert result.about["changed"] == differs.sum()


def test_a_group_without_a_label_is_a_line_with_the_reason():
    frame = people(300)
    frame = frame[(frame["group"] != "c") | (frame["y"] == 1)].reset_index(drop=True)
    row = line(compared(frame, margin=0.1), "FPR", "c")
    assert row["verdict"] == "cannot be estimated"
    assert row["note"] == "empty cell"
    assert compared(frame, margin=0.1).shown is not True


def test_what_is_wrong_is_one_sentence():
    frame = people(100)
    decided = (frame["old"] > 0.5).astype(int)
    given = {"sensitive_features": frame["group"]}
    with pytest.raises(InputError, match="y_score_new is given and y_score_old is not"):
        fp.compare(frame["y"], decided, decided, y_score_new=frame["new"], **given)
    with pytest.raises(InputError, match=r"y_pred_old holds numbers and y_pred_new .* two values"):
        fp.compare(frame["y"], frame["old"], decided, **given)
    with pytest.raises(InputError, match=r"items has the id .* in the rows 1 and 2"):
        fp.compare(frame["y"], decided, decided, items=[1] * 100, **given)
    with pytest.raises(InputError, match="y_true has 100, items has 3"):
        fp.compare(frame["y"], decided, decided, items=[1, 2, 3], **given)
    with pytest.raises(InputError, match="density_ratio_separation cannot be compared"):
        fp.compare(frame["y"], decided, decided, criterion="density_ratio_separation", **given)
    with pytest.raises(InputError, match="one length"):
        fp.compare(frame["y"], decided, decided[:50], **given)


def test_every_verdict_has_a_sign_of_its_own():
    assert len({WORDS[verdict].sign for verdict in VERDICTS}) == len(VERDICTS)


@pytest.mark.parametrize("seed", range(2))
def test_a_gap_that_now_lies_within_the_margin_is_not_worse(seed):
    # the old gap has a sign or not, by rows of a small group; the change exceeds the margin
    rng = np.random.default_rng(seed)
    n = 2000
    frame = pd.DataFrame({"y": rng.integers(0, 2, n), "group": rng.choice(["a", "b"], n)})
    noise = frame["y"].to_numpy() + rng.normal(size=(2, n))
    frame["old"] = noise[0] - rng.choice([0.15, 0.3]) * (frame["group"] == "b")
    frame["new"] = noise[1]
    result = compared(frame, margin=0.15).tests
    # what is tested at a quarter of the level has an interval of 1 − alpha / 2
    ends = compared(frame, margin=0.15, alpha=0.025).tests
    inside = np.abs(ends[["new_low", "new_high"]]).max(axis=1) < ends["margin"]
    assert inside.sum() >= 3
    assert (result.loc[inside, "pvalue_not_worse"] < 0.05).all()
    assert (result.loc[inside, "change"].abs() > 0.05).any()
