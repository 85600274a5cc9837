"""The lines of a monitor that count, as the test cases of a JUnit XML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from fairpairs.audits.audit.junit import COUNTED
from fairpairs.audits.audit.verdicts import BEYOND, NOT_TESTED, VIOLATED, VIOLATED_WITHIN, WITHIN
from fairpairs.audits.monitor.tables import MonitorTables
from fairpairs.audits.monitor.text import overall, title
from fairpairs.base.texts import interval, number, p_equals, printable


def junit(result: MonitorTables, *, unless_shown: bool) -> str:
    """Return the text of a JUnit XML file, with a test case for each line that counts.

    A line fails when it is violated (with a margin: beyond it); with `unless_shown`, unless it is
    shown to lie within the margin.
    """
    suite = ET.Element("testsuite", name=printable(f"fairpairs monitor {result.about['state']}"))
    properties = ET.SubElement(suite, "properties")
    about = result.about
    settings = {
        "fairpairs": about["version"],
        "alpha": f"{about['alpha']:g}",
        "batches": str(about["batches"]),
        "rows": str(about["rows"]),
        "overall": overall(result),
    }
    for key, value in settings.items():
        ET.SubElement(properties, "property", name=key, value=printable(value))
    totals = {"tests": 0, **dict.fromkeys(COUNTED.values(), 0)}
    for row in result.lines[result.lines["counts"]].to_dict("records"):
        case = ET.SubElement(
            suite, "testcase", classname=f"fairpairs.{row['criterion']}", name=printable(title(row))
        )
        totals["tests"] += 1
        outcome = _outcome(row, unless_shown=unless_shown, tested=result.violated is not None)
        if outcome is not None:
            element, kind = outcome
            result_element = ET.SubElement(case, element, type=kind, message=_message(row, kind))
            result_element.text = printable(f"{title(row)}. {_message(row, kind)}.")
            totals[COUNTED[element]] += 1
    suite.attrib.update({key: str(value) for key, value in totals.items()})
    suites = ET.Element("testsuites", name="fairpairs")
    suites.attrib.update({key: str(totals[key]) for key in ("tests", "failures", "errors")})
    suites.append(suite)
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _outcome(row: Mapping[Any, Any], *, unless_shown: bool, tested: bool) -> tuple[str, str] | None:
    """Return the element of a line that does not pass, and its type."""
    verdict = row["verdict"]
    if verdict == BEYOND or (verdict == VIOLATED and np.isnan(row["margin"])):
        return "failure", verdict
    if verdict == NOT_TESTED:
        return "error" if unless_shown or not tested else "skipped", NOT_TESTED
    if unless_shown and verdict not in (WITHIN, VIOLATED_WITHIN):
        return "failure", f"not {WITHIN}"
    return None


def _message(row: Mapping[Any, Any], kind: str) -> str:
    parts = [kind]
    if np.isfinite(row["estimate"]):
        limits = interval(row["ci_low"], row["ci_high"], sign=True)
        parts += [f"estimate {number(row['estimate'], sign=True)}", f"interval {limits}"]
    if np.isfinite(row["margin"]):
        parts.append(f"margin {row['margin']:g}")
    if np.isfinite(row["pvalue_adjusted"]):
        parts.append(p_equals(row["pvalue_adjusted"]))
    if row["since"]:
        parts.append(f"violated since batch {row['since']}")
    return printable("; ".join([*parts, row["note"]] if row["note"] else parts))
