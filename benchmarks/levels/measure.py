"""Measure whether every test keeps its promises: level, coverage, planned power, margins.

Each public test runs on every case that it is made for, separately for results with and without a
note, on the harness of `fp.check_promises`. Where a textbook test is known, its power is a promise.
"""

from contextlib import suppress

import numpy as np
import pandas as pd

import fairpairs as fp
from benchmarks.levels.margins import MARGINS
from benchmarks.levels.plans import detected, plans
from benchmarks.levels.runs import ALPHA
from benchmarks.levels.suite import BESIDE, TESTS, worlds_beside
from fairpairs.mathematics.promises.promise import POWER_MARGIN, Said, gathered, measured, share
from fairpairs.papers.experiments.seeds import stream

SEED = 20260101
#: What is measured, the tests by their names, and how many data sets each has.
PARTS = {
    **dict.fromkeys(TESTS, 100),
    **dict.fromkeys(MARGINS, 2000),
    **dict.fromkeys(BESIDE, 200),
    "power": 100,
}


def measure(part, most=None, seed=SEED):
    """Return the promises of a part: a row for each case, kind of promise and what was counted.

    `promised` is the highest level, or the lowest coverage or power (NaN for a competitor); `bound`
    is the one-sided 99 % bound in favour of the test. A data set that cannot be tested does not
    count. `most` is the largest number of data sets.
    """
    sets = min(PARTS[part], most or PARTS[part])
    kinds = ((TESTS, _levels), (MARGINS, _margins), (BESIDE, _beside), (("power",), _power))
    rows = next(rows for parts, rows in kinds if part in parts)
    return pd.DataFrame(
        {
            "test": test, "case": case, "promise": row.kind, "of": row.of, "noted": row.noted,
            "promised": row.promised, "measured": row.rate, "standard_error": row.error,
            "bound": row.bound, "sets": row.sets, "kept": not row.broken,
        }
        for test, case, row in rows(part, sets, seed)
    )  # fmt: skip


def _levels(part, sets, seed):
    test = TESTS[part]
    for case, draw in test.cases.items():
        rng, said = stream(seed, "levels", part, case), []
        for _ in range(max(1, round(sets * test.share))):
            sample = draw(rng)
            with suppress(fp.InputError):  # for example, too few items of a group: no claim is made
                said += test.run(sample, rng)
        for one in gathered([said]):
            for row in measured(one, ALPHA):
                yield part, case, row


def _margins(part, sets, seed):
    """One side, that of the true difference, and equivalence."""
    for case, of, count in MARGINS[part]():
        found = count(stream(seed, "levels", part, case, of), sets)
        for side, values in zip(("one side", "equivalence"), found.T, strict=True):
            said = Said(f"{of}, {side}", "margin", values, np.zeros(sets, dtype=bool))
            for row in measured(said, ALPHA):
                yield part, case, row


def _beside(part, sets, seed):
    test, _, more = BESIDE[part]
    for world in worlds_beside(part):
        promises = fp.check_promises(test, world, sets=sets, null_sets=more * sets, seed=seed)
        for row in promises.measured:
            yield part, world, row


def _power(_, sets, seed):
    for plan in plans():
        rng = stream(seed, "levels", "power", plan.test, plan.rates, f"{plan.power:g}")
        found = np.array([float(detected(plan, rng)) for _ in range(sets)])
        row = share(f"{plan.power:g}", "power", found, plan.power - POWER_MARGIN)
        yield f"planned {plan.test}", f"{plan.rates}: {plan.size}", row
