"""Measure whether every test keeps its promises: level, coverage, planned power, margins.

Each public test runs on every case that it is made for, separately for results with and without a
note. Where a textbook test is known, its power is a promise, too.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from fairpairs.base.plain_values import Record
from fairpairs.mathematics.promises.check import check_promises
from fairpairs.mathematics.promises.promise import Measured, gathered, measured, share, simulate
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.studies.calibration.levels.outcome import Case
from fairpairs.papers.studies.calibration.levels.planned_power import power_cases
from fairpairs.papers.studies.calibration.levels.suite import (
    BESIDE,
    MARGINS,
    MORE_FAIR_SETS,
    margin_cases,
    test_cases,
    worlds_beside,
)

COLUMNS = (
    "test", "case", "promise", "of", "noted", "promised", "measured", "standard_error", "bound",
    "sets", "kept",
)  # fmt: skip


def measure_levels(
    test: str, *, repeats: int, seed: int, alpha: float, only: Sequence[str] | None = None
) -> pd.DataFrame:
    """Run one test of `TESTS`, a part of `MARGINS` or `BESIDE`, or "power", on all its cases.

    `only` names the cases, None stands for all. In the rows, `promised` is the highest level, or
    the lowest coverage or power (NaN for a competitor); `bound` is the one-sided 99 % bound in
    favour of the test. A data set that cannot be tested does not count.
    """
    if test in BESIDE:
        rows = list(_beside(test, repeats, seed, alpha, only))
    else:
        cases = power_cases(alpha, only) if test == "power" else _cases(test, only)
        rows = [row for case in cases for row in _rows(case, repeats, seed, alpha)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _cases(test: str, only: Sequence[str] | None) -> Iterator[Case]:
    for case in margin_cases(test) if test in MARGINS else test_cases(test):
        if only is None or case.name in only:
            yield case


def _rows(case: Case, repeats: int, seed: int, alpha: float) -> Iterator[Record]:
    """Yield the promises of a case, all of whose data sets have one random stream."""
    number = max(1, round(repeats * case.share))
    blocks = simulate(
        lambda rng, sets: case.measure(rng, sets, alpha),
        number,
        lambda _: stream(seed, "levels", *case.key),
        block=number,
    )
    for said in gathered(blocks):
        if case.promised is None:
            yield from (level_row(case.test, case.name, row) for row in measured(said, alpha))
        else:
            row = share(said.of, said.kind, said.values, case.promised)
            yield level_row(case.test, case.name, row)


def _beside(
    part: str, repeats: int, seed: int, alpha: float, only: Sequence[str] | None
) -> Iterator[Record]:
    """Yield the promises of a test beside its competitors, which promise nothing."""
    for world in worlds_beside(part):
        if only is None or world.name in only:
            fair = repeats * MORE_FAIR_SETS.get(part, 1)
            found = check_promises(
                BESIDE[part][0], world, sets=repeats, null_sets=fair, seed=seed, alpha=alpha
            )
            yield from (level_row(part, world.name, row) for row in found.measured)


def level_row(test: str, case: str, row: Measured) -> Record:
    """Return a row of the tables of levels."""
    values = (test, case, row.kind, row.of, row.noted, row.promised, row.rate, row.error,
              row.bound, row.sets, not row.broken)  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))
