"""Measure whether every test keeps its promises: its level and the coverage of its intervals.

Each public test runs on every case that it is made for. Counted are wrong rejections after the
correction and intervals that miss the truth, separately for results with and without a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.studies.calibration.levels.margins.measure import MARGINS, measure_margins
from fairpairs.papers.studies.calibration.levels.outcome import Outcome
from fairpairs.papers.studies.calibration.levels.planned_power import planned_power
from fairpairs.papers.studies.calibration.levels.promises import COLUMNS, coverage_row, level_row
from fairpairs.papers.studies.calibration.levels.suite import TESTS

#: Results with and without a note are separated if each has at least this share.
FEW = 0.1


def measure_levels(
    test: str, *, repeats: int, seed: int, alpha: float, only: Sequence[str] | None = None
) -> pd.DataFrame:
    """Run one test of `TESTS` or `MARGINS`, or "power" for the planned power, on all its cases.

    Slow tests run on a share of `repeats` data sets; `only` names the cases, None stands for all.
    In the rows, `promised` is the highest level, or the lowest coverage or power; `bound` is the
    one-sided 99 % bound in favour of the test. A data set that cannot be tested does not count.
    """
    if test == "power":
        return planned_power(repeats=repeats, seed=seed, alpha=alpha, only=only)
    if test in MARGINS:
        return measure_margins(test, repeats=repeats, seed=seed, alpha=alpha, only=only)
    chosen = TESTS[test]
    number = max(1, round(repeats * chosen.share))
    rows: list[Record] = []
    for case in chosen.cases:
        if only is not None and case.name not in only:
            continue
        rng = stream(seed, "levels", test, case.name)
        outcomes: list[Outcome] = []
        for _ in range(number):
            sample = case.draw(rng)
            try:
                outcomes += chosen.run(sample, rng, alpha)
            except InputError:  # for example, too few items of a group: no claim is made
                continue
        rows += ({"test": test, "case": case.name, **row} for row in _count(outcomes, alpha))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _count(outcomes: list[Outcome], alpha: float) -> Iterator[Record]:
    """Count wrong rejections and covered truths, for results with and without a note."""
    for hypothesis in dict.fromkeys(outcome.of for outcome in outcomes):
        same = [outcome for outcome in outcomes if outcome.of == hypothesis]
        tested = [(test.noted, test.rejected) for test in same if test.rejected is not None]
        for noted, results in _by_note(tested):
            rejected = [value for _, value in results]
            yield level_row(hypothesis, noted, sum(rejected), len(rejected), alpha)
        for name in dict.fromkeys(name for outcome in same for name in outcome.intervals):
            covered = [
                (any(noted for _, noted in pairs), float(np.mean([covers for covers, _ in pairs])))
                for outcome in same
                if (pairs := outcome.intervals.get(name))
            ]
            for noted, shares in _by_note(covered):
                yield coverage_row(name, noted, np.array([share for _, share in shares]), alpha)


def _by_note(results: list[tuple[bool, Any]]) -> Iterator[tuple[bool, list[tuple[bool, Any]]]]:
    """Separate results without a note from those with one.

    If fewer than a tenth have (or lack) a note, all results count as the majority: a note depends
    on the data, so such a minority is extreme.
    """
    with_note = sum(noted for noted, _ in results)
    if results and FEW * len(results) <= with_note <= (1 - FEW) * len(results):
        yield False, [result for result in results if not result[0]]
        yield True, [result for result in results if result[0]]
    elif results:
        yield with_note > len(results) / 2, results
