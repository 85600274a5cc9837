"""False alarms at any look at AUC, xAUC and means, of many streams at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from fairpairs.base.arrays import Floats, Integers
from fairpairs.mathematics.sequential.difference_looks import (
    FEWEST_NUMBERS,
    FEWEST_SCORES,
    MEASURES,
    Blocks,
    ranked_block,
)
from fairpairs.mathematics.sequential.evidence import block_size, log_wealth_of_normal

#: Bins of scores that are not tied.
BINS = 100
#: Variances below this are errors of rounding.
LEAST = 1e-9
#: Rows up to the look, and estimates and variances of many streams, shape (streams,).
Looks = Iterator[tuple[int, Floats, Floats]]
#: Draws streams, from a generator, the number of streams and the number of rows.
World = Callable[[np.random.Generator, int, int], Looks]
#: By how many standard deviations the values of both groups have drifted, by the time from 0 to 1.
Trend = Callable[[Floats], Floats]
TRENDS: Mapping[str, Trend] = {
    "slowly": lambda time: time,
    "at once": lambda time: np.where(time < 0.5, 0.0, 1.0),
    "in two seasons": lambda time: 0.5 + 0.5 * np.sin(4 * np.pi * time),
    "in six seasons": lambda time: 0.5 + 0.5 * np.sin(12 * np.pi * time),
}
#: By how much the share of the group grows with a drift of one standard deviation.
GROWTH = 0.4


def look_rows(rows: int) -> list[int]:
    """Return the number of rows up to each look at a stream of `rows` rows."""
    looks = [block_size(0)]
    while (following := looks[-1] + block_size(looks[-1])) <= rows:
        looks.append(following)
    return looks


def scores(
    auc: tuple[float, float],
    spread: tuple[float, float],
    group: Integers,
    label: Integers,
    rng: np.random.Generator,
    bins: int = BINS,
    drift: Floats | float = 0.0,
) -> Integers:
    """Return bins of normal scores, which drift by so much; few bins tie scores.

    `auc` and `spread` (of positives) are of the reference and of the group; negatives have mean 0
    and spread 1.
    """
    spreads = np.array(spread)
    apart = ndtri(auc) * np.sqrt(1 + spreads**2)
    normal = rng.normal(size=group.shape)
    score = np.where(label == 1, apart[group] + spreads[group] * normal, normal) + drift
    middle, width = apart.mean() / 2, 1 + apart.mean() / 3
    binned: Integers = (ndtr((score - middle) / width) * bins).astype(np.int64)
    return np.minimum(binned, bins - 1)


def ranked(
    measure: str,
    auc: tuple[float, float],
    spread: tuple[float, float],
    share: float,
    prevalence: float,
    bins: int,
    rng: np.random.Generator,
    number: int,
    rows: int,
    trend: Trend = np.zeros_like,
) -> Looks:
    """Yield looks at the difference of AUC or xAUC."""
    drift = trend(np.linspace(0, 1, rows))
    group, label = (
        (rng.random((number, rows)) < chance).astype(np.int64)
        for chance in (share + GROWTH * drift, prevalence)
    )
    shape = (number, 2, 2, bins)
    index = np.broadcast_to(np.arange(number)[:, None], group.shape)
    # the group comes before the reference
    cell = np.ravel_multi_index(
        (index, 1 - group, label, scores(auc, spread, group, label, rng, bins, drift)), shape
    )
    counts = np.zeros(shape, dtype=np.int64)
    blocks = Blocks(FEWEST_SCORES, np.zeros((number, len(MEASURES), 10)))
    last = 0
    for look in look_rows(rows):
        added = np.bincount(cell[:, last:look].ravel(), minlength=counts.size)
        counts += added.reshape(shape)
        last = look
        if look >= 4 * FEWEST_SCORES:  # before, nothing is known
            estimate, variance, ends = blocks.look(ranked_block(counts))
            counts[ends[:, 0]] = 0
            which = MEASURES.index(measure)
            yield look, estimate[:, which], variance[:, which]


def averaged(
    draw: Callable[[np.random.Generator, Integers], Floats],
    share: float,
    rng: np.random.Generator,
    number: int,
    rows: int,
    trend: Trend = np.zeros_like,
) -> Looks:
    """Yield looks at the difference of means, as `MeanLooks` does."""
    drift = trend(np.linspace(0, 1, rows))
    group = (rng.random((number, rows)) < share + GROWTH * drift).astype(np.int64)
    value = draw(rng, group) + drift
    looks = look_rows(rows)
    at = np.array(looks) - 1
    # the group comes before the reference
    sums = np.array(
        [
            [np.cumsum(value**power * (group == code), axis=1)[:, at] for code in (1, 0)]
            for power in range(3)
        ]
    )
    ended, blocks = np.zeros(sums.shape[:-1]), Blocks(FEWEST_NUMBERS, np.zeros((number, 6)))
    for i, look in enumerate(looks):
        block = sums[..., i] - ended
        both = block.sum(axis=1, keepdims=True)
        (n, mean, own), (*_, together) = (_moments(*of) for of in (block, both))
        difference = mean[0] - mean[1]
        variances = own.T, np.broadcast_to(together, own.shape).T
        estimate, variance, ends = blocks.look((n.T, difference, *variances))
        ended = np.where(ends, sums[..., i], ended)
        yield look, estimate, variance


def _moments(n: Floats, total: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """Return numbers, means and variances, of which those of nearly equal values are 0."""
    mean = total / np.maximum(n, 1)
    variance = (squares - total * mean) / np.maximum(n - 1, 1)
    return n, mean, np.where(variance > LEAST, variance, 0)


def evidence(estimate: Floats, variance: Floats, difference: float, gap: float) -> Floats:
    """Return the log evidence against a difference, larger and smaller, shape (3, streams).

    It is 0 if nothing is known. The first is of both sides: the interval leaves out the difference
    if it is large. That a difference lies within a margin, or beyond it, rests on one side.
    """
    known = np.isfinite(variance)
    wealth = log_wealth_of_normal(
        np.where(known, estimate, 0), np.where(known, variance, 1), np.array([difference]), gap
    )[..., 0]
    both = np.logaddexp(wealth[:, 0], wealth[:, 1]) - math.log(2)
    return np.where(known, [both, wealth[:, 0], wealth[:, 1]], 0)


def false_alarms(
    world: World,
    difference: float,
    gap: float,
    rows: int,
    rng: np.random.Generator,
    number: int,
    alpha: float,
) -> Floats:
    """Return whether both sides, and each, exclude the true difference at a look, (3, streams)."""
    largest = np.zeros((3, number))
    for _, estimate, variance in world(rng, number, rows):
        largest = np.maximum(largest, evidence(estimate, variance, difference, gap))
    return (largest >= math.log(1 / alpha)).astype(float)


def score_worlds(measure: str, difference: float = 0.0) -> Mapping[str, World]:
    """Return worlds of scores; with a difference, the AUC of the group is lower by it.

    The xAUC of groups with equal scores is 0, so it is not drawn with a difference.
    """
    worlds: dict[str, World] = {}
    for share, prevalence in ((0.5, 0.5), (0.1, 0.5), (0.2, 0.1)):
        for auc in (0.6, 0.75, 0.85, 0.95):
            for name, spread, bins in (
                ("smooth", (1.0, 1.0), BINS),
                ("5 values", (1.0, 1.0), 5),
                ("positives three times as spread", (3.0, 3.0), BINS),
                ("positives a third as spread", (0.3, 0.3), BINS),
                ("spread of positives 3 in the reference", (3.0, 1.0), BINS),
                ("spread of positives 0.3 in the reference", (0.3, 1.0), BINS),
            ):
                if measure == "xAUC" and (spread[0] != spread[1] or difference):
                    continue
                rates = f"AUC {auc:g}, share {share:g}, prevalence {prevalence:g}"
                aucs = (auc, auc - difference)
                worlds[f"{rates}, {name}"] = partial(
                    ranked, measure, aucs, spread, share, prevalence, bins
                )
    return worlds


#: Numbers that have the same mean and standard deviation 1 in all groups: name → draw.
NUMBERS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...]], Any]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "Student's t, 3 degrees": lambda rng, shape: rng.standard_t(3, size=shape) / math.sqrt(3),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "lognormal": lambda rng, shape: (
        (rng.lognormal(size=shape) - math.exp(0.5)) / math.sqrt(math.e**2 - math.e)
    ),
    "0/1, 0.5": lambda rng, shape: 2 * (rng.random(shape) < 0.5) - 1.0,
    "0/1, 0.02": lambda rng, shape: ((rng.random(shape) < 0.02) - 0.02) / 0.14,
}
#: Numbers of the group and of the reference, and the factors by which both are multiplied.
UNLIKE = {
    "exponential, reference normal": ("exponential", "normal", 1, 1),
    "exponential, reference its mirror image": ("exponential", "exponential", 1, -1),
    "exponential, twice as spread as the reference": ("exponential", "exponential", 2, 1),
    "lognormal, reference normal": ("lognormal", "normal", 1, 1),
    "lognormal, twice as spread as a normal reference": ("lognormal", "normal", 2, 1),
    "0/1, 0.02, reference its mirror image": ("0/1, 0.02", "0/1, 0.02", 1, -1),
}


def drawn(
    names: tuple[str, str, int, int], difference: float, rng: np.random.Generator, group: Integers
) -> Floats:
    """Return numbers of each item by two names of `NUMBERS`, two factors, and a difference."""
    ours, theirs = (NUMBERS[name](rng, group.shape) for name in names[:2])
    numbers: Floats = np.where(group == 1, names[2] * ours + difference, names[3] * theirs)
    return numbers


def number_worlds(difference: float = 0.0) -> Mapping[str, World]:
    """Return worlds of numbers whose means differ by `difference` standard deviations."""
    return {
        f"{name}, share {share:g}": partial(averaged, partial(drawn, names, difference), share)
        for name, names in ({name: (name, name, 1, 1) for name in NUMBERS} | UNLIKE).items()
        for share in (0.5, 0.1, 0.02)
    }


def drifting_worlds(measure: str) -> Mapping[str, World]:
    """Return worlds in which both groups drift alike, while the share of one grows from 0.3."""
    normal = partial(drawn, ("normal", "normal", 1, 1), 0.0)
    return {
        f"drift {name}": partial(averaged, normal, 0.3, trend=trend)
        if measure == "mean"
        else partial(ranked, measure, (0.75, 0.75), (1.0, 1.0), 0.3, 0.5, BINS, trend=trend)
        for name, trend in TRENDS.items()
    }
