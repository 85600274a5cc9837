"""Whether studies of the planned size have the planned power."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.fairness.comparative import comparative_separation_test
from fairpairs.mathematics.fairness.separation import separation_test
from fairpairs.mathematics.inference.results import FairnessTestResult
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.power.items import items_from_rates
from fairpairs.mathematics.power.rejection import expected_rejection
from fairpairs.mathematics.power.sample_sizes import judgments_needed, smallest_number
from fairpairs.mathematics.promises.promise import POWER_MARGIN, Said
from fairpairs.papers.studies.calibration.levels.outcome import Case

#: Rates of two groups and the share of the second: the violation that a study must detect.
PLANS: dict[str, Record] = {
    "TPR 0.8 / 0.7, share 0.4": {"tpr": (0.8, 0.7), "fpr": 0.2, "share": 0.4},
    "TPR 0.6 / 0.8, share 0.1": {"tpr": (0.6, 0.8), "fpr": 0.2, "share": 0.1},
    "TPR 0.9 / 0.97, share 0.1": {"tpr": (0.9, 0.97), "fpr": 0.05, "share": 0.1},
    "TPR 0.85 / 0.95, share 0.05": {"tpr": (0.85, 0.95), "fpr": 0.05, "share": 0.05},
    "FPR 0.1 / 0.03, share 0.05": {"tpr": 0.95, "fpr": (0.1, 0.03), "share": 0.05},
    "TPR 0.95 / 0.99, share 0.1": {"tpr": (0.95, 0.99), "fpr": 0.01, "share": 0.1},
    "TPR 0.95 / 0.995, share 0.05": {"tpr": (0.95, 0.995), "fpr": 0.005, "share": 0.05},
    "TPR 0.9 / 0.99, share 0.1": {"tpr": (0.9, 0.99), "fpr": 0.01, "share": 0.1},
    "TPR 0.9 / 0.3, share 0.05, prevalence 0.2": {
        "tpr": (0.9, 0.3),
        "fpr": 0.2,
        "share": 0.05,
        "prevalence": 0.2,
    },
    "TPR 0.95 / 0.85, share 0.2": {"tpr": (0.95, 0.85), "fpr": 0.02, "share": 0.2},
}


#: Planned powers.
POWERS = (0.5, 0.8, 0.95)


#: Ratio of the items of studies of judgments to the items that all pairs need.
MORE_ITEMS = 1.3


def power_cases(alpha: float, only: Sequence[str] | None = None) -> Iterator[Case]:
    """Yield studies of the planned size, which are counted where they detect the violation."""
    for name, rates in PLANS.items():
        if only is not None and name not in only:
            continue
        cells = items_from_rates(**rates)
        for power in POWERS:
            for test, (n, m) in _planned(cells, power, alpha).items():
                size = f"{n:,} items" if m is None else f"{n:,} items, {m:,} judgments"
                measure = partial(_detected, f"{power:g}", test, cells, n, m)
                key = ("power", test, name, f"{power:g}")
                promised = power - POWER_MARGIN
                yield Case(f"planned {test}", f"{name}: {size}", key, measure, promised=promised)


def _detected(
    of: str,
    test: str,
    cells: Floats,
    n: int,
    m: int | None,
    rng: np.random.Generator,
    sets: int,
    alpha: float,
) -> list[Said]:
    found = [float(_detects(test, cells, n, m, rng, alpha)) for _ in range(sets)]
    return [Said(of, "power", np.array(found), np.zeros(sets, dtype=bool))]


def _planned(cells: Floats, power: float, alpha: float) -> dict[str, tuple[int, int | None]]:
    """Return the planned numbers of items and of judgments of each test."""
    needed: dict[str, tuple[int, int | None]] = {}
    for test in ("all_pairs", "separation"):

        def power_at(n: int, test: Any = test) -> float:
            return expected_rejection(test, cells, n_items=n, alpha=alpha, correction="holm")

        needed[test] = smallest_number(power_at, power), None
    items = round(MORE_ITEMS * needed["all_pairs"][0])
    judged = judgments_needed(cells, items, power=power, alpha=alpha)
    return needed | {"judgments": (items, judged)}


def _detects(
    test: str, cells: Floats, n: int, m: int | None, rng: np.random.Generator, alpha: float
) -> bool:
    """Draw one study and return whether the test finds a violation."""
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
    except InputError:  # one group only
        return False
    return result.violated is True
