"""Whether every test keeps what it promises: its level, the coverage of its intervals, its power.

Each public test runs on every case of `cases` that it is made for. Counted are wrong
rejections after the correction and intervals that leave out the truth, apart for results with and
without a note; and how often studies of the planned size find what they were planned for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaincinv

from fairpairs.arrays import Floats
from fairpairs.errors import InputError
from fairpairs.experiments.seeds import stream
from fairpairs.fairness import inputs
from fairpairs.fairness.comparative import comparative_separation_test
from fairpairs.fairness.comparative_judgments import comparative_separation_from_judgments
from fairpairs.fairness.power.cells import items_from_rates
from fairpairs.fairness.power.rejection import expected_rejection
from fairpairs.fairness.power.sample_sizes import judgments_needed, smallest_number
from fairpairs.fairness.results import FairnessTestResult
from fairpairs.fairness.separation import separation_test
from fairpairs.studies.calibration.levels.tests import TESTS, Found

#: A promise is called broken where chance explains what was measured less often than this.
CONFIDENCE = 0.99
#: Where a smaller share of the results has a note, or has none, they are not judged apart.
FEW = 0.1
#: Least coverage of an interval of 95 %, without and with a note.
COVERAGE = (0.93, 0.90)
#: How far the power may lie below what was planned.
POWER_MARGIN = 0.03

COLUMNS = (
    "test", "case", "promise", "of", "noted", "promised", "measured", "standard_error", "bound",
    "sets", "kept",
)  # fmt: skip


def check_levels(tests: Sequence[str]) -> None:
    """Raise unless every name is that of a test in `TESTS`, or "power"."""
    for name in tests:
        inputs.one_of(name, "calibration.levels", (*TESTS, "power"))


def measure(
    test: str, *, repeats: int, seed: int, alpha: float, only: Sequence[str] | None = None
) -> pd.DataFrame:
    """Run one test on all of its cases.

    Parameters
    ----------
    test
        A name in `TESTS`, or "power" for the planned power.
    repeats
        Number of data sets of each case; slow tests take a share of them.
    seed
        Root seed.
    alpha
        Level.
    only
        Names of the cases (of the power: of `PLANS`); None for all.

    Returns
    -------
    DataFrame
        A row for each case, promise ("level", "coverage", "power"), what it is of, and whether the
        results carry a note (`noted`): `promised` (the highest level, the least coverage or power),
        `measured` in so many `sets`, its `standard_error`, the one-sided 99 % `bound` in favour of
        the test, and whether the promise is `kept` as far as these sets tell. A test that cannot be
        made has rejected nothing.
    """
    if test == "power":
        return planned_power(repeats=repeats, seed=seed, alpha=alpha, only=only)
    chosen = TESTS[test]
    number = max(1, round(repeats * chosen.share))
    rows: list[dict[str, Any]] = []
    for case in chosen.cases:
        if only is not None and case.name not in only:
            continue
        rng = stream(seed, "levels", test, case.name)
        findings: list[Found] = []
        for _ in range(number):
            sample = case.draw(rng)
            try:
                findings += chosen.run(sample, rng, alpha)
            except InputError:  # as where a group has too few items: nothing is claimed
                continue
        rows += ({"test": test, "case": case.name, **row} for row in _tallied(findings, alpha))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _tallied(findings: list[Found], alpha: float) -> Iterator[dict[str, Any]]:
    """Count rejections and covered truths, apart for results with and without a note."""
    for of in dict.fromkeys(found.of for found in findings):
        own = [found for found in findings if found.of == of]
        told = [(f.noted, f.rejected) for f in own if f.rejected is not None]
        for noted, some in _apart(told):
            rejected = [value for _, value in some]
            yield level_row(of, noted, sum(rejected), len(rejected), alpha)
        for name in dict.fromkeys(name for found in own for name in found.intervals):
            judged = [
                (any(noted for _, noted in one), float(np.mean([covers for covers, _ in one])))
                for found in own
                if (one := found.intervals.get(name))
            ]
            for noted, shares in _apart(judged):
                yield coverage_row(name, noted, np.array([share for _, share in shares]), alpha)


def _apart(results: list[tuple[bool, Any]]) -> Iterator[tuple[bool, list[tuple[bool, Any]]]]:
    """Part results without a note from those with one; all are judged together by what most are.

    That is where fewer than a tenth have the one or the other: a note depends on the data, so the
    few that have it, or lack it, are extreme.
    """
    with_note = sum(noted for noted, _ in results)
    if results and FEW * len(results) <= with_note <= (1 - FEW) * len(results):
        yield False, [one for one in results if not one[0]]
        yield True, [one for one in results if one[0]]
    elif results:
        yield with_note > len(results) / 2, results


def level_row(of: str, noted: bool, rejected: int, sets: int, alpha: float) -> dict[str, Any]:
    """Judge a number of rejections: kept unless more than chance allows at the promised level."""
    rate = rejected / sets
    promised = 2 * alpha if noted else alpha
    bound = 0.0 if rejected == 0 else betaincinv(rejected, sets - rejected + 1, 1 - CONFIDENCE)
    return {
        "promise": "level", "of": of, "noted": noted, "promised": promised, "measured": rate,
        "standard_error": np.sqrt(rate * (1 - rate) / sets), "bound": float(bound), "sets": sets,
        "kept": bool(bound <= promised),
    }  # fmt: skip


def coverage_row(of: str, noted: bool, shares: Floats, alpha: float) -> dict[str, Any]:
    """Judge the shares of covered truths of each data set; intervals of one set are no trials."""
    sets, rate = len(shares), float(shares.mean())
    promised = 1 - (1 - COVERAGE[noted]) * alpha / 0.05
    covered = rate * sets
    bound = 1.0 if covered >= sets else betaincinv(covered + 1, sets - covered, CONFIDENCE)
    error = shares.std(ddof=1) / np.sqrt(sets) if sets > 1 else np.nan
    return {
        "promise": "coverage", "of": of, "noted": noted, "promised": promised, "measured": rate,
        "standard_error": float(error), "bound": float(bound), "sets": sets,
        "kept": bool(bound >= promised),
    }  # fmt: skip


#: Rates of two groups and the share of the second: what a planned study is to find.
PLANS: dict[str, dict[str, Any]] = {
    "TPR 0.8 / 0.7, share 0.4": {"tpr": (0.8, 0.7), "fpr": 0.2, "share": 0.4},
    "TPR 0.6 / 0.8, share 0.1": {"tpr": (0.6, 0.8), "fpr": 0.2, "share": 0.1},
    "TPR 0.9 / 0.97, share 0.1": {"tpr": (0.9, 0.97), "fpr": 0.05, "share": 0.1},
    "TPR 0.85 / 0.95, share 0.05": {"tpr": (0.85, 0.95), "fpr": 0.05, "share": 0.05},
    "FPR 0.1 / 0.03, share 0.05": {"tpr": 0.95, "fpr": (0.1, 0.03), "share": 0.05},
    "TPR 0.95 / 0.99, share 0.1": {"tpr": (0.95, 0.99), "fpr": 0.01, "share": 0.1},
    "TPR 0.95 / 0.995, share 0.05": {"tpr": (0.95, 0.995), "fpr": 0.005, "share": 0.05},
    "TPR 0.9 / 0.99, share 0.1": {"tpr": (0.9, 0.99), "fpr": 0.01, "share": 0.1},
    "TPR 0.9 / 0.3, share 0.05, prevalence 0.2": {
        "tpr": (0.9, 0.3), "fpr": 0.2, "share": 0.05, "prevalence": 0.2,
    },
    "TPR 0.95 / 0.85, share 0.2": {"tpr": (0.95, 0.85), "fpr": 0.02, "share": 0.2},
}  # fmt: skip
#: Powers that are planned.
POWERS = (0.5, 0.8, 0.95)
#: Judgments are planned over so many times the items that all pairs would need.
MORE_ITEMS = 1.3


def planned_power(
    *, repeats: int, seed: int, alpha: float, only: Sequence[str] | None = None
) -> pd.DataFrame:
    """Simulate studies of the planned number of items: how often they find what they look for."""
    rows = []
    for name, rates in PLANS.items():
        if only is not None and name not in only:
            continue
        cells = items_from_rates(**rates)
        for wanted in POWERS:
            for test, (n, m) in _planned(cells, wanted, alpha).items():
                rng = stream(seed, "levels", "power", test, name, f"{wanted:g}")
                found = sum(_finds(test, cells, n, m, rng, alpha) for _ in range(repeats))
                size = f"{n:,} items" if m is None else f"{n:,} items, {m:,} judgments"
                row = power_row(wanted, found, repeats)
                rows.append({"test": f"planned {test}", "case": f"{name}: {size}", **row})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _planned(cells: Floats, wanted: float, alpha: float) -> dict[str, tuple[int, int | None]]:
    """Return the numbers of items and of judgments that each test is said to need."""
    needed: dict[str, tuple[int, int | None]] = {}
    for test in ("all_pairs", "separation"):

        def power_at(n: int, test: Any = test) -> float:
            return expected_rejection(test, cells, n_items=n, alpha=alpha, correction="holm")

        needed[test] = smallest_number(power_at, wanted), None
    more = round(MORE_ITEMS * needed["all_pairs"][0])
    judged = judgments_needed(cells, more, power=wanted, alpha=alpha)
    return needed | {"judgments": (more, judged)}


def _finds(
    test: str, cells: Floats, n: int, m: int | None, rng: np.random.Generator, alpha: float
) -> bool:
    """Draw one study and say whether the test finds a violation."""
    code = np.repeat(np.arange(8), rng.multinomial(n, cells.ravel()))
    group, label, prediction = code // 4, code // 2 % 2, code % 2
    result: FairnessTestResult
    try:
        if test == "separation":
            result = separation_test(label, prediction, sensitive_features=group, alpha=alpha)
        elif m is None:
            result = comparative_separation_test(
                label, prediction, sensitive_features=group, alpha=alpha
            )
        else:
            left, right = rng.integers(n, size=(2, m))
            outcome: NDArray[np.int64] = label[left] - label[right]
            result = comparative_separation_from_judgments(
                left, right, outcome, prediction, sensitive_features=group, alpha=alpha
            )
    except InputError:  # one group only: nothing is found
        return False
    return result.violated is True


def power_row(wanted: float, found: int, sets: int) -> dict[str, Any]:
    """Judge how many of some studies found what they were planned to find."""
    rate = found / sets
    bound = 1.0 if found == sets else betaincinv(found + 1, sets - found, CONFIDENCE)
    return {
        "promise": "power", "of": f"{wanted:g}", "noted": False, "promised": wanted - POWER_MARGIN,
        "measured": rate, "standard_error": np.sqrt(rate * (1 - rate) / sets),
        "bound": float(bound), "sets": sets, "kept": bool(bound >= wanted - POWER_MARGIN),
    }  # fmt: skip
