"""Estimates from few human labels and many cheap ones."""

import numpy as np
from numpy.testing import assert_allclose

from fairpairs.mathematics.arguments.design import (
    FEWEST,
    SamplingDesign,
    label_cells,
    two_phase_design,
)
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.inference.sampling.comparative import RankedItems
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import mean, spread
from fairpairs.mathematics.inference.sampling.two_phases import FREE, labels_worth, spread_of


def drawn(n_items, n, seed=0, right=(0.95, 0.85), tpr=(0.8, 0.8), rng=None):
    """Groups, labels, decisions, cheap labels, and the positions of the human labels."""
    rng = np.random.default_rng(seed) if rng is None else rng
    group = (rng.random(n_items) < 0.3).astype(int)
    label = (rng.random(n_items) < np.take([0.4, 0.3], group)).astype(int)
    decision = (rng.random(n_items) < np.where(label, np.take(tpr, group), 0.2)).astype(int)
    cheap = np.where(rng.random(n_items) < np.take(right, group), label, 1 - label)
    return group, label, decision, cheap, np.sort(rng.permutation(n_items)[:n])


def design_of(group, label, decision, cheap, labelled, *, number=None, base=None):
    return two_phase_design(
        label_cells(group, labelled, [decision, cheap], number),
        2 * group + decision,
        labelled,
        np.full(len(labelled), 0.1),
        label=label[labelled],
        design=base,
    )


def tpr_gap(group, label, decision, labelled, design):
    cell = 2 * group[labelled] + label[labelled]
    rates = [
        mean(decision[labelled].astype(float), cell == 2 * g + 1, cell, design) for g in (1, 0)
    ]
    return Gap(*rates)


def test_rate_and_variance_by_cells():
    """The TPR is that of the cells' positives; the variance is the formula of the counts."""
    group, label, decision, cheap, labelled = items = drawn(40_000, 8_000)
    design = design_of(*items)
    gap = tpr_gap(group, label, decision, labelled, design)
    for g, rate in ((1, gap.first), (0, gap.second)):
        cells = []
        for c in (0, 1):
            for t in (0, 1):
                kept = (group == g) & (decision == c) & (cheap == t)
                human = label[labelled][kept[labelled]]
                cells.append((kept.sum(), len(human), human.mean(), c))
        size, n, share, decided = map(np.array, zip(*cells, strict=True))
        positives = size * share
        theta = positives @ decided / positives.sum()
        assert_allclose(rate.estimate, theta, rtol=1e-12)
        total = positives.sum()
        within = (size * (decided - theta) / total) ** 2 * share * (1 - share) / n
        variance = theta * (1 - theta) / total + within @ (1 - n / size)
        assert_allclose(spread_of([rate], design).covariance[0, 0], variance, rtol=0.01)


def test_mean_is_that_of_prediction_powered_inference():
    """PPI++ with a cheap label of two values is post-stratified: with λ from all labelled rows."""
    group, label, _decision, cheap, labelled = drawn(4_000, 500)
    one = np.zeros_like(group)
    design = two_phase_design(
        label_cells(one, labelled, [cheap]), one, labelled, np.full(500, 0.125),
        label=label[labelled],
    )  # fmt: skip
    rate = mean(label[labelled].astype(float), one[labelled] == 0, one[labelled], design)
    y, f = label[labelled], cheap[labelled]
    rest = np.delete(cheap, labelled)
    slope = np.cov(y, f)[0, 1] / np.var(f, ddof=1)
    power = slope / (1 + len(y) / len(rest))
    estimate = y.mean() + power * (rest.mean() - f.mean())
    assert_allclose(rate.estimate, estimate, rtol=1e-12)
    variance = np.var(y - power * f) / len(y) + power**2 * np.var(rest) / len(rest)
    # ours is that of the cells as they were drawn, PPI++'s a mean over draws
    assert_allclose(spread_of([rate], design).covariance[0, 0], variance, rtol=0.06)


def test_all_labels_are_those_of_a_plain_sample():
    group, label, decision, cheap, _ = drawn(2_000, 1)
    everyone = np.arange(2_000)
    design = design_of(group, label, decision, cheap, everyone)
    gap = tpr_gap(group, label, decision, everyone, design)
    plain = SamplingDesign(2_000)
    assert_allclose(design.weights, 1)
    assert_allclose(
        spread_of([gap.difference], design).covariance,
        spread([gap.difference], plain).covariance,
        rtol=0.01,
    )


def test_perfect_judge_is_worth_its_labels():
    group, label, decision, _cheap, labelled = items = drawn(10_000, 2_000, right=(1, 1))
    design = design_of(*items)
    worth = labels_worth(tpr_gap(group, label, decision, labelled, design).difference, design)
    assert 9_000 < worth < 11_000


def test_useless_judge_is_worth_nothing():
    group, label, decision, _cheap, labelled = items = drawn(10_000, 2_000, right=(0.5, 0.5))
    design = design_of(*items)
    worth = labels_worth(tpr_gap(group, label, decision, labelled, design).difference, design)
    assert 1_900 < worth < 2_400


def test_score_strata_make_an_auc_more_precise():
    rng = np.random.default_rng(3)
    group, label, _decision, _cheap, labelled = items = drawn(6_000, 900, rng=rng)
    score = label + rng.normal(size=6_000)
    order = score_order(score[labelled])

    def variance(number):
        design = design_of(*items, number=number)
        ranked = RankedItems(label[labelled], group[labelled], 2, order, design)
        gap = ranked.gap((1, 1), (0, 0))
        return spread_of([gap.difference], design).covariance[0, 0], gap.contrast(design)

    (fine, contrast), (coarse, _) = variance(score), variance(None)
    assert fine < coarse
    assert contrast.limits(0.05)[0] < contrast.estimate < contrast.limits(0.05)[1]


def test_cells_with_few_labels_are_joined():
    group = np.repeat([0, 1], 50)
    part = np.tile([0, 0, 0, 0, 1], 20)
    labelled = np.flatnonzero((part == 0) & (group == 0))[: 2 * FEWEST]
    more = np.flatnonzero(group == 1)[: 10 * FEWEST]
    cells = label_cells(group, np.append(labelled, more), [part])
    assert len(np.unique(cells[group == 0])) == 1
    assert len(np.unique(cells[group == 1])) == 2


def test_few_events_have_few_degrees_of_freedom():
    group, label, decision, _cheap, labelled = items = drawn(10_000, 60, seed=4, right=(1, 1))
    design = design_of(*items)
    gap = tpr_gap(group, label, decision, labelled, design)
    positives = min(np.bincount(group[labelled][label[labelled] == 1]))
    first = spread_of([gap.first], design)
    assert first.df_of_sum(np.ones(1)) <= FREE * (positives - 1) + 1e-12
