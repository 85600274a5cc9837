"""The numbers of labelled items that show that differences lie within a margin."""

from dataclasses import dataclass

import numpy as np

import fairpairs
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.report import Report
from fairpairs.audits.power.plan import TrueRates
from fairpairs.audits.power.sample_size import FORMAT, Needed, Power
from fairpairs.audits.power.text import planned, power_grid
from fairpairs.base.document import Notes, Part
from fairpairs.base.errors import InputError
from fairpairs.base.files import plain_rows
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.power.equivalence import Line, power_within, smallest_margin
from fairpairs.mathematics.power.items import MOST
from fairpairs.mathematics.power.sample_sizes import smallest_number

#: What is shown, in the tables, and the line of `power_within`.
LINES: dict[str, Line] = {"TPR and FPR": "both", "TPR": "tpr", "FPR": "fpr"}


@dataclass(frozen=True)
class ItemsWithin(Needed):
    """The numbers of labelled items that show that differences lie within a margin."""

    rates: TrueRates
    margin: float
    #: The wanted power.
    wanted: float
    alpha: float
    #: Labelled items, by what is to be shown: the keys of LINES.
    needed: dict[str, int]
    #: Labelled items at hand, their power, and the smallest margin that they show with the wanted
    #: power (None if they show none); all None without a number.
    items: int | None = None
    shown: float | None = None
    smallest: float | None = None

    def _powers(self) -> dict[str, Power]:
        return {
            name: _power(self.rates, self.margin, line, self.alpha) for name, line in LINES.items()
        }

    def _range(self) -> tuple[float, float]:
        known = self.needed.values()
        return max(min(known) / 4, 10), min(max(known) * 2, MOST)

    def to_dict(self) -> Record:
        """Return all of it as plain values."""
        both, tpr, fpr = self.needed.values()
        return {
            "format": FORMAT,
            "about": {
                "version": fairpairs.__version__,
                "plan": [self.rates.assumed, *filter(None, [self.rates.pilot])],
                "margin": self.margin,
                "power": self.wanted,
                "alpha": self.alpha,
                "notes": _notes(self),
            },
            "labels": {"within_margin": both, "tpr_within_margin": tpr, "fpr_within_margin": fpr},
            "items": {"number": self.items, "power": self.shown, "smallest_margin": self.smallest},
            "curve": plain_rows(self.curve()),
        }

    def report(self) -> Report:
        """Return the report."""
        each_two = "" if len(self.rates.cells) == 2 else " of each two groups"
        tests = (
            f"What decides: TPR and FPR{each_two} in fairpairs audit (two one-sided tests, level "
            f"{self.alpha:g} each)."
        )
        lines = [f"{number:,} labelled rows for {name}" for name, number in self.needed.items()]
        at_hand = [] if self.items is None else [self._power_at_hand()]
        answer = Answer(
            f"How many labels show that TPR and FPR differ by less than {self.margin:g}?", "",
            f"{self.needed['TPR and FPR']:,} labelled rows show that TPR and FPR differ by less "
            f"than {self.margin:g} with a power of {self.wanted:g} if {self.rates.assumed}",
            None, "",
            reasons=[*at_hand, f"Of the two alone: {'; '.join(lines[1:])}."],
            basis=" ".join(filter(None, [self.rates.pilot, tests])),
            next=f"What now: label so many rows, then fairpairs audit --margin {self.margin:g}.",
            checks=self.rates.checks,
        )  # fmt: skip
        details: list[Part] = [
            "\n".join(["With labels:", *(f"  {line}" for line in lines)]),
            power_grid(self.curve()),
            Notes(_notes(self)),
        ]
        return planned("Labels needed to show a margin", answer, details, self)

    def _power_at_hand(self) -> str:
        have = f"{self.items:,} labelled rows show both within {self.margin:g} with a power of"
        if self.smallest is None:
            return f"{have} {self.shown:.2f}; they show no margin with {self.wanted:g}."
        return (
            f"{have} {self.shown:.2f}; with {self.wanted:g} they show a margin of "
            f"{np.ceil(self.smallest * 1000) / 1000:.3f}."
        )


def items_within(
    rates: TrueRates,
    margin: float,
    *,
    items: int | None = None,
    wanted: float = 0.8,
    alpha: float = 0.05,
) -> ItemsWithin:
    """Return the numbers of labelled items that show that differences lie within a margin.

    `items` are those at hand, if known; `alpha` is the level of each one-sided test. A true
    difference not below the margin, or too large a number, raises InputError.
    """
    if not 0 < margin < 1:
        raise InputError(f"--margin must lie between 0 and 1, without these; it is {margin:g}.")
    by_label = rates.cells[..., 1] / rates.cells.sum(axis=-1)
    for name, difference in zip(("FPR", "TPR"), np.ptp(by_label, axis=0), strict=True):
        if round(difference, 9) >= margin:
            raise InputError(
                f"The true difference of the {name}, {difference:.3g}, is not below the margin of "
                f"{margin:g}, so no number of labels shows it: give a larger --margin, or a "
                "smaller --difference."
            )
    needed = {}
    for name, line in LINES.items():
        power_at = _power(rates, margin, line, alpha)
        if power_at(MOST) < wanted:
            raise InputError(
                f"No number of labels up to {MOST:,} shows a difference so near to the margin of "
                f"{margin:g}: give a larger --margin, or a smaller --difference."
            )
        needed[name] = smallest_number(power_at, wanted)
    if items is None:
        return ItemsWithin(rates, margin, wanted, alpha, needed)
    shown = _power(rates, margin, "both", alpha)(items)
    try:
        smallest = smallest_margin(rates.cells, n_items=items, power=wanted, alpha=alpha)
    except InputError:
        smallest = None
    return ItemsWithin(rates, margin, wanted, alpha, needed, items, shown, smallest)


def _power(rates: TrueRates, margin: float, line: Line, alpha: float) -> Power:
    return lambda n: power_within(rates.cells, margin, n_items=n, line=line, alpha=alpha)


def _notes(result: ItemsWithin) -> list[str]:
    notes = [*result.rates.notes, *result.rates.checks]
    fewest = result.needed["TPR and FPR"] * float(result.rates.cells.sum(axis=-1).min())
    if fewest < SMALL_CELL:
        notes.append(
            f"Of {result.needed['TPR and FPR']:,} labelled rows some {fewest:.0f} are of the "
            f"rarest group and label: a result with fewer than {SMALL_CELL} carries a warning."
        )
    notes.append(
        "Groups and labels of the rows are random, with these shares; all differences must be "
        "shown in the same rows, so the level needs no correction."
    )
    return notes
