"""What a caller of the monitor names; the first batch settles the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, get_args

from fairpairs.audits.items.settings import check_parts, plain_margins, plain_names
from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import meant

#: Kinds of a label; "auto" infers it from the first batch.
LabelKind = Literal["auto", "binary", "number"]
#: Criteria of rows, in the order of their lines, and that of judgments.
CRITERIA = (
    "separation",
    "equal_opportunity",
    "accuracy",
    "xauc",
    "differential_parity",
    "mean_absolute_error",
    "demographic_parity",
)
JUDGED = "comparative_separation"
#: Criteria whose lines may be in units of the prediction.
IN_UNITS = ("differential_parity", "mean_absolute_error", "demographic_parity")
#: Level, and the difference that bets are tuned to, unless the caller names others.
ALPHA, GAP = 0.05, 0.1
#: The smallest difference that bets may be tuned to.
SMALLEST_GAP = 0.001
#: Units of a run length and of a window, of which the first needs no name; the shortest ones.
UNITS, SHORTEST = ("batches", "rows"), 10
UNITS_OF_WINDOW, SHORTEST_WINDOW = ("batches", "days"), 1
#: What to do with a group that no earlier batch has.
NewGroups = Literal["refuse", "add"]


@dataclass(frozen=True)
class RunLength:
    """How long it takes on average until a change is shown where there is none."""

    number: float = 1000.0
    unit: str = UNITS[0]

    def __str__(self) -> str:
        return f"{self.number:,.0f} {self.unit}"

    @classmethod
    def read(cls, text: object) -> RunLength:
        """Return what a text says: a number of batches, or of rows, such as "500000 rows".

        >>> str(RunLength.read("500000 rows")), str(RunLength.read(52))
        ('500,000 rows', '52 batches')
        """
        number = _number_of(text, UNITS, SHORTEST)
        if number is None:
            raise InputError(
                f"--run-length: {shown(text)} is none: give a number of batches, {SHORTEST} or "
                "more, such as 1000, or of rows, such as '500000 rows'."
            )
        return cls(*number)


BY_DEFAULT = RunLength()


@dataclass(frozen=True)
class Window:
    """The last batches, by their number or by the dates that are their names."""

    number: float
    unit: str

    def __str__(self) -> str:
        return f"{self.number:.0f} {self.unit}"

    @classmethod
    def read(cls, text: object) -> Window:
        """Return what a text says: a number of batches, or of days.

        >>> str(Window.read("90 days")), str(Window.read(13))
        ('90 days', '13 batches')
        """
        number = _number_of(text, UNITS_OF_WINDOW, SHORTEST_WINDOW)
        if number is None:
            raise InputError(
                f"--window: {shown(text)} is none: give a number of batches, such as 13, or of "
                "days, such as '90 days'."
            )
        return cls(*number)

    def position(self, batch: int, name: str) -> int:
        """Return the place of a batch in time, in units of the window; InputError for no date.

        >>> days = Window(90, "days")
        >>> days.position(3, "2026-W08 labels") - days.position(2, "2026-02-09")
        7
        """
        if self.unit == UNITS_OF_WINDOW[0]:
            return batch
        day = name.partition(" ")[0]
        try:
            if re.fullmatch(r"\d{4}-W\d\d", day):
                day += "-1"
            return date.fromisoformat(day).toordinal()
        except ValueError as error:
            raise InputError(
                f"--batch-name: {shown(name)} is no date, and --window is in days: begin the name "
                "of each batch with its date, such as 2026-02-16 or '2026-W08 labels'."
            ) from error


def _number_of(text: object, units: Sequence[str], least: int) -> tuple[float, str] | None:
    """Return a number with its unit, or the first unit; None for anything else."""
    found = re.fullmatch(rf"\s*(\d+(?:_\d+)*)\s*({'|'.join(units)}|)\s*", str(text))
    if found is None or isinstance(text, bool) or not least <= int(found[1]) < 10**12:
        return None
    return float(found[1]), found[2] or units[0]


@dataclass(frozen=True)
class MonitorSettings:
    """What is monitored, and how; None for what the caller leaves open."""

    #: Columns; for judgments, `score` and `sensitive` name the columns of both sides.
    label: str | None = None
    prediction: str | None = None
    score: str | None = None
    sensitive: Sequence[str] | None = None
    #: Score from which on the decision is positive, in place of a prediction.
    threshold: float | None = None
    #: Whether rows are judgments, with `outcome`, or with `chosen` and `rejected`.
    judgments: bool | None = None
    outcome: str | None = None
    chosen: str | None = None
    rejected: str | None = None
    #: Value of the label.
    positive: object = None
    #: Value of the label (without labels, of the prediction) that is good for a person.
    favourable: object = None
    label_kind: LabelKind | None = None
    #: By attribute: the group that others are compared with; groups besides the first batch's.
    reference: object = None
    groups: Mapping[str, Sequence[object]] | None = None
    #: Criteria that count for the verdict.
    criterion: Sequence[str] | None = None
    #: Largest difference that does not matter: for all rates, or by criterion.
    margin: float | Mapping[str, float] | None = None
    #: Difference to detect soonest; for means, in standard deviations.
    gap: float | None = None
    #: Level of all lines that count, and all looks.
    alpha: float | None = None
    #: How long it takes on average until a change is shown where there is none.
    run_length: RunLength | None = None
    #: The last batches, which are shown beside all.
    window: Window | None = None
    #: Column of the person whose rows are one observation, and of the id by which labels come.
    cluster: str | None = None
    id: str | None = None
    new_groups: NewGroups | None = None
    #: The smallest and the largest possible score.
    score_range: tuple[float, float] | None = None
    #: Whether rows without a value of an attribute are the group `missing`.
    missing_group: bool | None = None

    def by_names(self) -> MonitorSettings:
        """Return the settings with criteria by the names that they have here."""
        criterion, margin = self.criterion, self.margin
        if criterion is not None:
            check_parts(plain_names(criterion), "--criterion")
            criterion = [str(name) for name in plain_names(criterion)]
        if isinstance(margin, Mapping):
            margin = plain_margins(margin, "--margin")
        return replace(self, criterion=criterion, margin=margin)

    def check(self) -> None:
        """Raise InputError for an option whose value is invalid."""
        if self.alpha is not None:
            inputs.level(self.alpha, "--alpha")
            if self.alpha >= 0.5:
                raise InputError(f"--alpha must be below 0.5; it is {self.alpha:g}.")
        if self.threshold is not None:
            inputs.finite(self.threshold, "--threshold")
        if self.gap is not None:
            inputs.between(self.gap, "--gap", SMALLEST_GAP, 1, ends=True)
        if self.label_kind is not None:
            inputs.one_of(self.label_kind, "--label-kind", get_args(LabelKind))
        if self.new_groups is not None:
            inputs.one_of(self.new_groups, "--new-groups", get_args(NewGroups))
        for name in ("judgments", "missing_group"):
            if getattr(self, name) is not None:
                inputs.flag(getattr(self, name), f"--{name.replace('_', '-')}")
        for name in self.criterion or ():
            if name not in (*CRITERIA, JUDGED):
                raise InputError(
                    f"--criterion: {shown(name)} is no criterion of a monitor"
                    f"{meant(str(name), (*CRITERIA, JUDGED))}: name one of {', '.join(CRITERIA)}; "
                    f"of judgments, {JUDGED}."
                )
        self._check_margin()
        self._check_range()

    def _check_margin(self) -> None:
        margin = self.margin
        if margin is None:
            return
        named = margin if isinstance(margin, Mapping) else {"": margin}
        for name, value in named.items():
            if name and name not in (*CRITERIA, JUDGED):
                raise InputError(
                    f"--margin: {shown(name)} is no criterion of a monitor"
                    f"{meant(str(name), (*CRITERIA, JUDGED))}: name one of {', '.join(CRITERIA)}."
                )
            most = inputs.LARGEST if name in IN_UNITS else 1
            inputs.between(value, f"--margin {name}".rstrip(), 0, most)

    def _check_range(self) -> None:
        if self.score_range is None:
            return
        low, high = self.score_range
        if not -inputs.LARGEST < low < high < inputs.LARGEST:
            raise InputError(
                f"--score-range {low:g},{high:g}: give the smallest and the largest possible score,"
                " such as 0,1."
            )
