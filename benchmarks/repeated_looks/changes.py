"""How often a change is shown without one, and how soon one is found, beside a tuned CUSUM."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.changes import Changes, RateChanges
from fairpairs.mathematics.sequential.rate_bets import RateBets, log_evidence_of_difference

#: The gap that detectors are tuned to, as by default, and the lines: TPR and FPR.
GAP, LINES = 0.1, 2
#: Batches after which a stream ends.
MOST = 2000
#: Streams of CUSUM at once.
STREAMS = 64


@dataclass(frozen=True)
class Design:
    """A stream of batches: TPR and FPR of a group and its reference, of which one may change."""

    #: Rows of a batch, the share of the group, and of label 1.
    batch: int = 500
    share: float = 0.3
    prevalence: float = 0.5
    rates: tuple[float, float] = (0.85, 0.15)
    #: Added to TPR and FPR of the group after the change, and the batch with which that begins.
    change: tuple[float, float] = (0.0, 0.0)
    begins: int = 51
    #: Batches until the change is complete.
    gradual: int = 1
    #: What TPR and FPR of both groups have moved by in batch 100.
    drift: float = 0.0
    margin: float | None = None
    #: Batches with which another group joins, as large as the first one; their lines come last.
    joins: tuple[int, ...] = ()

    def batches(self, rng: np.random.Generator, streams: int = 1) -> Iterator[Integers]:
        """Yield counts by stream, line, group or reference, and hit or not, for ever."""
        number = 0
        while True:
            number += 1
            groups = 1 + sum(joined <= number for joined in self.joins)
            shares = np.array([*[self.share] * groups, 1 - self.share * groups])
            cells = np.outer([self.prevalence, 1 - self.prevalence], shares).ravel()
            items = rng.multinomial(self.batch, cells, streams).reshape(streams, 2, groups + 1)
            rates = np.repeat(np.array(self.rates)[:, None], groups + 1, axis=1)
            rates += self.drift * min(number, 100) / 100
            done = min(max(number - self.begins + 1, 0) / self.gradual, 1.0)
            rates[:, 0] += done * np.array(self.change)
            hits = rng.binomial(items, rates)
            both = np.stack([items - hits, hits], axis=-1)
            # TPR and FPR of each group and the reference, one group after the other
            yield np.concatenate([both[:, :, [group, -1]] for group in range(groups)], axis=1)


#: The run length of delays, in batches.
RUN_LENGTH = 1000
#: Streams without a change, and one whose difference stays at the gap, of which no end is due.
UNCHANGED = {
    "500 rows a batch, a group of 0.3": Design(),
    "50 rows": Design(batch=50),
    "2,000 rows": Design(batch=2000),
    "a group of 0.05": Design(share=0.05),
    "TPR 0.98, FPR 0.02": Design(rates=(0.98, 0.02)),
    "rates of both groups rise by 0.3 in 100 batches": Design(rates=(0.5, 0.15), drift=0.3),
    "a difference of the margin, 0.05": Design(change=(0.05, 0.05), begins=1, margin=0.05),
    "end of a difference of 0.1, which stays": Design(change=(-0.1, 0.0), begins=1),
    "groups join in batches 11, 21 and 31": Design(share=0.2, joins=(11, 21, 31)),
    "groups join in batches 21, 41, … 181": Design(share=0.08, joins=tuple(range(21, 200, 20))),
}
#: Streams with a change.
CHANGED = {
    "TPR −0.1": Design(change=(-0.1, 0.0)),
    "TPR −0.05": Design(change=(-0.05, 0.0)),
    "TPR −0.2": Design(change=(-0.2, 0.0)),
    "TPR −0.15 within ten batches": Design(change=(-0.15, 0.0), gradual=10),
    "TPR −0.1 and FPR +0.1": Design(change=(-0.1, 0.1)),
    "TPR −0.1 in batch 201": Design(change=(-0.1, 0.0), begins=201),
    "TPR −0.1, 50 rows a batch": Design(batch=50, change=(-0.1, 0.0)),
    "TPR −0.1, a group of 0.1": Design(share=0.1, change=(-0.1, 0.0)),
}
Line = RateChanges | RateBets


def first(
    design: Design,
    lines: list[Line],
    found: Callable[[], bool],
    rng: np.random.Generator,
    most: int,
    run_length: float = 0.0,
) -> int:
    """Return the batch after which something is found, at most `most`; `lines` gets new ones."""
    for number, (counts,) in enumerate(design.batches(rng), 1):
        if number in design.joins:
            lines += detectors(design, 0.0)
            detecting = [line.changes for line in lines if isinstance(line, RateChanges)]
            for changes in detecting:  # all lines together keep the run length
                changes.threshold = run_length * len(lines)
        for line, of_line in zip(lines, counts, strict=False):
            if isinstance(line, RateChanges):
                line.changes.begin(number, 1.0)
            kinds = rng.permutation(np.repeat(np.arange(4), of_line.ravel()))
            line.append(kinds < 2, kinds % 2 == 1)
        if number >= most or found():
            return number
    raise AssertionError


def detectors(design: Design, run_length: float) -> list[RateChanges]:
    """Return the detectors of changes of both lines."""
    return [RateChanges(GAP, design.margin, Changes(run_length * LINES)) for _ in range(LINES)]


def first_alarm(design: Design, run_length: float, rng: np.random.Generator, most: int) -> int:
    """Return the batch at which the detectors show a change first."""
    lines: list[Line] = [*detectors(design, run_length)]

    def found() -> bool:
        return any(isinstance(line, RateChanges) and line.changes.periods for line in lines)

    return first(design, lines, found, rng, most, run_length)


def length_of_period(design: Design, run_length: float, rng: np.random.Generator, most: int) -> int:
    """Return the batches from the alarm of TPR to the end of its period, both as shown."""
    (line, _) = detectors(design, run_length)
    periods = line.changes.periods
    last = first(design, [line], lambda: bool(periods and periods[0].ended), rng, most)
    return last - periods[0].shown


def run_lengths(design: Design, run_length: float, rng: np.random.Generator, number: int) -> Floats:
    """Return the batches until something is shown that is not so, at most MOST, (1, streams)."""
    of_end = design.begins == 1 and design.margin is None
    measure = length_of_period if of_end else first_alarm
    return np.array([[measure(design, run_length, rng, MOST) for _ in range(number)]], dtype=float)


def delays(
    design: Design, run_length: float, alpha: float, rng: np.random.Generator, number: int
) -> Floats:
    """Return the batches from the change to the alarm, of detectors and of bets, (2, streams).

    Streams with an alarm before the change are drawn again.
    """
    kinds: list[Callable[[], int]] = [
        lambda: first_alarm(design, run_length, rng, MOST),
        lambda: first_violation(design, alpha, rng, MOST),
    ]
    found = np.zeros((len(kinds), number))
    for row, measure in zip(found, kinds, strict=True):
        for index in range(number):
            while (batch := measure()) < design.begins:
                pass
            row[index] = batch - design.begins + 1
    return found


def first_violation(design: Design, alpha: float, rng: np.random.Generator, most: int) -> int:
    """Return the batch at which bets that begin with the first row find a difference."""
    lines = [RateBets.new(np.zeros(1), GAP) for _ in range(LINES)]
    goal = math.log(LINES / alpha)

    def found() -> bool:
        return any(log_evidence_of_difference(x.log_wealth, x.differences) >= goal for x in lines)

    return first(design, [*lines], found, rng, most)


def _log_ratios(design: Design, counts: Integers) -> Floats:
    """Return log likelihood ratios of a difference of ±GAP and none, (streams, lines, 2)."""
    before = np.repeat(np.array(design.rates)[:, None], 2, axis=1)
    items = counts.sum(axis=-1)
    n, m = (np.maximum(items[..., side], 1) for side in (0, 1))
    ratios = []
    for sign in (1, -1):
        # of all rates with this difference those that are nearest, as the bets have it
        up = sign * GAP * np.stack([m, -n], axis=-1) / (n + m)[..., None]
        after = np.clip(before + up, 0.005, 0.995)
        hit = counts[..., 1] * np.log(after / before)
        missed = counts[..., 0] * np.log((1 - after) / (1 - before))
        ratios.append((hit + missed).sum(axis=-1))
    return np.stack(ratios, axis=-1)


def alarms_of_cusum(
    design: Design, goal: float, rng: np.random.Generator, batches: int
) -> Iterator[tuple[int, Floats]]:
    """Yield each batch of STREAMS streams, and whether CUSUM has an alarm; it begins anew then.

    It knows the rates of both groups before the change, and looks for ±GAP of TPR and FPR.
    """
    sums = np.zeros((STREAMS, LINES, 2))
    for number, counts in zip(range(1, batches + 1), design.batches(rng, STREAMS), strict=False):
        sums = np.maximum(sums, 0) + _log_ratios(design, counts)
        found = sums.max(axis=(1, 2)) >= goal
        sums[found] = 0
        yield number, found


def delays_of_cusum(design: Design, goal: float, rng: np.random.Generator) -> Integers:
    """Return the batches from the change to the alarm, of streams without an earlier one."""
    most = design.begins + 500
    at, early = np.full(STREAMS, most), np.zeros(STREAMS, dtype=bool)
    for number, found in alarms_of_cusum(design, goal, rng, most):
        if number < design.begins:
            early |= found
        at = np.where(found & (at == most), number, at)
    return (at - design.begins + 1)[~early]


@cache
def tuned(design: Design, run_length: float, seed: int) -> float:
    """Return the goal at which CUSUM has a run length without a change, from 1,000 alarms or so."""
    low, high, batches = 0.0, 20.0, math.ceil(1000 * run_length / STREAMS)
    while high - low > 0.02:
        goal = (low + high) / 2
        found = alarms_of_cusum(design, goal, np.random.default_rng(seed), batches)
        alarms = sum(int(now.sum()) for _, now in found)
        low, high = (goal, high) if STREAMS * batches < run_length * alarms else (low, goal)
    return high


def goal_of_cusum(design: Design, run_length: float, seed: int) -> float:
    """Return the goal for a design, as `tuned` to it without its change."""
    fair = replace(design, change=(0.0, 0.0), begins=1, gradual=1)
    return tuned(fair, run_length, seed)
