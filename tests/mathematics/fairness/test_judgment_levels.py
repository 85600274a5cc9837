"""Judgments that rest on few items, or on few judges: notes, levels and coverage."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs, verdicts
from fairpairs.mathematics.inference.gap_variances import unpooled_variance
from fairpairs.mathematics.inference.gaps import FEW_BEHIND, comparative_separation_from_rates
from fairpairs.mathematics.inference.results import adjusted, notes
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from tests import promises

GAPS = np.array([[0, -1, 1, 0], [-1, 0, 0, 1]])


def of_items(values, positions):
    return np.take_along_axis(values, positions, axis=1)


def fair(rng, r, left, right, *, share=0.5, sep=1.0, wrong=0.0, n=None):
    """Judge pairs of items by needs of yes or no; scores depend on the needs alone."""
    n = n or int(max(left.max(), right.max())) + 1
    group = rng.permuted(np.tile((np.arange(n) < max(2, round(n * share))), (r, 1)), axis=1)
    need = rng.integers(2, size=(r, n))
    score = rng.normal(size=(r, n)) + sep * need
    outcome = np.sign(of_items(need, left) - of_items(need, right)).astype(float)
    outcome *= np.where(rng.random(outcome.shape) < wrong, -1, 1)
    return given_pairs(
        *orient_pairs(outcome, verdicts(score, left, right), left, right), group.astype(int), 2
    )


def random_pairs(rng, r, n, m):
    return rng.integers(n, size=(2, r, m))


def against_anchors(rng, r, n, m, anchors):
    return rng.integers(anchors, size=(r, m)), rng.integers(n, size=(r, m))


def zipf_pairs(rng, r, n, m):
    chance = 1 / np.arange(1, n + 1)
    return rng.choice(n, size=(2, r, m), p=chance / chance.sum())


def example():
    rng = np.random.default_rng(1)
    left, right = random_pairs(rng, 1, 60, 400)
    return fair(rng, 1, left, right, n=60)


@pytest.mark.parametrize("contrasts", [np.eye(4), GAPS])
def test_the_own_variance_of_few_items_leans_on_the_pooled_one(contrasts):
    rates = example()
    found, df = unpooled_variance(rates, contrasts)
    theta, n, items = (x.ravel() for x in (rates.tpr, rates.effective, rates.items))
    common = rates.concordant.sum() / rates.comparable.sum()
    spread = np.sqrt(theta * (1 - theta) / (common * (1 - common)))
    pooled = rates.pooled[0] * np.outer(spread, spread)
    for number, row in enumerate(contrasts):
        cells = np.flatnonzero(row)
        apart = (row**2 * theta * (1 - theta) / n).sum()
        mean = (theta * n)[cells].sum() / n[cells].sum()
        alike = (mean * (1 - mean) / n[cells]).sum()
        own = max(row @ rates.covariance[0] @ row, apart) * max(1, alike / apart)
        behind = items[cells].min()
        trust = behind**2 / (behind**2 + 15**2)
        expected = trust * own + (1 - trust) * (row @ pooled @ row)
        assert_allclose(found[0, number], expected, rtol=1e-9)
        assert 1 <= df[0, number] <= behind - 1


def test_judgments_against_few_anchors_say_so():
    rng = np.random.default_rng(2)
    score, group = rng.normal(size=400), rng.integers(2, size=400)
    left, right = rng.integers(4, size=2000), rng.integers(4, 400, size=2000)
    outcome = rng.choice([-1, 1], 2000)
    few = comparative_separation_from_judgments(
        left, right, outcome, score, sensitive_features=group
    )
    assert few.difference.smallest_cell.min() >= 30
    assert few.to_frame()["note"].tolist() == [FEW_BEHIND] * 2
    assert FEW_BEHIND in few.interpretation
    many = comparative_separation_from_judgments(
        rng.integers(400, size=2000), right, outcome, score, sensitive_features=group
    )
    assert many.to_frame()["note"].tolist() == ["", ""]
    width = [(x.rates()["ci_high"] - x.rates()["ci_low"]).max() for x in (few, many)]
    assert width[0] > 2 * width[1]


def test_a_perfect_model_of_judgments_is_not_violated():
    rng = np.random.default_rng(3)
    score, group = np.arange(80.0), np.arange(80) % 2
    left, right = rng.permuted(np.tile(np.arange(80), (300, 1)), axis=1)[:, :2].T
    result = comparative_separation_from_judgments(
        left, right, np.sign(left - right), score, sensitive_features=group
    )
    assert result.violated is False
    assert result.pvalues.tolist() == [1, 1]
    assert result.to_frame()["note"].tolist() == ["no variance"] * 2


def shares(rates):
    """Return the share of sets with a violation by Holm, and by the joint test; coverage of 0."""
    difference, joint = comparative_separation_from_rates(rates)
    holm = np.nan_to_num(adjusted(difference.pvalue, "holm"), nan=1).min(axis=1) < 0.05
    known = np.isfinite(difference.ci_low)
    covered = ((difference.ci_low <= 0) & (difference.ci_high >= 0))[known].mean()
    noted = (notes(difference) != "").any(axis=1).mean()
    return holm.mean(), (np.nan_to_num(joint.pvalue, nan=1) < 0.05).mean(), covered, noted


FEW_ITEMS = {
    "3 anchors": (against_anchors, (1000, 2000, 3), {}),
    "6 anchors": (against_anchors, (1000, 2000, 6), {}),
    "20 anchors": (against_anchors, (1000, 2000, 20), {}),
    "Zipf": (zipf_pairs, (300, 1500), {"share": 0.3}),
    "16 items": (random_pairs, (16, 600), {}),
    "24 items": (random_pairs, (24, 600), {}),
    "40 items": (random_pairs, (40, 4000), {"share": 0.2}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(FEW_ITEMS, 0, 3, 4, 6))
def test_judgments_on_few_items_hold_level_and_coverage(name):
    draw, sizes, options = FEW_ITEMS[name]
    rng = np.random.default_rng(4)
    parts = []
    for _ in range(6):
        left, right = draw(rng, 100, *sizes)
        parts.append(shares(fair(rng, 100, left, right, n=sizes[0], **options)))
    holm, joint, covered, noted = np.mean(parts, axis=0)
    print(f"{name}: Holm {holm:.3f}, joint {joint:.3f}, covered {covered:.3f}, noted {noted:.3f}")
    assert holm < 0.05 + 3.1 * 0.009
    assert joint < 0.05 + 3.1 * 0.009
    assert covered > 0.95 - 3.1 * 0.008
    assert noted > 0.5


@pytest.mark.slow
def test_a_wider_spread_of_scores_in_a_small_group_hardly_raises_the_level():
    """All TPR(a, b) are equal, separation is violated; 1,000 sets, Monte Carlo error 0.008."""
    rng = np.random.default_rng(0)
    group, need = np.arange(440) < 80, np.arange(440) % 2 == 1
    chance = np.where(group, 0.3 / 80, 0.7 / 360)
    found = np.zeros(4)
    for _ in range(10):
        noise = rng.normal(size=(100, 440))
        score = np.where(group & need, 3 * noise + np.sqrt(5), noise + need)  # the same 0.76 each
        left, right = rng.choice(440, size=(2, 100, 2000), p=chance)
        outcome = need[left].astype(float) - need[right]
        pairs = orient_pairs(outcome, verdicts(score, left, right), left, right)
        found += shares(given_pairs(*pairs, np.tile(group.astype(int), (100, 1)), 2))
    holm, joint, covered, _ = found / 10
    print(f"Holm {holm:.3f}, joint {joint:.3f}, covered {covered:.3f}")
    assert holm < 0.07 + 3 * 0.008
    assert joint < 0.06 + 3 * 0.008
    assert covered > 0.94 - 3 * 0.006


def levels_with_judges(r, judges, *, taste=0.0, skill=0.0, seed=0):
    """Share of fair sets in which each gap, and any, is found: 300 items, 3,000 pairs.

    Every judge favours one group a little, by `taste` on the log odds, on average none; the log
    odds of an error vary between judges by `skill`.
    """
    rng = np.random.default_rng(seed)
    found = np.zeros(3)
    for _ in range(r // 100):
        group, need = rng.integers(2, size=(2, 100, 300))
        score = rng.normal(size=(100, 300)) + 1.5 * need
        left, right = random_pairs(rng, 100, 300, 3000)
        judge = rng.integers(judges, size=left.shape)
        sure = of_items(2 - skill * rng.normal(size=(100, judges)), judge)
        lean = of_items(taste * rng.normal(size=(100, judges)), judge)
        differ = of_items(need, left) - of_items(need, right)
        towards = of_items(group, left) - of_items(group, right)
        log_odds = sure * differ + lean * towards
        outcome = np.where(rng.random(left.shape) < 1 / (1 + np.exp(-log_odds)), 1.0, -1.0)
        rates = given_pairs(
            *orient_pairs(outcome * (differ != 0), verdicts(score, left, right), left, right),
            group,
            2,
        )
        pvalue = comparative_separation_from_rates(rates)[0].pvalue
        any_found = adjusted(pvalue, "holm").min(axis=1) < 0.05
        found += [*(pvalue < 0.05).sum(axis=0), any_found.sum()]
    return found / r


@pytest.mark.slow
def test_judgments_of_few_judges_with_tastes_are_found_violated_too_often():
    """The numbers of judgments.md: 1,000 sets, Monte Carlo errors from 0.007 to 0.011."""
    found = {
        "5 judges, tastes": levels_with_judges(1000, 5, taste=1.0),
        "10 judges, tastes": levels_with_judges(1000, 10, taste=1.0),
        "10 judges, skills": levels_with_judges(1000, 10, skill=1.0),
    }
    print(found)
    assert found["5 judges, tastes"].round(3).tolist() == [0.132, 0.05, 0.094]
    assert found["10 judges, tastes"].round(3).tolist() == [0.08, 0.044, 0.074]
    assert found["10 judges, skills"].round(3).tolist() == [0.042, 0.044, 0.044]


def level_of_wrong_judgments(r, base_rates, wrong, *, seed=0):
    """Share of fair sets that are found violated: 300 items, 3,000 pairs."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(r // 100):
        group = rng.integers(2, size=(100, 300))
        need = (rng.random((100, 300)) < np.array(base_rates)[group]).astype(int)
        score = rng.normal(size=(100, 300)) + 1.5 * need
        left, right = random_pairs(rng, 100, 300, 3000)
        outcome = np.sign(of_items(need, left) - of_items(need, right)).astype(float)
        outcome *= np.where(rng.random(outcome.shape) < wrong, -1, 1)
        rates = given_pairs(
            *orient_pairs(outcome, verdicts(score, left, right), left, right), group, 2
        )
        pvalue = comparative_separation_from_rates(rates)[0].pvalue
        found += (adjusted(pvalue, "holm").min(axis=1) < 0.05).sum()
    return found / r


@pytest.mark.slow
def test_wrong_judgments_of_groups_with_other_base_rates_are_found_violated():
    """The numbers of judgments.md: 1,000 sets, Monte Carlo errors from 0.007 to 0.016."""
    found = {
        "wrong, 0.5 and 0.3": level_of_wrong_judgments(1000, (0.5, 0.3), 0.1),
        "right, 0.5 and 0.3": level_of_wrong_judgments(1000, (0.5, 0.3), 0.0),
        "wrong, 0.4 each": level_of_wrong_judgments(1000, (0.4, 0.4), 0.1),
    }
    print(found)
    assert [round(float(x), 3) for x in found.values()] == [0.352, 0.049, 0.051]
