"""The page of an audit (tests/cli/test_audit.py reads it whole)."""

import numpy as np

from fairpairs.audits.audit.page import ORDER, _by_criterion
from fairpairs.audits.lines.verdicts import VERDICTS


def row(criterion, verdict, magnitude="", margin=np.nan):
    return {
        "criterion": criterion, "verdict": verdict, "magnitude": magnitude, "margin": margin,
        "estimate": 0.1,
    }  # fmt: skip


def test_the_verdict_of_a_criterion_is_that_of_its_line_that_matters_most():
    table = [
        row("a", "not shown"), row("a", "cannot be estimated"), row("b", "violated"),
        row("b", "cannot be estimated"), row("c", "cannot be tested"), row("c", "not shown"),
        row("d", "not shown"), row("e", "shown within the margin"), row("e", "not shown"),
        row("f", "violated within the margin"), row("f", "shown within the margin"),
        row("g", "violated"), row("g", "violated beyond the margin"),
    ]  # fmt: skip
    assert {name: chosen["verdict"] for name, chosen in _by_criterion(table).items()} == {
        "a": "cannot be estimated", "b": "violated", "c": "cannot be tested", "d": "not shown",
        "e": "not shown", "f": "violated within the margin", "g": "violated beyond the margin",
    }  # fmt: skip
    assert set(ORDER) == set(VERDICTS)


def test_the_largest_effect_stands_for_its_criterion():
    table = [row("a", "violated", m) for m in ("negligible", "medium", "", "small")]
    assert _by_criterion(table)["a"]["magnitude"] == "medium"
