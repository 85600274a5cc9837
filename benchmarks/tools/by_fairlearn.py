"""Fairlearn: rates by group and their differences."""

import fairlearn
from fairlearn.metrics import (
    MetricFrame,
    false_positive_rate,
    selection_rate,
    true_positive_rate,
)
from rates import ATTRIBUTES, items, show

METRICS = {"selection rate": selection_rate, "TPR": true_positive_rate, "FPR": false_positive_rate}

data, rates = items(), {}
for name in ATTRIBUTES:
    frame = MetricFrame(
        metrics=METRICS, y_true=data["y"], y_pred=data["yhat"], sensitive_features=data[name],
    )  # fmt: skip
    frame.difference()
    rates[name] = frame.by_group.to_dict("index")
show(fairlearn.__version__, rates)
