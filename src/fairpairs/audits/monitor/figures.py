"""The figures of a line, and of the batches, over time, as SVG with the colours of the page."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fairpairs.audits.lines.figures import INK, LINE, inline, page_figure
from fairpairs.audits.lines.tables import cut
from fairpairs.base.arrays import Integers
from fairpairs.base.plain_values import Content, TableRow
from fairpairs.base.style import OURS, PALETTE, PUBLISHED
from fairpairs.base.texts import printable

#: Inches of a figure.
WIDE, HIGH = 3.4, 1.9
#: Inches of the strip of batches.
STRIP_WIDE, STRIP_HIGH = 7.0, 1.5
#: Ticks of the axis of batches, and characters of the name of one.
TICKS, NAME = 3, 12


def over_time(row: TableRow, looks: pd.DataFrame, *, begun: int = 0, prefix: str) -> str:
    """Draw the estimate and its interval by batch, with 0, the margin, and the violation.

    The line is of all rows until a batch, a dot of those since the look before alone. Periods with
    a difference are shaded. `looks` are the line's rows of the history, after the batch `begun`.
    Each line has its own scale: a group of a few rows would flatten all others.
    """
    known = looks[np.isfinite(looks["estimate"])]
    if known.empty:
        return ""
    with page_figure(WIDE, HIGH) as figure:
        axes = figure.add_subplot()
        if np.isfinite(row["margin"]):
            axes.axhspan(-row["margin"], row["margin"], color=LINE)
        axes.axhline(0, color=INK, linewidth=0.8)
        last = int(looks["batch"].max())
        for start, end in _periods(row["periods"], last):
            axes.axvspan(start, end, color=PUBLISHED, alpha=0.15, linewidth=0)
        batches, low, high = (known[name] for name in ("batch", "ci_low", "ci_high"))
        axes.fill_between(batches, low, high, color=OURS, alpha=0.25, linewidth=0)
        axes.plot(
            batches,
            known["estimate"],
            color=OURS,
            linewidth=1.4,
            marker="o" if len(known) == 1 else "",
            markersize=4,
        )
        axes.plot(batches, known["between"], "o", color=INK, markersize=2.5, alpha=0.6)
        if row["since"]:
            axes.axvline(row["since"], color=PUBLISHED, linewidth=1.2, linestyle="--")
        end = _end(known, row["margin"])
        axes.set_ylim(-end, end)
        axes.set_xlim(begun, last + 0.02 * (last - begun) + 0.5)
        axes.locator_params(axis="y", nbins=4)
        _name_batches(axes, looks["batch"].to_numpy(), looks["batch_name"].tolist(), begun)
        return inline(figure, prefix)


def strip(about: Content, *, prefix: str) -> str:
    """Draw what each batch held: rows, those without a label paler, and below labels that came."""
    held = {name: np.array(values) for name, values in about["held"].items()}
    numbers = np.arange(1, len(held["rows"]) + 1)
    edges = np.arange(len(numbers) + 1) + 0.5
    with page_figure(STRIP_WIDE, STRIP_HIGH) as figure:
        axes = figure.add_subplot()
        axes.stairs(held["rows"], edges, fill=True, color=OURS, alpha=0.35)
        axes.stairs(held["rows"] - held["missing"], edges, fill=True, color=OURS)
        if about["missing_labels"] is not None:
            axes.stairs(-held["labels"], edges, fill=True, color=PALETTE[2])
        axes.axhline(0, color=INK, linewidth=0.8)
        for reset in about["resets"]:
            axes.axvline(reset["after"] + 0.5, color=PUBLISHED, linewidth=1.2, linestyle="--")
        axes.set_xlim(0.5, len(numbers) + 0.5)
        axes.locator_params(axis="y", nbins=3)
        axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}")
        names = [name or str(i) for i, name in zip(numbers, about["batch_names"], strict=True)]
        _name_batches(axes, numbers, names, 0)
        return inline(figure, prefix)


def _periods(periods: str, end: int) -> Iterator[tuple[float, float]]:
    """Yield the ends of each period of a line at the axis of batches, until now if it goes on."""
    for first, _, last in (text.partition("-") for text in periods.split(", ") if text):
        yield int(first) - 0.5, int(last or end) + 0.5


def _name_batches(axes: Axes, batches: Integers, names: Sequence[str], begun: int) -> None:
    """Name the batches at the axis: the last one, and those nearest to a third and two."""
    wanted = begun + (batches[-1] - begun) * np.arange(1, TICKS + 1) / TICKS
    ticks = sorted({int(np.abs(batches - at).argmin()) for at in wanted})
    axes.set_xticks(batches[ticks], [cut(printable(names[i]), NAME) for i in ticks])
    axes.set_xlabel("batch")


def _end(known: pd.DataFrame, margin: float) -> float:
    """Return how far from 0 a figure reaches: early estimates and intervals may leave it."""
    late = known.loc[known["rows"] >= 0.1 * known["rows"].max(), "estimate"]
    last, dots = known[["ci_low", "ci_high"]].iloc[-1], known["between"].abs().quantile(0.95)
    return 1.1 * float(np.nanmax([0.02, margin, dots, *late.abs(), *last.abs()]))
