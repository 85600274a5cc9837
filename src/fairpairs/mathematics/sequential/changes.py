"""Periods of a difference: when it began and ended, by e-detectors on bets.

A bettor begins at every batch, with a wealth of 1. Where the hypothesis is true the sum of all
wealths grows by at most 1 a batch on average, however the bets are chosen. So it takes at least A
batches, on average, until the sum reaches A (Shin, Ramdas and Rinaldo, theorem 2.4, of
Shiryaev-Roberts type): A is the mean run length to a false alarm. As the sum forgets nothing of the
bettors who began last, a late difference is found as soon as an early one.

References
----------
J. Shin, A. Ramdas and A. Rinaldo (2023), E-detectors: a nonparametric framework for sequential
change detection, The New England Journal of Statistics in Data Science.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.evidence import DECIMALS
from fairpairs.mathematics.sequential.rate_bets import likeliest_reference, won_by_stakes

#: Distances that bettors expect, in units of the gap, and their shares of the wealth.
EFFECTS = np.array([0.5, 1.0, 2.0])
SHARES = np.array([0.25, 0.5, 0.25])
#: Logarithm of the largest factor of a block.
MOST = 300.0


@dataclass
class Period:
    """A time with a difference, in numbers of batches; 0 where it has not ended."""

    #: Estimate of the first batch, and the batch at which it was shown.
    began: int
    shown: int
    #: Estimate of the first batch after it, and the batch at which that was shown.
    ended: int = 0
    shown_ended: int = 0


@dataclass
class Changes:
    """The detectors of one line: of the begin of a difference or, while there is one, its end.

    >>> changes = Changes(threshold=100)
    >>> changes.begin(batch=1, weight=1)
    >>> changes.add(lambda differs, first: np.full((9 - first, 2, 3), -1.0 if differs else 1.0))
    >>> changes.periods
    [Period(began=1, shown=1, ended=0, shown_ended=0)]
    """

    #: Sum of the wealths at which a change is shown.
    threshold: float
    batch: int = 0
    #: What has begun since the last block: the number of bettors.
    begun: float = 0.0
    #: Sums of wealths, by side and effect, times the shares of the effects.
    sums: Floats = field(default_factory=lambda: np.zeros((2, len(EFFECTS))))
    #: Logarithm of the wealth since it was last below 1, in units of its last decimal, and the
    #: batch at which that was.
    runs: Integers = field(default_factory=lambda: np.zeros((2, len(EFFECTS)), dtype=np.int64))
    begins: Integers = field(default_factory=lambda: np.zeros((2, len(EFFECTS)), dtype=np.int64))
    periods: list[Period] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether a period goes on."""
        return bool(self.periods) and not self.periods[-1].ended

    def begin(self, batch: int, weight: float) -> None:
        """Begin a batch: so many bettors begin with it."""
        self.batch = batch
        self.begun += weight

    def add(self, log_factors: Callable[[bool, int], Floats]) -> None:
        """Add blocks.

        `log_factors(differs, first)` returns the logarithms of the factors of the blocks from
        `first` on, shape (blocks, 2, effects): of bets on a difference, above and below, or of bets
        that there is none any more, for each side.
        """
        first = 0
        while len(more := log_factors(self.differs, first)):
            # rounded, as processors differ in the last digit
            factors = np.round(np.exp(np.minimum(more, MOST)), DECIMALS)
            begin = self.sums + self.begun * SHARES
            with np.errstate(over="ignore", invalid="ignore"):  # behind what is shown
                sums = np.multiply.accumulate(np.concatenate([begin[None], factors]))[1:]
                of_sides = sums.sum(axis=2)
            found = of_sides.min(axis=1) if self.differs else of_sides.mean(axis=1)
            shown = np.flatnonzero(found >= self.threshold)[:1]
            used = int(shown[0]) + 1 if len(shown) else len(factors)
            # whole numbers, so that sums do not depend on how a batch is read
            steps = np.rint(more[:used] * 10.0**DECIMALS).astype(np.int64)
            total = np.cumsum(np.concatenate([self.runs[None], steps]), axis=0)
            runs = total - np.minimum.accumulate(np.minimum(total, 0))
            self.begins = np.where((runs[:-1] <= 0).any(axis=0), self.batch, self.begins)
            self.begun, self.runs, self.sums = 0.0, runs[-1], sums[used - 1]
            if not len(shown):
                return
            self._change()
            first += used

    def _change(self) -> None:
        """Begin a period or end it, and begin the detectors of the other change."""
        best = self.sums.argmax(axis=1)
        began = self.begins[[0, 1], best]
        if self.differs:
            self.periods[-1].ended, self.periods[-1].shown_ended = int(began.max()), self.batch
        else:
            side = int(self.sums.sum(axis=1).argmax())
            self.periods.append(Period(int(began[side]), self.batch))
        self.sums, self.runs = np.zeros_like(self.sums), np.zeros_like(self.runs)


@dataclass
class RateChanges:
    """Periods in which the rate of a group differs from that of the reference.

    Without a margin, a period is shown by bets against "there is no difference", and its end by
    bets against "the difference is at least the gap" on either side. With a margin both are of the
    margin. Blocks have a number of items of both groups that follows from the gap.
    """

    gap: float
    margin: float | None
    changes: Changes
    #: Items that wait for a block to end, and all before them, by group and hit, shape (2, 2).
    waiting: Integers = field(default_factory=lambda: np.zeros((2, 2), dtype=np.int64))
    counts: Integers = field(default_factory=lambda: np.zeros((2, 2), dtype=np.int64))

    def append(self, in_group: NDArray[np.bool_], hit: NDArray[np.bool_] | Floats) -> None:
        """Add items, in the order of the stream: whether each is of the group, and its outcome.

        An outcome may be a share of a hit, from 0 to 1.
        """
        size, before = math.ceil(0.4 / self.gap**2), int(self.waiting.sum())
        ended = (before + len(hit)) // size
        block = (before + np.arange(len(hit))) // size
        cells, size = 2 * block + ~in_group, 2 * (ended + 1)
        hits = np.bincount(cells, hit, size).astype(hit.dtype if hit.dtype.kind == "f" else int)
        counts = np.stack([np.bincount(cells, minlength=size) - hits, hits], axis=-1)
        counts = counts.reshape(-1, 2, 2)
        counts[0] += self.waiting
        self.waiting = counts[ended]
        if ended:
            blocks = counts[:ended]
            totals = self.counts + np.cumsum(blocks, axis=0)
            earlier = np.concatenate([self.counts[None], totals[:-1]])
            self.changes.add(
                lambda differs, first: self._log_factors(earlier[first:], blocks[first:], differs)
            )
            self.counts = totals[-1]

    def _log_factors(self, earlier: Integers, counts: Integers, differs: bool) -> Floats:
        """Return the logarithms of the factors of blocks, (blocks, 2, effects)."""
        tolerated = self.margin or 0.0
        if differs:
            tolerated = self.gap if self.margin is None else self.margin
        items = earlier.sum(axis=-1)[..., None].astype(float)
        rates = (earlier[..., 1, None] + 0.5) / (items + 1)
        differences = np.array([tolerated, -tolerated])
        reference = likeliest_reference(items + 1, rates, differences)
        unit = tolerated if differs else self.gap
        factors = []
        for side, sign in enumerate((-1, 1) if differs else (1, -1)):
            base = reference[:, [side]]
            both = (base + differences[side], base)
            apart = sign * unit * EFFECTS
            won = won_by_stakes(counts.sum(axis=-1), counts[..., 1], both, apart, sign)
            factors.append(won)
        return np.stack(factors, axis=1)
