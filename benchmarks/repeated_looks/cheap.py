"""False alarms and delays where all rows have a cheap label and some a human one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.repeated_looks.delays import first_found
from benchmarks.repeated_looks.estimates import evidence
from benchmarks.repeated_looks.streams import Independent
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.sequential.cheap_looks import FEWEST, block_difference, counted
from fairpairs.mathematics.sequential.looks import GROWTH

#: The gap that mixtures are tuned to, as by default.
GAP = 0.1
#: Rows from one check whether a block ends to the next, at first and as a share of those before.
STEP, SHARE = 50, 0.01


@dataclass(frozen=True)
class Design:
    """A stream whose TPR is that of `tpr`, lower by `gap` in the group.

    Pairs are of group and reference.
    """

    #: Chance of a human label.
    chance: float = 0.1
    #: How often the cheap label is right: of label 0 and 1, or of both, in each group.
    right: tuple[float, float] | tuple[tuple[float, float], tuple[float, float]] = (0.9, 0.9)
    #: Share of rows in which the cheap label is the decision.
    leans: tuple[float, float] = (0.0, 0.0)
    rows: int = 20_000
    #: Share of the group.
    share: float = 0.5
    prevalence: float = 0.5
    tpr: float = 0.8
    fpr: float = 0.2
    gap: float = 0.0
    #: What is added from the first row to the last, to TPR, prevalence, share of the group, and to
    #: how often the cheap label is right.
    rise: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    def cells(self, time: float) -> Floats:
        """Return the chances of group, decision, cheap label, and label (0, 1, none), flat."""
        tpr, prevalence, share, right = (
            start + time * rise
            for start, rise in zip((self.tpr, self.prevalence, self.share, 0), self.rise)  # noqa: B905
        )
        chances = np.zeros((2, 2, 2, 3))
        for side, c, t, y in np.ndindex(2, 2, 2, 2):
            positive = (tpr - self.gap * (side == 0)) if y else self.fpr
            accurate = np.broadcast_to(np.array(self.right).T, (2, 2))[y, side] + right
            lean = self.leans[side]
            cheap = (1 - lean) * (accurate if t == y else 1 - accurate) + lean * (t == c)
            cell = (share, 1 - share)[side] * (prevalence if y else 1 - prevalence) * cheap
            cell *= positive if c else 1 - positive
            chances[side, c, t, y] += cell * self.chance
            chances[side, c, t, 2] += cell * (1 - self.chance)
        return chances.ravel()

    def looks(self, rng: np.random.Generator, number: int) -> Iterator[tuple[int, Floats, Floats]]:
        """Yield rows, estimates and variances, (streams,), of the TPR; NaN where no block ends."""
        items, sums = np.zeros((number, 2)), np.zeros((number, 3))
        block, rows = np.zeros((number, 2, 2, 2, 3)), 0
        while rows < self.rows:
            step = max(STEP, math.ceil(SHARE * rows))
            block += rng.multinomial(step, self.cells(rows / self.rows), number).reshape(
                block.shape
            )
            rows += step
            least = np.maximum(FEWEST, np.ceil(GROWTH * items.min(axis=1)))
            ended = counted(block[..., :2], whole=False).min(axis=1) >= least
            here = block[ended]
            labels = np.stack([here[..., :2]] * 3)
            counts, more = block_difference(here.sum(axis=-1).astype(np.int64), labels)
            items[ended] += counts
            sums[ended] += more
            block[ended] = 0
            weight, total, variance = np.where(ended[:, None], sums, np.nan).T
            yield rows, total / weight, variance / weight**2


#: Fair streams.
FAIR = {
    "0.1 human labels, the judge right in 0.9": Design(),
    "0.05 human labels": Design(0.05),
    "0.3 human labels, 400,000 rows": Design(0.3, rows=400_000),
    "0.02 human labels, 200,000 rows": Design(0.02, rows=200_000),
    "right in 0.97": Design(right=(0.97, 0.97)),
    "right in 0.8": Design(right=(0.8, 0.8)),
    "a judge who guesses": Design(right=(0.5, 0.5)),
    "errs in one group: right in 0.75, 0.95": Design(right=((0.6, 0.9), (0.95, 0.95))),
    "leans to the decision in 0.6 of one group": Design(leans=(0.6, 0.0)),
    "a group of 0.1": Design(share=0.1),
    "a group of 0.1, TPR 0.95": Design(share=0.1, tpr=0.95),
    "a group of 0.02, 0.3 human labels, errs in it, 100,000 rows": Design(
        0.3, ((0.6, 0.9), (0.95, 0.95)), rows=100_000, share=0.02
    ),
    "prevalence 0.05, TPR 0.5, 300,000 rows": Design(rows=300_000, prevalence=0.05, tpr=0.5),
    "prevalence from 0.2 to 0.8": Design(prevalence=0.2, rise=(0, 0.6, 0, 0)),
    "TPR from 0.5 to 0.8, the group from 0.2 to 0.8": Design(
        share=0.2, tpr=0.5, rise=(0.3, 0, 0.6, 0)
    ),
    "right in 0.9, later 0.6": Design(rise=(0, 0, 0, -0.3)),
}


def false_alarms(design: Design, rng: np.random.Generator, number: int, alpha: float) -> Floats:
    """Return whether both sides, and each, exclude the true difference at a look, (3, streams)."""
    largest = np.zeros((3, number))
    for _, estimate, variance in design.looks(rng, number):
        largest = np.maximum(largest, evidence(estimate, variance, -design.gap, GAP))
    return (largest >= math.log(1 / alpha)).astype(float)


def delays(design: Design, rng: np.random.Generator, number: int, alpha: float) -> Floats:
    """Return the rows until a gap is found, and by human labels alone, (2, streams)."""
    rates = (design.tpr - design.gap, design.tpr)
    alone = first_found(Independent(rng, number, design.share, rates), design.rows, alpha)
    first = np.full(number, float(design.rows))
    for rows, estimate, variance in design.looks(rng, number):
        found = evidence(estimate, variance, 0.0, GAP)[0] >= math.log(1 / alpha)
        first[found & (first == design.rows)] = rows
        if (first < design.rows).all():
            break
    return np.stack([first, alone / (design.chance * design.prevalence)])


def rows_of_pairs(design: Design) -> float:
    """Return the rows of the best bets on pairs over those of the best bets on human labels alone.

    A pair is a row of each group, as many rows of both. Its payoff is Â B̂′ − B̂ Â′, where B̂ = m +
    (y − m) / π for a human label y and m without one, Â = B̂ times the decision, and m is the share
    of positives among rows of that group, decision and cheap label. Its mean is 0 whatever the
    prevalences are if the TPRs are equal, so that such bets are exact.
    """
    of_sides = design.cells(0).reshape(2, 2, 2, 3) / 0.5
    sides = []
    for chances in of_sides:
        m = chances[..., 1] / chances[..., :2].sum(axis=-1)
        corrected = [m - m / design.chance, m + (1 - m) / design.chance, m]
        b = np.stack(corrected, axis=-1)
        sides.append((b.ravel(), (b * np.array([0, 1])[:, None, None]).ravel(), chances.ravel()))
    (b, a, p), (other_b, other_a, other_p) = sides
    payoff, chance = np.outer(b, other_a) - np.outer(a, other_b), np.outer(p, other_p)
    stakes = np.linspace(0, -0.999 / payoff.min(), 2000)[:, None, None]
    growth = (chance * np.log1p(stakes * payoff)).sum(axis=(1, 2)).max() / 2
    rates = np.array([design.tpr - design.gap, design.tpr])
    middle = rates.mean()
    apart = rates * np.log(rates / middle) + (1 - rates) * np.log((1 - rates) / (1 - middle))
    return float(design.chance * design.prevalence * apart.mean() / growth)
