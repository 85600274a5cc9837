"""The test xauc_adjustment: the shift is fitted on one half and evaluated on the other."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit

from fairpairs.mathematics.fairness.ranking_adjustment import XaucAdjustment, equalize_xauc
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.seeds import stratified_split, stream
from fairpairs.papers.fairness_tests import xauc_adjustment
from tests.papers.fairness_tests.rankings import arrays, measured, own_rows, run

ADJUSTMENT = [
    "shift of log odds",
    *(
        f"{name} {when} it"
        for when in ("before", "after")
        for name in ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier")
    ),
]


@pytest.mark.slow
def test_the_adjustment_is_found_on_one_half_and_judged_on_the_other(small_dataset, predictions):
    frame = run("xauc_adjustment", predictions, small_dataset, treatment="reweighing")
    for key, label, score, group in arrays(predictions, small_dataset):
        repeat, attribute = key
        rng = stream(11, "adjustment", "small", "none", attribute, repeat)
        half = stratified_split(2 * group + label, 0.5, rng)
        ways, shifts = {"before": [], "after": []}, []
        for fitted in (half, ~half):
            found = equalize_xauc(
                label[fitted], score[fitted], sensitive_features=group[fitted], reference=1
            )
            shifts.append(found.shifts[0])
            after, judged = score.copy(), ~fitted
            after[group == 0] = expit(logit(score[group == 0]) + shifts[-1])
            for when, scores in (("before", score), ("after", after)):
                ways[when].append(measured(label[judged], scores[judged], group[judged]))
        own = own_rows(frame, *key)
        assert list(own["hypothesis"]) == ADJUSTMENT
        values = own.set_index("hypothesis")["estimate"]
        assert_allclose(values["shift of log odds"], np.mean(shifts), rtol=1e-9)
        for when, both in ways.items():
            for name in ("ΔxAUC", "AUC", "Brier"):
                expected = np.mean([way[name] for way in both])
                assert_allclose(values[f"{name} {when} it"], expected, atol=1e-9)
            expected = np.mean([abs(way["ΔxAUC"]) for way in both])
            assert_allclose(values[f"|ΔxAUC| {when} it"], expected, atol=1e-9)


def test_no_item_is_judged_by_a_shift_that_it_helped_to_find(
    small_dataset, predictions, monkeypatch
):
    part = predictions[predictions["repeat"] == 4]
    part = part.assign(score=np.linspace(0.1, 0.9, len(part)))  # a score names an item
    fitted, judged = [], []

    class Noted(XaucAdjustment):
        def transform(self, y_score, *, sensitive_features):
            judged.append(set(y_score))
            return super().transform(y_score, sensitive_features=sensitive_features)

    def noted(label, score, **keywords):
        fitted.append(set(score))
        return Noted(**vars(equalize_xauc(label, score, **keywords)))

    monkeypatch.setattr(xauc_adjustment, "equalize_xauc", noted)
    run("xauc_adjustment", part, small_dataset)
    assert len(fitted) == len(judged) == 2 * 2  # two halves, two attributes
    for found, seen in zip(fitted, judged, strict=True):
        assert not found & seen
        assert found | seen == set(part["score"])
    assert judged[0] == fitted[1]


def test_a_half_without_a_cell_has_no_adjustment():
    # one positive row of group 0: it lies in one of the halves
    label, group = [1] + [0] * 9 + [0, 1] * 10, [0] * 10 + [1] * 20
    frame = pd.DataFrame({"item": range(30), "label": label, "sensitive_a": group})
    score = np.random.default_rng(0).random((2, 30))
    scored = pd.DataFrame({"item": [*range(30)] * 2, "score": score.ravel(), "prediction": 0})
    scored["repeat"] = np.repeat([0, 1], 30)
    frame = run("xauc_adjustment", scored, PreparedDataset("few", frame, {}, ("a",)))
    assert list(frame["hypothesis"]) == ADJUSTMENT * 2
    assert frame["estimate"].isna().all()
