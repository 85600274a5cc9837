"""Distances of ours from any number that a paper might have printed."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.special import ndtr

from fairpairs.base.arrays import Floats
from fairpairs.papers.published.cells import printed_bounds, score_from_printed

#: Steps of a bisection, and of the doublings before it.
STEPS = 50
#: Digits of half-widths: those of the bisection.
DIGITS = 9


@dataclass(frozen=True)
class Distances:
    """Our numbers, and z of those that a paper might have printed; arrays have shape (cells,)."""

    reproduced: Floats
    standard_error: Floats
    #: Spread of a single run; NaN for a share.
    run_sd: Floats
    #: Number of runs behind a share; NaN for another quantity.
    shared: Floats
    #: Unit of the last printed digit.
    unit: Floats
    #: See `fairpairs.papers.published.cells.printed_bounds`.
    tail: Floats
    #: Number of runs behind a printed number.
    runs: float
    #: Shape (runs, cells), NaN where a run has none.
    single_runs: Floats

    @classmethod
    def of(cls, cells: pd.DataFrame, runs: float) -> Self:
        """Return those of cells of a comparison; `runs` is the number behind a printed number."""
        reproduced, standard_error, run_sd, shared = (
            cells[name].to_numpy(dtype=float)
            for name in ("reproduced", "standard_error", "run_sd", "runs")
        )
        unit = 10.0 ** -cells["digits"].to_numpy(dtype=float)
        tail = cells["tail"].to_numpy(dtype=float)
        # None is one NaN
        lists = [np.atleast_1d(np.asarray(cell, dtype=float)) for cell in cells["single_runs"]]
        longest = max(map(len, lists), default=1)
        padded = [np.pad(cell, (0, longest - len(cell)), constant_values=np.nan) for cell in lists]
        single = np.array(padded, dtype=float).reshape(len(cells), longest).T
        return cls(reproduced, standard_error, run_sd, shared, unit, tail, runs, single)

    def without(self, run: int) -> Self:
        """Return the same without one of the single runs."""
        return replace(self, single_runs=np.delete(self.single_runs, run, axis=0))

    @cached_property
    def _spread(self) -> tuple[Floats, Floats, Floats]:
        """Return mean, standard deviation and number of the single runs; 0 for less than two."""
        moments = np.zeros((3, len(self.reproduced)))
        for i, column in enumerate(self.single_runs.T):
            values = column[~np.isnan(column)]
            if len(values) > 1:
                moments[:, i] = values.mean(), values.std(ddof=1), len(values)
        return moments[0], moments[1], moments[2]

    @property
    def _of_one_run(self) -> Any:
        """Where a printed number is compared as one further run."""
        return (self.runs == 1) & (self._spread[1] > 0)

    def errors(self, numbers: Floats) -> Floats:
        """Return the standard error of ours minus printed numbers, shape (…, cells)."""
        shares = self.reproduced * self.shared + numbers * self.runs
        pooled = np.clip(shares / (self.shared + self.runs), 0, 1)
        share_variance = pooled * (1 - pooled) * (1 / self.shared + 1 / self.runs)
        other_variance = self.standard_error**2 + self.run_sd**2 / self.runs
        is_share = ~np.isnan(self.shared) & np.isnan(self.run_sd)
        variance = np.where(is_share, share_variance, other_variance)
        return np.asarray(np.sqrt(variance + self.unit**2 / 12))

    def z(self, numbers: Floats, tails: Floats | None = None) -> Floats:
        """Return z, had the paper printed these numbers, shape (…, cells), with such `tails`."""
        usual = (self.reproduced - numbers) / self.errors(numbers)
        if not np.any(self._of_one_run):
            return np.asarray(usual)
        mean, sd, n = self._spread
        tails = self.tail if tails is None else tails
        low, high = printed_bounds(numbers, self.unit / 2, tails)
        with np.errstate(invalid="ignore", divide="ignore"):  # in other cells
            single = score_from_printed(mean, sd, n, low, high)
        return np.where(self._of_one_run, single, usual)

    def agrees_within(self, critical: float) -> Floats:
        """Return how far a printed number could be from ours, with |z| at most `critical`.

        It is the larger distance of both sides, of numbers that are possible: a share lies from 0
        to 1, a one-sided p-value from 0 to 0.5. 0 where no number is as near.
        """
        is_p = self._of_one_run & (self.tail != 0)
        is_share = ~np.isnan(self.shared) & np.isnan(self.run_sd)
        scores = self.tail * self._spread[0]
        nearest = np.where(is_p, np.minimum(ndtr(-scores), 0.5), self.reproduced)
        lowest = np.where(is_p | is_share, 0, -np.inf)
        highest = np.where(is_p, 0.5, np.where(is_share, 1, np.inf))

        def near(numbers: Floats) -> Any:
            return np.abs(self.z(numbers)) <= critical

        farthest = np.zeros(len(nearest))
        for side in (-1, 1):
            width = self.unit.copy()
            for _ in range(STEPS):
                if not (agrees := near(nearest + side * width)).any():
                    break
                width = np.where(agrees, 2 * width, width)
            inside, outside = nearest, nearest + side * width
            for _ in range(STEPS):
                middle = (inside + outside) / 2
                agrees = near(middle)
                inside = np.where(agrees, middle, inside)
                outside = np.where(agrees, outside, middle)
            edge = np.clip(inside, lowest, highest)
            farthest = np.maximum(farthest, np.abs(edge - self.reproduced))
        return np.where(near(nearest), np.round(farthest, DIGITS), 0.0)
