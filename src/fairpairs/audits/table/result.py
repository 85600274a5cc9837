"""A table in the words of its form: for a terminal, as a page, as Markdown and as CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import fairpairs
from fairpairs.audits.lines.files import FILES
from fairpairs.audits.lines.wide import largest
from fairpairs.audits.lines.words import called
from fairpairs.audits.table.form import Form
from fairpairs.audits.table.limit import Limit
from fairpairs.audits.table.rates import Part
from fairpairs.base.document import Document, Grid, Heading, Notes, Part as Shown, text_of
from fairpairs.base.files import csv_text
from fairpairs.base.plain_values import Record, TableRow, rows_of
from fairpairs.base.results import Result
from fairpairs.base.texts import MISSING, coverage, decimals, number, printable, printable_lines

#: Values of a column that are texts.
LEFT = ("group", "small", "threshold", "verdict")
INDEPENDENT = "people must be independent"
#: A ratio this near to the threshold is equal to it.
ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class TableResult(Result):
    """The tables of a form, one for each attribute and for the combinations."""

    PLOTTED = ("ratio", 1)

    form: Form
    parts: Sequence[Part]
    alpha: float
    source: Record
    #: Of a score, its median; None for decisions.
    median: float | None
    #: The column of the clusters; None if people are independent.
    cluster: str | None = None
    #: Whether scores below the median count as selected.
    lower_is_better: bool = False
    #: The limit of a rate that groups are tested to keep, if any.
    limit: Limit | None = None

    @property
    def passed(self) -> bool | None:
        """False if a ratio is shown to be below the threshold, True if all are shown not to be.

        None if neither is shown, or if the form has no threshold. Of a limit of a rate, False if a
        group is shown to be beyond it, True if all are shown to keep it.
        """
        rows, least = self.to_frame(), self.form.threshold
        if self.limit is not None:
            verdicts = {*rows["verdict"]}
            return False if "FAIL" in verdicts else True if verdicts == {"PASS"} else None
        rows = rows[rows["ratio"].notna()]
        if least is None or rows.empty:
            return None
        if (rows["ratio_high"] < least - ROUNDING).any():
            return False
        return True if (rows["ratio_low"] >= least - ROUNDING).all() else None

    @property
    def by_group(self) -> pd.DataFrame:
        """A row per group: people, those selected, the rate and the ratio to the highest one."""
        rows = self.to_frame()
        keys = ["attribute"] * (len(self.parts) > 1)
        columns = ["items", "selected", "rate", "ratio" if self.limit is None else "bound"]
        return rows.set_index([*keys, "group"])[columns]

    @property
    def overall(self) -> pd.Series:
        """People, those selected and the rate, over all groups of the first attribute."""
        sums = dict(self.parts[0].rows[["items", "selected"]].sum())
        return pd.Series({**sums, "rate": sums["selected"] / sums["items"]})

    @property
    def difference(self) -> pd.Series | pd.DataFrame:
        """The largest difference of two rates, of several attributes a row each."""
        return largest(self.by_group[["rate"]])

    @property
    def _axis(self) -> tuple[str, float]:
        limit = self.limit
        return self.PLOTTED if limit is None else (limit.rate, limit.value)

    def _plotted(self) -> pd.DataFrame:
        names = ("ratio", "ratio_low", "ratio_high")
        if self.limit is not None:  # the interval has one end
            names = ("rate", "rate", "bound") if self.limit.at_most else ("rate", "bound", "rate")
        drawn = dict(zip(("estimate", "ci_low", "ci_high"), names, strict=True))
        rows = self.to_frame()
        return rows.assign(**{end: rows[name] for end, name in drawn.items()})

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = self.to_frame()
        return printable_lines(
            rows.to_html(index=False, float_format=number, na_rep=MISSING, border=0)
        )

    def to_frame(self) -> pd.DataFrame:
        """Return all rows, with the attributes that each is of."""
        return pd.concat(
            [part.rows.assign(attribute=",".join(part.attributes)) for part in self.parts],
            ignore_index=True,
        )[["attribute", *self.parts[0].rows.columns]]

    def to_text(self) -> str:
        """Return the tables for a terminal."""
        title = f"{self.form.title}\n\n" if self.limit is None else ""
        return printable_lines(f"{title}{text_of(self._parts(), wrap=False)}")

    def to_html(self) -> str:
        """Return a page that opens offline."""
        return Document(self.form.title, self._parts()).to_html()

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        lines = [f"# {self.form.title}", ""]
        for part in self._parts():
            if isinstance(part, str):
                lines += [_escaped(part), ""]
            elif isinstance(part, Heading):
                lines += [f"## {_escaped(part.text)}", ""]
            elif isinstance(part, Grid):
                lines += [*_markdown(part), ""]
            elif isinstance(part, Notes):
                lines += [*(f"- {_escaped(item)}" for item in part.items), ""]
        return "\n".join(lines)

    def contents(self, folder: str | Path) -> dict[Path, str]:
        """Return the contents of each file of a folder, by its path."""
        texts = self.to_html(), self.to_markdown(), csv_text(self.to_frame())
        return {Path(folder) / name: text for name, text in zip(FILES["table"], texts, strict=True)}

    def _parts(self) -> list[Shown]:
        shown: list[Shown] = []
        if self.limit is not None:
            rows = self.to_frame()
            groups = [called(row["attribute"], row["group"]) for row in rows_of(rows)]
            shown.append(self.limit.answer(rows, groups))
        for part in self.parts:
            name = part.attributes[0]
            words = self.form.headings["attribute"].replace("{name}", name)
            several = len(part.attributes) > 1
            shown += [
                Heading(self.form.headings["intersections"] if several else words),
                self._grid(part),
            ]
        return [*shown, Notes(self._notes())]

    def _grid(self, part: Part) -> Grid:
        columns = self.form.columns
        header = [
            one.get("score", one["words"]) if self.median is not None else one["words"]
            for one in columns
        ]
        rows = [[self._cell(one["value"], row) for one in columns] for row in rows_of(part.rows)]
        left = [name for name, one in zip(header, columns, strict=True) if one["value"] in LEFT]
        return Grid(header, rows, left)

    def _cell(self, value: str, row: TableRow) -> str:
        known = not pd.isna(row["ratio"])
        cells = {
            "group": str(row["group"]),
            "items": f"{row['items']:,}",
            "selected": f"{row['selected']:,}",
            "rate": f"{decimals(100 * row['rate'], 1)} %" if row["items"] else MISSING,
            "ratio": decimals(row["ratio"], 3),
            "interval": f"{decimals(row['ratio_low'], 3)} to {decimals(row['ratio_high'], 3)}"
            if known
            else MISSING,
            "small": "yes" if row["small"] else "",
            "threshold": self._compared(row) if known else MISSING,
            "bound": f"{decimals(100 * row.get('bound', 0.0), 2)} %",
            "verdict": str(row.get("verdict", "")),
        }
        return cells[value]

    def _compared(self, row: TableRow) -> str:
        """Return on which side of the threshold a ratio lies, and whether its interval does."""
        threshold = self.form.threshold
        if threshold is None:
            return ""
        least = threshold - ROUNDING
        below = row["ratio"] < least
        alone = row["ratio_high"] < least if below else row["ratio_low"] >= least
        return f"{'below' if below else 'not below'}, {'shown' if alone else 'not shown'}"

    def _notes(self) -> list[str]:
        level = f"{coverage(self.alpha)}"
        notes = [f"Form {self.form.name}: {self.form.source}."]
        if self.median is not None:
            side = "below" if self.lower_is_better else "above"
            notes.append(
                f"The scoring rate is the share of scores {side} the median of all, "
                f"{self.median:g}, which is taken as given."
            )
        clusters = f"people of one `{self.cluster}` may be linked" if self.cluster else INDEPENDENT
        if self.limit is None:
            notes.append(
                "A ratio is that to the highest rate of its table. Its interval covers that of the "
                f"true rates with a chance of at least about {level}, whichever group truly has "
                f"the highest rate; {clusters}."
            )
        else:
            notes += [*self.limit.notes(self.source["words"], level), f"{clusters.capitalize()}."]
        counts = {",".join(part.attributes): part.unknown for part in self.parts}
        text = "; ".join(f"{name} {count:,}" for name, count in counts.items())
        if self.form.unknown == "all":
            text = f"{next(iter(counts.values())):,}"
        notes.append(f"People left out, as a value of theirs is unknown: {text}.")
        notes += self.source["notes"]
        sha = self.source["sha256"]
        file = f"{self.source['file']}: sha256 {sha[:16]}…. " if sha else ""
        return [*notes, *self.form.notes, f"{file}FairPairs {fairpairs.__version__}."]


def _markdown(grid: Grid) -> list[str]:
    marks = [":--" if name in grid.left else "--:" for name in grid.header]
    rows = [grid.header, marks, *grid.rows]
    return [f"| {' | '.join(_escaped(cell) for cell in row)} |" for row in rows]


def _escaped(text: str) -> str:
    return printable(text).replace("|", r"\|").replace("<", "&lt;")
