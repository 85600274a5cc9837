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
    """Return the fewest labels, and the fewest judgments without a label."""
    labels = min((n for n in (sizes.by_labels, sizes.by_all) if n is not None), default=None)
    word = "judgments" if sizes.plan.forced else "pairs to judge"
    judged = sizes.by_fresh
    judged = None if judged is None else int(np.ceil(judged / sizes.kept))
    parts = [
        f"{number:,} {what} find the violation{rest}"
        for number, what, rest in (
            (labels, "labelled items", ""), (judged, word, " without labels"),
        )
        if number is not None
    ]  # fmt: skip
    reasons = [" ".join(line.split()) for line in _labels_needed(sizes)]
    reasons = [f"{reasons[0][0].upper()}{reasons[0][1:]}; {'; '.join(reasons[1:])}."]
    if sizes.cheap is not None:
        parts = [_beside(sizes.cheap), *parts]
        reasons = [_without(sizes.cheap, sizes.by_labels), *reasons]
    if sizes.by_fresh is not None:
        items = 2 * int(np.ceil(sizes.by_fresh / sizes.kept))
        reasons.append(f"{judged:,} {word} are of {items:,} items, each in one pair.")
        spread = [
            (n, pairs) for n, pairs in sizes.spread.items() if pairs is not None and n < items
        ]
        if spread:
            n, pairs = spread[0]
            reasons.append(f"Over {n:,} items it takes {np.ceil(pairs / sizes.kept):,.0f} {word}.")
    reasons += _bounds(sizes)
    plan, found = described(sizes.plan.sentences)
    return Answer(
        "How many labels, or judgments, find the violation?", "",
        "; or ".join(parts) or "no number that is planned for is enough", None, "",
        reasons=[*reasons, *found], basis=" ".join([*plan, _wanted(sizes)]),
        next="What now: label or judge so many, then fairpairs audit or audit-judgments.",
        checks=sizes.plan.checks,
    )  # fmt: skip


def _beside(cheap: CheapLabels) -> str:
    """Return how many human labels find the violation beside cheap ones."""
    if cheap.human is None:
        return f"no number of human labels of {cheap.items:,} items with a cheap one is enough"
    items = f"{cheap.items:,} cheap ones"
    return f"{cheap.human:,} human labels beside {items} find the violation"


def _without(cheap: CheapLabels, alone: int | None) -> str:
    one, other = (f"{100 * share:g} %" for share in cheap.accuracy)
    right = one if one == other else f"{one} (first group) and {other} (second)"
    needed = "no number of human labels is" if alone is None else f"{alone:,} human labels are"
    return f"Cheap labels are right in {right}; without them {needed} enough."


def described(sentences: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the sentences on a plan, and what a pilot shows, which is to be found.

    >>> described(["pilot.csv.", "To be found, as in the pilot:", "- TPR(1) off by 0.1"])
    (['pilot.csv.'], ['To be found, as in the pilot: TPR(1) off by 0.1'])
    """
    found = [line.removeprefix("- ") for line in sentences if line.startswith("- ")]
    plan = [line for line in sentences if not line.startswith("- ") and not line.endswith(":")]
    return plan, [f"To be found, as in the pilot: {'; '.join(found)}"] if found else []


def _wanted(sizes: SampleSizes) -> str:
    return (
        f"Wanted: a power of {sizes.wanted:g} at the level {sizes.alpha:g}, correction "
        f"{sizes.correction}."
    )


def _bounds(sizes: SampleSizes) -> list[str]:
    """Return below how many items no judgments are enough."""
    n = sizes.fewest
    if n is None:
        return []
    limit = f" up to {MOST:,}" if n * (n - 1) / 2 > MOST else ""
    return [f"Over fewer than {n:,} items no number of judgments{limit} is enough."]


def _details(sizes: SampleSizes) -> Iterator[Part]:
    yield "\n".join(["With labels:", *_labels_needed(sizes)])
    yield _judgments_needed(sizes)
    yield "\n".join([*sizes.plan.sentences, _wanted(sizes)])
    yield "\n".join([*_bounds(sizes), *_cheaper(sizes)])
    word = "judgments" if sizes.plan.forced else "pairs"
    yield power_grid(sizes.curve(), f"Power by the number of labels, or of {word}:")
    yield Notes(_notes(sizes))


def _labels_needed(sizes: SampleSizes) -> list[str]:
    def line(number: int | None, test: str) -> str:
        if number is None:
            return f"  no number is enough for {test}"
        return f"  {number:,} labelled items for {test}"

    all_pairs = "a test of comparative separation on all pairs of these items"
    lines = [line(sizes.by_all, all_pairs)]
    if sizes.plan.cells is None:
        note = "  (for separation, give the score from which on a prediction is 1: --threshold)"
        return [*lines, note]
    return [line(sizes.by_labels, "a test of separation on yes/no predictions"), *lines]


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
    known = [number for number in (sizes.by_labels, sizes.by_all) if number is not None]
    if not known or sizes.by_fresh is None:
        return []
    word = "judgment" if sizes.plan.forced else "pair to judge"
    return [
        "Judgments on fresh items, each in one pair, are the fewest: they are cheaper than labels "
        f"if a {word} costs less than {min(known) * sizes.kept / sizes.by_fresh:.2f} of a label."
    ]


def power_grid(curve: pd.DataFrame, caption: str) -> Grid:
    """Return a curve as a table, one column per test."""
    table = curve.pivot_table(index="number", columns="test", values="power", sort=False)
    rows = [
        (f"{number:,}", *(f"{power:.2f}" for power in powers))
        for number, powers in zip(table.index, table.to_numpy(), strict=True)
    ]
    return Grid(["number", *table.columns], rows, caption=caption)


def _notes(sizes: SampleSizes) -> list[str]:
    notes = [*sizes.plan.notes, *sizes.plan.checks, *_small_cells(sizes)]
    if not sizes.plan.forced:
        notes.append(
            "A pair of items with the same label is a tie, which is no judgment: "
            f"{100 * (1 - sizes.plan.decided):.0f} % of the pairs."
        )
    notes.append(
        "Judgments are assumed to be right: wrong ones hide a part of a violation, or make one "
        "where base rates differ."
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
    known = [number for number in (sizes.by_labels, sizes.by_all) if number is not None]
    if known and (n := min(known) * totals.min()) < SMALL_CELL:
        notes.append(
            f"Of {min(known):,} labelled items some {n:.0f} are of the rarest group and label: "
            f"{warning}"
        )
    usable = 2 * np.outer(totals[:, 1], totals[:, 0])
    if sizes.by_fresh is not None and (n := sizes.by_fresh * usable.min()) < SMALL_CELL:
        notes.append(f"The fewest judgments have some {n:.0f} in the rarest cell: {warning}")
    return notes
