"""The tables of an audit, its verdict, and all that its answer leaves out."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pandas as pd

from fairpairs.audits.audit.rates import WIDE_ONLY
from fairpairs.audits.criteria import ALL_CRITERIA, MEASURES
from fairpairs.audits.criteria.ratios import BELOW, FOUR_FIFTHS
from fairpairs.audits.lines.about import ROLES, items
from fairpairs.audits.lines.tables import (
    FOR_SPECIALISTS,
    common,
    count,
    drawn,
    forest,
    kinds,
    limits,
    meanings,
    notes_of,
    shown,
    verdict_cell,
    with_interval,
)
from fairpairs.audits.lines.verdicts import MEANINGS
from fairpairs.base.document import Figure, Grid, Heading, Notes, Part, Terms
from fairpairs.base.plain_values import Content, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, listed, number, pvalue

#: Groups of which the first screen of a page has the rates.
MOST_GROUPS = 5
#: How to get a finding of the four-fifths rule.
RULE = "For the four-fifths rule, name the value that is good for a person: --favourable VALUE."


@dataclass(frozen=True)
class Section:
    """The lines and the rates of an attribute."""

    #: The attribute, with the class if the section is of one.
    title: str
    attribute: str
    #: Number of items in each group.
    groups: Mapping[str, int]
    reference: str
    #: Rows of the tables of the audit.
    tests: pd.DataFrame
    rates: pd.DataFrame

    @property
    def comparisons(self) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """The lines by group and the one it is compared with; the group "" stands for all."""
        for (group, other), rows in self.tests.groupby(["group", "reference"], sort=False):
            yield str(group), str(other), rows

    def heading(self, group: str, other: str) -> str:
        """Return the words for a group against another, or for all groups."""
        if group:
            size, against = (f"{self.groups[name]:,}" for name in (group, other))
            reference = ", the reference" * (other == self.reference)
            return f"{group} ({size}) minus {other} ({against}{reference})"
        return "both groups" if len(self.groups) == 2 else f"all {len(self.groups)} groups"


def details(
    about: Content, tests: pd.DataFrame, rates: pd.DataFrame, sweep: pd.DataFrame, head: str
) -> Iterator[Part]:
    """Yield all that the answer leaves out; `head` says what the lines show together."""
    ratio_texts, decides = ratios(about), deciding(tests)
    each = list(sections(about, tests, rates))
    groups = ((i, *pair) for i, section in enumerate(each) for pair in section.comparisons)
    chosen, so = drawn({(i, group, other): rows for i, group, other, rows in groups if group})
    yield "\n".join([*_head(about), head])
    for i, section in enumerate(each):
        yield Heading(section.title)
        yield _drawn_rates(section, f"a{i}r")
        yield _rates(section, decides)
        if "few_labels" in about:
            yield _judge(section, about)
        for j, (group, other, rows) in enumerate(section.comparisons):
            lines = rows_of(shown(rows, about["gate"]["criteria"]))
            yield Heading(f"{section.title}: {section.heading(group, other)}", 3)
            if (i, group, other) in chosen:
                yield _drawn_lines(lines, about, f"a{i}g{j}", so)
            yield _lines(lines, about)
            if (i, group, other) in chosen and other == section.reference and len(sweep):
                part = (sweep["attribute"] == section.attribute) & (sweep["group"] == group)
                if part.any():
                    yield _swept(sweep[part], about, f"a{i}g{j}s")
            if group and other == section.reference:
                yield ratio_texts.get((section.attribute, group), "")
        if len(section.groups) > 2:
            yield ratio_texts.get((section.attribute, ""), "")
    yield Notes(list(_notes(about)))
    criteria = dict.fromkeys(tests["criterion"])
    yield Terms({ALL_CRITERIA[name].title: ALL_CRITERIA[name].question for name in criteria})
    yield meanings(MEANINGS, Counter(tests["verdict"]))


def group_rates(
    about: Content, tests: pd.DataFrame, rates: pd.DataFrame, attribute: str
) -> Iterator[Grid]:
    """Yield the rates of the groups of an attribute, those that decide first."""
    decides = deciding(tests)
    for section in sections(about, tests, rates):
        if section.title == attribute:
            later = ~section.rates["measure"].isin(decides)
            ordered = section.rates.iloc[later.argsort(kind="stable")]
            grid = _rates(replace(section, rates=ordered), decides)
            yield replace(grid, caption=f"Rates by {attribute}", unfolded=MOST_GROUPS)


def deciding(tests: pd.DataFrame) -> set[str]:
    """Return the measures that decide."""
    return {*tests.loc[tests["pvalue_gate"].notna(), "measure"]}


def _head(about: Content) -> Iterator[str]:
    source = about["source"]
    named = {role: f" {source[role]}" if role in source else "" for role in ROLES}
    yield f"Audit of {source.get('file', 'predictions')}: {items(about)}"
    kind, prediction = kinds_in_words(about)
    score = f"; score{named['score']}" if about["score"] else ""
    if about["threshold"] is not None:
        score += f", positive from {about['threshold']:g}"
    yield f"Label{named['label']}: {kind}; prediction{named['prediction']}: {prediction}{score}"


def ratios(about: Content) -> dict[tuple[str, str], str]:
    """Return the ratio of selection rates, lower by higher, by attribute and group ("" for all)."""
    texts = {}
    favourable = about["favourable"]
    outcome = "" if favourable is None else f" of {favourable}"
    for rule in about["four_fifths"]:
        if rule["ratio"] is not None and np.isfinite(rule["ratio"]):
            finding = f": {rule['finding']}" if rule["finding"] else ""
            if finding and not rule["shown"]:
                other = f"{FOUR_FIFTHS:g}" if rule["finding"] == BELOW else "less"
                finding += f" as estimated, but {other} is possible"
            between = interval(rule["ratio_low"], rule["ratio_high"])
            texts[rule["attribute"], rule["group"]] = (
                f"Ratio of selection rates{outcome}, {rule['lowest']} by {rule['highest']}: "
                f"{number(rule['ratio'])}, {between}{finding}."
            )
    return texts


def _drawn_rates(section: Section, prefix: str) -> Figure:
    def draw() -> str:
        from fairpairs.audits.audit import figures  # noqa: PLC0415  (matplotlib is slow to load)

        return figures.group_rates(section.rates, prefix=prefix)

    caption = "Rates of each group, with intervals."
    return Figure(draw, caption, f"{caption} The numbers are in the table below.")


def _rates(section: Section, decides: Collection[str]) -> Grid:
    """Return a table of one line per group."""
    left_out = section.rates["measure"].isin({*WIDE_ONLY} - {*decides})
    rates = section.rates[~left_out]
    cells = {(row["group"], row["measure"]): row["estimate"] for row in rows_of(rates)}
    measures = list(dict.fromkeys(rates["measure"]))
    rows = [
        (group, f"{n:,}", *(number(cells[group, measure]) for measure in measures))
        for group, n in section.groups.items()
    ]
    return Grid(["group", "rows", *measures], rows, left=("group",))


def _judge(section: Section, about: Content) -> Grid:
    """Return a table of how the cheap labels err in each group."""
    errors = [row for row in about["few_labels"]["errors"] if row["attribute"] == section.attribute]
    measures = list(dict.fromkeys(row["measure"] for row in errors))
    cells = {(row["group"], row["measure"]): row for row in errors}
    rows = []
    for group, n in about["few_labels"]["groups"][section.attribute].items():
        numbers = (with_interval(cells[group, measure], "estimate") for measure in measures)
        rows.append((group, f"{n:,}", *chain.from_iterable(numbers)))
    covered = f"{_covered(about, 1)} interval"
    header = ["group", "human labels", *(x for measure in measures for x in (measure, covered))]
    return Grid(header, rows, left=("group",))


def _drawn_lines(lines: Sequence[TableRow], about: Content, prefix: str, so: str) -> Figure:
    shown = [row for row in lines if row["measure"] in MEASURES and MEASURES[row["measure"]].drawn]
    caption = f"Differences with intervals{so}"
    if about["margin"] is not None:
        caption += f"; thick: of {_covered(about, 2)}, on the margin (grey)"
    return forest(
        shown, [row["measure"] for row in shown], "group minus reference",
        prefix=prefix, caption=f"{caption}. Diamonds: a difference is shown; circles: it is "
        "not, or it lies within the margin (green).",
    )  # fmt: skip


def _swept(rows: pd.DataFrame, about: Content, prefix: str) -> Figure:
    """Return the figure of the gaps over all thresholds."""

    def draw() -> str:
        from fairpairs.audits.audit import figures  # noqa: PLC0415  (matplotlib is slow to load)

        margin = (about["margin"] or {}).get("separation")
        return figures.sweep(rows, about["threshold"], margin, prefix=prefix)

    chosen = "" if about["threshold"] is None else f" Dotted: {about['threshold']:g}."
    caption = (
        "The difference in TPR and FPR, group minus reference, if a score from the threshold on "
        f"is a positive decision. Each band covers all thresholds at once, both of them with "
        f"{_covered(about, 1)}.{chosen}"
    )
    largest = rows.loc[rows.groupby("measure", sort=False)["estimate"].idxmax()]
    least = rows.loc[rows.groupby("measure", sort=False)["estimate"].idxmin()]
    ends = (
        f"{low['measure']} from {number(low['estimate'], sign=True)} (at {low['threshold']:g}) to "
        f"{number(high['estimate'], sign=True)} (at {high['threshold']:g})"
        for low, high in zip(rows_of(least), rows_of(largest), strict=True)
    )
    return Figure(draw, caption, f"{caption} {'; '.join(ends)}.")


def _lines(lines: Sequence[TableRow], about: Content) -> Grid:
    """Return a table of the lines of a group, with the intervals that decide."""
    with_margin = any(np.isfinite(row["margin"]) for row in lines)
    margin_interval = [f"{_covered(about, 2)} interval"] * with_margin
    rows = []
    for row in lines:
        sign = not ALL_CRITERIA[row["criterion"]].measured
        intervals = [limits(row, sign=sign)]
        if with_margin:
            intervals.append(interval(row["margin_low"], row["margin_high"], sign=sign))
        rows.append((
            row["measure"], verdict_cell(row["verdict"]), number(row["estimate"], sign=sign),
            *intervals, pvalue(row["pvalue_adjusted"]), count(row["n"]),
        ))  # fmt: skip
    header = [
        "measure", "verdict", "estimate", f"{_covered(about, 1)} interval", *margin_interval, "p",
        "n",
    ]  # fmt: skip
    return Grid(
        header, rows, left=("measure", "verdict"), kinds=kinds(lines), notes=notes_of(lines),
        unfolded=common(lines), folded=FOR_SPECIALISTS,
    )  # fmt: skip


def _covered(about: Content, sides: int) -> str:
    return coverage(about["alpha"], sides)


def margins(about: Content) -> str:
    """Return the margins, each with its criteria."""
    criteria: dict[float, list[str]] = {}
    for name, margin in about["margin"].items():
        criteria.setdefault(margin, []).append(name)
    return "; ".join(f"{margin:g} for {', '.join(names)}" for margin, names in criteria.items())


def _notes(about: Content) -> Iterator[str]:
    adjusted = f"adjusted ({about['correction']}) over {about['family']}"
    if about["correction"] == "none":
        adjusted = "not adjusted"
    yield (
        f"The level is {about['alpha']:g}; p is {adjusted}; intervals of {_covered(about, 1)} are "
        "of each comparison alone: if one disagrees with the verdict, the adjusted p decides."
    )
    if about["margin"] is not None:
        yield (
            f"Margin {margins(about)}. The interval of {_covered(about, 2)}, not adjusted, decides "
            "whether a comparison is within it; an adjusted p, whether it is beyond."
        )
    for name, reason in about["not_applicable"].items():
        yield f"Not run: {ALL_CRITERIA[name].title}; {reason}."
    if about["four_fifths"] and about["favourable"] is None:
        yield RULE
    yield from about["notes"]


def sections(about: Content, all_tests: pd.DataFrame, all_rates: pd.DataFrame) -> Iterator[Section]:
    """Yield the sections of an audit in the order of its tables."""
    for name, attribute in about["attributes"].items():
        tests, rates = (table[table["attribute"] == name] for table in (all_tests, all_rates))
        groups, reference = attribute["groups"], attribute["reference"]
        if "label_class" not in tests:
            yield Section(name, name, groups, reference, tests, rates)
            continue
        for label_class in dict.fromkeys(tests["label_class"]):
            title = f"{name}, class {label_class}" if label_class else name
            tables = (table[table["label_class"] == label_class] for table in (tests, rates))
            yield Section(title, name, groups, reference, *tables)


def kinds_in_words(about: Content) -> tuple[str, str]:
    """Return the kinds of label and prediction in words."""
    if "classes" in about:
        ordered = ", from the lowest" if about["label"] == "ordinal" else ""
        return f"{len(about['classes'])} classes ({listed(about['classes'])}{ordered})", "classes"
    label = f"binary, positive is {about['positive']}" if about["positive"] else "a number"
    if about["rest"]:
        label += f" (against the rest: {listed(about['rest'])})"
    return label, "binary" if about["prediction"] == "binary" else "a number"


def compared(row: TableRow, separator: str = ", ") -> str:
    """Return what a line compares, in a sentence."""
    label_class = row.get("label_class")
    subject = f"{row['attribute']}, class {label_class}" if label_class else row["attribute"]
    groups = f"{row['group']} minus {row['reference']}" if row["group"] else "all groups"
    return f"{subject}{separator}{groups}"
