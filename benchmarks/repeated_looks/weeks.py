"""The figure of a year of weekly audits, with tests for one look and with bets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from benchmarks.repeated_looks.repeated import (
    WEEKS,
    Design,
    weekly_counts,
    weekly_violated,
)
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Record
from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.mathematics.inference.contrasts.binomial import binomial_differences
from fairpairs.mathematics.sequential.evidence import limits
from fairpairs.mathematics.sequential.rate_bets import RateBets, log_evidence_of_difference
from fairpairs.papers.display.figures import saved
from fairpairs.papers.experiments.seeds import stream

#: A model whose TPR is that of the reference, and one whose TPR is higher by 0.1.
FAIR = Design(batch=200, share=0.3, tpr=0.7)
UNFAIR = Design(batch=200, share=0.3, tpr=0.7, gap=0.1)
#: Differences at which limits may lie.
GRID = np.linspace(-1, 1, 401).round(3)[1:-1]


@dataclass(frozen=True)
class Year:
    """The difference of the TPR after each week, shape (weeks,) each."""

    #: by the test for one look, with its limits
    estimate: Floats
    low: Floats
    high: Floats
    #: whether the audit finds a violation, of all rows so far, and of the week alone
    found: NDArray[np.bool_]
    found_alone: NDArray[np.bool_]
    #: limits that hold for all looks together
    always_low: Floats
    always_high: Floats
    #: whether bets have found a violation so far
    always_found: NDArray[np.bool_]


def year(design: Design, rng: np.random.Generator, alpha: float) -> Year:
    """Draw a year of weekly batches, and test it in both ways."""
    (items,), (hits,) = weekly_counts(design, rng, 1)
    items_so_far, hits_so_far = items.cumsum(axis=0), hits.cumsum(axis=0)
    (group_hits, other_hits), (group_items, other_items) = hits_so_far[:, 0].T, items_so_far[:, 0].T
    tables = group_hits, group_items, other_hits, other_items
    tpr, _ = binomial_differences(*tables, alpha=alpha)
    bets = [RateBets.new(GRID) for _ in range(2)]
    all_limits, evidence = [], []
    for items_of_week, hits_of_week in zip(items, hits, strict=True):
        for label, line in enumerate(bets):
            line.append(*_shuffled(items_of_week[label], hits_of_week[label], rng))
        all_limits.append(limits(bets[0].log_wealth, GRID, alpha))
        evidence.append(max(log_evidence_of_difference(line.log_wealth, GRID) for line in bets))
    low, high = np.array(all_limits).T
    return Year(
        estimate=tpr.estimate,
        low=tpr.ci_low,
        high=tpr.ci_high,
        found=weekly_violated(items_so_far, hits_so_far, alpha),
        found_alone=weekly_violated(items, hits, alpha),
        always_low=low,
        always_high=high,
        always_found=np.maximum.accumulate(evidence) >= math.log(2 / alpha),
    )


def _shuffled(
    items: Integers, hits: Integers, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the rows of a week in some order, from the counts of group and reference."""
    in_group = np.repeat([True, False], items)
    hit = np.concatenate([np.arange(n) < k for n, k in zip(items, hits, strict=True)])
    order = rng.permutation(len(hit))
    return in_group[order], hit[order]


def first_false_alarm(seed: int, alpha: float) -> tuple[int, Year]:
    """Return the first fair year in which the audit of all rows so far is wrong, and its number."""
    for number in count():
        drawn = year(FAIR, stream(seed, "weeks", "fair", number), alpha)
        if drawn.found.any():
            return number, drawn
    raise AssertionError


def weeks_figure(stem: str | Path, *, seed: int, alpha: float) -> int:
    """Draw a fair year and an unfair one; return the number of the fair one."""
    number, fair = first_false_alarm(seed, alpha)
    unfair = year(UNFAIR, stream(seed, "weeks", "unfair"), alpha)
    with saved(stem, 10, 6) as figure:
        panels = figure.subplots(2, 2, sharex=True, sharey=True)
        for row, (drawn, true, name) in enumerate(
            ((fair, 0.0, "a fair model"), (unfair, UNFAIR.gap, "a TPR that is 0.1 higher"))
        ):
            one_look = (drawn.low, drawn.high, drawn.found)
            all_looks = (drawn.always_low, drawn.always_high, drawn.always_found)
            _panel(panels[row, 0], drawn.estimate, *one_look, true)
            _panel(panels[row, 1], drawn.estimate, *all_looks, true)
            x = np.flatnonzero(drawn.found_alone) + 1
            text = "violation found in the rows of this week alone"
            y = np.full(len(x), -0.29)
            panels[row, 0].plot(x, y, "x", color="#000000", markersize=5, label=text)
            panels[row, 0].set_ylabel(f"{name}\ndifference of the TPR")
        panels[0, 0].set_title("fairpairs audit of all rows so far, every week", fontsize=9)
        panels[0, 1].set_title("fairpairs monitor", fontsize=9)
        panels[0, 0].set_ylim(-0.32, 0.42)
        for axes in panels[1]:
            axes.set_xlabel("week")
        handles = {
            text: handle
            for axes in panels.ravel()
            for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        entries = (handles.values(), handles.keys())
        figure.legend(*entries, loc="outside lower center", ncols=4, frameon=False)
    return number


def _panel(
    axes: Axes, estimate: Floats, low: Floats, high: Floats, found: NDArray[np.bool_], true: float
) -> None:
    week = np.arange(1, WEEKS + 1)
    axes.axhline(0, color="#555555", linewidth=1)
    if true:
        axes.axhline(true, color="#555555", linestyle=":", linewidth=1, label="true difference")
    for shown, colour, name in (
        (~found, OURS, "no violation found"),
        (found, PUBLISHED, "violation found"),
    ):
        x, y = week[shown], estimate[shown]
        error = np.maximum(np.stack([(estimate - low)[shown], (high - estimate)[shown]]), 0)
        style: Record = {"color": colour, "markersize": 3, "linewidth": 1, "label": name}
        axes.errorbar(x, y, yerr=error, fmt="o", **style)
