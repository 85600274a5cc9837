"""fairlearn: MetricFrame with bootstrap intervals of the gap, which is never negative."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["fairlearn==0.15.0"]
# ///

from fairlearn.metrics import MetricFrame, selection_rate
from sklearn.metrics import roc_auc_score


def _gap(metric, data, prediction, **more):
    frame = MetricFrame(
        metrics=metric, y_true=data["label"], y_pred=data[prediction],
        sensitive_features=data["group"], n_boot=100, ci_quantiles=[0.025, 0.975],
        random_state=0, **more,
    )  # fmt: skip
    low, high = frame.difference_ci()
    return {"absolute": True, "estimate": frame.difference(), "low": low, "high": high}


def rates(data):
    """Call `MetricFrame(metrics=selection_rate, …, n_boot=100, ci_quantiles=[…]).difference_ci()`.

    Page: fairlearn.metrics.MetricFrame.difference_ci; user guide, Confidence interval estimation.
    """
    return _gap(selection_rate, data, "decision")


groups = rates


def weighted(data):
    """Call the same with `sample_params={"sample_weight": weight}`. Page: as for rates."""
    weight = {"sample_weight": data["weight"]}
    return _gap(selection_rate, data, "decision", sample_params=weight)


def auc(data):
    """Call the same with scikit-learn's `roc_auc_score`. Page: as for rates."""
    return _gap(roc_auc_score, data, "score")
