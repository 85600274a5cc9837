"""The result of an audit of judgments: its tables as text, page, JSON and CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.audits.judgments.answer import answer
from fairpairs.audits.judgments.details import details, file_name, names
from fairpairs.audits.judgments.tables import JudgmentsTables
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.junit import Line, numbers
from fairpairs.audits.lines.verdicts import VIOLATED
from fairpairs.base.document import Part
from fairpairs.base.plain_values import TableRow


@dataclass(frozen=True, repr=False)
class JudgmentsResult(JudgmentsTables):
    """The result of an audit of models by comparative judgments.

    Attributes
    ----------
    tests
        One row per model, attribute, part of the judgments and hypothesis: see `to_frame`.
    cells
        One row per model, attribute and two groups: see `rates`.
    shares
        One row per share of the judgments: of ties, of those for the item shown first, of those for
        a group.
    judges, differ
        One row per judge: how often the judge prefers a group; whether judges differ in it.
    about
        What was audited and how: see `SCHEMA`.
    """

    @cached_property
    def answer(self) -> Answer:
        """Whether a model leans to a group; it prints as the terminal does."""
        return answer(self)

    def _details(self) -> Iterator[Part]:
        return details(self)

    @property
    def named(self) -> str:
        """The files of the judgments."""
        return names(self.about)

    def _digests(self) -> Iterator[tuple[str, str]]:
        for file in self.about["files"]:
            if file["sha256"]:
                yield file_name(file), file["sha256"]

    def _settings(self) -> dict[str, str]:
        return {}

    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        fails = row["pvalue_gate"] < self.about["alpha"]
        name = f"{row['model']}: {row['attribute']}: {row['hypothesis']}"
        return Line(
            f"comparative_separation_{row['criterion']}",
            name,
            name,
            VIOLATED if fails else "",
            bool(np.isfinite(row["pvalue_gate"])),
            False,
            [*numbers(row, "pvalue_gate"), row["note"]],
        )
