"""The reports on labels and judgments needed, also to show that differences lie within a margin."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.outcome import Report
from fairpairs.audits.power.plan import TrueRates
from fairpairs.audits.power.sample_size import CheapLabels, Needed, SampleSizes
from fairpairs.base.arrays import Floats
from fairpairs.base.document import Figure, Grid, Notes, Part
from fairpairs.base.errors import InputError
from fairpairs.base.files import plain_rows
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.power.equivalence import Line, power_within, smallest_margin
from fairpairs.mathematics.power.items import MOST
from fairpairs.mathematics.power.sample_sizes import smallest_number

#: What is shown, in the tables, and the line of `power_within`.
LINES: dict[str, Line] = {"TPR and FPR": "both", "TPR": "tpr", "FPR": "fpr"}


def report(sizes: SampleSizes) -> Report:
    """Return the report on the labels and judgments needed."""
    return planned(
        "Labels and judgments needed", _answer(sizes), list(_details(sizes)), sizes, sizes.to_dict
    )


def planned(
    title: str,
    answer: Answer,
    details: Sequence[Part],
    result: Needed,
    content: Callable[[], Record],
) -> Report:
    """Return the report of a plan, which draws the power by the number."""

    def draw() -> str:
        from fairpairs.audits.power import figure  # noqa: PLC0415  (matplotlib is slow to load)

        return figure.inline_power(result.smooth_curve(), wanted=result.wanted)

    caption = f"Power by the number; the line is the power that is wanted, {result.wanted:g}."
    return Report(
        "power", title, answer, details, content, result.curve,
        Figure(draw, caption, f"{caption} The numbers are in a table below."),
    )  # fmt: skip


def _answer(sizes: SampleSizes) -> Answer:
    """Return the number for the test that the audit decides by, and what it assumes."""
    plan, judged = sizes.plan, None
    word = "judgments" if plan.forced else "pairs to judge"
    if sizes.by_fresh is not None:
        judged = int(np.ceil(sizes.by_fresh / sizes.kept))
    labels = None if sizes.by_labels is None else f"{sizes.by_labels:,} labelled rows"
    reasons = []
    number = labels
    if sizes.cheap is not None:
        number = _beside(sizes.cheap)
        reasons.append(f"Without cheap labels, {labels or 'no number of labels'} would be needed.")
    elif plan.cells is not None and labels is None:
        reasons.append("No number of labelled rows is enough.")
    elif plan.scores and plan.cells is None:
        reasons.append(
            "Labels are planned for TPR and FPR: give the score from which on a prediction is 1, "
            "--threshold."
        )
    if judged is not None:
        items = 2 * judged
        without = f"Without labels, {judged:,} {word} find it; they" if number else "They"
        reasons.append(f"{without} are of {items:,} items, each in one pair.")
        number = number or f"{judged:,} {word}"
        spread = [
            (n, pairs) for n, pairs in sizes.spread.items() if pairs is not None and n < items
        ]
        if spread:
            n, pairs = spread[0]
            reasons.append(f"Over {n:,} items it takes {np.ceil(pairs / sizes.kept):,.0f} {word}.")
    elif plan.comparisons is None:
        reasons.append("Judgments are planned for two groups.")
    reasons += _bounds(sizes)
    if plan.rates.shown:
        reasons.append(f"To be found, as in the pilot: {'; '.join(plan.rates.shown)}")
    audit = "label so many rows, then fairpairs audit" + " --criterion separation" * plan.scores
    judge = "judge so many, then fairpairs audit-judgments"
    ways = [audit] * (plan.cells is not None) + [judge] * (judged is not None)
    return Answer(
        "How many labels, or judgments, find the difference?", "", "",
        f"{number} find the difference with a power of {sizes.wanted:g} if {plan.rates.assumed}",
        "",
        reasons=reasons, basis=" ".join(filter(None, [plan.rates.pilot, _decided(sizes)])),
        next=f"Next: {', or '.join(ways)}.",
        checks=plan.rates.checks,
    )  # fmt: skip


def _beside(cheap: CheapLabels) -> str:
    """Return how many human labels find the difference beside cheap ones."""
    right = f"right in {' and '.join(dict.fromkeys(f'{100 * x:g}' for x in cheap.accuracy))} %"
    number = "no number of" if cheap.human is None else f"{cheap.human:,}"
    return f"{number} human labels beside {cheap.items:,} cheap ones ({right})"


def _decided(sizes: SampleSizes) -> str:
    """Return what the audits decide by."""
    plan, parts = sizes.plan, []
    if plan.cells is not None:
        two = "" if len(plan.cells) == 2 else " of each two groups"
        parts.append(f"TPR and FPR{two} in fairpairs audit")
    if plan.comparisons is not None:
        parts.append("comparative separation in audit-judgments")
    return f"What decides: {', '.join(parts)} (Holm, level {sizes.alpha:g})."


def _bounds(sizes: SampleSizes) -> list[str]:
    """Return below how many items no judgments are enough."""
    n = sizes.fewest
    if n is None:
        return []
    limit = f" up to {MOST:,}" if n * (n - 1) / 2 > MOST else ""
    return [f"Over fewer than {n:,} items no number of judgments{limit} is enough."]


def _details(sizes: SampleSizes) -> Iterator[Part]:
    if sizes.plan.comparisons is not None:
        yield _judgments_needed(sizes)
        yield "\n".join([*_bounds(sizes), *_cheaper(sizes)])
    yield power_grid(sizes.curve())
    yield Notes(_notes(sizes))


def _judgments_needed(sizes: SampleSizes) -> Grid | str:
    """Return the judgments needed, by the number of items that they are spread over."""
    rows = [_row(n, pairs, sizes) for n, pairs in sizes.spread.items()]
    if not rows and sizes.by_fresh is None:
        return "With judgments, and no label:\n  no number is enough"
    if sizes.by_fresh is not None:
        items = 2 * int(np.ceil(sizes.by_fresh / sizes.kept))
        rows.append(_row(items, sizes.by_fresh, sizes, " (each in one pair)"))
    header = ["items", "pairs to judge", "with a winner", "pairs per item"]
    if sizes.plan.forced:
        header = ["items", "judgments", "per item"]
        rows = [(items, decided, per_item) for items, _, decided, per_item in rows]
    return Grid(header, rows, caption="With judgments, and no label:")


def _row(n: int, pairs: int | None, sizes: SampleSizes, note: str = "") -> tuple[str, ...]:
    if pairs is None:
        return f"{n:,}", "none is enough", "none is enough", "–"
    judged = pairs / sizes.kept
    return (
        f"{n:,}",
        f"{np.ceil(judged):,.0f}",
        f"{np.ceil(pairs * sizes.plan.decided):,.0f}",
        f"{2 * judged / n:.1f}{note}",
    )


def _cheaper(sizes: SampleSizes) -> list[str]:
    """Return the price of a judgment, relative to a label, below which judgments are cheaper."""
    if sizes.by_labels is None or sizes.by_fresh is None:
        return []
    return [
        "Judgments on fresh items, each in one pair, are the fewest: they are cheaper than labels "
        f"if a pair to judge costs less than {sizes.by_labels / sizes.by_fresh:.2f} of a label."
    ]


def power_grid(curve: pd.DataFrame) -> Grid:
    """Return a curve as a table, one column per test."""
    table = curve.pivot_table(index="number", columns="test", values="power", sort=False)
    rows = [
        (f"{number:,}", *(f"{power:.2f}" for power in powers))
        for number, powers in zip(table.index, table.to_numpy(), strict=True)
    ]
    return Grid(["number", *table.columns], rows, caption="Power by the number:")


def _notes(sizes: SampleSizes) -> list[str]:
    plan = sizes.plan
    notes = [*plan.rates.notes, *plan.rates.checks, *_small_cells(sizes)]
    if not plan.forced and plan.comparisons is not None:
        notes.append(
            "A pair of items with the same label is a tie, which is no judgment: "
            f"{100 * (1 - plan.decided):.0f} % of the pairs."
        )
    if plan.comparisons is not None:
        notes.append(
            "Judgments are assumed to be right: wrong ones hide a part of a difference, or make "
            "one where base rates differ."
        )
    if sizes.cheap is not None:
        notes.append(
            "Human labels beside cheap ones are drawn at random, for `audit --cheap-label`."
        )
    return notes


def _small_cells(sizes: SampleSizes) -> list[str]:
    """Return notes on numbers needed that leave a cell with fewer than 30 items."""
    notes, totals = [], sizes.plan.totals
    warning = f"a result with fewer than {SMALL_CELL} carries a warning."
    labels = sizes.by_labels
    if labels is not None and (n := labels * totals.min()) < SMALL_CELL:
        notes.append(
            f"Of {labels:,} labelled rows some {n:.0f} are of the rarest group and label: {warning}"
        )
    usable = 2 * np.outer(totals[:, 1], totals[:, 0])
    if sizes.by_fresh is not None and (n := sizes.by_fresh * usable.min()) < SMALL_CELL:
        notes.append(f"The fewest judgments have some {n:.0f} in the rarest cell: {warning}")
    return notes


@dataclass(frozen=True)
class ItemsWithin(Needed):
    """The numbers of labelled items that show that differences lie within a margin."""

    rates: TrueRates
    margin: float
    #: Labelled items, by what is to be shown: the keys of LINES.
    needed: dict[str, int]
    #: Labelled items at hand, their power, and the smallest margin that they show with the wanted
    #: power (None if they show none); all None without a number.
    items: int | None = None
    shown: float | None = None
    smallest: float | None = None

    def to_dict(self) -> Record:
        """Return all of it as plain values."""
        both, tpr, fpr = self.needed.values()
        return {
            **self.plan_of(self.rates, _notes_within(self), margin=self.margin),
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
            "",
            f"{self.needed['TPR and FPR']:,} labelled rows show that TPR and FPR differ by less "
            f"than {self.margin:g} with a power of {self.wanted:g} if {self.rates.assumed}",
            "",
            reasons=[*at_hand, f"Of the two alone: {'; '.join(lines[1:])}."],
            basis=" ".join(filter(None, [self.rates.pilot, tests])),
            next=f"Next: label so many rows, then fairpairs audit --margin {self.margin:g}.",
            checks=self.rates.checks,
        )  # fmt: skip
        details: list[Part] = [
            "\n".join(["With labels:", *(f"  {line}" for line in lines)]),
            power_grid(self.curve()),
            Notes(_notes_within(self)),
        ]
        return planned("Labels needed to show a margin", answer, details, self, self.to_dict)

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
    powers = {
        name: partial(_power_within, rates.cells, margin, line, alpha)
        for name, line in LINES.items()
    }
    if any(power_at(MOST) < wanted for power_at in powers.values()):
        raise InputError(
            f"No number of labels up to {MOST:,} shows a difference so near to the margin of "
            f"{margin:g}: give a larger --margin, or a smaller --difference."
        )
    needed = {name: smallest_number(power_at, wanted) for name, power_at in powers.items()}
    known = needed.values()
    shown = smallest = None
    if items is not None:
        shown = powers["TPR and FPR"](items)
        with suppress(InputError):
            smallest = smallest_margin(rates.cells, n_items=items, power=wanted, alpha=alpha)
    return ItemsWithin(
        rates, margin, needed, items, shown, smallest, wanted=wanted, alpha=alpha, powers=powers,
        ends=(max(min(known) / 4, 10), min(max(known) * 2, MOST)),
    )  # fmt: skip


def _power_within(cells: Floats, margin: float, line: Line, alpha: float, n: int) -> float:
    return power_within(cells, margin, n_items=n, line=line, alpha=alpha)


def _notes_within(result: ItemsWithin) -> list[str]:
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
