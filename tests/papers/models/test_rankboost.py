import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.metrics import roc_auc_score
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


@pytest.mark.parametrize("seed", range(4))
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


def test_the_bound_of_boosting_holds():
    """The share of pairs ranked wrong is at most ∏ √(1 − r²), Freund et al. (2003), Theorem 1."""
    x, y = people(7, 200)
    for rounds in (1, 5, 20):
        model = RankBoostClassifier(rounds).fit(x, y)
        bound = np.prod(np.sqrt(1 - np.tanh(model.stumps_[:, 2]) ** 2))
        score = model.decision_function(x)
        wrong = (score[y == 1][:, None] <= score[y == 0]).mean()
        assert wrong <= bound < 1


def test_monotone_scales_and_the_order_of_items_change_no_score():
    x, y = people(8)
    scaled = np.column_stack([np.exp(x[:, 0]), 5 * x[:, 1] - 3, x[:, 2] ** 3, -x[:, 3]])
    order = np.random.default_rng(0).permutation(len(y))
    score = RankBoostClassifier(8).fit(x, y).decision_function(x)
    assert_array_equal(score, RankBoostClassifier(8).fit(x, y).decision_function(x))
    for one, items in ((x, order), (scaled, np.arange(len(y)))):
        other = RankBoostClassifier(8).fit(one[items], y[items]).decision_function(one)
        assert_allclose(np.argsort(np.argsort(other)), np.argsort(np.argsort(score)))
        assert_allclose(other, score, rtol=1e-9, atol=1e-12)


def test_labels_turned_round_turn_the_scores():
    x, y = people(9)
    one, other = (RankBoostClassifier(8).fit(x, label) for label in (y, 1 - y))
    assert_allclose(other.decision_function(x), -one.decision_function(x), atol=1e-10)


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1.7e308, 1.7e308), (0.0, 5e-324), (5e-324, 1e-323), (1.0, np.nextafter(1, 2))],
)
def test_neighbouring_levels_are_parted_however_far_or_near(low, high):
    x = np.array([[low], [high], [low], [high]])
    model = RankBoostClassifier(1).fit(x, [0, 1, 0, 1])
    assert low <= model.stumps_[0, 1] < high
    assert_array_equal(model.predict(x), [0, 1, 0, 1])


def test_no_stump_is_taken_that_ranks_nothing():
    # both labels have both levels equally often
    x = np.array([[0.0], [1], [0], [1]])
    assert RankBoostClassifier(5).fit(x, [0, 0, 1, 1]).stumps_.shape == (0, 3)


def test_a_weight_is_so_many_items():
    x, y = people(5)
    weight = np.random.default_rng(5).integers(1, 4, size=len(y))
    weighted = RankBoostClassifier(6).fit(x, y, sample_weight=weight)
    repeated = RankBoostClassifier(6).fit(np.repeat(x, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.stumps_, repeated.stumps_)


def test_boosting_ranks_better_than_one_stump():
    x, y = people(6, 400)
    auc = [
        roc_auc_score(y, RankBoostClassifier(rounds).fit(x, y).decision_function(x))
        for rounds in (1, 5, 30)
    ]
    assert auc[0] < auc[1] < auc[2]


def test_a_perfect_stump_ranks_every_pair():
    x = np.array([[1.0, 5], [2, 5], [3, 5], [4, 5]])
    model = RankBoostClassifier(3).fit(x, ["no", "no", "yes", "yes"])
    assert_array_equal(model.stumps_[0, :2], [0, 2.5])
    assert np.isfinite(model.stumps_).all()
    assert_array_equal(model.predict(x), ["no", "no", "yes", "yes"])


def test_without_a_feature_that_varies_all_scores_are_equal():
    model = RankBoostClassifier(3).fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert model.stumps_.shape == (0, 3)
    assert_array_equal(model.decision_function(np.ones((4, 2))), 0)


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


@pytest.mark.slow
def test_the_scores_are_probabilities_of_the_tested_items():
    tested, scores = fitted((1, 2))
    assert [len(score) for score in scores] == [test.sum() for test in tested]
    assert all(((score > 0) & (score < 1)).all() for score in scores)
    assert roc_auc_score(LABEL[tested[0]], scores[0]) > 0.6


@pytest.mark.slow
def test_the_folds_depend_on_the_source_of_randomness_alone():
    _, once = fitted((1, 2))
    _, again = fitted((1, 2))
    _, other = fitted((1, 3))
    assert_array_equal(once[1], again[1])
    assert (once[1] != other[1]).any()


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_labels_of_the_test_part_do_not_leak_and_repeats_are_apart():
    tested, scores = fitted((1, 2))
    for number, (test, seed) in enumerate(zip(tested, (1, 2), strict=True)):
        label = np.where(test, 1 - LABEL, LABEL)
        rng = np.random.default_rng(seed)
        alone = RankBoost(FRAME, KINDS).fit_repeats(label, [test], [np.ones((~test).sum())], [rng])
        assert_array_equal(alone[0], scores[number])


@pytest.mark.slow
def test_the_weights_of_training_items_matter():
    test = np.random.default_rng(0).random(60) < 0.3
    weight = np.where(LABEL[~test] == 1, 5.0, 1.0)
    plain, weighted = (
        RankBoost(FRAME, KINDS).fit_repeats(LABEL, [test], [w], [np.random.default_rng(1)])[0]
        for w in (np.ones((~test).sum()), weight)
    )
    assert weighted.mean() > plain.mean() + 0.1


@pytest.mark.slow
def test_the_number_of_rounds_matters():
    _, few = fitted((1, 2), rounds=1)
    _, many = fitted((1, 2), rounds=50)
    assert len(np.unique(few[0])) < len(np.unique(many[0]))


def test_a_real_label_and_too_few_items_are_named():
    test = np.zeros(60, dtype=bool)
    test[:10] = True
    model = RankBoost(FRAME, KINDS)
    weights, rngs = [np.ones(50)], [np.random.default_rng(0)]
    with pytest.raises(InputError, match="rankboost needs a label of 0 and 1"):
        model.fit_repeats(LABEL + 1, [test], weights, rngs)
    with pytest.raises(InputError, match="fewer than 2 items of a label"):
        model.fit_repeats(np.eye(60, dtype=int)[20], [test], weights, rngs)
