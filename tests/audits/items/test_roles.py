"""Labels, predictions and scores of every kind, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.audits.items.coding import Coding
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.roles import Values
from fairpairs.audits.items.settings import Settings
from fairpairs.base.columns import column

from ..synthetic import people, rows

Y, P, A = [1, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0], list("aabbab")
SIX = [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("predictions", "others", "coded", "only_predicted"),
    [
        (["b", "a", "d"], ["a", "d", "b"], [0, 0, 1], ("d",)),
        (["true", "false"], ["true", "true", "false"], [1, 1, 0], ()),
        ([0, 1], [1, 0, 0], [1, 0, 0], ()),
        ([0.2, 0.7, 0.9], [0.4, 0.1, 2], [0.4, 0.1, 2], ()),
    ],
)
def test_a_coding_is_learned_once_and_applied_to_other_items(
    predictions, others, coded, only_predicted
):
    def values(items):
        return Values(column(items, "values"))

    label = Coding.learn(
        values(["a", "b", "c"]), values(predictions), Settings(positive="b"), Wording(),
        with_score=False,
    )  # fmt: skip
    assert (label.one, label.zeros) == ("b", ("a", "c"))
    assert label.apply(values(["c", "b", "b", "a"])).tolist() == [0, 1, 1, 0]
    predicted = label.of_predictions(values(predictions), Wording())
    assert predicted.apply(values(others)).tolist() == coded
    assert predicted.zeros == only_predicted


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y_true": [1, 0, 2, 0, 1, 0]},
         "y_true has 3 values, while y_pred has two; the rarest, '2', .* in row 3: keep"),
        ({"y_true": [3, 1, 3, 1, 3, 1]},
         "values 1, 3: name the positive one, such as positive='3'."),
        ({"y_true": list("yynnyy")}, "y_true has the values n, y: name the positive one"),
        ({"y_true": list("yynnyy"), "positive": "x"}, "'x' is none of them: name one of these"),
        ({"y_true": [1, 0, np.nan, 0, 1, 0]}, "y_true has 1 missing value"),
        ({"y_pred": [1, 0, np.nan, 0, 1, 0]}, "y_pred has 1 missing value"),
        ({"y_score": [1, 0, np.nan, 0, 1, 0]}, "y_score has 1 missing value"),
        ({"y_score": [1, 0, np.inf, 0, 1, 0]}, "y_score holds an infinite value"),
        ({"y_score": list("abcdef")}, "y_score must hold numbers and holds 'a' in row 1"),
        ({"y_score": [1.0]}, "y_score"),
        ({"y_pred": [1] * 6}, "y_pred is 1 in every row: there is nothing to compare"),
        ({"y_true": [0] * 6}, "y_true is 0 in every row"),
        ({"y_pred": ["1", "0", "x", "1", "1", "0"]},
         "0, 1, the values of the label, and holds 'x' in row 3"),
        ({"y_true": [1, 2, 1, 2, 1, 2], "positive": 1},
         "0, 1, where y_true has 1, 2: use one code in both"),
        ({"y_true": SIX, "y_pred": SIX, "y_score": P},
         "y_score is for a label of two values, .* has 6"),
        ({"y_true": SIX, "y_pred": list("abcdef")}, "must hold numbers and holds 'a' in row 1"),
    ],
)  # fmt: skip
def test_a_bad_label_prediction_or_score_is_one_sentence(change, sentence):
    options = {"y_true": Y, "y_pred": P, "sensitive_features": A, **change}
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**options)


@pytest.mark.parametrize("kind", [int, float, str, "Int64", "category"])
def test_a_few_whole_numbers_may_be_classes_so_it_asks(kind):
    y, yhat = ([*values] * 4 for values in ([0, 1, 2, 3, 1], [0, 2, 2, 3, 1]))
    given = [pd.Series(values).astype(kind) for values in (y, yhat)]
    group = ["a", "b"] * 10
    sentence = (
        r"^y_true has 4 values, all whole numbers \(0, 1, 2, 3\), which may be numbers or classes: "
        r"for numbers, such as ratings or counts, give label_kind='number'; for classes, give "
        r"label_kind='classes', or name the one to audit against the rest, such as positive='3'\.$"
    )
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(*given, sensitive_features=group)
    numbers = fp.audit(*given, sensitive_features=group, label_kind="number")
    assert (numbers.about["label"], numbers.about["prediction"]) == ("real", "real")
    assert not any("taken for numbers" in note for note in numbers.about["notes"])
    mean = rows(numbers, criterion="differential_parity")["estimate"].item()
    errors = pd.Series(yhat) - pd.Series(y)
    assert mean == pytest.approx(errors[1::2].mean() - errors[::2].mean())
    one = fp.audit(np.array(y) == 3, np.array(yhat) == 3, sensitive_features=group)
    assert one.about["label"] == "binary"


@pytest.mark.parametrize(("levels", "asks"), [(3, True), (10, True), (11, False)])
def test_more_than_ten_whole_numbers_are_numbers(levels, asks):
    y = np.arange(60) % levels
    features = {"sensitive_features": ["a", "b", "c"] * 20}
    if asks:
        with pytest.raises(fp.InputError, match=f"has {levels} values, all whole numbers"):
            fp.audit(y, y + 0.5 * (np.arange(60) % 7), **features)
        return
    result = fp.audit(y, y + 0.5 * (np.arange(60) % 7), **features)
    assert any("has 11 values, which are taken for numbers" in n for n in result.about["notes"])


def test_two_values_may_be_numbers_too():
    y, yhat, group = [3, 5, 3, 5, 5, 3] * 4, [3, 4, 4, 5, 3, 3] * 4, ["a", "b"] * 12
    result = fp.audit(y, yhat, sensitive_features=group, label_kind="number")
    assert result.about["label"] == "real"
    expected = fp.comparative_separation_test(y, yhat, sensitive_features=group)
    found = rows(result, criterion="comparative_separation")
    assert_allclose(found["estimate"], expected.difference.estimate)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"label_kind": "class"},
         "label_kind must be one of 'auto', 'binary', 'number', .*; it is 'class'"),
        ({"label_kind": "number", "y_true": list("abc") * 4}, "y_true must hold numbers and holds"),
        ({"label_kind": "number", "positive": 1}, "takes the label for numbers, of which none is "),
        ({"label_kind": "number", "y_score": [0.5] * 12}, "two values, and y_true is a number"),
    ],
)  # fmt: skip
def test_a_kind_that_the_label_is_not_is_refused(change, sentence):
    given = {"y_true": [1, 2, 1, 3] * 3, "y_pred": [1, 3, 2] * 4, "sensitive_features": "ab" * 6}
    given["sensitive_features"] = list(given["sensitive_features"])
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**{**given, **change})


@pytest.mark.parametrize("kind", [np.int64, str])
def test_scores_that_floats_cannot_tell_apart_are_refused(kind):
    data = people(200)
    given = {"sensitive_features": data["sex"].to_numpy()}
    y, decided = data["y"].to_numpy(), data["yhat"].to_numpy()
    near, far = (10**18 + step * np.arange(200) for step in (1, 1024))
    with pytest.raises(fp.InputError, match=r"above 2\^53 that differ, but not as floats: give"):
        fp.audit(y, decided, y_score=near.astype(kind), **given)
    aucs = rows(fp.audit(y, decided, y_score=far.astype(kind), **given), criterion="xauc")
    assert len(aucs) and aucs["estimate"].notna().all()


# One class against the rest

COLOURS = np.array(["blue", "green", "red"])


def of_classes(n=300):
    """Labels and predictions of three classes, a score of class 2, and groups."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, n)
    predicted = np.where(rng.random(n) < 0.6, label, rng.integers(0, 3, n))
    return label, predicted, (label == 2) + rng.normal(size=n), rng.choice(["a", "b"], n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labels", "positive", "rest"),
    [
        (COLOURS, "red", ["blue", "green"]),
        (np.array([1, 2, 3]), 3, ["1", "2"]),
        (np.array([1.0, 2.0, 3.0]), "3", ["1", "2"]),
        (np.array(["1", "2", "30"]), 30, ["1", "2"]),
        (np.array([9, 10, 2]), 2, ["9", "10"]),
    ],
)
def test_a_class_is_audited_against_the_rest(labels, positive, rest):
    label, predicted, score, group = of_classes()
    expected = fp.audit(label == 2, predicted == 2, sensitive_features=group, y_score=score)
    options = {"sensitive_features": group, "positive": positive, "y_score": score}
    kinds = [
        labels[predicted], list(labels[predicted]), predicted == 2, pd.Series(predicted == 2),
        np.where(predicted == 2, "True", "false"),
    ]  # fmt: skip
    for prediction in kinds if labels is COLOURS else kinds[:1]:
        found = fp.audit(labels[label], prediction, **options)
        pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
        pd.testing.assert_frame_equal(found.rates, expected.rates)
        assert found.about["positive"] == str(positive)
        assert found.about["rest"] == rest
    assert f"positive is {positive} (against the rest: {', '.join(rest)})" in found.to_text()
    by_score = fp.audit(label == 2, score, sensitive_features=group)
    found = fp.audit(labels[label], score, sensitive_features=group, positive=positive)
    pd.testing.assert_frame_equal(found.to_frame(), by_score.to_frame())


def test_a_class_that_only_predictions_have_is_not_the_positive_one():
    label, predicted, _, group = of_classes()
    words = np.where(predicted == 0, "violet", COLOURS[predicted])
    found = fp.audit(COLOURS[label], words, sensitive_features=group, positive="red")
    expected = fp.audit(label == 2, predicted == 2, sensitive_features=group)
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    (note,) = (note for note in found.about["notes"] if "violet" in note)
    assert note == "y_pred has values that y_true does not have (violet): they count as not red"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y_pred": ["blue", "red"] * 150},
         "y_true has 3 values; .*, audit one value against the rest, such as positive='red', or "
         "all of them, label_kind='classes', or"),
        ({"positive": "pink"}, "values blue, green, red, and 'pink' is none of them: name one"),
        ({"positive": "red", "y_pred": ["blue", "green"] * 150},
         r"y_pred is never 'red', the positive value \(it has blue, green\): there is nothing"),
        ({"positive": "red", "y_pred": list("abc") * 100}, "y_pred is never 'red', the positive"),
        ({"y_true": [1, 2, 3] * 100, "y_pred": [1, 2, 7] * 100, "positive": 3},
         r"y_pred holds 7, which is no class of y_true \(1, 2, 3\): give its classes, or whe"),
        ({"y_true": [1.5, 2, 3] * 100, "y_pred": [1, 2, 7] * 100, "positive": 3},
         "y_true has 3 values; .* joining values, or give numbers for both"),
        ({"positive": None, "y_true": [1, 2, 3] * 100, "label_kind": "binary"},
         "joining values, o"),
    ],
)  # fmt: skip
def test_classes_that_cannot_be_audited_are_refused(change, sentence):
    label, predicted, _, group = of_classes()
    given = {"y_true": COLOURS[label], "y_pred": COLOURS[predicted], "sensitive_features": group}
    with pytest.raises(fp.InputError, match=sentence):
        fp.audit(**{**given, **change})


def test_up_to_fifty_codes_that_are_predicted_alone_are_asked_about():
    rng = np.random.default_rng(0)
    codes = rng.choice(rng.choice(9000, 12, replace=False) + 1000, (2, 400))
    group = rng.choice(["a", "b"], 400)
    with pytest.raises(fp.InputError, match="12 values, all whole numbers"):
        fp.audit(*codes, sensitive_features=group)
    # a prediction between the codes is one of amounts
    amounts = fp.audit(codes[0], codes[1] + 0.5, sensitive_features=group)
    assert amounts.about["label"] == "real"
