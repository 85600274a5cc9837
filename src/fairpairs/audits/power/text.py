"""The report on the labels and judgments needed."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.report import Report
from fairpairs.audits.power.sample_size import CheapLabels, Needed, SampleSizes
from fairpairs.base.document import Figure, Grid, Notes, Part
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.power.items import MOST


def report(sizes: SampleSizes) -> Report:
    """Return the report on the labels and judgments needed."""
    return planned("Labels and judgments needed", _answer(sizes), list(_details(sizes)), sizes)


def planned(title: str, answer: Answer, details: Sequence[Part], result: Needed) -> Report:
    """Return the report of a plan, which draws the power by the number."""

    def draw() -> str:
        from fairpairs.audits.power import figure  # noqa: PLC0415  (matplotlib is slow to load)

        return figure.inline_power(result.smooth_curve(), wanted=result.wanted)

    caption = f"Power by the number; the line is the power that is wanted, {result.wanted:g}."
    return Report(
        "power", title, answer, details, result.to_dict, result.curve,
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
        "How many labels, or judgments, find the difference?", "",
        f"{number} find the difference with a power of {sizes.wanted:g} if {plan.rates.assumed}",
        None, "",
        reasons=reasons, basis=" ".join(filter(None, [plan.rates.pilot, _decided(sizes)])),
        next=f"What now: {', or '.join(ways)}.",
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
