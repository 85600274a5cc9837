"""The lines of a monitor as a table, their verdict, and all that the answer leaves out."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.tables import counted, kinds, limits, meanings, verdict_cell
from fairpairs.audits.lines.verdicts import ALL_WITHIN, VIOLATED, WORDS, all_within
from fairpairs.audits.monitor.fields import DIFFERS, IN_BLOCKS, SCHEMA, VERDICTS
from fairpairs.base.document import Figure, Grid, Notes, Part
from fairpairs.base.plain_values import Content, Record, TableRow, rows_of
from fairpairs.base.texts import coverage, interval, middle_cut, number, pvalue
from fairpairs.mathematics.inference.results import verdict

#: Columns of the table of earlier looks.
HISTORY = (
    "batch", "batch_name", "rows", "criterion", "attribute", "group", "reference", "measure",
    "estimate", "ci_low", "ci_high",
)  # fmt: skip
#: Characters of the name of a line.
LONGEST = 60
#: Lines that have a figure.
DRAWN = 60


def since_in_words(row: TableRow) -> str:
    """Return the batch in which a line was first violated: its name, or "batch" and its number."""
    name = str(row["since_name"])
    return f"batch {row['since']:,}" if name == str(row["since"]) else name


@dataclass(frozen=True, repr=False)
class MonitorTables(Outcome):
    """The lines and what they say; `MonitorResult` describes the attributes."""

    COMMAND, SCHEMA = "monitor", SCHEMA
    VERDICTS = tuple(VERDICTS)
    UNTESTED = (
        "nothing that counts can be tested yet (--details says why): append more rows, or begin "
        "with another --criterion."
    )
    TABLES = (("lines", "lines"),)
    CSV = ("lines", "history")
    OVERALL = ("violated", "shown", "differs_now", "pvalue")

    lines: pd.DataFrame
    history: pd.DataFrame
    about: Record

    @property
    def pvalue(self) -> float:
        """The smallest p-value of what counts, by Holm; NaN when no line could be tested."""
        return float(self.counted["pvalue_adjusted"].min())

    @property
    def violated(self) -> bool | None:
        """Whether what counts was violated at any look; with a margin, beyond it.

        A fair model is so at any look, ever, with a chance of at most `alpha`. None while no line
        that counts can be tested.
        """
        lines, alpha = self.counted, self.about["alpha"]
        if not lines["pvalue"].notna().any():
            return None
        with_margin = lines["margin"].notna()
        decides = lines["pvalue_beyond"].where(with_margin, lines["pvalue_adjusted"])
        return bool(verdict(float(decides.min()), alpha)) if decides.notna().any() else None

    @property
    def differs_now(self) -> bool | None:
        """Whether something that counts differs now; None where changes are not looked for.

        Where nothing differs, it becomes true after `about["run_length"]` at the earliest, on
        average.
        """
        now = self.counted["now"]
        return bool((now == DIFFERS).any()) if (now != "").any() else None

    @property
    def shown(self) -> bool | None:
        """Whether all that counts is shown to lie within the margin so far; None without one."""
        lines = self.counted
        if lines["margin"].isna().all():
            return None
        return all_within(lines["verdict"].isin(ALL_WITHIN))

    @property
    def counted(self) -> pd.DataFrame:
        """The lines that count."""
        return self.lines[self.lines["counts"]]

    def _details(self) -> Iterator[Part]:
        about = self.about
        rows = rows_of(self.lines)
        window = [f"last {about['window']}"] if about["window"] else []
        yield "\n".join([*_head(about), counted(self.counts, self.pvalue)])
        for counts, caption in ((True, ""), (False, "These lines do not count for the verdict.")):
            chosen = [row for row in rows if row["counts"] == counts]
            if chosen:
                yield Grid(
                    ["line", "verdict", "estimate", f"{coverage(about['alpha'])}, all looks", "p",
                     "items", "reference", "since batch", "unfair in", *window],
                    [
                        (middle_cut(title(row), LONGEST), verdict_cell(row["verdict"]),
                         number(row["estimate"], sign=True),
                         limits(row, decides="now" if row["since"] else "alone"),
                         pvalue(row["pvalue_adjusted"]), f"{row['items']:,}",
                         f"{row['items_reference']:,}", row["since_name"], row["periods"],
                         *(_window(row) for _ in window))
                        for row in chosen
                    ],
                    left=("line", "verdict"), caption=caption, kinds=kinds(chosen),
                )  # fmt: skip
        yield _strip(about)
        yield from _drawn(self)
        yield Notes(list(_notes(self)))
        yield meanings(VERDICTS, Counter(self.lines["verdict"]))


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


def _drawn(result: MonitorTables) -> Iterator[Figure]:
    """Yield the figures of lines."""
    keys = ["attribute", "group", "measure"]
    looks = dict(list(result.history.groupby(keys, sort=False)))
    chosen = result.lines.sort_values("counts", ascending=False, kind="stable").head(DRAWN)
    for i, row in enumerate(rows_of(chosen)):

        def draw(row: TableRow = row, i: int = i) -> str:
            from fairpairs.audits.monitor import figures  # noqa: PLC0415  (matplotlib is slow)

            of_line = looks[tuple(row[key] for key in keys)]
            return figures.over_time(row, of_line, begun=result.about["begun"], prefix=f"m{i}")

        words = f"{title(row)}: {WORDS[row['verdict']].sign} {row['verdict']}"
        yield Figure(draw, words, f"{words}, {number(row['estimate'], sign=True)}")


def _notes(result: MonitorTables) -> Iterator[str]:
    """Yield what the numbers mean."""
    about = result.about
    yield (
        f"p and intervals hold at all looks together: of a fair model, any line is ever {VIOLATED} "
        f"with a chance of at most {about['alpha']:g}, however often it is looked at. An interval "
        "is of its line alone, now; the verdict is adjusted over all lines, and stays."
    )
    yield (
        "A violation stays: it says that a difference was there, not that it is there now. The "
        "column `unfair in` (and the shade of a figure) says when one was, by bets that begin with "
        f"each batch; without a change, one is shown after {about['run_length']} or more, on "
        "average."
    )
    if about["margin"] is not None:
        yield (
            "Within the margin is what all items so far show; it may change with the next batch."
        )
    if not IN_BLOCKS.isdisjoint(result.lines["measure"]):
        yield (
            "AUC, xAUC and means: differences within blocks of time; in large samples only, so the "
            "first looks wait for enough items."
        )
    if about["judgments"]:
        yield "Each judgment must be of items that no other judgment is of."
    elif about["columns"].get("cluster"):
        yield (
            "The rows of a person in a batch are one item, their mean; a person of an earlier "
            "batch is left out."
        )
    else:
        yield "Rows must be independent, and each may be appended once."
    if about["window"]:
        yield (
            f"The last {about['window']}: that part alone, with an interval that covers "
            f"{coverage(about['alpha'])} at one look, of one line. It decides nothing."
        )
    for row in rows_of(result.lines):
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
