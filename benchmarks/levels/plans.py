"""Studies of the planned size, and whether they detect the violation that they were planned for."""

from dataclasses import dataclass
from functools import partial

import numpy as np

import fairpairs as fp
from fairpairs.base.arrays import Floats

#: Rates of two groups and the share of the second: the violation that a study must detect.
RATES = {
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
POWERS = (0.5, 0.8, 0.95)
#: Ratio of the items of studies of judgments to the items that all pairs need.
MORE_ITEMS = 1.3


@dataclass(frozen=True)
class Plan:
    """A study of n items, and of m judgments on them if there are any."""

    test: str
    #: the name of its rates
    rates: str
    power: float
    cells: Floats
    n: int
    m: int | None = None

    @property
    def size(self):
        items = f"{self.n:,} items"
        return items if self.m is None else f"{items}, {self.m:,} judgments"


def plans():
    """Yield the studies of all rates and powers."""
    for rates, settings in RATES.items():
        cells = fp.power.items_from_rates(**settings)
        for power in POWERS:
            needed = {}
            for test in ("all_pairs", "separation"):
                needed[test] = fp.power.smallest_number(partial(_power_at, test, cells), power)
                yield Plan(test, rates, power, cells, needed[test])
            items = round(MORE_ITEMS * needed["all_pairs"])
            judged = fp.power.judgments_needed(cells, items, power=power, alpha=0.05)
            yield Plan("judgments", rates, power, cells, items, judged)


def _power_at(test, cells, n):
    return fp.power.expected_rejection(test, cells, n_items=n, alpha=0.05, correction="holm")


def detected(plan, rng):
    """Draw one study, and return whether the test finds a violation."""
    code = np.repeat(np.arange(8), rng.multinomial(plan.n, plan.cells.ravel()))
    group, label, prediction = code // 4, code // 2 % 2, code % 2
    try:
        if plan.m is not None:
            left, right = rng.integers(plan.n, size=(2, plan.m))
            judgments = left, right, label[left] - label[right], prediction
            result = fp.comparative_separation_from_judgments(*judgments, sensitive_features=group)
        elif plan.test == "separation":
            result = fp.separation_test(label, prediction, sensitive_features=group)
        else:
            result = fp.comparative_separation_test(label, prediction, sensitive_features=group)
    except fp.InputError:  # one group only
        return False
    return result.violated is True
