"""AIF360: rates of each group and differences from the largest; it has no tests."""

from importlib.metadata import version

import pandas as pd
from aif360.datasets import BinaryLabelDataset
from aif360.metrics import ClassificationMetric
from rates import ATTRIBUTES, items, show

data, rates = items(), {}
for name in ATTRIBUTES:
    code, groups = pd.factorize(data[name], sort=True)
    settings = {
        "favorable_label": 1, "unfavorable_label": 0, "protected_attribute_names": ["code"],
        "label_names": ["label"],
    }  # fmt: skip
    labels, predictions = (
        BinaryLabelDataset(df=pd.DataFrame({"code": code, "label": data[column]}), **settings)
        for column in ("y", "yhat")
    )
    sizes = pd.Series(code).value_counts()
    largest, rates[name] = int(sizes.idxmax()), {}
    for place, group in enumerate(groups):
        other = largest if place != largest else int(sizes.idxmin())
        metric = ClassificationMetric(
            labels, predictions, unprivileged_groups=[{"code": place}],
            privileged_groups=[{"code": other}],
        )  # fmt: skip
        metric.equal_opportunity_difference(), metric.false_positive_rate_difference()
        rates[name][group] = {
            "selection rate": metric.selection_rate(privileged=False),
            "TPR": metric.true_positive_rate(privileged=False),
            "FPR": metric.false_positive_rate(privileged=False),
        }
show(version("aif360"), rates)
