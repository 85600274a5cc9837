"""The lines of an audit that count as test cases of a JUnit XML file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from fairpairs.audits.lines.verdicts import (
    ALL_WITHIN,
    BEYOND,
    NOT_ESTIMATED,
    NOT_TESTED,
    VIOLATED,
)
from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import interval, number, p_equals, printable

#: Element → the attribute of a suite that counts it.
COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


@dataclass(frozen=True)
class Line:
    """A line that counts."""

    criterion: str
    name: str
    #: What it asks, in a sentence.
    hypothesis: str
    #: The verdict by which it fails, or an empty string.
    violation: str
    #: Whether what decides could be tested, and is shown to be within the margin.
    tested: bool
    shown: bool
    #: Its numbers and its note, in words.
    details: Sequence[str]


def by_verdict(row: TableRow, name: str, hypothesis: str, details: Sequence[str]) -> Line:
    """Return a line of which the verdict decides."""
    verdict = row["verdict"]
    fails = verdict == BEYOND or (verdict == VIOLATED and np.isnan(row["margin"]))
    return Line(
        row["criterion"],
        name,
        hypothesis,
        verdict if fails else "",
        verdict not in (NOT_TESTED, NOT_ESTIMATED),
        verdict in ALL_WITHIN,
        details,
    )


def junit(
    name: str,
    settings: Mapping[str, str],
    lines: Iterable[Line],
    *,
    unshown: str,
    untested_fails: bool,
) -> str:
    """Return the text of a JUnit XML file.

    A line fails when it is violated, and, if `unshown` says by what, unless it is shown. One that
    cannot be tested is an error, or is skipped.
    """
    suite = ET.Element("testsuite", name=printable(name))
    properties = ET.SubElement(suite, "properties")
    for key, value in settings.items():
        ET.SubElement(properties, "property", name=key, value=printable(value))
    totals = {"tests": 0, **dict.fromkeys(COUNTED.values(), 0)}
    for line in lines:
        case = ET.SubElement(
            suite, "testcase", classname=f"fairpairs.{line.criterion}", name=printable(line.name)
        )
        totals["tests"] += 1
        if line.violation:
            element, kind = "failure", line.violation
        elif not line.tested:
            element, kind = "error" if untested_fails else "skipped", NOT_TESTED
        elif unshown and not line.shown:
            element, kind = "failure", unshown
        else:
            continue
        totals[COUNTED[element]] += 1
        message = printable("; ".join([kind, *filter(None, line.details)]))
        child = ET.SubElement(case, element, type=kind, message=message)
        child.text = printable(f"{line.hypothesis}. {message}.")
    suite.attrib.update({key: str(value) for key, value in totals.items()})
    suites = ET.Element("testsuites", name="fairpairs")
    suites.attrib.update({key: str(totals[key]) for key in ("tests", "failures", "errors")})
    suites.append(suite)
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def numbers(row: TableRow, pvalue: str, interval_name: str = "interval") -> Iterator[str]:
    """Yield the estimate of a line, its interval and the p-value of a column, in words."""
    if np.isfinite(row["estimate"]):
        yield f"estimate {number(row['estimate'], sign=True)}"
    if np.isfinite(row["ci_low"]):
        yield f"{interval_name} {interval(row['ci_low'], row['ci_high'], sign=True)}"
    if np.isfinite(row[pvalue]):
        yield p_equals(row[pvalue])
