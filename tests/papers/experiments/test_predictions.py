"""The predictions of many repeats as one object, and the rows of a test on them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from statsmodels.stats.multitest import multipletests

from fairpairs.base.errors import InputError
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.papers.experiments.predictions import (
    RepeatedPredictions,
    Settings,
    estimate_rows,
    hypothesis_rows,
)

SIZES = {4: 3, 5: 1, 9: 5}


@pytest.fixture
def predictions():
    """Nine items in repeats of three, one and five."""
    rng = np.random.default_rng(0)
    label, prediction, group = rng.integers(2, size=(3, 9))
    return RepeatedPredictions(
        label=label,
        prediction=prediction.astype(np.int8),
        score=rng.random(9),
        group=group,
        block=np.repeat([0, 1, 2], list(SIZES.values())),
        repeats=np.array(list(SIZES)),
        key=("made",),
    )


def test_a_repeat_is_where_its_items_lie(predictions):
    assert list(predictions.parts()) == [(4, slice(0, 3)), (5, slice(3, 4)), (9, slice(4, 9))]


def test_each_repeat_has_its_own_items(predictions):
    repeats, labels, scores, groups = zip(*predictions.each(), strict=True)
    assert repeats == (4, 5, 9)
    assert [len(part) for part in labels] == [3, 1, 5]
    assert_array_equal(np.concatenate(labels), predictions.label)
    assert_array_equal(np.concatenate(scores), predictions.prediction)
    assert {part.dtype for part in scores} == {np.dtype(float)}
    assert_array_equal(np.concatenate(groups), predictions.group)


def test_cells_are_counted_repeat_by_repeat(predictions):
    expected = np.zeros((3, 2, 2, 2), dtype=int)
    for i in range(9):
        cell = predictions.group[i], predictions.label[i], predictions.prediction[i]
        expected[predictions.block[i], *cell] += 1
    assert_array_equal(predictions.counts, expected)


@pytest.mark.parametrize(("kind", "binary"), [(np.int8, True), (np.int64, True), (float, False)])
def test_a_label_is_binary_when_it_is_a_whole_number(predictions, kind, binary):
    fields = {**vars(predictions), "label": predictions.label.astype(kind)}
    assert RepeatedPredictions(**fields).is_binary is binary


def made_result(pvalue, reason):
    """A result of two repeats, two draws and three hypotheses whose fields tell their place."""
    place = np.arange(12).reshape(2, 2, 3)
    nothing = np.zeros(place.shape)
    return Estimates(
        estimate=place / 100,
        ci_low=nothing,
        ci_high=nothing,
        statistic=place + 0.5,
        pvalue=pvalue,
        n=place + 100,
        smallest_cell=place + 25,
        reason=reason,
        effect_size=nothing,
    )


@pytest.fixture
def two(predictions):
    """The first two repeats."""
    fields = vars(predictions) | {"repeats": predictions.repeats[:2]}
    return RepeatedPredictions(
        **{k: v[:4] if k in ("label", "prediction", "score", "group", "block") else v
           for k, v in fields.items() if k != "counts"}
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["none", "holm"])
def test_every_hypothesis_has_a_row(two, correction):
    pvalue = np.array([0.001, 0.03, 0.04, 0.02, 0.5, 0.6] * 2).reshape(2, 2, 3)
    pvalue[1, 1, 2] = np.nan
    reason = np.full(pvalue.shape, "", dtype=object)
    reason[1, 1, 2] = "no variance"
    frame = hypothesis_rows(
        ("A", "B", "C"), two, made_result(pvalue, reason), Settings(1, 0.05, 2), correction
    )
    assert list(frame["repeat"]) == [4] * 6 + [5] * 6
    assert list(frame["draw"]) == [0, 0, 0, 1, 1, 1] * 2
    assert list(frame["hypothesis"]) == ["A", "B", "C"] * 4
    assert_array_equal(frame["estimate"], np.arange(12) / 100)
    assert_array_equal(frame["statistic"], np.arange(12) + 0.5)
    assert_array_equal(frame["p_value"], pvalue.ravel())  # unadjusted
    assert_array_equal(frame["n"], np.arange(12) + 100)
    assert frame["standard_error"].isna().all()
    small = ["a cell below 30"] * 5 + [""] * 6
    assert list(frame["note"]) == [*small, "no variance"]
    families = [p[np.isfinite(p)] for p in pvalue.reshape(4, 3)]
    expected = [
        list(multipletests(p, method="holm")[1] < 0.05 if correction == "holm" else p < 0.05)
        for p in families
    ]
    assert list(frame["rejected"]) == [*(one for part in expected for one in part), False]


def test_an_estimate_has_a_row_a_repeat_and_name_without_a_test(predictions):
    values = [[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]]
    frame = estimate_rows(("a", "b"), predictions, values)
    assert list(frame["repeat"]) == [4, 4, 5, 5, 9, 9]
    assert list(frame["hypothesis"]) == ["a", "b"] * 3
    assert_array_equal(frame["estimate"], np.ravel(values))
    assert list(frame["n"]) == list(frame["smallest_cell"]) == [3, 3, 1, 1, 5, 5]
    assert frame[["standard_error", "statistic", "p_value"]].isna().all(axis=None)
    assert not frame["rejected"].any()
    assert set(frame["note"]) == {""}
    assert set(frame["draw"]) == {0}


def test_an_estimate_may_have_an_error_of_its_own(predictions):
    errors = np.arange(6).reshape(3, 2) / 10
    frame = estimate_rows(("a", "b"), predictions, np.ones((3, 2)), errors)
    assert_array_equal(frame["standard_error"], errors.ravel())
    by_name = estimate_rows(("a", "b"), predictions, np.ones((3, 2)), [0.1, np.nan])
    assert_array_equal(by_name["standard_error"], [0.1, np.nan] * 3)


def test_a_result_of_another_shape_is_refused(two):
    result = made_result(np.ones((2, 2, 3)), np.full((2, 2, 3), "", dtype=object))
    with pytest.raises(
        InputError, match=r"^The result of 2 hypotheses has the shape \(2, 2, 3\): "
    ):
        hypothesis_rows(("A", "B"), two, result, Settings(1, 0.05, 2))
    with pytest.raises(InputError, match=r"\(3, 1, 3\) without draws\.$"):
        fields = vars(two) | {"repeats": np.array([4, 5, 9])}
        hypothesis_rows(
            ("A", "B", "C"), RepeatedPredictions(**fields), result, Settings(1, 0.05, 2)
        )
