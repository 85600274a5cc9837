"""All items of a data set, each scored by a model without it: their ranking and calibration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_auc_score

from fairpairs import xauc
from fairpairs.papers.display.layouts import display
from fairpairs.papers.experiments.train import train_folds
from fairpairs.papers.studies.xauc import held_out
from fairpairs.papers.studies.xauc.held_out import held_out_calibration, held_out_ranking
from fairpairs.papers.studies.xauc.tables import HYPOTHESES

MODEL = {"model": "logistic_regression", "treatment": "none", "seed": 5}


@pytest.fixture
def scored(small_dataset):
    return small_dataset, train_folds(small_dataset, folds=5, **MODEL)


def words(layout, rows):
    return display(held_out.__file__, layout, rows, folds=5, title="Loans")


def arrays(dataset, predictions, attribute):
    frame = dataset.frame.set_index("item").loc[predictions["item"]]
    return (
        frame["label"].to_numpy(),
        predictions["score"].to_numpy(),
        frame[f"sensitive_{attribute}"].to_numpy(),
    )


@pytest.mark.parametrize("attribute", ["sex", "race"])
def test_the_ranking_is_that_of_all_items_at_once(scored, attribute):
    dataset, predictions = scored
    rows = held_out_ranking(predictions, dataset)
    own = rows[rows["attribute"] == attribute].set_index("measure")
    assert len(own) == 9 + 4 + 2
    label, score, group = arrays(dataset, predictions, attribute)
    zero, one = group == 0, group == 1
    for name, positive, negative in [
        ("AUC", zero | one, zero | one),
        ("AUC(0)", zero, zero),
        ("AUC(1)", one, one),
        ("xAUC(0,1)", zero, one),
        ("xAUC(1,0)", one, zero),
        ("xAUC_1(1)", one, zero | one),
        ("xAUC_0(0)", zero | one, zero),
    ]:
        used = ((label == 1) & positive) | ((label == 0) & negative)
        assert own.loc[name, "estimate"] == pytest.approx(roc_auc_score(label[used], score[used]))
        assert own.loc[name, "positives"] == ((label == 1) & positive).sum()
        assert own.loc[name, "negatives"] == ((label == 0) & negative).sum()
        assert np.isnan(own.loc[name, "pvalue"])
    tests = xauc(label, score, sensitive_features=group, correction="none").to_frame()
    for measure, (_, expected) in zip(HYPOTHESES, tests.iterrows(), strict=True):
        # the paper's difference is that of the first group less the second
        assert own.loc[measure, "estimate"] == -expected["estimate"]
        assert own.loc[measure, "pvalue"] == expected["pvalue"]
        assert own.loc[measure, "positives"] + own.loc[measure, "negatives"] == len(label)
    gap = own.loc["xAUC(0,1)", "estimate"] - own.loc["xAUC(1,0)", "estimate"]
    assert own.loc["ΔxAUC", "estimate"] == pytest.approx(gap)
    for positive, negative in ((0, 1), (1, 0)):
        others = score[(label == 1) & (group == positive)]
        faced = score[(label == 0) & (group == negative)]
        tail = [np.mean(others > one) + np.mean(others == one) / 2 <= 0.1 for one in faced]
        row = own.loc[f"xAUC({positive},{negative}) ≤ 0.1"]
        assert row["estimate"] == np.mean(tail)
        assert row["standard_error"] == pytest.approx(np.std(tail) / np.sqrt(len(tail)))
        assert (row["positives"], row["negatives"]) == (len(others), len(faced))
    errors = own["standard_error"]
    assert errors["ΔxAUC"] == pytest.approx(np.hypot(errors["xAUC(0,1)"], errors["xAUC(1,0)"]))


def test_the_calibration_is_that_of_scikit_learn(scored):
    dataset, predictions = scored
    rows = held_out_calibration(predictions, dataset).set_index(["attribute", "group"])
    label, score, group = arrays(dataset, predictions, "sex")
    for name, part in (("all", group >= 0), ("0", group == 0), ("1", group == 1)):
        own = rows.loc[("sex", name)]
        y, s = label[part], score[part]
        observed, predicted = calibration_curve(y, s, n_bins=10)
        places = np.minimum((s * 10).astype(int), 9)
        sizes = np.bincount(places, minlength=10)
        expected = (sizes[sizes > 0] * np.abs(observed - predicted)).sum() / len(y)
        assert own["deviation"] == pytest.approx(expected)
        assert_allclose(own[["n", "score", "observed"]].astype(float), [len(y), s.mean(), y.mean()])
        assert own["standard_error"] == pytest.approx(np.sqrt((s * (1 - s)).mean() / len(y)))
        assert own["slope_error"] > 0
    assert rows.loc[("sex", "all"), "deviation"] == rows.loc[("race", "all"), "deviation"]


def test_labels_of_one_kind_have_a_deviation_and_no_slope(scored):
    dataset, predictions = scored
    label, _, group = arrays(dataset, predictions, "sex")
    alike = predictions[(group == 0) | (label == 1)]
    rows = held_out_calibration(alike, dataset).set_index(["attribute", "group"])
    own = rows.loc[("sex", "1")]
    assert own["observed"] == 1
    assert own["deviation"] == pytest.approx(1 - own["score"])
    assert np.isnan(own["slope"])
    assert "–" in words("calibration", rows.reset_index()).table.to_string()


def test_the_tables_say_what_the_error_leaves_out(scored):
    dataset, predictions = scored
    rows = held_out_ranking(predictions, dataset)
    display = words("held_out", rows)
    assert display.title == "Loans: ranking of all held-out items"
    assert "fitted on the other 4 folds of 5" in display.note
    assert "leaves out what other training data would change" in display.note
    own = rows[rows["attribute"] == "race"].set_index("measure").loc["ΔxAUC"]
    text = f"{own['estimate']:+.3f} ± {own['standard_error']:.3f}"
    assert display.table.loc["Small, race", "ΔxAUC"] == text
    assert set(display.table["items"]) == {"500"}
