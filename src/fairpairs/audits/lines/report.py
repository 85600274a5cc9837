"""What a plan or a bridge returns, which have no lines: its answer, a picture, and all else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import fairpairs
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.files import FILES
from fairpairs.base.document import Figure, Part, text_of
from fairpairs.base.files import csv_text, json_text, write_together
from fairpairs.base.plain_values import Record


@dataclass(frozen=True, repr=False)
class Report:
    """The answer of a command, what its page draws, and what follows with --details."""

    command: str
    title: str
    answer: Answer
    details: Sequence[Part]
    #: What its JSON holds but for the answer, and its CSV; they are made when they are asked for.
    content: Callable[[], Record]
    table: Callable[[], pd.DataFrame]
    figure: Figure | None = None

    def __str__(self) -> str:
        return self.answer.to_text()

    __repr__ = __str__

    def to_dict(self) -> Record:
        """Return all of it as plain values, as in the JSON file; what is missing is None."""
        return {**self.content(), "answer": self.answer.to_dict()}

    def to_frame(self) -> pd.DataFrame:
        """Return the table of the CSV file: of a plan, the power by the number."""
        return self.table()

    def to_text(self) -> str:
        """Return all that the answer leaves out, for a terminal."""
        return text_of(self.details)

    def to_html(self) -> str:
        """Return the page, which opens offline."""
        return self._page(whole=True)

    def _repr_html_(self) -> str:
        return self._page(whole=False)

    def _page(self, *, whole: bool) -> str:
        from fairpairs.audits.lines.page import page  # noqa: PLC0415  (jinja2 is slow to load)

        foot = f"FairPairs {fairpairs.__version__}. A click on a heading sorts its table."
        return page(self.answer, self.title, self.details, foot, whole=whole, figure=self.figure)

    def write(self, folder: Path) -> None:
        """Write page, JSON and CSV into a folder: all, or none."""
        contents = self.to_html(), json_text(self.to_dict()), csv_text(self.table())
        names = FILES[self.command]
        write_together({folder / name: text for name, text in zip(names, contents, strict=True)})
