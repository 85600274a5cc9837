"""FairPairs: the public tests of each question, with their defaults."""
# /// script
# dependencies = []
# ///

import tempfile
from pathlib import Path

import pandas as pd

# named in full, so that the workflow measures again when they change
from fairpairs.audits.audit.interface import audit
from fairpairs.audits.monitor.interface import monitor
from fairpairs.mathematics.fairness.ranking import xauc
from fairpairs.mathematics.fairness.two_proportions import two_proportion_test
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.papers.studies.register.worlds import items_of_pairs


def _row(table, index=0):
    row = table.iloc[index]
    return {
        "estimate": row["estimate"],
        "low": row["ci_low"],
        "high": row["ci_high"],
        "p": row["pvalue"],
    }


def rates(data):
    """Call `two_proportion_test(decision, sensitive_features=group, clusters=…, sample_weight=…)`.

    Page: reference/python.md.
    """
    more = {"clusters": data.get("cluster"), "sample_weight": data.get("weight")}
    test = two_proportion_test(data["decision"], sensitive_features=data["group"], **more)
    return _row(test.to_frame())


clustered = crossed = weighted = rates


def groups(data):
    """Call `two_proportion_test` of all groups, by Holm. Page: reference/python.md."""
    test = two_proportion_test(data["decision"], sensitive_features=data["group"])
    table = test.to_frame()
    return {"estimate": table["estimate"].abs().max(), "p": table["pvalue"].min()}


def margin(data):
    """Call `two_proportion_test(…).within(0.1)`. Page: how-to/margin.md."""
    test = two_proportion_test(data["decision"], sensitive_features=data["group"])
    return {"found": bool(test.within(0.1).all_within)}


def auc(data):
    """Call `xauc(label, score, sensitive_features=group, correction="none")`, the line AUC."""
    columns = data["label"], data["score"]
    test = xauc(*columns, sensitive_features=data["group"], correction="none")
    return _row(test.to_frame())


def labels(data):
    """Call `audit(label, decision, cheap_label=…, criterion="accuracy")`.

    Page: how-to/few-labels.md.
    """
    result = audit(
        data["label"], data["decision"], sensitive_features={"group": data["group"]},
        cheap_label=data["cheap"], reference={"group": 0}, criterion="accuracy",
    )  # fmt: skip
    table = result.to_frame()
    return _row(table[table["measure"] == "accuracy"])


def pairs(data):
    """Call `comparative_separation_from_judgments(left, right, outcome, y_score)`, the line within.

    Page: reference/python.md.
    """
    left, right, score, group = items_of_pairs(data)
    test = comparative_separation_from_judgments(
        left, right, data["outcome"], score, sensitive_features=group, correction="none"
    )
    return _row(test.to_frame(), 1)


def looks(data):
    """Call `monitor(state, batch, y_pred=…, sensitive_features=…)` at each look; its `violated`.

    Page: how-to/monitor.md.
    """
    rows = pd.DataFrame({"group": data["group"], "decision": data["decision"]})
    with tempfile.TemporaryDirectory() as folder:
        for _, batch in rows.groupby(data["look"]):
            state = Path(folder, "state")
            result = monitor(state, batch, y_pred="decision", sensitive_features="group")
    row = result.to_frame().iloc[0]
    return {
        "estimate": row["estimate"],
        "low": row["ci_low"],
        "high": row["ci_high"],
        "found": result.violated,
    }
