"""The lines of an audit that count, as the test cases of a JUnit XML file.

Continuous integration reads such files. They follow junit-10.xsd of Jenkins' xUnit plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from fairpairs.audits.audit.criteria import measure_title
from fairpairs.audits.audit.headline import overall
from fairpairs.audits.audit.sections import compared
from fairpairs.audits.audit.tables import AuditTables
from fairpairs.audits.audit.verdicts import BEYOND, NOT_TESTED, VIOLATED, WITHIN
from fairpairs.base.texts import interval, number, p_equals, printable

#: Element → the attribute of a suite that counts it.
COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def junit(result: AuditTables, *, unless_shown: bool) -> str:
    """Return the text of a JUnit XML file, with a test case for each line that counts.

    A line fails when it is violated (with a margin: beyond it) by the p-value adjusted over all
    that counts; with `unless_shown`, unless it is shown to lie within the margin.
    """
    about = result.about
    name = f"fairpairs audit {about['source'].get('file', '')}".rstrip()
    suite = ET.Element("testsuite", name=printable(name))
    properties = ET.SubElement(suite, "properties")
    margin = about["margin"] or {}
    margins = ", ".join(f"{criterion}={value:g}" for criterion, value in margin.items())
    settings = {"fairpairs": about["version"], "alpha": f"{about['alpha']:g}", "margin": margins}
    for key, value in {**settings, "overall": overall(result)}.items():
        ET.SubElement(properties, "property", name=key, value=printable(value))
    totals = {"tests": 0, **dict.fromkeys(COUNTED.values(), 0)}
    counts = result.tests["criterion"].isin(about["gate"]["criteria"])
    for row in result.tests[counts].to_dict("records"):
        case = ET.SubElement(
            suite, "testcase", classname=f"fairpairs.{row['criterion']}", name=_name(row)
        )
        totals["tests"] += 1
        outcome = _outcome(row, result, unless_shown)
        if outcome is not None:
            element, kind = outcome
            result_element = ET.SubElement(
                case, element, type=kind, message=_message(row, kind, about["alpha"])
            )
            result_element.text = printable(
                f"{row['hypothesis']}. {_message(row, kind, about['alpha'])}."
            )
            totals[COUNTED[element]] += 1
    suite.attrib.update({key: str(value) for key, value in totals.items()})
    suites = ET.Element("testsuites", name="fairpairs")
    suites.attrib.update({key: str(totals[key]) for key in ("tests", "failures", "errors")})
    suites.append(suite)
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _outcome(
    row: Mapping[Any, Any], result: AuditTables, unless_shown: bool
) -> tuple[str, str] | None:
    """Return the element of a line that does not pass, and its type."""
    alpha, with_margin = result.about["alpha"], result.about["margin"] is not None
    decides = row["pvalue_beyond_gate" if with_margin else "pvalue_gate"]
    if decides < alpha:
        return "failure", VIOLATED if np.isnan(row["margin"]) else BEYOND
    if np.isnan(row["pvalue_within"] if unless_shown else decides):
        fails = unless_shown or result.violated is None
        return "error" if fails else "skipped", NOT_TESTED
    if unless_shown and row["pvalue_within"] >= alpha:
        return "failure", f"not {WITHIN}"
    return None


def _name(row: Mapping[Any, Any]) -> str:
    return printable(f"{compared(row, ': ')}: {measure_title(row['measure'])}")


def _message(row: Mapping[Any, Any], kind: str, alpha: float) -> str:
    parts = [kind]
    if np.isfinite(row["estimate"]):
        parts.append(f"estimate {number(row['estimate'], sign=bool(row['group']))}")
    if np.isfinite(row["margin"]):
        parts.append(f"margin {row['margin']:g}")
    if np.isfinite(row["margin_low"]):
        limits = interval(row["margin_low"], row["margin_high"], sign=True)
        parts.append(f"{100 * (1 - 2 * alpha):g} % interval {limits}")
    elif np.isfinite(row["ci_low"]):
        ends = interval(row["ci_low"], row["ci_high"], sign=True)
        parts.append(f"{100 * (1 - alpha):g} % interval {ends}")
    for words, column in (
        ("", "pvalue_gate"),
        ("beyond the margin ", "pvalue_beyond_gate"),
        ("not within the margin ", "pvalue_within"),
    ):
        if np.isfinite(row[column]):
            parts.append(f"{words}{p_equals(row[column])}")
    return printable("; ".join([*parts, row["note"]] if row["note"] else parts))
