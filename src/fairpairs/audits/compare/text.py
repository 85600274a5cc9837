"""The tables of a comparison for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pandas as pd

from fairpairs.audits.audit.criteria import CRITERIA, measure_title
from fairpairs.audits.audit.text import count, cut
from fairpairs.audits.compare.tables import ComparisonTables
from fairpairs.audits.compare.verdicts import NOT_WORSE, VERDICTS, WORSE_BEYOND, WORSE_WITHIN
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED, NOT_TESTED
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import interval, number, p_equals, printable, pvalue
from fairpairs.mathematics.estimates.estimates import SMALL_CELL

#: Width of the table.
NARROWEST = 100
#: Headings of the table of lines, with their widths; negative ones are left-aligned.
HEADINGS = {
    "": -22, "old gap": 8, "new gap": 8, "change": 8, "interval": 17, "p": 7, "variance": 9,
    "verdict": -15,
}  # fmt: skip
#: Verdict → what the table has room for.
SHORT = {
    NOT_WORSE: "not worse",
    WORSE_BEYOND: "worse beyond",
    WORSE_WITHIN: "worse within",
    NOT_TESTED: "no test",
}

#: Verdicts whose lines give the reason themselves.
NO_TEST = (NOT_TESTED, NOT_ESTIMATED)


def text(result: ComparisonTables, width: int) -> str:
    """Return the tables of a comparison, as lines of at most `width` characters, at least 100."""
    about, tests, decisions = result.about, result.tests, result.decisions
    lines = [*_head(about), ""]
    for name, attribute in about["attributes"].items():
        attribute_tests = tests[tests["attribute"] == name]
        moved = decisions[decisions["attribute"] == name]
        if len(moved):
            lines += [*_decisions(name, moved), ""]
        for group, rows in attribute_tests.groupby("group", sort=False):
            lines += [*_gaps(name, str(group), attribute["reference"], rows), ""]
    lines += _foot(result)
    return "\n".join(
        piece.rstrip()
        for line in lines
        for piece in textwrap.wrap(
            printable(line),
            max(width, NARROWEST),
            drop_whitespace=False,
            replace_whitespace=False,
            subsequent_indent=" " * (23 if line[:2] == "  " else 2),
        )
        or [""]
    )


def overall(result: ComparisonTables) -> str:
    """Return the verdict of the whole comparison, in words."""
    about = result.about
    gate = about["gate"]
    criteria = ", ".join(gate["criteria"])
    if not gate["tested"]:
        return f"{NOT_TESTED} ({criteria})"
    by = " by more than the margin" if about["margin"] else ""
    if gate["pvalue"] < about["alpha"]:
        lines = result.tests[result.tests["pvalue_gate"] < about["alpha"]]
        worst = lines.loc[lines["pvalue_gate"].idxmin()]
        groups = f"{worst['attribute']}, {worst['group']} minus {worst['reference']}"
        gaps = f"{number(worst['old'], sign=True)} to {number(worst['new'], sign=True)}"
        return (
            f"the new model is worse{by}, above all in {measure_title(worst['measure'])} ({groups}:"
            f" from {gaps}, {p_equals(gate['pvalue'])}); {len(lines)} of {gate['tested']} lines of "
            f"{criteria} {'is' if len(lines) == 1 else 'are'} worse{by}, by Holm"
        )
    evidence = f"{p_equals(gate['pvalue'])} by Holm over {gate['tested']} lines of {criteria}"
    if gate["shown"]:
        return (
            f"the new model is shown not to be worse by the margin, in each of {gate['lines']} "
            f"lines of {criteria}"
        )
    neither = f"not shown that the new model is worse{by}, {evidence}"
    return f"{neither}; not shown either that it is not worse by it" if about["margin"] else neither


def _head(about: Content) -> Iterator[str]:
    source = about["source"]
    old, new = source.get("old", "the old model"), source.get("new", "the new model")
    yield f"{new} against {old}: the same {about['items']:,} items"
    if about["changed"] is not None:
        share = about["changed"] / about["items"]
        yield f"{about['changed']:,} of them are decided otherwise ({100 * share:.3g} %)."


def _decisions(name: str, rows: pd.DataFrame) -> Iterator[str]:
    wide = min(max(len(name), *(len(str(group)) for group in rows["group"])), 34)
    yield f"{cut(name, wide):<{wide}}  label       items   to positive" + " " * 20 + "to negative"
    for row in rows.to_dict("records"):
        moves = [
            f"{row[move]:>7,} {number(row[f'{move}_share']):>6} "
            f"({interval(row[f'{move}_low'], row[f'{move}_high'])})"
            for move in ("to_positive", "to_negative")
        ]
        group = cut(str(row["group"]), wide)
        yield f"{group:<{wide}}  {row['label']:<8}{row['items']:>9,}" + "".join(
            f"{move:<31}" for move in moves
        )


def _gaps(name: str, group: str, reference: str, rows: pd.DataFrame) -> Iterator[str]:
    yield f"{name}: {group} minus {reference}"
    yield _line(list(HEADINGS))
    for row in rows.to_dict("records"):
        measure = f"  {measure_title(row['measure'])}"
        if row["verdict"] == NOT_ESTIMATED:
            yield f"{measure:<22} {NOT_ESTIMATED}: {row['note']}"
            continue
        yield _line(
            [
                measure,
                *(number(row[key], sign=True) for key in ("old", "new", "change")),
                interval(row["ci_low"], row["ci_high"], sign=True),
                pvalue(row["pvalue_adjusted"]),
                number(row["variance_ratio"]) + ("!" if row["note"] else " "),
                SHORT.get(row["verdict"], row["verdict"]),
            ]
        )
        if row["verdict"] == NOT_TESTED:
            yield f"{'':<22} {NOT_TESTED}: {row['note']}"


def _line(cells: list[str]) -> str:
    return " ".join(
        f"{cell:<{-wide}}" if wide < 0 else f"{cell:>{wide}}"
        for cell, wide in zip(cells, HEADINGS.values(), strict=True)
    ).rstrip()


def _foot(result: ComparisonTables) -> Iterator[str]:
    about, counts = result.about, result.counts
    verdicts = [f"{n} {verdict}" for verdict, n in counts.items() if n]
    yield f"Of {count(len(result.tests))} lines: {', '.join(verdicts)}."
    yield f"Overall: {overall(result)}."
    yield (
        f"Level {about['alpha']:g}; p of no change, adjusted ({about['correction']}) over "
        f"{about['family']}; intervals of {100 * (1 - about['alpha']):g} %, not adjusted."
    )
    yield (
        "variance: of the change, by that of two models with items of their own. A gap is worse if "
        "it is larger, whatever its sign."
    )
    if about["margin"]:
        margins = ", ".join(f"{name} {margin:g}" for name, margin in about["margin"].items())
        yield f"Margin: {margins}."
    yield from (
        f"{SHORT.get(v, v)}: {VERDICTS[v]}." for v in VERDICTS if counts[v] and v not in NO_TEST
    )
    if (result.tests["note"] != "").any():
        yield f"! A cell below {SMALL_CELL}, or few changes: interval and p are rough."
    for name, reason in about["left_out"].items():
        yield f"Not compared: {CRITERIA[name].title}; {reason}."
    yield from about["notes"]
