"""Decisions that a threshold makes of a score."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp

from ..synthetic import loans


@pytest.fixture(scope="module")
def applicants():
    label, _, score, features = loans(n=400)
    return pd.DataFrame({"y": label, "s": score, "area": features["area"]})


def same(one, other):
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())
    pd.testing.assert_frame_equal(one.rates, other.rates)
    assert one.about["gate"] == other.about["gate"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "positive"),
    [
        ({0: 0, 1: 1}, None),
        ({0: 1, 1: 0}, 0),
        ({0: "no", 1: "yes"}, "yes"),
        ({0: 1, 1: 2}, 2),
        ({0: False, 1: True}, None),
    ],
)
def test_a_score_that_reaches_the_threshold_is_a_positive_decision(applicants, values, positive):
    threshold = float(applicants["s"].iloc[3])  # which this item reaches
    options = {"sensitive_features": {"area": applicants["area"]}, "y_score": applicants["s"]}
    reached = applicants["s"] >= threshold
    assert reached.iloc[3]
    result = fp.audit(
        applicants["y"].map(values), positive=positive, threshold=threshold, **options
    )
    same(result, fp.audit(applicants["y"], reached.astype(int), **options))
    assert result.about["threshold"] == threshold
    assert " the decision " in " ".join(str(result).split())
    assert f"threshold {threshold:g}" in str(result)


def test_one_of_several_classes_is_decided_by_its_score(applicants):
    label = np.where(np.arange(len(applicants)) % 3 == 0, "C", np.where(applicants["y"], "A", "B"))
    options = {"sensitive_features": applicants["area"], "y_score": applicants["s"]}
    result = fp.audit(label, threshold=0.2, positive="A", **options)
    same(result, fp.audit(label, applicants["s"] >= 0.2, positive="A", **options))
    with pytest.raises(fp.InputError, match=r"y_true has 3 values; .* audit one value against"):
        fp.audit(label, threshold=0.2, **options)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"threshold": 99}, r"^threshold 99: no score reaches it, and y_score lies from .* at"),
        ({"threshold": -99}, "^threshold -99: every score reaches it, and y_score lies from"),
        ({"threshold": float("nan")}, "^threshold must be a finite number; it is nan"),
        ({"threshold": "0.5"}, "^threshold must be a finite number; it is '0.5'"),
        ({"threshold": True}, "^threshold must be a finite number; it is True"),
        ({"threshold": 0.2, "y_score": None}, "^threshold makes decisions of a score: give y_scor"),
        ({"threshold": 0.2, "y_pred": "s"}, "give y_score, and leave out y_pred"),
        ({}, "^y_pred is missing: give predictions, or y_score with threshold"),
        ({"threshold": 0.2, "label_kind": "number"}, "^y_score is for a label of two values"),
    ],
)  # fmt: skip
def test_a_threshold_that_decides_nothing_is_refused(applicants, arguments, sentence):
    y_pred = applicants[arguments["y_pred"]] if "y_pred" in arguments else None
    options = {
        "sensitive_features": applicants["area"], "y_score": applicants["s"], **arguments,
        "y_pred": y_pred,
    }  # fmt: skip
    with pytest.raises(fp.InputError, match=sentence) as error:
        fp.audit(applicants["y"], **options)
    assert "\n" not in str(error.value)


def test_the_smallest_score_is_reached_by_all_and_the_largest_by_one(applicants):
    options = {"sensitive_features": applicants["area"], "y_score": applicants["s"]}
    low, high = applicants["s"].min(), applicants["s"].max()
    with pytest.raises(fp.InputError, match="every score reaches it"):
        fp.audit(applicants["y"], threshold=low, **options)
    rates = fp.audit(applicants["y"], threshold=high, **options).rates
    assert rates.loc[rates["measure"] == "selection rate", "count"].sum() == 1
