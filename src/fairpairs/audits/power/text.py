"""The report on the labels and judgments needed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairpairs.audits.power.sample_size import SampleSizes
from fairpairs.base.document import Document, Grid, Notes, Part
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.power.rejection import MOST
from fairpairs.mathematics.power.shared_judgments import design_effect

#: Judgments of a gap for which the design effect is stated.
EXAMPLE = 1_000


def document(sizes: SampleSizes) -> Document:
    """Return the report on the labels and judgments needed."""
    plan = sizes.plan
    parts: list[Part] = [
        "\n".join(["With labels:", *_labels_needed(sizes)]),
        _judgments_needed(sizes),
        "\n".join(
            [
                *plan.sentences,
                *_shared_by(sizes),
                f"Wanted: a power of {sizes.wanted:g} at the level {sizes.alpha:g}, correction "
                f"{sizes.correction}.",
            ]
        ),
    ]
    lines = []
    if (n := sizes.fewest) is not None:
        limit = f" up to {MOST:,}" if n * (n - 1) / 2 > MOST else ""
        lines.append(f"Over fewer than {n:,} items no number of judgments{limit} is enough.")
    lines += _cheaper(sizes)
    if lines:
        parts.append("\n".join(lines))
    if sizes.sharing is not None:
        parts += [sizes.sharing.grid(), "\n".join(sizes.sharing.sentences())]
    parts += [_power_table(sizes, sizes.curve()), Notes(_notes(sizes))]
    return Document("Labels and judgments needed", parts)


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


def _shared_by(sizes: SampleSizes) -> list[str]:
    """Return who shares the judgments, and how correlated these are."""
    if sizes.shared is None:
        return []
    words = ("judges", "judge_icc"), ("clusters", "cluster_icc")
    listed = " and ".join(
        f"{number:,} {unit} (intra-class correlation {getattr(sizes.shared, icc):g})"
        for unit, icc in words
        if (number := getattr(sizes.shared, unit)) is not None
    )
    effect = design_effect(EXAMPLE, sizes.shared)
    return [
        f"Judgments are shared by {listed}: with {EXAMPLE:,} judgments the variance of a gap is "
        f"{effect:.1f} times that of independent ones."
    ]


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


def _power_table(sizes: SampleSizes, curve: pd.DataFrame) -> Grid:
    """Return a curve as a table, one column per test."""
    table = curve.pivot_table(index="number", columns="test", values="power", sort=False)
    rows = [
        (f"{number:,}", *(f"{power:.2f}" for power in powers))
        for number, powers in zip(table.index, table.to_numpy(), strict=True)
    ]
    word = "judgments" if sizes.plan.forced else "pairs"
    return Grid(
        ["number", *table.columns], rows, caption=f"Power by the number of labels, or of {word}:"
    )


def _notes(sizes: SampleSizes) -> list[str]:
    notes = [*sizes.plan.notes, *_small_cells(sizes)]
    if not sizes.plan.forced:
        notes.append(
            "A pair of items with the same label is a tie, which is no judgment: "
            f"{100 * (1 - sizes.plan.decided):.0f} % of the pairs."
        )
    notes.append(
        "Judgments are assumed to be right: wrong ones hide a part of a violation, or make one "
        "where base rates differ."
    )
    if sizes.shared is not None:
        notes.append(
            "Each judge and cluster is assumed to have as many judgments, of pairs at random; the "
            "test is that of `audit-judgments` with --judge and --cluster."
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
