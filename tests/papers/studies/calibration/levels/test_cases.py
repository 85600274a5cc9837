"""Cases: what is drawn has the rates, shapes and groups that its name says."""

import numpy as np
import pytest

from fairpairs.mathematics.fairness.ranking import xauc
from fairpairs.papers.studies.calibration.levels.cases.decisions import (
    ATTRIBUTES,
    BINARY,
    BRIDGES,
    DECISIONS,
    SLOPES,
    binary_predictions,
    decisions,
)
from fairpairs.papers.studies.calibration.levels.cases.judgments import JUDGMENTS, judgments
from fairpairs.papers.studies.calibration.levels.cases.sample import SIZES
from fairpairs.papers.studies.calibration.levels.cases.scores import (
    AUC,
    REAL,
    SCORES,
    real_labels,
    scores,
)

ALL = {
    "binary": BINARY,
    "scores": SCORES,
    "real": REAL,
    "attributes": ATTRIBUTES,
    "slopes": SLOPES,
    "decisions": DECISIONS,
    "judgments": JUDGMENTS,
    "bridges": BRIDGES,
}
#: How far a mean of independent numbers may lie from what it should be, in standard errors.
FEW = 4


@pytest.mark.parametrize("kind", ALL)
def test_every_case_can_be_drawn_and_has_a_name_of_its_own(kind):
    names = [case.name for case in ALL[kind]]
    assert len(set(names)) == len(names)
    for case in ALL[kind]:
        sample = case.draw(np.random.default_rng(0))
        n = len(sample.group)
        assert len(sample.label) == len(sample.score) == n
        assert np.isfinite(sample.score).all()
        assert set(sample.group) <= set(range(len(sample.kind)))


def test_the_grid_has_the_sizes_that_people_have():
    sizes = {size for both in SIZES for size in both}
    assert (min(sizes), max(sizes)) == (10, 5000)
    shares = [min(both) / sum(both) for both in SIZES]
    assert min(shares) <= 0.01
    assert max(shares) == 0.5


def test_binary_predictions_have_their_rates():
    rng = np.random.default_rng(1)
    sample = binary_predictions(rng, sizes=(20000, 10000), prevalence=0.3, tpr=(0.9, 0.6), fpr=0.1)
    assert sample.kind.tolist() in ([0, 1], [1, 0])
    for group, tpr in ((0, 0.9), (1, 0.6)):
        for label, rate in ((1, tpr), (0, 0.1)):
            own = sample.score[(sample.group == group) & (sample.label == label)]
            assert abs(own.mean() - rate) < FEW * np.sqrt(rate * (1 - rate) / len(own))
    np.testing.assert_allclose(sample.rates, [[0.81, 0.81], [0.54, 0.54]])


def test_scores_have_the_auc_that_is_said():
    rng = np.random.default_rng(2)
    for distance, auc in AUC.items():
        sample = scores(rng, sizes=(4000, 4000), distance=distance)
        found = xauc(sample.label, sample.score, sensitive_features=sample.group).overall_auc
        assert found == pytest.approx(float(auc), abs=0.02)
        assert sample.rates[0, 1] == pytest.approx(float(auc), abs=0.005)


def test_scores_of_other_spread_rank_alike_where_the_mean_is_the_same():
    sample = scores(np.random.default_rng(3), sizes=(100, 100), distance=0.0, spread=(1, 3))
    np.testing.assert_allclose(sample.rates, 0.5)
    assert not sample.kind.any()


def test_differences_of_decisions_have_the_mean_zero():
    rng = np.random.default_rng(4)
    for shape in ("normal", "heavy", "skewed", "rare"):
        sample = decisions(rng, sizes=(40000, 40000), shape=shape)
        gap = sample.score - sample.reference
        for group in (0, 1):
            own = gap[sample.group == group]
            assert abs(own.mean()) < FEW * own.std() / np.sqrt(len(own))


def test_labels_are_alike_only_without_a_shift():
    rng = np.random.default_rng(5)
    assert real_labels(rng, sizes=(10, 10)).same_labels
    assert not real_labels(rng, sizes=(10, 10), shift=0.5).same_labels


@pytest.mark.parametrize("design", ["random", "fresh", "anchors", "zipf", "repeated"])
def test_judgments_are_those_of_the_labels(design):
    rng = np.random.default_rng(6)
    sample = judgments(rng, items=200, number=300, design=design, anchors=5)
    left, right, outcome = sample.judgments
    np.testing.assert_array_equal(outcome, np.sign(sample.label[left] - sample.label[right]))
    items = np.bincount(np.concatenate([left, right]), minlength=200)
    if design == "fresh":
        assert items.max() == 1
    if design == "anchors":
        assert set(left) <= set(range(5))
    if design == "repeated":
        assert len({*zip(left, right, strict=True)}) <= 5
