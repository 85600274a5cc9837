"""The joint verdict of an audit in one sentence."""

from __future__ import annotations

from fairpairs.audits.audit.effects import largest_effect
from fairpairs.audits.audit.tables import AuditTables
from fairpairs.audits.lines.verdicts import BEYOND, NOT_SHOWN, NOT_TESTED, VIOLATED, WITHIN
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import p_equals


def overall(result: AuditTables) -> str:
    """Return the joint verdict of the criteria that count."""
    about = result.about
    if about["margin"] is not None:
        return _against_margin(about)
    gate, counted = about["gate"], ", ".join(about["gate"]["criteria"])
    if gate["pvalue"] is None:
        return f"{NOT_TESTED}, by {counted}"
    verdict = VIOLATED if gate["pvalue"] < about["alpha"] else NOT_SHOWN
    violated = result.tests[result.tests["pvalue_gate"] < about["alpha"]]
    largest = largest_effect(violated.to_dict("records"))
    effect = f"; largest effect: {largest['magnitude']}" if largest else ""
    return f"{verdict}, {p_equals(gate['pvalue'])} {_over(gate)}{counted}{effect}"


def _against_margin(about: Content) -> str:
    gate, counted = about["gate"], ", ".join(about["gate"]["criteria"])
    lines, within, untested = gate["lines"], gate["within"], gate["untested"]
    if untested == lines and gate["pvalue"] is None:
        return f"{NOT_TESTED} against the margin, by {counted}"
    every_line = "the only line" if lines == 1 else f"all {lines} lines"
    shown = f"{within} of {lines} lines {'is' if within == 1 else 'are'} {WITHIN}"
    also = f", {untested} cannot be tested against it" if untested else ""
    others = [name for name in gate["criteria"] if name not in about["margin"]]
    any_difference = f" ({', '.join(others)} without a margin: any difference counts)"
    over = f"{_over(gate)}{counted}{any_difference if others else ''}"
    if gate["beyond"]:
        return f"{BEYOND}, {p_equals(gate['pvalue'])} {over}; {shown}{also}"
    if gate["shown"]:
        return f"{WITHIN}: {every_line} of {counted}, {p_equals(gate['pvalue_within'])}"
    violation = "" if gate["pvalue"] is None else f"; none is {BEYOND}, {p_equals(gate['pvalue'])}"
    return f"not {WITHIN}: {shown}{also}{violation} {over if violation else f'of {counted}'}"


def _over(gate: Content) -> str:
    family = gate["hypotheses"]
    return f"by Holm over {family} hypotheses of " if family > 1 else "by "
