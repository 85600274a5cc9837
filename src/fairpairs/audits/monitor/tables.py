"""The lines of a monitor as a table, their verdict, and all that the answer leaves out."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd

from fairpairs.audits.lines.tables import kinds, limits, meanings, verdict_cell
from fairpairs.audits.lines.verdicts import VIOLATED, WORDS
from fairpairs.audits.monitor.fields import IN_BLOCKS, VERDICTS
from fairpairs.base.document import Figure, Grid, Notes, Part
from fairpairs.base.plain_values import Content, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, middle_cut, number, pvalue

#: Columns of the table of earlier looks.
HISTORY = (
    "batch", "batch_name", "rows", "criterion", "attribute", "group", "reference", "measure",
    "estimate", "ci_low", "ci_high", "between",
)  # fmt: skip
#: Characters of the name of a line.
LONGEST = 60
#: Lines that have a figure.
DRAWN = 60


def since_in_words(row: TableRow) -> str:
    """Return the batch in which a line was first violated: its name, or "batch" and its number."""
    name = str(row["since_name"])
    return f"batch {row['since']:,}" if name == str(row["since"]) else name


def details(
    about: Content, lines: pd.DataFrame, history: pd.DataFrame, head: str
) -> Iterator[Part]:
    """Yield all that the answer leaves out; `head` says what the lines show together."""
    rows = rows_of(lines)
    window = [f"last {about['window']}"] if about["window"] else []
    yield "\n".join([*_head(about), head])
    for counts, caption in ((True, ""), (False, "These comparisons do not count for the verdict.")):
        chosen = [row for row in rows if row["counts"] == counts]
        if chosen:
            yield Grid(
                ["comparison", "verdict", "estimate", f"{coverage(about['alpha'])}, every batch",
                 "p", "rows", "reference", "since batch", "unfair in", *window],
                [
                    (middle_cut(title(row), LONGEST), verdict_cell(row["verdict"]),
                     number(row["estimate"], sign=True),
                     limits(row, decides="now" if row["since"] else "alone"),
                     pvalue(row["pvalue_adjusted"]), f"{row['items']:,}",
                     f"{row['items_reference']:,}", row["since_name"], row["periods"],
                     *(_window(row) for _ in window))
                    for row in chosen
                ],
                left=("comparison", "verdict"), caption=caption, kinds=kinds(chosen),
            )  # fmt: skip
    yield _strip(about)
    yield from drawn(about, lines, history)
    yield Notes(list(_notes(about, lines)))
    yield meanings(VERDICTS, Counter(lines["verdict"]))


def title(row: TableRow) -> str:
    """Return the name of a line."""
    return f"{row['attribute']}: {row['group']} minus {row['reference']}, {row['measure']}"


def _window(row: TableRow) -> str:
    """Return what a line shows in the window alone."""
    if not np.isfinite(row["window_estimate"]):
        return ""
    low, high = row["window_low"], row["window_high"]
    return f"{number(row['window_estimate'], sign=True)} ({interval(low, high, sign=True)})"


def _strip(about: Content) -> Figure:
    """Return the figure of what the batches held."""

    def draw() -> str:
        from fairpairs.audits.monitor import figures  # noqa: PLC0415  (matplotlib is slow)

        return figures.strip(about, prefix="b")

    late = about["missing_labels"] is not None
    words = "Rows of each batch" + (
        ", paler without a label yet; below, the labels that came with it" if late else ""
    ) + ("; dashed: a reset" if about["resets"] else "")  # fmt: skip
    return Figure(draw, f"{words}.", words)


def _head(about: Content) -> Iterator[str]:
    """Yield the sentences that say what was appended."""
    yield subject(about)
    for attribute, groups in about["attributes"].items():
        sizes = ", ".join(f"{name} {n:,}" for name, n in groups["groups"].items())
        yield f"{attribute}: {sizes}; the reference is {groups['reference']}"
    for attribute, missing in (about["missing_labels"] or {}).items():
        some = ", ".join(f"{name} {n:,}" for name, n in missing.items())
        yield f"{attribute}, rows whose label has not come: {some}"
    for reset in about["resets"]:
        found = f"; violated until then: {', '.join(reset['violated'])}" * bool(reset["violated"])
        yield f"reset after batch {reset['after']:,}: {reset['reason']}{found}"


def drawn(
    about: Content, lines: pd.DataFrame, history: pd.DataFrame, *, prefix: str = "m"
) -> Iterator[Figure]:
    """Yield the figures of lines."""
    keys = ["attribute", "group", "measure"]
    looks = dict(list(history.groupby(keys, sort=False)))
    chosen = lines.sort_values("counts", ascending=False, kind="stable").head(DRAWN)
    for i, row in enumerate(rows_of(chosen)):

        def draw(row: TableRow = row, i: int = i) -> str:
            from fairpairs.audits.monitor import figures  # noqa: PLC0415  (matplotlib is slow)

            of_line = looks[tuple(row[key] for key in keys)]
            return figures.over_time(row, of_line, begun=about["begun"], prefix=f"{prefix}{i}")

        words = f"{title(row)}: {WORDS[row['verdict']].sign} {row['verdict']}"
        yield Figure(draw, words, f"{words}, {number(row['estimate'], sign=True)}")


def _notes(about: Content, lines: pd.DataFrame) -> Iterator[str]:
    """Yield what the numbers mean."""
    yield (
        f"p and intervals hold after every batch: of a fair model, a comparison is ever {VIOLATED} "
        f"with a chance of at most {about['alpha']:g}, after any number of batches. An interval "
        "is of its comparison alone, now; the verdict is adjusted over all comparisons, and stays."
    )
    yield (
        "A violation stays: it says that a difference was there, not that it is there now. The "
        "column `unfair in` (and the shade of a figure) says when one was, by bets that begin with "
        f"each batch; without a change, one is shown after {about['run_length']} or more, on "
        "average."
    )
    if about["margin"] is not None:
        yield ("Within the margin is what all rows so far show; it may change with the next batch.")
    if not IN_BLOCKS.isdisjoint(lines["measure"]):
        yield (
            "AUC, xAUC and means: differences within blocks of time; in large samples only, so the "
            "first batches wait for enough rows."
        )
    if about["judgments"]:
        yield "Each judgment must be of items that no other judgment is of."
    elif about["columns"].get("cluster"):
        yield (
            "The rows of a person in a batch count as one, their mean; a person of an earlier "
            "batch is left out."
        )
    else:
        yield "Rows must be independent, and each may be appended once."
    if about["window"]:
        yield (
            f"The last {about['window']}: that part alone, with an interval that covers "
            f"{coverage(about['alpha'])} after one batch, of one comparison. It decides nothing."
        )
    for row in rows_of(lines):
        if row["note"]:
            yield f"{title(row)}: {row['note']}."
    yield from about["notes"]


def subject(about: Content) -> str:
    """Return what was appended."""
    what = "judgments" if about["judgments"] else "rows"
    names, begun = about["batch_names"], about["begun"]
    batches = about["batches"] - begun
    text = (
        f"{about['state']}: {about['rows']:,} {what} in {batches:,} "
        f"batch{'' if batches == 1 else 'es'}"
    )
    if about["threshold"] is not None:
        text += f", threshold {about['threshold']:g}"
    ends = dict.fromkeys([names[begun], names[-1]])
    text = f"{text}, {' to '.join(ends)}" if all(ends) else text
    return f"{text}, since the reset ({about['resets'][-1]['reason']})" if begun else text
