"""Studies of the planned size, which must detect the violation that they were planned for."""

from functools import partial

import numpy as np

import fairpairs as fp
from fairpairs.mathematics.promises.promise import POWER_MARGIN

#: Rates of two groups and the share of the second: the violation that a study must detect.
RATES = {
    "TPR 0.8 / 0.7, share 0.4": {"tpr": (0.8, 0.7), "fpr": 0.2, "share": 0.4},
    "TPR 0.6 / 0.8, share 0.1": {"tpr": (0.6, 0.8), "fpr": 0.2, "share": 0.1},
    "TPR 0.9 / 0.97, share 0.1": {"tpr": (0.9, 0.97), "fpr": 0.05, "share": 0.1},
    "FPR 0.1 / 0.03, share 0.05": {"tpr": 0.95, "fpr": (0.1, 0.03), "share": 0.05},
    "TPR 0.95 / 0.995, share 0.05": {"tpr": (0.95, 0.995), "fpr": 0.005, "share": 0.05},
    "TPR 0.9 / 0.99, share 0.1": {"tpr": (0.9, 0.99), "fpr": 0.01, "share": 0.1},
    "TPR 0.9 / 0.3, share 0.05, prevalence 0.2": {
        "tpr": (0.9, 0.3), "fpr": 0.2, "share": 0.05, "prevalence": 0.2,
    },
}  # fmt: skip
POWERS = (0.5, 0.8, 0.95)
#: Ratio of the items of studies of judgments to the items that all pairs need.
MORE_ITEMS = 1.3
#: Shares of cheap labels that are right.
CHEAP = (0.6, 0.8, 0.9, 0.95, 0.97, 0.99, 0.995)


def study(rng, cells, n, m=None):
    """Draw a study of n items, or of m judgments on them; `cells` are shares, (2, 2, 2)."""
    code = np.repeat(np.arange(8), rng.multinomial(n, cells.ravel()))
    group, label, prediction = code // 4, code // 2 % 2, code % 2
    if m is None:
        return {"items": (label, prediction), "sensitive_features": group}
    left, right = rng.integers(n, size=(2, m))
    return {
        "items": (left, right, label[left] - label[right], prediction), "sensitive_features": group
    }  # fmt: skip


def study_of_cheap(rng, tpr, right, human, items):
    """Draw decisions with a cheap label of each row, right in a share, and some human ones."""
    group, truth = rng.integers(0, 2, size=(2, items))
    decided = rng.random(items) < np.where(truth == 1, np.array(tpr)[group], 0.1)
    label = np.where(rng.permutation(items) < human, truth, np.nan)
    cheap = np.where(rng.random(items) < right, truth, 1 - truth)
    return {
        "y_true": label, "y_pred": decided.astype(int), "sensitive_features": group,
        "cheap_label": cheap,
    }  # fmt: skip


def _power(test, cells, n):
    return fp.power.expected_rejection(test, cells, n_items=n, alpha=0.05, correction="holm")


def cases():
    """Yield the test, the world and the power of each study; without a violation FPR are one."""
    tests = {
        "all_pairs": fp.comparative_separation_test,
        "separation": fp.separation_test,
        "judgments": fp.comparative_separation_from_judgments,
    }
    for name, rates in RATES.items():
        cells = fp.power.items_from_rates(**rates)
        same = {key: rates[key][0] if np.ndim(rates[key]) else rates[key] for key in rates}
        fair = fp.power.items_from_rates(**same)
        for power in POWERS:
            n = {
                test: fp.power.smallest_number(partial(_power, test, cells), power)
                for test in ("all_pairs", "separation")
            }
            n["judgments"] = round(MORE_ITEMS * n["all_pairs"])
            m = fp.power.judgments_needed(cells, n["judgments"], power=power, alpha=0.05)
            for test, ask in tests.items():
                sizes = {"n": n[test], "m": m if test == "judgments" else None}
                words = ", ".join(f"{size:,}" for size in sizes.values() if size)
                world = fp.World(
                    f"{test}, {name}, power {power:g}: {words}",
                    partial(study, cells=fair, **sizes), partial(study, cells=cells, **sizes),
                )  # fmt: skip
                yield partial(_said, ask), world, power - POWER_MARGIN
    for right in CHEAP:
        plan = fp.power(tpr=(0.9, 0.8), fpr=0.1, cheap_accuracy=right).to_dict()["cheap_labels"]
        sizes = {"right": right, "human": plan["human"], "items": plan["items"]}
        world = fp.World(
            f"cheap labels, {right:g} right: {plan['human']:,} human ones of {plan['items']:,}",
            partial(study_of_cheap, tpr=(0.9, 0.9), **sizes),
            partial(study_of_cheap, tpr=(0.9, 0.8), **sizes),
        )
        yield _audited, world, 0.8 - POWER_MARGIN


def _said(test, items, sensitive_features):
    return test(*items, sensitive_features=sensitive_features).violated


def _audited(**data):
    return fp.audit(**data, criterion="separation").violated
