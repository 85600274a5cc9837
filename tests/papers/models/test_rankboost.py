import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairpairs import InputError
from fairpairs.papers.models.rankboost import RankBoost, RankBoostClassifier
from fairpairs.papers.registry import load


@parametrize_with_checks([RankBoostClassifier(n_rounds=5)])
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


def plainly(x, y, rounds, weight):
    """RankBoost with the matrix of all pairs: Freund et al. (2003), Figure 1, every stump tried."""
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    pairs = np.outer(weight[positive], weight[negative])
    pairs /= pairs.sum()
    stumps = []
    for _ in range(rounds):
        best = (0.0, None, None)
        for feature in range(x.shape[1]):
            levels = np.unique(x[:, feature])
            for threshold in (levels[1:] + levels[:-1]) / 2:
                h = (x[:, feature] > threshold).astype(float)
                r = (pairs * (h[positive][:, None] - h[negative])).sum()
                if abs(r) > abs(best[0]) + 1e-12:
                    best = (r, feature, threshold)
        r, feature, threshold = best
        alpha = 0.5 * np.log((1 + r) / (1 - r))
        stumps.append((feature, threshold, alpha))
        h = (x[:, feature] > threshold).astype(float)
        pairs *= np.exp(-alpha * (h[positive][:, None] - h[negative]))
        pairs /= pairs.sum()
    return np.array(stumps)


def people(seed, n=40):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    numbers = rng.normal(size=(n, 2)) + 0.7 * y[:, None]
    return np.column_stack([numbers, rng.integers(3, size=n) + y, rng.integers(2, size=n)]), y


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_rankboost_on_all_pairs(seed, weighted):
    x, y = people(seed)
    weight = np.random.default_rng(seed).random(len(y)) + 0.1 if weighted else np.ones(len(y))
    model = RankBoostClassifier(8).fit(x, y, sample_weight=weight)
    expected = plainly(x, y, 8, weight)
    assert_allclose(model.stumps_, expected, rtol=1e-9)
    votes = sum(alpha * (x[:, int(f)] > threshold) for f, threshold, alpha in expected)
    assert_allclose(model.decision_function(x), votes - expected[:, 2].sum() / 2, atol=1e-12)


def test_where_stumps_tie_a_best_one_is_taken_in_every_round():
    """Features of few levels: many stumps rank as well as the best, which the full D tells."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=30)
    x = rng.integers(3, size=(30, 4)) + 1.0 * (rng.random((30, 4)) < 0.3) * y[:, None]
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    pairs = np.full((len(positive), len(negative)), 1 / (len(positive) * len(negative)))

    def ranked(feature, threshold):
        h = (x[:, int(feature)] > threshold).astype(float)
        return h[positive][:, None] - h[negative]

    everyone = [ranked(f, level) for f in range(4) for level in np.unique(x[:, f])]
    for feature, threshold, alpha in RankBoostClassifier(12).fit(x, y).stumps_:
        own = ranked(feature, threshold)
        r = (pairs * own).sum()
        assert abs(r) == pytest.approx(max(abs((pairs * d).sum()) for d in everyone), abs=1e-12)
        assert alpha == pytest.approx(np.log((1 + r) / (1 - r)) / 2)
        pairs *= np.exp(-alpha * own)
        pairs /= pairs.sum()


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1.7e308, 1.7e308), (0.0, 5e-324), (5e-324, 1e-323), (1.0, np.nextafter(1, 2))],
)
def test_neighbouring_levels_are_parted_however_far_or_near(low, high):
    x = np.array([[low], [high], [low], [high]])
    model = RankBoostClassifier(1).fit(x, [0, 1, 0, 1])
    assert low <= model.stumps_[0, 1] < high
    assert_array_equal(model.predict(x), [0, 1, 0, 1])


def test_a_perfect_stump_ranks_every_pair():
    x = np.array([[1.0, 5], [2, 5], [3, 5], [4, 5]])
    model = RankBoostClassifier(3).fit(x, ["no", "no", "yes", "yes"])
    assert_array_equal(model.stumps_[0, :2], [0, 2.5])
    assert np.isfinite(model.stumps_).all()
    assert_array_equal(model.predict(x), ["no", "no", "yes", "yes"])


def test_without_a_feature_that_varies_all_scores_are_equal():
    # nor with one of which both labels have both levels equally often
    for x in (np.ones((4, 2)), np.array([[0.0], [0], [1], [1]])):
        model = RankBoostClassifier(3).fit(x, [0, 1, 0, 1])
        assert model.stumps_.shape == (0, 3)
        assert_array_equal(model.decision_function(x), 0)


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        ([1, 1, 1, 1], {}, "Only binary classification is supported: y has 1 class with weight"),
        ([0, 1, 2, 1], {}, "y has 3 classes"),
        ([0, 1, 0, 1], {"sample_weight": [1, 0, 1, 0]}, "y has 1 class with weight"),
        ([0, 1, 0, 1], {"sample_weight": [1, -1, 1, 1]}, "[Nn]egative values"),
    ],
)
def test_bad_labels_and_weights_are_named(y, options, words):
    with pytest.raises(ValueError, match=words):
        RankBoostClassifier().fit(np.arange(8.0).reshape(4, 2), y, **options)


@pytest.mark.parametrize("rounds", [0, -1, 2.5, "5", None])
def test_a_round_at_least(rounds):
    with pytest.raises(ValueError, match=f"a whole number, at least 1; it is {rounds!r}"):
        RankBoostClassifier(rounds).fit(np.arange(4.0)[:, None], [0, 1, 0, 1])


# The model of the experiments

FRAME = pd.DataFrame(
    {
        "age": np.random.default_rng(0).normal(size=60),
        "city": np.random.default_rng(1).choice(["a", "b", None], size=60),
    }
)
KINDS = {"age": "numeric", "city": "categorical"}
LABEL = (FRAME["age"] + np.random.default_rng(2).normal(size=60) > 0).astype(int).to_numpy()


def fitted(seeds, **options):
    tested = [np.random.default_rng(repeat).random(60) < 0.3 for repeat in (0, 1)]
    weights = [np.ones((~test).sum()) for test in tested]
    rngs = [np.random.default_rng(seed) for seed in seeds]
    scores = load("models", "rankboost")(FRAME, KINDS, **options).fit_repeats(
        LABEL, tested, weights, rngs
    )
    return tested, scores


def platt(score, y):
    """Platt's sigmoid by Newton's method on his targets."""
    n = np.bincount(y)
    target = np.where(y == 1, (n[1] + 1) / (n[1] + 2), 1 / (n[0] + 2))
    design = np.column_stack([score, np.ones(len(score))])
    beta = np.zeros(2)
    for _ in range(50):
        p = expit(design @ beta)
        hessian = design.T @ (design * (p * (1 - p))[:, None])
        beta += np.linalg.solve(hessian, design.T @ (target - p))
    return beta


def test_the_scores_are_the_mean_of_two_folds_calibrated_by_platt():
    tested, scores = fitted((1, 2), rounds=3)
    x = np.column_stack([FRAME["age"], *(FRAME["city"] == c for c in "ab"), FRAME["city"].isna()])
    for test, score, seed in zip(tested, scores, (1, 2), strict=True):
        own, y = x[~test].astype(float), LABEL[~test]
        state = int(np.random.default_rng(seed).integers(2**31))
        folds = StratifiedKFold(2, shuffle=True, random_state=state).split(own, y)
        each = []
        for train, held_out in folds:
            model = RankBoostClassifier(3).fit(own[train], y[train])
            slope, constant = platt(model.decision_function(own[held_out]), y[held_out])
            each.append(expit(slope * model.decision_function(x[test].astype(float)) + constant))
        assert_allclose(score, np.mean(each, axis=0), atol=1e-4)


def test_the_labels_of_the_test_part_do_not_leak_and_repeats_are_apart():
    tested, scores = fitted((1, 2))
    for number, (test, seed) in enumerate(zip(tested, (1, 2), strict=True)):
        label = np.where(test, 1 - LABEL, LABEL)
        rng = np.random.default_rng(seed)
        alone = RankBoost(FRAME, KINDS).fit_repeats(label, [test], [np.ones((~test).sum())], [rng])
        assert_array_equal(alone[0], scores[number])


def test_the_weights_of_training_items_matter():
    test = np.random.default_rng(0).random(60) < 0.3
    weight = np.where(LABEL[~test] == 1, 5.0, 1.0)
    plain, weighted = (
        RankBoost(FRAME, KINDS).fit_repeats(LABEL, [test], [w], [np.random.default_rng(1)])[0]
        for w in (np.ones((~test).sum()), weight)
    )
    assert weighted.mean() > plain.mean() + 0.1


def test_too_few_items_are_named():
    test = np.zeros(60, dtype=bool)
    test[:10] = True
    model = RankBoost(FRAME, KINDS)
    weights, rngs = [np.ones(50)], [np.random.default_rng(0)]
    with pytest.raises(InputError, match="fewer than 2 items of a label"):
        model.fit_repeats(np.eye(60, dtype=int)[20], [test], weights, rngs)
