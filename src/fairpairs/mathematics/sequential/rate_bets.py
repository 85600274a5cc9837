"""Bets on the difference of two rates, and on when it began and ended, at any number of looks.

A bettor who starts with a wealth of 1 and bets on each item at fair odds under a hypothesis has a
wealth of 20 at any time with probability at most 0.05 where that hypothesis is true (Ville's
inequality). Wealth is therefore evidence against the hypothesis that may be looked at again and
again.

Of a change, a bettor begins at every batch. Where the hypothesis is true the sum of all wealths
grows by at most 1 a batch on average, however the bets are chosen. So it takes at least A batches,
on average, until the sum reaches A (Shin, Ramdas and Rinaldo, theorem 2.4, of Shiryaev-Roberts
type): A is the mean run length to a false alarm. As the sum forgets nothing of the bettors who
began last, a late difference is found as soon as an early one.

References
----------
B. Chugg, S. Cortes-Gomez, B. Wilder and A. Ramdas (2023), Auditing Fairness by Betting, NeurIPS.
R. Turner, A. Ly and P. Grünwald (2024), Generic E-variables for exact sequential k-sample tests
that allow for optional stopping, Journal of Statistical Planning and Inference 230.
J. Shin, A. Ramdas and A. Rinaldo (2023), E-detectors: a nonparametric framework for sequential
change detection, The New England Journal of Statistics in Data Science.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.inference.contrasts.score_statistic import restricted_rates
from fairpairs.mathematics.sequential.evidence import DECIMALS, ends_of_blocks

#: Share of the wealth that no bet stakes.
KEPT = 0.25
#: Distances that bettors expect, in units of the gap, and their shares of the wealth.
EFFECTS = np.array([0.5, 1.0, 2.0])
SHARES = np.array([0.25, 0.5, 0.25])
#: Logarithm of the largest factor of a block.
MOST = 300.0


@dataclass
class RateBets:
    """Wealth of bets on the rate of a group minus that of the reference.

    Items come in the order of the stream. A block ends when both groups have at least 2 % more
    items; all bets of a block are chosen before it. The wealth depends on the order of items, not
    on how they are divided among calls of `append`.

    >>> bets = RateBets.new(np.array([-0.1, 0.0, 0.1]))
    >>> ended = bets.append(np.arange(2000) % 2 == 0, np.arange(2000) % 10 < 5)
    >>> bets.log_wealth.round().tolist()
    [[85.0, 38.0, 9.0], [0.0, 0.0, -0.0]]
    """

    #: Differences of the hypotheses, ascending, shape (d,).
    differences: Floats
    #: The difference that bets are tuned to find soonest; they are valid whatever it is.
    gap: float
    #: Number of items, and of those with outcome true, of group and reference in ended blocks,
    #: shape (2,).
    items: Integers
    hits: Integers
    #: The same of the block that has not ended.
    waiting_items: Integers
    waiting_hits: Integers
    #: Logarithm of the wealth of bets against "the difference is at most d" and against "the
    #: difference is at least d", shape (2, d).
    log_wealth: Floats
    #: Number of ended blocks.
    blocks: int = 0

    @classmethod
    def new(cls, differences: Floats, gap: float = 0.1) -> RateBets:
        """Return the wealth before any item."""
        none = np.zeros(2, dtype=np.int64)
        return cls(differences, gap, none, none, none, none, np.zeros((2, len(differences))))

    def append(self, in_group: NDArray[np.bool_], hit: NDArray[np.bool_] | Floats) -> list[Floats]:
        """Bet on more items; return `log_wealth` at the end of each block that has ended.

        An item may be a share of a hit, from 0 to 1, as the mean of the rows of a person is.
        """
        members = [np.flatnonzero(in_group), np.flatnonzero(~in_group)]
        ends = [*ends_of_blocks(members, self.items, self.waiting_items), len(hit)]
        used = np.stack([np.searchsorted(rows, ends) for rows in members], axis=-1)
        sums = [np.concatenate([[0], np.cumsum(hit[rows])]) for rows in members]
        used_hits = np.stack([total[n] for total, n in zip(sums, used.T, strict=True)], axis=-1)
        # of each block that has ended, and of the one that has not
        first = np.zeros((1, 2), dtype=np.int64)
        new_items = np.diff(self.waiting_items + used, axis=0, prepend=first)
        new_hits = np.diff(self.waiting_hits + used_hits, axis=0, prepend=first)
        items = np.cumsum([self.items, *new_items[:-1]], axis=0)
        hits = np.cumsum([self.hits, *new_hits[:-1]], axis=0)
        won: Iterable[Floats] = ()
        if len(new_items) > 1:
            won = log_factors(
                items[:-1], hits[:-1], new_items[:-1], new_hits[:-1], self.differences, self.gap
            )
        wealth = np.cumsum([self.log_wealth, *won], axis=0)
        self.items, self.hits, self.log_wealth = items[-1], hits[-1], wealth[-1]
        self.waiting_items, self.waiting_hits = new_items[-1], new_hits[-1]
        self.blocks += len(wealth) - 1
        return list(wealth[1:])


def log_evidence_of_difference(log_wealth: Floats, differences: Floats) -> Any:
    """Return the logarithm of the evidence of any difference, shape (...); 0 is a difference.

    In each block at most one of the two one-sided bettors stakes anything, so the product of their
    wealths is that of one bettor who chooses the side.
    """
    return log_wealth[..., int(np.flatnonzero(differences == 0)[0])].sum(axis=-1)


def log_factors(
    items: Integers,
    hits: Integers,
    block_items: Integers,
    block_hits: Integers,
    differences: Floats,
    gap: float,
) -> Floats:
    """Return the logarithms of the factors by which a block changes the wealth, shape (..., 2, d).

    `items` and `hits`, (..., 2), are of group and reference before the block, which has at least
    one item of each.

    Under the hypothesis that the rates are r_1 and r_0 with r_1 − r_0 = d, an item of the group
    with outcome y multiplies the wealth by 1 + c_1 (y − r_1), one of the reference by 1 + c_0 (y −
    r_0), where c_1 = s / n_1 and c_0 = −s / n_0 for n_1 and n_0 items of the block. The logarithm
    of the expected product is concave in the true rates, 0 at (r_1, r_0), and its slope there is s
    times the change of their difference. So the expectation is at most 1 for all rates whose
    difference is at most d if s is positive, at least d if s is negative, whatever rates (r_1, r_0)
    and stake s were chosen before the block (the E-variables of Turner, Ly and Grünwald 2024 are of
    this form). An outcome y from 0 to 1 counts as y of a hit and 1 − y of a miss: its factor is the
    weighted geometric mean of theirs, at most the arithmetic one, 1 + c (y − r), so the expectation
    is at most 1 too. The rates chosen are the likeliest ones of that difference; the stake is the
    one that grows fastest if the truth is the difference so far, shrunken as by a normal prior with
    standard deviation `gap` around d.
    """
    n = items.astype(float)[..., None]
    rates = (hits[..., None] + 0.5) / (n + 1)
    reference = likeliest_reference(n + 1, rates, differences)
    group = reference + differences
    spread, other_spread = group * (1 - group), reference * (1 - reference)
    known = _inverse_sum(spread, n[..., 0, :], other_spread, n[..., 1, :])
    apart = (rates[..., 0, :] - rates[..., 1, :] - differences) * known / (known + gap**-2)
    wins = [
        won_by_stakes(block_items, block_hits, (group, reference), apart, sign) for sign in (1, -1)
    ]
    return np.stack(wins, axis=-2)


def won_by_stakes(
    block_items: Integers,
    block_hits: Integers,
    rates: tuple[Floats, Floats],
    apart: Floats,
    sign: int,
) -> Floats:
    """Return the logarithms of the factors of bets on one side of a hypothesis, shape (..., d).

    `rates` are those of group and reference under the hypothesis, and `apart` is the distance of
    the difference that is expected from its own, (..., d). A block without a group has none.
    """
    k = block_items.astype(float)[..., None]
    group, reference = rates
    spread, other_spread = group * (1 - group), reference * (1 - reference)
    stake = apart * _inverse_sum(spread, k[..., 0, :], other_spread, k[..., 1, :])
    most = (1 - KEPT) * np.minimum(
        k[..., 0, :] / (group if sign > 0 else 1 - group),
        k[..., 1, :] / (1 - reference if sign > 0 else reference),
    )
    staked = sign * np.clip(sign * stake, 0, most)
    won = 0
    for side, (rate, bet) in enumerate(((group, staked), (reference, -staked))):
        per_item = bet / np.maximum(k[..., side, :], 1)
        hit = block_hits[..., side, None]
        missed = (block_items - block_hits)[..., side, None]
        won = won + hit * np.log1p(per_item * (1 - rate)) + missed * np.log1p(-per_item * rate)
    rounded: Floats = np.round(won, DECIMALS)
    return rounded


@np.errstate(invalid="ignore", divide="ignore")
def likeliest_reference(n: Floats, rates: Floats, differences: Floats) -> Floats:
    """Return the likeliest rate of the reference under each difference, shape (..., d).

    `n` and `rates`, (..., 2, 1), are of group and reference. The rate stays away from the smallest
    and largest possible one by half an item, if there is room.
    """
    ratio = n[..., 1, :] / n[..., 0, :]
    reference = restricted_rates(rates[..., 0, :], rates[..., 1, :], ratio, differences)[1]
    lowest, highest = np.maximum(0, -differences), np.minimum(1, 1 - differences)
    edge = np.minimum(0.5 / n.sum(axis=-2), (highest - lowest) / 2)
    return np.clip(reference, lowest + edge, highest - edge)


def _inverse_sum(spread: Floats, n: Floats, other_spread: Floats, m: Floats) -> Floats:
    """Return 1 / (spread / n + other_spread / m); 0 where n or m is 0."""
    return n * m / np.maximum(spread * m + other_spread * n, np.finfo(float).tiny)


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
