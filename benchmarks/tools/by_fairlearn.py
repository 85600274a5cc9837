"""Fairlearn: rates by group; with `tests`, intervals by 100 bootstraps."""

import sys

import fairlearn
from fairlearn.metrics import (
    MetricFrame,
    false_positive_rate,
    selection_rate,
    true_positive_rate,
)
from rates import ATTRIBUTES, items, show

METRICS = {"selection rate": selection_rate, "TPR": true_positive_rate, "FPR": false_positive_rate}
BOOTSTRAPS = {"n_boot": 100, "ci_quantiles": [0.025, 0.975], "random_state": 0}

data, rates = items(), {}
for name in ATTRIBUTES:
    frame = MetricFrame(
        metrics=METRICS, y_true=data["y"], y_pred=data["yhat"], sensitive_features=data[name],
        **(BOOTSTRAPS if "tests" in sys.argv else {}),
    )  # fmt: skip
    frame.difference()
    rates[name] = frame.by_group.to_dict("index")
show(fairlearn.__version__, rates)
