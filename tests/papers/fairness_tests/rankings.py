"""What the tests of rankings share: settings, and the rows and arrays of one repeat."""

from sklearn.metrics import brier_score_loss, roc_auc_score

from fairpairs.papers.experiments.predictions import Settings, run_tests

REPEATS = [4, 5, 9]


SETTINGS = Settings(seed=11, alpha=0.2, pairs_per_item=2.0)


def run(test, predictions, dataset, settings=SETTINGS, treatment="none"):
    return run_tests([test], predictions, dataset, treatment=treatment, settings=settings)


def arrays(predictions, dataset):
    """The labels, scores and groups of each repeat and attribute."""
    for repeat, part in predictions.groupby("repeat"):
        rows = dataset.frame.set_index("item").loc[part["item"]]
        for attribute in dataset.attributes:
            yield (
                (repeat, attribute),
                rows["label"].to_numpy(),
                part["score"].to_numpy(),
                rows[f"sensitive_{attribute}"].to_numpy(),
            )


def own_rows(frame, repeat, attribute):
    return frame[(frame["repeat"] == repeat) & (frame["attribute"] == attribute)]


def area(label, score, positive, negative):
    """The AUC of some positive items above some negative ones."""
    used = ((label == 1) & positive) | ((label == 0) & negative)
    return roc_auc_score(label[used], score[used])


def measured(label, score, group):
    """The measures of a ranking, by their definitions."""
    zero, one, everyone = group == 0, group == 1, group >= 0
    values = {
        "AUC": area(label, score, everyone, everyone),
        "AUC(0)": area(label, score, zero, zero),
        "AUC(1)": area(label, score, one, one),
        "xAUC(0,1)": area(label, score, zero, one),
        "xAUC(1,0)": area(label, score, one, zero),
        "xAUC_1(0)": area(label, score, zero, everyone),
        "xAUC_1(1)": area(label, score, one, everyone),
        "xAUC_0(0)": area(label, score, everyone, zero),
        "xAUC_0(1)": area(label, score, everyone, one),
        "Brier": brier_score_loss(label, score),
        "Brier(0)": brier_score_loss(label[zero], score[zero]),
        "Brier(1)": brier_score_loss(label[one], score[one]),
    }
    for measure in ("AUC", "xAUC_1", "xAUC_0"):
        values[f"Δ{measure}"] = values[f"{measure}(0)"] - values[f"{measure}(1)"]
    values["ΔxAUC"] = values["xAUC(0,1)"] - values["xAUC(1,0)"]
    return values
