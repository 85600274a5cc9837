"""Simultaneous bounds of fairaudit (Cherian and Candès 2023) for groups of a CSV, as JSON.

    python by_fairaudit.py people.csv LABEL PREDICTION ATTRIBUTES DEPTH SMALLEST ALPHA

Each group is compared with all items of its label; TPR and FPR have half of the level each.
"""

import json
import sys
import time
from itertools import combinations

import numpy as np
import pandas as pd
from fairaudit.auditor import Auditor
from fairaudit.groups import get_intersections
from fairaudit.metrics import Metric

#: Resamples of the bootstrap, and its scale: the one that the package has for bounds.
BOOTSTRAP = {"B": 2000, "seed": 1, "student": "prob_bound"}


def main(path: str, label: str, prediction: str, named: str, *numbers: str) -> None:
    attributes, (depth, smallest, alpha) = named.split(","), map(float, numbers)
    people = pd.read_csv(path)
    start, rows = time.perf_counter(), []
    for measure, value in (("TPR", 1), ("FPR", 0)):
        of_label = people[label] == value
        codes = people[attributes].apply(lambda column: pd.factorize(column, sort=True)[0])
        dummies = get_intersections(codes.to_numpy(), depth=int(depth))
        names = [
            " & ".join(f"{a}={v}" for a, v in zip(several, values, strict=True))
            for size in range(1, int(depth) + 1)
            for several in combinations(attributes, size)
            for values in sorted(set(people[list(several)].itertuples(index=False, name=None)))
        ]
        large = dummies.sum(axis=0) >= smallest
        inside = dummies[of_label]
        kept = large & (inside.sum(axis=0) > 0)
        z = people.loc[of_label, prediction].to_numpy(dtype=float)
        auditor = Auditor(
            codes[of_label].to_numpy(), np.ones_like(z), z, Metric("statistical_parity")
        )
        auditor.calibrate_groups(alpha / 2, "interval", inside[:, kept], bootstrap_params=BOOTSTRAP)
        for i, place in enumerate(np.flatnonzero(kept)):
            (bounds,), (rate,), (threshold,) = auditor.query_group(i)
            rows.append({"measure": measure, "group": names[place], "estimate_by": rate - threshold,
                         "low_by": min(bounds), "high_by": max(bounds)})  # fmt: skip
    print(json.dumps({"seconds": time.perf_counter() - start, "rows": rows}))


if __name__ == "__main__":
    main(*sys.argv[1:])
