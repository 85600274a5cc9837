"""The tables of an audit for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from fairpairs.audits.audit.criteria import ALL_CRITERIA, measure_title
from fairpairs.audits.audit.criteria.parity import SELECTION
from fairpairs.audits.audit.effects import findings
from fairpairs.audits.audit.headline import overall
from fairpairs.audits.audit.notes import FEW_LABELS
from fairpairs.audits.audit.rates import WIDE_ONLY
from fairpairs.audits.audit.ratios import BELOW, FOUR_FIFTHS
from fairpairs.audits.audit.sections import Section, kinds, sections
from fairpairs.audits.audit.tables import AuditTables
from fairpairs.audits.lines.verdicts import (
    BEYOND,
    NOT_ESTIMATED,
    NOT_SHOWN,
    NOT_TESTED,
    VERDICTS,
    VIOLATED_WITHIN,
    WITH_MARGIN,
    WITHIN,
)
from fairpairs.base.plain_values import Content, Record, TableRow
from fairpairs.base.texts import interval, number, printable, pvalue
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.inference.proportions import EXACT, FEW_EVENTS, FEW_WRONG
from fairpairs.mathematics.inference.shuffled_means import NEARLY_CONSTANT, SKEWED

#: Beginnings of notes whose rows are marked although their cells are not small.
FEW_OF_ONE_KIND = (EXACT, FEW_EVENTS, FEW_WRONG, NEARLY_CONSTANT, FEW_LABELS, SKEWED)
#: The meaning of the mark.
ROUGH = (
    f"A cell below {SMALL_CELL}, few positive or negative predictions or labels, or skewed values: "
    "interval and p are rough"
)
#: How to get a finding of the four-fifths rule.
RULE = "For the four-fifths rule, name the value that is good for a person: --favourable VALUE."
#: Width of the table.
NARROWEST = 100
#: Headings of the table, with their widths; negative ones are left-aligned.
HEADINGS = {
    "": -22, "estimate": 9, "interval": 17, "effect": -10, "p": 8, "n": 8, "smallest": 8,
    "verdict": -9,
}  # fmt: skip


def text(result: AuditTables, width: int) -> str:
    """Return the tables of an audit, as lines of at most `width` characters, at least 100."""
    about = result.about
    width = max(width, NARROWEST)
    lines = [*_head(about), "", *findings(result), ""]
    ratio_texts = ratios(about)
    for section in sections(result):
        name = section.attribute
        lines += _rates(section.title, section.rates, width)
        for group, rows in section.comparisons:
            lines += ["", *_comparison(section, group, rows, ratio_texts)]
        if len(section.groups) > 2 and (name, "") in ratio_texts:
            lines += ["", f"{name}, selection rates of all groups: {ratio_texts[name, '']}"]
        lines.append("")
    lines += _foot(result)
    return "\n".join(
        piece.rstrip()
        for line in lines
        for piece in textwrap.wrap(printable(line), width, **_as_they_are(line)) or [""]
    )


def count(n: int) -> str:
    """Write a count, in short from a million on."""
    for size, unit in ((10**12, " T"), (10**9, " bn"), (10**6, " M")):
        if n >= size:
            return f"{f'{n / size:#.3g}'.rstrip('.')}{unit}"
    return f"{n:,}"


def items(about: Content) -> str:
    """Return the number of items, and how they were sampled."""
    parts = [f"{about['items']:,} items"]
    if about["clusters"] is not None:
        parts.append(f"in {about['clusters']:,} clusters")
    if about["weights"] is not None:
        parts.append(f"with {about['weights']} weights")
    return " ".join(parts)


def rough(row: TableRow) -> bool:
    """Whether a cell is small or has few items of a kind, or values are skewed."""
    small: bool = row["smallest_cell"] < SMALL_CELL
    return small or str(row["note"]).startswith(FEW_OF_ONE_KIND)


def _head(about: Content) -> Iterator[str]:
    source = about["source"]
    named = {role: f" {source[role]}" if role in source else "" for role in ROLES}
    yield f"Audit of {source.get('file', 'predictions')}: {items(about)}"
    kind, prediction = kinds(about)
    score = f"; score{named['score']}" if about["score"] else ""
    yield f"Label{named['label']}: {kind}; prediction{named['prediction']}: {prediction}{score}"


ROLES = ("label", "prediction", "score")
#: Verdicts that are shortened in the table.
SHORT = {BEYOND: "beyond", VIOLATED_WITHIN: "within, ≠0", WITHIN: "within", NOT_TESTED: "no test"}


def ratios(about: Content) -> dict[tuple[str, str], str]:
    """Return the ratio of selection rates, lower by higher, by attribute and group ("" for all)."""
    texts = {}
    favourable = about["favourable"]
    outcome = "" if favourable is None else f"of {favourable} "
    for rule in about["four_fifths"]:
        if rule["ratio"] is not None and np.isfinite(rule["ratio"]):
            both = "" if rule["group"] else f" ({rule['lowest']} by {rule['highest']})"
            finding = f": {rule['finding']}" if rule["finding"] else ""
            if finding and not rule["shown"]:
                other = f"{FOUR_FIFTHS:g}" if rule["finding"] == BELOW else "less"
                finding += f" as estimated, but {other} is possible"
            between = interval(rule["ratio_low"], rule["ratio_high"])
            texts[rule["attribute"], rule["group"]] = (
                f"ratio {outcome}{number(rule['ratio'])}, {between}{both}{finding}"
            )
    return texts


def margins(about: Content) -> str:
    """Return the margins, each with its criteria."""
    criteria: dict[float, list[str]] = {}
    for name, margin in about["margin"].items():
        criteria.setdefault(margin, []).append(name)
    return "; ".join(f"{margin:g} for {', '.join(names)}" for margin, names in criteria.items())


def _rates(name: str, rates: pd.DataFrame, width: int) -> Iterator[str]:
    """Yield one line per group, with as many rates as there is room for."""
    rates = rates[~rates["measure"].isin(WIDE_ONLY)]
    rows = rates.to_dict("records")
    table = {(row["group"], row["measure"]): row["estimate"] for row in rows}
    groups = {row["group"]: row["items"] for row in rows}
    wide = max(len(name), *map(len, groups))
    cells = {measure: max(len(measure) + 2, 7) for measure in dict.fromkeys(rates["measure"])}
    wide = min(wide, width - 9 - sum(cells.values()))
    yield f"{cut(name, wide):<{wide}}{'items':>9}" + "".join(f"{m:>{w}}" for m, w in cells.items())
    for group, items in groups.items():
        values = "".join(f"{number(table[group, m]):>{w}}" for m, w in cells.items())
        yield f"{cut(group, wide):<{wide}}{count(items):>9}{values}"


def _comparison(
    section: Section,
    group: str,
    rows: pd.DataFrame,
    ratio_texts: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    name, sizes, reference = section.attribute, section.groups, section.reference
    both = section.heading(group)
    if group:
        both = f"{group} ({sizes[group]:,}) minus {reference} ({sizes[reference]:,}, the reference)"
    yield f"{section.title}: {both}"
    intervals = [interval(*ends, sign=True) for ends in rows[["ci_low", "ci_high"]].to_numpy()]
    # a long interval takes from the blanks before p
    more = max(0, max(map(len, intervals)) - HEADINGS["interval"])
    widths = {
        **HEADINGS,
        "interval": HEADINGS["interval"] + more,
        "p": HEADINGS["p"] - min(more, 2),
    }
    yield _line(list(HEADINGS), widths)
    for row, between in zip(rows.to_dict("records"), intervals, strict=True):
        measure = f"  {measure_title(row['measure'])}"
        if row["verdict"] == NOT_ESTIMATED:
            yield f"{measure:<22} {NOT_ESTIMATED}: {row['note']}"
            continue
        signed = not ALL_CRITERIA[row["criterion"]].measured
        small = "!" if rough(row) else " "
        yield _line(
            [
                measure,
                number(row["estimate"], sign=signed),
                between,
                row["magnitude"],
                pvalue(row["pvalue_adjusted"]),
                count(row["n"]),
                count(row["smallest_cell"]) + small,
                SHORT.get(row["verdict"], row["verdict"]),
            ],
            widths,
        )
        if row["measure"] == SELECTION.name and (name, group) in ratio_texts:
            yield f"{'':<22} {ratio_texts[name, group]}"
        if row["verdict"] == NOT_TESTED:
            yield f"{'':<22} {NOT_TESTED}: {row['note']}"


def _line(cells: list[str], widths: Mapping[str, int]) -> str:
    return " ".join(
        f"{cell:<{-wide}}" if wide < 0 else f"{cell:>{wide}}"
        for cell, wide in zip(cells, widths.values(), strict=True)
    ).rstrip()


def _foot(result: AuditTables) -> Iterator[str]:
    tests, about, counts = result.tests, result.about, result.counts
    verdicts = [f"{n} {verdict}" for verdict, n in counts.items() if n]
    yield f"Of {len(tests)} lines: {', '.join(verdicts)}."
    yield f"Overall: {overall(result)}."
    yield (
        f"Level {about['alpha']:g}; p adjusted ({about['correction']}) over {about['family']}; "
        f"intervals of {100 * (1 - about['alpha']):g} %, not adjusted."
    )
    if about["margin"] is not None:
        yield f"Margin {margins(about)}."
        yield (
            f"The interval of {100 * (1 - 2 * about['alpha']):g} % (margin_low, margin_high), not "
            "adjusted, decides whether a line is within it; an adjusted p, whether it is beyond."
        )
        explained = [f"{SHORT.get(v, v)}: {VERDICTS[v]}." for v in WITH_MARGIN if counts[v]]
        yield from explained
    if counts[NOT_SHOWN]:
        yield f"{NOT_SHOWN}: {VERDICTS[NOT_SHOWN]}."
    if any(rough(row) for row in tests.to_dict("records")):
        yield f"! {ROUGH}."
    for name, reason in about["not_applicable"].items():
        yield f"Not run: {ALL_CRITERIA[name].title}; {reason}."
    if about["four_fifths"] and about["favourable"] is None:
        yield RULE
    yield from about["notes"]


def cut(text: str, wide: int) -> str:
    """Return a text, shortened to `wide` characters."""
    return text if len(text) <= wide else text[: wide - 1] + "…"


def _as_they_are(line: str) -> Record:
    """Wrap a long line with an indent, and keep its blanks."""
    indent = " " * (23 if line.startswith("  ") else 2)
    return {"drop_whitespace": False, "replace_whitespace": False, "subsequent_indent": indent}
