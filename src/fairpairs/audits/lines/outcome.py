"""What every audit returns: its lines, what they say together, and how all of it is shown.

A plan or a bridge returns a report, which has no lines.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

import fairpairs
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.card import card
from fairpairs.audits.lines.files import FILES
from fairpairs.audits.lines.findings import cannot_be_compared
from fairpairs.audits.lines.junit import Line, junit
from fairpairs.audits.lines.verdicts import WITHIN, are_small
from fairpairs.audits.lines.wide import largest, over_all, wide
from fairpairs.base.document import Figure, Part, text_of
from fairpairs.base.files import csv_text, json_text, plain_rows
from fairpairs.base.plain_values import Record, TableRow, rows_of
from fairpairs.base.results import Result

#: What a page says of its tables.
SORTS = "A click on a heading sorts its table."


class Answered(Result, ABC):
    """What a command returns: its answer, and what that leaves out."""

    @abstractmethod
    def _details(self) -> Iterable[Part]:
        """Return all tables and figures, which the answer leaves out."""

    if TYPE_CHECKING:  # a field of a report

        @property
        def answer(self) -> Answer:
            """What was asked, and the word of the answer."""

    @property
    def passed(self) -> bool | None:
        """True and False for good and bad news, as the answer says it; None for neither."""
        return self.answer.good

    def __str__(self) -> str:
        return str(self.answer)

    __repr__ = __str__

    def to_text(self) -> str:
        """Return all that the answer leaves out, for a terminal."""
        return text_of(self._details())

    def to_html(self) -> str:
        """Return a complete page: tables, and figures as SVG, which opens offline."""
        return self._page(whole=True)

    def _repr_html_(self) -> str:
        return self._page(whole=False)

    def _page(self, *, whole: bool) -> str:
        """Return the page, or the part of it that a notebook shows."""
        from fairpairs.audits.lines.page import page  # noqa: PLC0415  (jinja2 is slow to load)

        title, foot = self._around()
        parts, first = list(self._details()), list(self._first())
        return page(self.answer, title, parts, foot, whole=whole, first=first)

    @abstractmethod
    def _around(self) -> tuple[str, str]:
        """Return the title and the foot of the page."""

    def _first(self) -> Iterable[Part]:
        """Return what the page shows below the reasons."""
        return ()

    @abstractmethod
    def contents(self, folder: str | Path) -> dict[Path, str]:
        """Return the contents of each file in a folder, by its path."""


class Outcome(Answered):
    """The lines of an audit; a data class adds its tables and what they say together."""

    #: The command that prints it.
    COMMAND: ClassVar[str]
    #: JSON schema of `to_dict`.
    SCHEMA: ClassVar[Record]
    #: Verdicts of a line.
    VERDICTS: ClassVar[Sequence[str]]
    #: What is said of all lines together; tables of the JSON, by key and attribute; CSV files.
    OVERALL: ClassVar[Sequence[str]] = ("violated", "shown", "pvalue")
    TABLES: ClassVar[Sequence[tuple[str, str]]] = (("tests", "tests"),)
    CSV: ClassVar[Sequence[str]] = ("tests",)
    #: The table that `by_group` is of, and its columns.
    BY_GROUP: ClassVar[Sequence[str]] = ("tests", "estimate")
    #: What a line fails by that is not shown to be as good as it should be.
    UNSHOWN: ClassVar[str] = f"not {WITHIN}"
    #: What a difference is, for a model card.
    DIFFERENCE: ClassVar[str] = "A difference is that of the group minus that of the reference."
    #: The property by which all of it fails.
    FAILS: ClassVar[str] = "violated"
    #: What is said where nothing that counts can be tested.
    UNTESTED: ClassVar[str] = (
        "{criteria} cannot be tested{against} on these rows (--details says why): add rows, or "
        "name another --criterion."
    )

    tests: pd.DataFrame
    about: Record

    @property
    def failed(self) -> bool | None:
        """Whether a line that counts is violated, or worse; None when none can be tested."""
        failed: bool | None = getattr(self, self.FAILS)
        return failed

    @property
    def shown(self) -> bool | None:
        """Whether each line that counts is shown to be as good as the margin asks, at the level.

        It lies within the margin, or a gap is not worse by it. A model with a difference of the
        margin or more passes in at most that share, without an adjustment (intersection-union
        test). None without a margin, and when the only lines that are not shown cannot be tested.
        """
        shown: bool | None = self.about.get("gate", {}).get("shown")
        return shown

    def untested(self, *, against_margin: bool) -> str:
        """Return why nothing that counts was tested, against its margin if asked; "" if it was."""
        criteria = self.about.get("gate", {}).get("criteria", ())
        if against_margin:
            without = [name for name in criteria if name not in (self.about["margin"] or {})]
            if without:
                return (
                    f"{', '.join(without)} counts without a margin: give --margin "
                    f"{without[0]}=NUMBER, or name what counts with --criterion."
                )
        if self._tested(against_margin=against_margin):
            return ""
        against = " against the margin" if against_margin else ""
        if why := cannot_be_compared(self.answer.findings):
            what = f"{', '.join(criteria)} cannot" if criteria else "no group can"
            return f"{what} be tested{against}: {why}. {self.answer.next}"
        return self.UNTESTED.format(criteria=", ".join(criteria), against=against)

    def _tested(self, *, against_margin: bool) -> bool:
        """Return whether something that counts was tested."""
        return self.failed is not None

    @property
    def counted(self) -> pd.DataFrame:
        """The lines that `counts` are of."""
        return self.tests

    @cached_property
    def deciding(self) -> pd.DataFrame:
        """The lines that count for the verdict of all."""
        if "gate" not in self.about:
            return self.counted
        of_criteria = self.tests["criterion"].isin(self.about["gate"]["criteria"])
        return self.tests[
            of_criteria & ~np.array(are_small(self.tests, self.about.get("small", {})))
        ]

    @property
    def counts(self) -> dict[str, int]:
        """How many lines have each verdict."""
        counts = Counter(self.counted["verdict"])
        return {verdict: counts[verdict] for verdict in self.VERDICTS}

    def to_frame(self) -> pd.DataFrame:
        """Return the lines, a row each; `SCHEMA` says what each column holds."""
        lines: pd.DataFrame = getattr(self, self.CSV[0])
        return lines.copy()

    @property
    def by_group(self) -> pd.DataFrame:
        """A row per group, a column per measure: rates, or differences if these alone are known."""
        table, *values = self.BY_GROUP
        return wide(getattr(self, table), *values)

    @property
    def difference(self) -> pd.Series | pd.DataFrame:
        """The largest difference of two groups by measure; of several attributes, a row each.

        It is `by_group` if only differences are known.
        """
        table: pd.DataFrame = self.by_group
        return largest(table) if self._has_rates else table

    @property
    def overall(self) -> pd.Series:
        """Each rate, and each mean, over all items; without those that groups do not tell."""
        if not self._has_rates or self.about.get("weights"):
            raise AttributeError("overall is of rates of all rows, unweighted: see to_frame().")
        return over_all(getattr(self, self.BY_GROUP[0]))

    @property
    def _has_rates(self) -> bool:
        return not {"rates", "rate"}.isdisjoint(self.BY_GROUP)

    def _plotted(self) -> pd.DataFrame:
        return self.deciding.rename(columns={"change": "estimate"})

    def to_dict(self) -> Record:
        """Return all of it as plain values, as in the JSON file; what is missing is None."""
        overall = {name: getattr(self, name) for name in self.OVERALL}
        return {
            "format": self.SCHEMA["properties"]["format"]["const"],
            "about": self.about,
            "answer": self.answer.to_dict(),
            **{name: None if pd.isna(value) else value for name, value in overall.items()},
            "verdicts": self.counts,
            **{name: plain_rows(getattr(self, table)) for name, table in self.TABLES},
        }

    @property
    def named(self) -> str:
        """The files that were audited."""
        return str(self.about["source"].get("file", ""))

    def _settings(self) -> dict[str, str]:
        """Return the further properties of a suite of JUnit."""
        margin = self.about["margin"]
        if isinstance(margin, Mapping):
            return {"margin": ", ".join(f"{name}={value:g}" for name, value in margin.items())}
        return {"margin": "" if margin is None else f"{margin:g}"}

    @abstractmethod
    def _line(self, row: TableRow, *, unless_shown: bool) -> Line:
        """Return a line that counts, for a suite of JUnit."""

    def _around(self) -> tuple[str, str]:
        title = f"{self.COMMAND} of {self.named}".removesuffix(" of ")
        read = [f"{name}: sha256 {sha[:16]}…." for name, sha in self._digests()]
        return title, " ".join([f"FairPairs {self.about['version']}. {SORTS}", *read])

    def _digests(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the sha256 of each file that was read."""
        source = self.about.get("source", {})
        if "sha256" in source:
            yield source["file"], source["sha256"]

    def to_junit(self, *, unless_shown: bool = False) -> str:
        """Return a JUnit XML file, whose test cases are the lines that count.

        Parameters
        ----------
        unless_shown
            Whether a line fails unless it is shown to be within the margin; if not, it fails when
            it is violated, with a margin beyond it. p-values are adjusted as for the verdict of all
            lines.
        """
        rows = rows_of(self.deciding)
        return junit(
            f"fairpairs {self.COMMAND} {self.named}".rstrip(),
            {
                "fairpairs": self.about["version"],
                "alpha": f"{self.about['alpha']:g}",
                **self._settings(),
                "overall": f"{self.answer.headline}: {self.answer.sentence}",
            },
            [self._line(row, unless_shown=unless_shown) for row in rows],
            unshown=self.UNSHOWN if unless_shown else "",
            untested_fails=unless_shown or self.failed is None,
        )

    def to_card(self) -> str:
        """Return a block of Markdown for a model card: the answer, its numbers, their meaning."""
        read = "; ".join(f"{name}: sha256 {sha}" for name, sha in self._digests())
        foot = f"{self.answer.subject}. Made by fairpairs {self.COMMAND} {self.about['version']}"
        foot = f"{foot}{f' from {read}' if read else ''}."
        return card(self.answer, self.DIFFERENCE, foot, self.about["alpha"])

    def contents(self, folder: str | Path) -> dict[Path, str]:
        """Return the contents of each file in a folder, by its path."""
        tables = [csv_text(getattr(self, name)) for name in self.CSV]
        texts = [self.to_html(), json_text(self.to_dict()), *tables]
        names = FILES[self.COMMAND]
        if names[-1].endswith(".txt"):
            texts.append(f"{self.answer}\n\n{self.to_text()}\n")
        return {Path(folder) / name: text for name, text in zip(names, texts, strict=True)}


@dataclass(frozen=True, repr=False)
class Report(Answered):
    """The answer of a command, what its page draws, and what follows with --details."""

    command: str
    title: str
    answer: Answer
    details: Sequence[Part]
    #: What its JSON holds but for the answer, and its CSV; they are made when they are asked for.
    content: Callable[[], Record]
    table: Callable[[], pd.DataFrame]
    figure: Figure | None = None

    def _details(self) -> Sequence[Part]:
        return self.details

    def to_dict(self) -> Record:
        """Return all of it as plain values, as in the JSON file; what is missing is None."""
        return {**self.content(), "answer": self.answer.to_dict()}

    def to_frame(self) -> pd.DataFrame:
        """Return the table of the CSV file: of a plan, the power by the number."""
        return self.table()

    def _around(self) -> tuple[str, str]:
        return self.title, f"FairPairs {fairpairs.__version__}. {SORTS}"

    def _first(self) -> Sequence[Part]:
        return [] if self.figure is None else [self.figure]

    def contents(self, folder: str | Path) -> dict[Path, str]:
        """Return the contents of page, JSON and CSV, by their paths."""
        contents = self.to_html(), json_text(self.to_dict()), csv_text(self.table())
        names = FILES[self.command]
        return {Path(folder) / name: text for name, text in zip(names, contents, strict=True)}
