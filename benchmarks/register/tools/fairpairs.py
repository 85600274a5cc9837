"""FairPairs: the public tests of each question, with their defaults."""
# /// script
# dependencies = []
# ///

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import fairpairs as fp


def row(test, index=0):
    """Return what a line of a result says."""
    line = test.to_frame().iloc[index]
    names = {"estimate": "estimate", "low": "ci_low", "high": "ci_high", "p": "pvalue"}
    return {name: line[column] for name, column in names.items()}


def rates(data):
    """Call `two_proportion_test(decision, sensitive_features=group, clusters=…, sample_weight=…)`.

    Page: reference/python.md.
    """
    more = {"clusters": data.get("cluster"), "sample_weight": data.get("weight")}
    return row(fp.two_proportion_test(data["decision"], sensitive_features=data["group"], **more))


clustered = crossed = weighted = rates


def groups(data):
    """Call `two_proportion_test` of all groups, by Holm. Page: reference/python.md."""
    test = fp.two_proportion_test(data["decision"], sensitive_features=data["group"])
    table = test.to_frame()
    return {"estimate": table["estimate"].abs().max(), "p": table["pvalue"].min()}


def margin(data):
    """Call `two_proportion_test(…).within(0.1)`. Page: how-to/margin.md."""
    test = fp.two_proportion_test(data["decision"], sensitive_features=data["group"])
    return {"found": bool(test.within(0.1).all_within)}


def auc(data):
    """Call `xauc(label, score, sensitive_features=group, correction="none")`, the line AUC."""
    columns = data["label"], data["score"]
    return row(fp.xauc(*columns, sensitive_features=data["group"], correction="none"))


def labels(data):
    """Call `audit(label, decision, cheap_label=…, criterion="accuracy")`.

    Page: how-to/few-labels.md.
    """
    result = fp.audit(
        data["label"], data["decision"], sensitive_features={"group": data["group"]},
        cheap_label=data["cheap"], reference={"group": 0}, criterion="accuracy",
    )  # fmt: skip
    return row(result, list(result.to_frame()["measure"]).index("accuracy"))


def pairs(data):
    """Call `comparative_separation_from_judgments(left, right, outcome, y_score)`, the line within.

    Page: reference/python.md.
    """
    both = np.concatenate([data["left"], data["right"]])  # items, which are numbered anew
    _, first, item = np.unique(both, return_index=True, return_inverse=True)
    score = np.concatenate([data["score_left"], data["score_right"]])[first]
    group = np.concatenate([data["group"], data["group_right"]])[first]
    left, right = np.split(item, 2)
    test = fp.comparative_separation_from_judgments(
        left, right, data["outcome"], score, sensitive_features=group, correction="none"
    )
    return row(test, 1)


def looks(data):
    """Call `monitor(state, batch, y_pred=…, sensitive_features=…)` at each look; its `violated`.

    Page: how-to/monitor.md.
    """
    rows = pd.DataFrame({"group": data["group"], "decision": data["decision"]})
    with tempfile.TemporaryDirectory() as folder:
        for _, batch in rows.groupby(data["look"]):
            state = Path(folder, "state")
            result = fp.monitor(state, batch, y_pred="decision", sensitive_features="group")
    line = result.to_frame().iloc[0]
    said = {"estimate": line["estimate"], "low": line["ci_low"], "high": line["ci_high"]}
    return {**said, "found": result.violated}
