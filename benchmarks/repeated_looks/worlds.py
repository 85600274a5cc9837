"""Worlds of streams of rates: fair ones, and ones whose groups differ by a known amount."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.repeated_looks.streams import Independent, Rows, Streams
from fairpairs.base.arrays import Floats

#: Streams of a line, and whether the world is about its difference.
Line = tuple[Streams, bool]
#: Draws a number of streams of each line, with a generator.
World = Callable[[np.random.Generator, int], Sequence[Line]]

#: Rows of a stream.
ROWS = 10_000
#: Shares of the group, and rates of hits.
SHARES = (0.5, 0.1, 0.02)
RATES = (0.5, 0.1, 0.02)
#: The position of a row within its stream, from 0 to 1.
TIME = np.arange(ROWS) / ROWS


def independent(
    share: float, rates: tuple[float, float], rng: np.random.Generator, number: int
) -> list[Line]:
    """Return streams of independent rows."""
    return [(Independent(rng, number, share, rates), True)]


def changing(share: Floats, rate: Floats, rng: np.random.Generator, number: int) -> list[Line]:
    """Return streams whose share of the group and whose rate, that of both groups, change."""
    in_group = rng.random((number, ROWS)) < share
    return [(Rows(in_group, rng.random((number, ROWS)) < rate), True)]


def in_runs(mean: float, rate: Floats, rng: np.random.Generator, number: int) -> list[Line]:
    """Return streams in which groups take turns, with runs of a mean length."""
    turns = rng.random((number, ROWS)) < 1 / mean
    in_group = (np.cumsum(turns, axis=1) + rng.integers(0, 2, (number, 1))) % 2 == 0
    return [(Rows(in_group, rng.random((number, ROWS)) < rate), True)]


def persons(rows: int, rng: np.random.Generator, number: int) -> list[Line]:
    """Return streams in which a person has several rows, whose outcomes have correlation 0.5."""
    people = ROWS // rows
    in_group, usual = (
        np.repeat(rng.random((number, people)) < share, rows, axis=1) for share in (0.3, 0.5)
    )
    independent_hit = rng.random((number, ROWS)) < 0.5
    hit = np.where(rng.random((number, ROWS)) < np.sqrt(0.5), usual, independent_hit)
    return [(Rows(in_group, hit), True)]


def lines(gaps: Sequence[float], rng: np.random.Generator, number: int) -> list[Line]:
    """Return streams of TPR and FPR of three groups against a reference, in the same rows.

    The first lines have gaps; the others, which the world is about, have none.
    """
    group = rng.choice(4, (number, ROWS), p=(0.5, 0.3, 0.15, 0.05))
    label = rng.random((number, ROWS)) < 0.3
    rate = np.where(label, 0.8, 0.2)
    kinds = [(other, positive) for positive in (True, False) for other in (1, 2, 3)]
    masks: list[NDArray[np.bool_]] = [
        ((group == other) | (group == 0)) & (label == positive) for other, positive in kinds
    ]
    for gap, (other, positive) in zip(gaps, kinds, strict=False):
        rate = rate - gap * ((group == other) & (label == positive))
    hit = rng.random((number, ROWS)) < rate
    return [
        (Rows(group == other, hit, mask), index >= len(gaps))
        for index, (mask, (other, _)) in enumerate(zip(masks, kinds, strict=True))
    ]


def judgments(minority: float, rng: np.random.Generator, number: int) -> list[Line]:
    """Return streams of judgments across and within groups, 0.7 of which are right."""
    winner, loser = (rng.random((number, ROWS)) < minority for _ in range(2))
    right = rng.random((number, ROWS)) < 0.7
    across = winner != loser
    return [(Rows(winner, right, across), True), (Rows(winner, right, ~across), True)]


def fair_worlds() -> Mapping[str, World]:
    """Return worlds without any difference."""
    always = np.full(ROWS, 0.5)
    wave = 0.5 + 0.3 * np.sin(2 * np.pi * 10 * TIME)
    worlds: dict[str, World] = {
        f"share {share:g}, rate {rate:g}": partial(independent, share, (rate, rate))
        for share in SHARES
        for rate in RATES
    }
    return worlds | {
        "share 0.1, rate from 0.2 to 0.8": partial(changing, 0 * TIME + 0.1, 0.2 + 0.6 * TIME),
        "share 0.1, rate 0.5 ± 0.3 in ten waves": partial(changing, 0 * TIME + 0.1, wave),
        "share 0.1, rate 0.1, later 0.6": partial(
            changing, 0 * TIME + 0.1, np.where(TIME < 0.5, 0.1, 0.6)
        ),
        "share from 0.02 to 0.5, rate 0.5": partial(changing, 0.02 + 0.48 * TIME, always),
        "share 0.5 ± 0.3 in ten waves, rate from 0.2 to 0.8": partial(
            changing, wave, 0.2 + 0.6 * TIME
        ),
        "groups in runs of 20, rate 0.5": partial(in_runs, 20, always),
        "groups in runs of 500, rate 0.5": partial(in_runs, 500, always),
        "4 groups, TPR and FPR, by Holm": partial(lines, ()),
        "4 groups, a line of six with a gap of 0.2": partial(lines, (0.2,)),
        "4 groups, three lines of six with a gap of 0.2": partial(lines, (0.2, 0.2, 0.2)),
        "judgments, a minority of 0.5": partial(judgments, 0.5),
        "judgments, a minority of 0.1": partial(judgments, 0.1),
    }


def unfit_worlds() -> Mapping[str, World]:
    """Return worlds without any difference whose rows violate the assumptions of the bets."""
    return {
        "persons with two rows each": partial(persons, 2),
        "persons with five rows each": partial(persons, 5),
        "groups in runs of 20, rate from 0.2 to 0.8": partial(in_runs, 20, 0.2 + 0.6 * TIME),
        "groups in runs of 500, rate from 0.2 to 0.8": partial(in_runs, 500, 0.2 + 0.6 * TIME),
    }


def distant_worlds(difference: float) -> Mapping[str, World]:
    """Return worlds in which the rate of the group is larger by `difference`, or smaller."""
    worlds: dict[str, World] = {}
    for share in SHARES:
        for rate in RATES:
            rates = (max(rate, rate + difference), max(rate, rate - difference))
            name = f"share {share:g}, rates {rates[0]:g} and {rates[1]:g}"
            worlds[name] = partial(independent, share, rates)
    return worlds
