"""The test xauc: the differences of AUC and xAUC in each repeat."""

from dataclasses import replace

import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss, roc_auc_score

from fairpairs import xauc
from tests.fairness_tests.rankings import SETTINGS, arrays, own_rows, run

TESTS = ["xauc", "ranking", "xauc_adjustment"]


def test_xauc_is_tested_as_repeat_by_repeat(small_dataset, predictions):
    settings = replace(SETTINGS, alpha=0.15)
    frame = run("xauc", predictions, small_dataset, settings)
    assert len(frame) == 3 * 2 * 4
    for key, label, score, group in arrays(predictions, small_dataset):
        alone = xauc(label, score, sensitive_features=group, correction="holm")
        rows, table = own_rows(frame, *key), alone.to_frame()
        assert_array_equal(rows["hypothesis"], table["hypothesis"])
        assert_allclose(rows["estimate"], table["estimate"], rtol=1e-12)
        assert_allclose(rows["statistic"], table["statistic"], rtol=1e-12)
        assert_allclose(rows["p_value"], alone.difference.pvalue, rtol=1e-12)  # not adjusted
        assert_array_equal(rows["rejected"], table["pvalue"] < 0.15)  # by Holm
        assert_array_equal(rows["n"], table["n"])
        assert_array_equal(rows["smallest_cell"], table["smallest_cell"])
        assert_array_equal(rows["note"], table["note"])
        assert rows["standard_error"].isna().all()
    assert 0 < frame["rejected"].sum() < len(frame)
    assert (frame["rejected"] < (frame["p_value"] < 0.15)).any()  # the correction decides


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


@pytest.fixture
def lacking(small_dataset, predictions):
    """The same predictions, but no woman of repeat 5 has label 1."""
    frame = small_dataset.frame.set_index("item").loc[predictions["item"]]
    positive = ((frame["label"] == 1) & (frame["sensitive_sex"] == 0)).to_numpy()
    return predictions[~(positive & (predictions["repeat"] == 5))].reset_index(drop=True)


ADJUSTMENT = [
    "shift of log odds",
    *(
        f"{name} {when} it"
        for when in ("before", "after")
        for name in ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier")
    ),
]
