"""The margin of an audit: how it is read, and how lines are judged by it."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import chain

import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests

import fairpairs as fp
from fairpairs.audits.audit.adjustment import judge, judge_all
from fairpairs.audits.criteria import CRITERIA
from fairpairs.audits.criteria.rows import Row
from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.contrasts.score import AnchoredContrast

from ..synthetic import audited, loans


def refused(**options):
    with pytest.raises(fp.InputError) as error:
        audited(**options)
    sentence = str(error.value)
    assert sentence.startswith("margin")
    assert sentence.endswith(".")
    return sentence


@pytest.mark.parametrize(
    "margin", [0, -0.05, 1, 5, math.nan, math.inf, True, np.True_, "0.05", [0.05], object()]
)
def test_what_is_no_margin_is_refused(margin):
    for role, given in (("margin: ", margin), ("margin separation: ", {"separation": margin})):
        if role == "margin: " and margin is None:
            continue
        sentence = refused(margin=given)
        assert sentence.startswith(role)
        assert "give a number above 0 and below 1, such as 0.05." in sentence


@pytest.mark.parametrize(
    ("margin", "sentence"),
    [
        ({}, "margin names no criterion: give a number, such as 0.05, or one for each of sep"),
        ({"seperation": 0.1}, "margin: 'seperation' is not a criterion (did you mean `separation`"),
        ({"information_separation": 0.1},
         "margin: information_separation is no difference of two groups, so it has no margin"),
        ({"xauc": 0.1}, "margin: xauc does not apply (no score is given): name one of separation"),
    ],
)  # fmt: skip
def test_a_margin_of_no_criterion_is_refused(margin, sentence):
    assert refused(margin=margin, score=False).startswith(sentence)


def test_a_level_of_a_half_shows_nothing_within():
    with pytest.raises(fp.InputError, match="is too high for a margin: give a level bel"):
        audited(margin=0.1, alpha=0.5)
    assert audited(alpha=0.5).violated is not None


@pytest.mark.parametrize("margin", [0.2, Fraction(1, 5)])
def test_one_number_is_the_margin_of_all_rates(margin):
    about = audited(margin=margin).about
    differences = {name for name, criterion in CRITERIA.items() if not criterion.measured}
    assert set(about["margin"]) == differences - {"equal_opportunity", *about["not_applicable"]}
    assert_allclose(list(about["margin"].values()), 0.2, rtol=1e-6)
    (note,) = [note for note in about["notes"] if note.startswith("Without a margin: ")]
    assert note.endswith("density_ratio_separation (no difference of two groups).")


def test_numbers_have_a_margin_in_their_units_where_one_is_named():
    label, _, score, features = loans(n=300)
    number = score + label
    options = {"sensitive_features": {"area": features["area"]}}
    result = fp.audit(number, score, margin=0.1, **options)
    assert set(result.about["margin"]) == {"comparative_separation"}
    (note,) = [note for note in result.about["notes"] if note.startswith("Without a margin: ")]
    units = "differential_parity, mean_absolute_error, mean_squared_error"
    assert f"{units} (not on the scale of rates: name one)" in note
    result = fp.audit(number, score, margin={"differential_parity": 2.5}, **options)
    assert result.about["margin"] == {"differential_parity": 2.5}
    frame = result.to_frame().set_index("criterion")
    assert frame.loc["differential_parity", "margin"] == 2.5
    with pytest.raises(fp.InputError, match=r"margin differential_parity: inf is no margin: give"):
        fp.audit(number, score, margin={"differential_parity": math.inf}, **options)
    # predictions from 0 to 1 of a binary label are on the scale of rates, others are not
    chance = 1 / (1 + np.exp(-score))
    for prediction, is_rate in ((chance, True), (score, False)):
        margin = fp.audit(label, prediction, margin=0.1, **options).about["margin"]
        assert ("differential_parity" in margin) is is_rate


# --- hand-made lines -----------------------------------------------------------------------------

MARGIN = 0.1


def rows(*estimates, error=0.02, pvalue=None, contrast=True, criterion="separation"):
    """Lines whose estimates are normal with a standard error."""
    made = []
    for k, estimate in enumerate(estimates):
        of = StudentContrast(estimate, error)
        made.append(
            Row("g", "a", "b", f"measure {k}", "", criterion, estimate=estimate,
                pvalue=of.pvalue() if pvalue is None else pvalue, contrast=of if contrast else None)
        )  # fmt: skip
    return made


def judged(of_criteria, margins=None, counted=("separation",), alpha=0.05, correction="holm"):
    margins = {"separation": MARGIN} if margins is None else margins
    table = judge([*chain(*of_criteria.values())], alpha, correction, margins)
    return table, judge_all(table, counted, alpha)[0]


def test_each_verdict_of_a_line():
    made = {
        "separation": [
            *rows(0.3), *rows(0.12), *rows(0.05, error=0.01), *rows(0.005), *rows(0.09, error=0.05),
            *rows(0.2, contrast=False), *rows(np.nan),
        ]
    }  # fmt: skip
    table, _ = judged(made)
    assert table["verdict"].tolist() == [
        "violated beyond the margin", "violated", "violated within the margin",
        "shown within the margin", "not shown", "violated", "cannot be estimated",
    ]  # fmt: skip
    assert table["note"].tolist() == [*[""] * 5, "cannot be tested against the margin", ""]
    assert (table["margin"] == MARGIN).all()
    assert table["pvalue_within"].isna().tolist() == [False] * 5 + [True] * 2
    without, _ = judged(made, margins={})
    assert without["verdict"].tolist() == [
        "violated", "violated", "violated", "not shown", "not shown", "violated",
        "cannot be estimated",
    ]  # fmt: skip
    assert without[["margin", "pvalue_within", "pvalue_beyond_gate"]].isna().all(axis=None)
    assert (without["note"] == "").all()


def test_a_line_is_within_exactly_where_its_interval_of_1_minus_2_alpha_is():
    estimates = np.linspace(-0.2, 0.2, 401)
    table, _ = judged({"separation": rows(*estimates, error=0.03)})
    inside = (table["margin_low"] > -MARGIN) & (table["margin_high"] < MARGIN)
    assert 0 < inside.sum() < len(inside)
    assert (inside == (table["pvalue_within"] < 0.05)).all()
    assert_allclose(table["margin_high"] - table["margin_low"], 2 * 1.6448536 * 0.03, rtol=1e-6)


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_beyond_is_adjusted_and_within_is_not(correction):
    made = {"separation": rows(0.14, 0.16, 0.2), "xauc": rows(0.15, criterion="xauc")}
    margins = {"separation": MARGIN, "xauc": 0.05}
    table, gate = judged(made, margins, ("separation", "xauc"), correction=correction)
    contrasts = [(StudentContrast(e, 0.02), m) for e, m in zip(
        (0.14, 0.16, 0.2, 0.15), (0.1, 0.1, 0.1, 0.05), strict=True)]  # fmt: skip
    beyond = np.array([contrast.beyond(margin) for contrast, margin in contrasts])
    of_family = multipletests(beyond[:3], method="holm")[1] if correction == "holm" else beyond[:3]
    assert_allclose(table["pvalue_beyond"], [*of_family, beyond[3]])
    assert_allclose(table["pvalue_beyond_gate"], multipletests(beyond, method="holm")[1])
    assert_allclose(table["pvalue_within"], [c.within(m) for c, m in contrasts])
    assert gate["pvalue"] == table["pvalue_beyond_gate"].min()
    assert gate["hypotheses"] == gate["lines"] == 4
    assert gate["beyond"] == (table["pvalue_beyond_gate"] < 0.05).sum()


def test_what_exceeds_the_margin_is_shown_to_differ():
    """A cautious p-value of a difference may be larger than that of an interval."""
    tests = [AnchoredContrast(StudentContrast(0.2, 0.02), pvalue) for pvalue in (0.3, 1e-9)]
    assert tests[0].beyond(0.1) == 0.3
    assert tests[1].beyond(0.1) == StudentContrast(0.2, 0.02).beyond(0.1)
    assert [test.limits(0.05)[0] > 0 for test in tests] == [False, True]
    # one that rejects 0 alone ends there, and lies above all lower values
    rejecting = AnchoredContrast(StudentContrast(0.01, 0.02), 0.01)
    assert 0 < rejecting.limits(0.05)[0] < 1e-9
    assert rejecting.pvalue_above(-0.001) == rejecting.pvalue_above(0.0) == 0.005
    assert rejecting.pvalue_below(0.001) > 0.5


def test_equal_rates_without_variance_can_be_shown_within():
    (line,) = rows(0.0, pvalue=np.nan)
    made = [replace(line, note="no variance")]
    table, gate = judged({"separation": made})
    assert table[["pvalue", "pvalue_gate", "pvalue_beyond_gate"]].to_numpy().tolist() == [[1, 1, 1]]
    assert table["verdict"].tolist() == ["shown within the margin"]
    assert gate["shown"] is True
    assert gate["hypotheses"] == 0
    table, gate = judged({"separation": [replace(made[0], contrast=None)]})
    assert table["verdict"].tolist() == ["not shown"]
    assert (gate["shown"], gate["untested"], gate["pvalue"]) == (None, 1, 1)


INSIDE, OUTSIDE, BETWEEN = rows(0.01), rows(0.3), rows(0.1)
UNTESTED = rows(0.01, contrast=False)


@pytest.mark.parametrize(
    ("of", "shown", "violated"),
    [
        ([*INSIDE, *rows(0.06, error=0.01)], True, False),
        (INSIDE, True, False),
        ([*INSIDE, *BETWEEN], False, False),
        ([*INSIDE, *OUTSIDE, *UNTESTED], False, True),
        ([*INSIDE, *UNTESTED], None, False),
        (UNTESTED, None, None),
    ],
)
def test_the_joint_verdict(of, shown, violated):
    _, gate = judged({"separation": of})
    assert gate["shown"] is shown
    assert (None if gate["pvalue"] is None else gate["pvalue"] < 0.05) is violated
    assert (gate["pvalue_within"] is None) is bool(gate["untested"])


def test_what_counts_without_a_margin_may_not_differ_at_all():
    made = {"separation": INSIDE, "xauc": rows(0.08, criterion="xauc")}
    table, gate = judged(made, counted=("separation", "xauc"))
    assert gate["shown"] is None
    assert gate["untested"] == 1
    assert gate["pvalue"] < 0.05
    assert table["pvalue_beyond_gate"].tolist()[1] == gate["pvalue"]


# --- whole audits --------------------------------------------------------------------------------


def many(n=40_000, more=0.0, seed=0, **options):
    rng = np.random.default_rng(seed)
    group, label = rng.integers(0, 2, n), rng.integers(0, 2, n)
    wrong = rng.random(n) < 0.2 + more * group
    names = {"sex": np.array(["f", "m"])[group]}
    options = {"criterion": "separation", **options}
    return fp.audit(label, np.where(wrong, 1 - label, label), sensitive_features=names, **options)


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.01, 0.03, {"separation": 0.05, "average_odds": 0.02}])
def test_forms_with_a_margin(margin):
    result = many(2000, more=0.02, margin=margin, clusters=np.arange(2000) // 2)
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    jsonschema.validate(content, fp.AuditResult.SCHEMA)
    out = result.to_text()
    assert out.startswith("Audit of predictions: 2,000 rows in 1,000 clusters\n")
    assert "Margin 0.0" in out
    page = result.to_html()
    assert "2,000 rows in 1,000 clusters" in page
    assert "on the margin (grey)" in page
    frame = result.to_frame()
    assert set(frame.loc[frame["margin"].notna(), "criterion"]) == set(result.about["margin"])
    assert pd.notna(frame.loc[0, "pvalue_within"])
