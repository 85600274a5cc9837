import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from fairpairs import InputError, equalize_xauc, xauc


def people(seed, n=600, k=2, spread=(1.0, 1.0, 1.0)):
    """Probabilities whose log odds are higher by half in each further group."""
    rng = np.random.default_rng(seed)
    y, group = rng.integers(2, size=n), rng.integers(k, size=n)
    logit = y - 0.5 + 0.5 * group + np.asarray(spread)[group] * rng.normal(size=n)
    return y, expit(logit), group


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("spread", [(1, 1, 1), (0.5, 1.5, 1)])
def test_the_xaucs_are_equal_afterwards_up_to_a_step(k, spread):
    y, score, group = people(k, 600, k, spread)
    adjustment = equalize_xauc(y, score, sensitive_features=group, reference=0)
    adjusted = adjustment.transform(score, sensitive_features=group)
    before, after = (xauc(y, s, sensitive_features=group) for s in (score, adjusted))
    positives, negatives = np.bincount(group[y == 1]), np.bincount(group[y == 0])
    for g in range(1, k):
        step = 1 / (positives[0] * negatives[g]) + 1 / (positives[g] * negatives[0])
        assert abs(before.xauc[0, g] - before.xauc[g, 0]) > 0.1
        assert abs(after.xauc[0, g] - after.xauc[g, 0]) <= step
    assert_allclose(after.auc, before.auc, rtol=1e-12)
    assert adjustment.shifts[0] == 0
    assert_array_equal(adjusted[group == 0], score[group == 0])
    for g in range(k):
        own = group == g
        assert_array_equal(np.argsort(score[own]), np.argsort(adjusted[own]))


def test_the_shift_of_normal_scores_is_that_of_the_closed_form():
    """xAUCs are equal where the middles of the means are; 40,000 items, 4 standard errors."""
    mean = np.array([[0, 1], [0.3, 1.7], [-1, 0.6]])
    rng = np.random.default_rng(3)
    y, group = rng.integers(2, size=40_000), rng.integers(3, size=40_000)
    score = mean[group, y] + rng.normal(size=40_000)
    found = equalize_xauc(y, score, sensitive_features=group, reference=0, scale="identity").shifts
    assert_allclose(found, mean[0].mean() - mean.mean(axis=1), atol=0.08)


def differences(y, score, group, shifts):
    """Count xAUC(0, 1) − xAUC(1, 0) pair by pair after each shift of group 1."""
    cells = [score[(group == a) & (y == label)] for a in (0, 1) for label in (0, 1)]
    low, high, low_1, high_1 = (cell[:, None] for cell in cells)
    after = []
    for t in shifts:
        kept, moved = high - (low_1 + t).T, (high_1 + t) - low.T
        after.append(np.mean((np.sign(kept) + 1) / 2) - np.mean((np.sign(moved) + 1) / 2))
    return np.array(after)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("unit", [1, 1 / 8, 2**-40])  # many ties, some, none; shifts are exact
def test_no_shift_between_ties_leaves_a_smaller_difference(seed, unit):
    y, score, group = people(seed, 60)
    score = unit * np.round(np.log(score / (1 - score)) / unit)
    found = equalize_xauc(y, score, sensitive_features=group, reference=0, scale="identity")
    ties = np.unique(score[group == 0][:, None] - score[group == 1])
    between = (ties[1:] + ties[:-1]) / 2
    (least,) = np.abs(differences(y, score, group, found.shifts[1:]))
    assert least <= np.abs(differences(y, score, group, between)).min() + 1e-12


def test_the_largest_group_stays_unless_another_is_asked_for():
    y, score, group = people(3)
    words = np.where(group == 1, "few", "many")
    words[:100] = "many"
    assert equalize_xauc(y, score, sensitive_features=words).shifts[1] == 0
    other = equalize_xauc(y, score, sensitive_features=words, reference="few")
    assert other.groups == ("few", "many")
    assert other.shifts[0] == 0 != other.shifts[1]


def test_scores_of_0_and_1_have_finite_log_odds():
    y, score, group = people(4)
    score[[0, 1]] = 0, 1
    adjustment = equalize_xauc(y, score, sensitive_features=group)
    assert np.isfinite(adjustment.shifts).all()
    adjusted = adjustment.transform(score, sensitive_features=group)
    assert ((adjusted >= 0) & (adjusted <= 1)).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scale": "probit"}, "scale must be one of 'log odds', 'identity'"),
        ({"reference": "x"}, "no group 'x' for `reference`: name one of 0, 1"),
        ({"score": 2}, "between 0 and 1 on the scale of log odds: give probabilities, or"),
        ({"y": 2}, "y_true must hold 0 and 1 only"),
        ({"lacking": 1}, "group 1 has no positive row"),
        ({"lacking": 0}, "group 1 has no negative row"),
        ({"scale": ["identity"]}, "scale must be one of 'log odds', 'identity'"),
    ],
)
def test_bad_input_is_named(change, words):
    y, score, group = people(6, 80)
    y = y * change.get("y", 1)
    score = score * change.get("score", 1)
    if "lacking" in change:
        y[group == 1] = 1 - change["lacking"]
    group = group * change.get("group", 1)
    options = {key: change[key] for key in ("scale", "reference") if key in change}
    with pytest.raises(InputError, match=words):
        equalize_xauc(y, score, sensitive_features=group, **options)


def test_an_unknown_group_has_no_shift():
    y, score, group = people(7)
    adjustment = equalize_xauc(y, score, sensitive_features=group)
    with pytest.raises(InputError, match="group 2, which has no shift: give 0, 1 only"):
        adjustment.transform(score, sensitive_features=group + 1)
    with pytest.raises(InputError, match="between 0 and 1"):
        adjustment.transform(score + 1, sensitive_features=group)
    with pytest.raises(InputError, match="one length"):
        adjustment.transform(score[:-1], sensitive_features=group)


@pytest.mark.parametrize("factor", [1e-10, 1.0, 1e10])
@pytest.mark.parametrize("outlier", [None, 1e8, 1e20])
def test_no_scale_and_no_outlier_leaves_a_gap(factor, outlier):
    y, score, group = people(8, 200)
    logit = np.log(score / (1 - score))
    if outlier:
        logit[0] = outlier
    adjustment = equalize_xauc(y, logit * factor, sensitive_features=group, scale="identity")
    adjusted = adjustment.transform(logit * factor, sensitive_features=group)
    rates = xauc(y, adjusted, sensitive_features=group).xauc
    sizes = np.bincount(2 * group + y)
    assert abs(rates[0, 1] - rates[1, 0]) <= 1 / (sizes[1] * sizes[2]) + 1 / (sizes[3] * sizes[0])


def test_constant_scores_stay_and_too_large_ones_are_named():
    y, score, group = people(9, 80)
    assert equalize_xauc(y, np.full(80, 0.5), sensitive_features=group).shifts == (0, 0)
    with pytest.raises(InputError, match="too large to be shifted: rescale"):
        equalize_xauc(y, (score - 0.5) * 1.7e308, sensitive_features=group, scale="identity")
