"""Ratios of rates, and the four-fifths rule."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.audits.criteria import MEASURES
from fairpairs.audits.criteria.ratios import folded
from fairpairs.audits.criteria.rows import FALSE_OMISSION_RATE, FDR, FNR, FPR, PRECISION, TPR
from fairpairs.mathematics.inference.rates import ratio_limits

from ..synthetic import rows


def selected(counts, sizes, good=1):
    """An audit of groups a, b, … with so many people, of whom so many are selected."""
    group = np.repeat([chr(97 + i) for i in range(len(sizes))], sizes)
    yhat = np.concatenate([np.arange(n) < k for k, n in zip(counts, sizes, strict=True)])
    y = np.arange(len(yhat)) % 2
    return fp.audit(y, yhat.astype(int), sensitive_features={"team": group}, favourable=good)


@pytest.mark.slow
def test_every_rate_of_decisions_has_a_ratio(data, full):
    rates = full.rates.set_index(["attribute", "group", "measure"])["estimate"]
    of = {name: measure.of for name, measure in MEASURES.items() if measure.rate is not None}
    frame = full.to_frame()
    assert set(frame.loc[frame["ratio"].notna(), "measure"]) == set(of)
    for row in frame[frame["ratio"].notna()].to_dict("records"):
        both = (
            rates[row["attribute"], name, of[row["measure"]]]
            for name in (row["group"], row["reference"])
        )
        assert_allclose(row["ratio"], np.divide(*both))
        assert row["ratio_low"] < row["ratio"] < row["ratio_high"]


def test_a_cell_rate_counts_its_cells():
    counts = np.array([[50, 10], [20, 40]])  # (label, prediction)
    found = [rate.counts(counts) for rate in (TPR, FPR, FNR, PRECISION, FDR, FALSE_OMISSION_RATE)]
    assert found == [(40, 60), (10, 60), (20, 60), (40, 50), (10, 50), (20, 70)]


def test_a_reference_without_positive_predictions_has_an_infinite_ratio():
    (row,) = rows(selected([0, 6], [40, 20]), measure="selection rate").to_dict("records")
    assert np.isnan([row["ratio"], row["ratio_high"]]).all()
    assert row["ratio_low"] > 1
    found = selected([0, 6], [40, 20]).four_fifths()
    assert found["ratio"].tolist() == [0, 0]
    assert found["lowest"].tolist() == ["a", "a"]
    assert found["shown"].all()


@pytest.mark.parametrize(
    ("counts", "sizes", "finding", "shown"),
    [([100, 50], [200, 200], "below four fifths", True),
     ([10, 7], [20, 20], "below four fifths", False),
     ([10, 10], [20, 20], "at least four fifths", False),
     ([500, 480], [1000, 1000], "at least four fifths", True),
     ([15, 12], [30, 30], "at least four fifths", False)],
)  # fmt: skip
def test_the_rule_compares_the_lower_with_the_higher_rate(counts, sizes, finding, shown):
    for order in (slice(None), slice(None, None, -1)):
        found = selected(counts[order], sizes[order]).four_fifths()
        assert found["group"].tolist() == [found["group"][0], ""]
        assert found["finding"].eq(finding).all()
        assert found["shown"].eq(shown).all()
        low, high = ratio_limits(counts[1] / sizes[1], counts[0] / sizes[0], sizes[::-1], 1.959964)
        assert_allclose(found["ratio"], counts[1] * sizes[0] / counts[0] / sizes[1])
        assert_allclose(found["ratio_low"], low, rtol=1e-6)
        assert_allclose(found["ratio_high"], min(high, 1), rtol=1e-6)


def test_the_attribute_has_the_lowest_and_the_highest_group():
    """EEOC's question 12 and 13: the highest rate is the reference, whichever is the largest."""
    result = selected([60, 30, 24], [100, 60, 60])
    of_groups = result.four_fifths()
    assert of_groups["group"].tolist() == ["b", "c", ""]
    assert of_groups[["lowest", "highest"]].to_numpy().tolist() == [
        ["b", "a"],
        ["c", "a"],
        ["c", "a"],
    ]
    assert_allclose(of_groups["ratio"], [50 / 60, 40 / 60, 40 / 60])
    # all groups are compared, so that more is needed to show it
    assert of_groups["ratio_high"][2] > of_groups["ratio_high"][1]
    assert of_groups["ratio_low"][2] == of_groups["ratio_low"][1]


def test_no_selection_at_all_leaves_the_rule_open():
    frame = fp.audit(
        np.arange(90) % 2, np.repeat([0, 0, 1], 30), sensitive_features=np.repeat(list("abc"), 30),
        reference={"group": "a"}, favourable=1,
    ).four_fifths()  # fmt: skip
    assert frame["finding"][0] == "cannot be estimated"
    assert frame.loc[2, ["ratio", "ratio_low"]].tolist() == [0, 0]
    assert frame["shown"].tolist() == [None, True, True]


def test_folded_limits():
    assert folded(0.5, 0.4, 0.7) == (0.5, 0.4, 0.7)
    assert_allclose(folded(2, 1.25, 4), (0.5, 0.25, 0.8))
    assert_allclose(folded(1.1, 0.9, 1.6), (1 / 1.1, 1 / 1.6, 1))
    assert_allclose(folded(np.inf, 2, np.inf), (0, 0, 0.5))


@pytest.mark.parametrize("counts", [[100, 50], [20, 12], [180, 170]])
def test_the_rule_of_the_other_outcome_is_that_of_the_opposite_decisions(counts):
    """Being called high risk is not good: the rates of those who are not are compared."""
    sizes = [200, 190]
    opposite = [n - k for k, n in zip(counts, sizes, strict=True)]
    found, expected = selected(counts, sizes, good=0), selected(opposite, sizes)
    assert_allclose(found.four_fifths()["ratio"], expected.four_fifths()["ratio"])
    assert_allclose(found.four_fifths()["ratio_low"], expected.four_fifths()["ratio_low"])
    assert_allclose(found.four_fifths()["ratio_high"], expected.four_fifths()["ratio_high"])
    kept = ["lowest", "highest", "finding", "shown"]
    assert found.four_fifths()[kept].equals(expected.four_fifths()[kept])
    assert found.about["favourable"] == "0"


def test_without_a_favourable_outcome_there_is_a_ratio_and_no_finding():
    result = selected([100, 50], [200, 200], good=None)
    rule = result.four_fifths()
    assert rule["finding"].tolist() == rule["shown"].tolist() == [None, None]
    assert rule["ratio"].tolist() == [0.5, 0.5]
    text = result.to_text()
    assert "four fifths" not in text and "name the value that is good for a person" in text


def test_a_finding_that_is_not_shown_says_so():
    text = " ".join(selected([10, 7], [20, 20]).to_text().split())
    assert "below four fifths as estimated, but 0.8 is possible" in text


@pytest.mark.parametrize(("good", "word"), [(1, "harms"), (0, "favours"), (None, "")])
def test_what_is_to_the_cost_of_a_group_follows_the_favourable_outcome(good, word):
    """Of group b, far fewer are selected, whatever their label."""
    result = selected([150, 40], [200, 190], good=good)
    reasons = [one.sentence for one in result.answer.findings]
    expected = f" This {word} " if word else " points less"
    assert all(expected in reason for reason in reasons)
    cost = {"harms": True, "favours": False, "": None}[word]
    assert {one.cost for one in result.answer.findings} == {cost}


@pytest.mark.parametrize(
    ("y", "good", "sentence"),
    [
        ([0, 1] * 40, "2", "favourable: '2' is no value of y_true: name one of 1, 0."),
        ([0, 1] * 40, "yes", "favourable: 'yes' is no value of y_true: name one of 1, 0."),
        (list(np.linspace(0, 9, 80)), 1, "favourable: y_true has no value that is good or bad"),
        (["a", "b", "c", "a"] * 20, "a", "favourable: several classes are audited, of which none"),
    ],
)
def test_a_favourable_value_that_cannot_be_is_refused(y, good, sentence):
    with pytest.raises(fp.InputError, match=re.escape(sentence)):
        fp.audit(y, y[1:] + y[:1], sensitive_features=["f", "m", "m", "f"] * 20, favourable=good)
