"""How often a change is shown without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.changes import Changes, RateChanges

#: The gap that detectors are tuned to, as by default, and the lines: TPR and FPR.
GAP, LINES = 0.1, 2
#: Batches after which a stream ends.
MOST = 2000


@dataclass(frozen=True)
class Design:
    """A stream of batches: TPR and FPR of a group and its reference."""

    #: Rows of a batch, the share of the group, and of label 1.
    batch: int = 500
    share: float = 0.3
    prevalence: float = 0.5
    rates: tuple[float, float] = (0.85, 0.15)
    #: Added to TPR and FPR of the group.
    change: tuple[float, float] = (0.0, 0.0)
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
            rates[:, 0] += np.array(self.change)
            hits = rng.binomial(items, rates)
            both = np.stack([items - hits, hits], axis=-1)
            # TPR and FPR of each group and the reference, one group after the other
            yield np.concatenate([both[:, :, [group, -1]] for group in range(groups)], axis=1)


#: The run length that is promised, in batches.
RUN_LENGTH = 100.0
#: Streams without a change, and one whose difference stays at the gap, of which no end is due.
UNCHANGED = {
    "500 rows a batch, a group of 0.3": Design(),
    "50 rows": Design(batch=50),
    "2,000 rows": Design(batch=2000),
    "a group of 0.05": Design(share=0.05),
    "TPR 0.98, FPR 0.02": Design(rates=(0.98, 0.02)),
    "rates of both groups rise by 0.3 in 100 batches": Design(rates=(0.5, 0.15), drift=0.3),
    "a difference of the margin, 0.05": Design(change=(0.05, 0.05), margin=0.05),
    "end of a difference of 0.1, which stays": Design(change=(-0.1, 0.0)),
    "groups join in batches 11, 21 and 31": Design(share=0.2, joins=(11, 21, 31)),
    "groups join in batches 21, 41, … 181": Design(share=0.08, joins=tuple(range(21, 200, 20))),
}


def first(
    design: Design,
    lines: list[RateChanges],
    found: Callable[[], bool],
    rng: np.random.Generator,
    most: int,
    run_length: float = 0.0,
) -> int:
    """Return the batch after which something is found, at most `most`; `lines` gets new ones."""
    for number, (counts,) in enumerate(design.batches(rng), 1):
        if number in design.joins:
            lines += detectors(design, 0.0)
            for line in lines:  # all lines together keep the run length
                line.changes.threshold = run_length * len(lines)
        for line, of_line in zip(lines, counts, strict=False):
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
    lines = detectors(design, run_length)

    def shown() -> bool:
        return any(line.changes.periods for line in lines)

    return first(design, lines, shown, rng, most, run_length)


def length_of_period(design: Design, run_length: float, rng: np.random.Generator, most: int) -> int:
    """Return the batches from the alarm of TPR to the end of its period, both as shown."""
    (line, _) = detectors(design, run_length)
    periods = line.changes.periods
    last = first(design, [line], lambda: bool(periods and periods[0].ended), rng, most)
    return last - periods[0].shown


def run_lengths(design: Design, run_length: float, rng: np.random.Generator, number: int) -> Floats:
    """Return the batches until something is shown that is not so, at most MOST, (1, streams)."""
    of_end = any(design.change) and design.margin is None
    measure = length_of_period if of_end else first_alarm
    return np.array([[measure(design, run_length, rng, MOST) for _ in range(number)]], dtype=float)
