"""The tables of a comparison, its verdict, and all that its answer leaves out."""

from collections.abc import Iterator, Mapping

import pandas as pd

from fairpairs.audits.compare.fields import VERDICTS
from fairpairs.audits.criteria import CRITERIA
from fairpairs.audits.lines.about import items
from fairpairs.audits.lines.tables import (
    FOR_SPECIALISTS,
    common,
    counted,
    drawn,
    kinds,
    meanings,
    notes_of,
    shown,
    verdict_cell,
)
from fairpairs.audits.lines.verdicts import IMPROVED, NOT_SHOWN, NOT_WORSE, WORDS, WORSE_BEYOND
from fairpairs.base.document import Figure, Grid, Heading, Notes, Part, Terms
from fairpairs.base.plain_values import Content, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, number, pvalue

#: Verdict → the column of the p-value that decides it; of others, that of a larger gap.
DECIDES = {
    IMPROVED: "pvalue_improved", NOT_WORSE: "pvalue_not_worse",
    WORSE_BEYOND: "pvalue_worse_beyond",
}  # fmt: skip
#: How decisions change: column → its heading.
MOVES = {"to_positive": "to positive", "to_negative": "to negative"}


def details(
    about: Content,
    tests: pd.DataFrame,
    decisions: pd.DataFrame,
    counts: Mapping[str, int],
    pvalue: float,
) -> Iterator[Part]:
    """Yield all that the answer leaves out."""
    yield "\n".join([*_head(about), counted(counts, pvalue)])
    keys = ["attribute", "group", "reference"]
    chosen, so = drawn(dict(iter(tests.groupby(keys, sort=False))))
    for i, name in enumerate(about["attributes"]):
        yield Heading(name)
        moved = decisions[decisions["attribute"] == name]
        if len(moved):
            yield _decisions(moved)
        lines = tests[tests["attribute"] == name]
        pairs = lines.groupby(["group", "reference"], sort=False)
        for j, ((group, other), all_rows) in enumerate(pairs):
            yield Heading(f"{name}: {group} minus {other}", 3)
            rows = shown(all_rows, about["gate"]["criteria"])
            if (name, group, other) in chosen:
                yield _drawn(rows, about, f"a{i}g{j}", so)
            yield _lines(rows, about)
    yield Notes(list(_notes(about)))
    criteria = dict.fromkeys(tests["criterion"])
    yield Terms({CRITERIA[name].title: CRITERIA[name].question for name in criteria})
    yield meanings(VERDICTS, counts)


def names(about: Content) -> tuple[str, str]:
    """Return the names of both models."""
    source = about["source"]
    return source.get("old", "the old model"), source.get("new", "the new model")


def _head(about: Content) -> Iterator[str]:
    old, new = names(about)
    yield f"{new} against {old}: the same {items(about)}"
    if about["changed"] is not None:
        share = about["changed"] / about["items"]
        yield f"{about['changed']:,} decisions changed ({100 * share:.3g} %)."


def _decisions(moved: pd.DataFrame) -> Grid:
    rows = [
        (
            str(row["group"]),
            row["label"],
            f"{row['items']:,}",
            *(
                f"{row[move]:,}: {number(row[f'{move}_share'])}, "
                f"{interval(row[f'{move}_low'], row[f'{move}_high'])}"
                for move in MOVES
            ),
        )
        for row in rows_of(moved)
    ]
    caption = "Changed decisions: number, share, and its interval"
    return Grid(
        ["group", "label", "rows", *MOVES.values()], rows, left=("group", "label"), caption=caption
    )


def _drawn(rows: pd.DataFrame, about: Content, prefix: str, so: str) -> Figure:
    def draw() -> str:
        from fairpairs.audits.compare import figures  # noqa: PLC0415  (matplotlib is slow to load)

        return figures.gap_changes(rows, prefix=prefix)

    margin = ", and the margin (band)" if about["margin"] else ""
    caption = (
        "Left: the gap of the old model (circle) and of the new one (diamond). Right: the change, "
        f"with its interval{margin}{so}."
    )
    each = (f"{row['measure']}: {row['verdict']}" for row in rows_of(rows))
    return Figure(draw, caption, f"{caption} {'; '.join(each)}.")


def _alone(row: TableRow) -> str:
    """Return a word where the interval of the line alone denies its verdict, which is adjusted."""
    if not row["old"] * row["new"] > 0:
        return ""  # the change of a gap whose sign turns tells nothing of its size
    covers = row["ci_low"] <= 0 <= row["ci_high"]
    found = WORDS[row["verdict"]].state in ("beyond", "worse", "better")
    denies = covers if found else row["verdict"] == NOT_SHOWN and not covers
    return ", alone" if denies else ""


def _lines(tests: pd.DataFrame, about: Content) -> Grid:
    lines = rows_of(tests)
    rows = [
        (
            row["measure"],
            verdict_cell(row["verdict"]),
            *(number(row[key], sign=True) for key in ("old", "new", "change")),
            interval(row["ci_low"], row["ci_high"], sign=True) + _alone(row),
            pvalue(row[DECIDES.get(row["verdict"], "pvalue_worse")]),
        )
        for row in lines
    ]
    covered = f"{coverage(about['alpha'])} interval"
    header = ["measure", "verdict", "old gap", "new gap", "change", covered, "p"]
    return Grid(
        header,
        rows,
        left=("measure", "verdict"),
        kinds=kinds(lines),
        notes=notes_of(lines),
        unfolded=common(lines),
        folded=FOR_SPECIALISTS,
    )


def _notes(about: Content) -> Iterator[str]:
    adjusted = f"adjusted ({about['correction']}) over {about['family']}"
    yield (
        f"The level is {about['alpha']:g}. A gap is worse if it is larger, whatever its sign. p is "
        f"that of the verdict; of one that is {NOT_SHOWN}, of a larger gap: "
        f"{'not adjusted' if about['correction'] == 'none' else adjusted}. Intervals are not "
        "adjusted."
    )
    if about["margin"]:
        margins = ", ".join(f"{name} {margin:g}" for name, margin in about["margin"].items())
        yield f"Margin: {margins}."
    for name, reason in about["left_out"].items():
        yield f"Not compared: {CRITERIA[name].title}; {reason}."
    yield from about["notes"]
