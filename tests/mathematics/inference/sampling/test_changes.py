import numpy as np
import pytest

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.contrasts.paired import PairedContrast
from fairpairs.mathematics.inference.contrasts.score import ScoreContrast
from fairpairs.mathematics.inference.sampling.changes import GapChange
from fairpairs.mathematics.inference.sampling.comparative import RankedItems
from fairpairs.mathematics.inference.sampling.gaps import Gap, average
from fairpairs.mathematics.inference.sampling.linear import mean


def items(n=300, seed=0, moved=0.1):
    rng = np.random.default_rng(seed)
    group, label = rng.integers(0, 2, n), rng.integers(0, 2, n)
    old = (rng.random(n) < 0.3 + 0.4 * label + 0.1 * group).astype(float)
    new = np.where(rng.random(n) < moved, 1 - old, old)
    return group, label, old, new


def rate_gap(decided, group, label, of, design):
    classes = 2 * group + label
    return Gap(*(mean(decided, classes == 2 * g + of, classes, design) for g in (1, 0)))


def change_of(group, label, old, new, design=None, of=1):
    design = design or SamplingDesign(len(group))
    gaps = (rate_gap(decided, group, label, of, design) for decided in (old, new))
    return GapChange(*gaps, design, (old, new))


def test_the_variance_is_that_of_the_differences_of_decisions():
    group, label, old, new = items()
    change = change_of(group, label, old, new)
    cells = [(new - old)[(group == g) & (label == 1)] for g in (1, 0)]
    assert change.linear.estimate == pytest.approx(cells[0].mean() - cells[1].mean())
    paired, unpaired = change.variances
    assert paired == pytest.approx(sum(cell.var(ddof=1) / len(cell) for cell in cells))
    each = [m[(group == g) & (label == 1)] for m in (old, new) for g in (1, 0)]
    assert unpaired == pytest.approx(sum(cell.var(ddof=1) / len(cell) for cell in each))
    assert paired < 0.6 * unpaired


def test_models_that_err_on_other_items_leave_a_wider_interval():
    group, label, old, _ = items()
    change = change_of(group, label, old, 1 - old)
    paired, unpaired = change.variances
    assert paired == pytest.approx(2 * unpaired)


def test_the_variance_of_an_auc_is_delongs():
    rng = np.random.default_rng(1)
    group, label, *_ = items(seed=1)
    scores = [label + rng.normal(size=len(label)) for _ in range(2)]
    scores[1] += 2 * scores[0]
    design = SamplingDesign(len(label))
    gaps = []
    for score in scores:
        ranked = RankedItems(label, group, 2, score_order(score), design)
        gaps.append(Gap(ranked.rate(1, 1), ranked.rate(0, 0)))
    expected = 0.0
    for g in (1, 0):
        parts = []
        for score in scores:
            ahead, behind = (score[(group == g) & (label == y)] for y in (1, 0))
            wins = (ahead[:, None] > behind).astype(float)
            parts.append((wins.mean(axis=1), wins.mean(axis=0)))
        for old, new in zip(*parts, strict=True):
            expected += np.var(new - old, ddof=1) / len(old)
    change = GapChange(*gaps, design, None)
    assert change.variances[0] == pytest.approx(expected)
    assert isinstance(change.contrast, StudentContrast)


def test_decisions_are_tested_by_the_items_that_changed():
    group, label, old, new = items()
    contrast = change_of(group, label, old, new).contrast
    assert isinstance(contrast, PairedContrast)
    assert contrast.estimate == pytest.approx(contrast.factors @ contrast.changes)
    assert sorted(contrast.factors) == pytest.approx([-1, 1])
    for place, sign in enumerate(contrast.factors):
        cell = (group == (sign > 0)) & (label == 1)
        assert contrast.changed[place] == pytest.approx((old != new)[cell].mean())
        assert cell.sum() - 1 <= contrast.items[place] <= cell.sum()
    low, high = contrast.limits(0.05)
    assert contrast.pvalue(low) == pytest.approx(0.05, abs=1e-6)
    assert contrast.pvalue(high) == pytest.approx(0.05, abs=1e-6)


def test_average_odds_rest_on_four_cells():
    group, label, old, new = items()
    design = SamplingDesign(len(group))
    gaps = [
        average(*(rate_gap(decided, group, label, of, design) for of in (1, 0)))
        for decided in (old, new)
    ]
    contrast = GapChange(*gaps, design, (old, new)).contrast
    assert sorted(contrast.factors) == pytest.approx([-0.5, -0.5, 0.5, 0.5])
    assert contrast.estimate == pytest.approx(contrast.factors @ contrast.changes)


def test_clusters_of_one_are_independent_items_and_doubled_rows_are_not():
    group, label, old, new = items(120)
    alone = change_of(group, label, old, new)
    n = len(group)
    ones = change_of(group, label, old, new, SamplingDesign(n, np.arange(n)))
    assert ones.variances == pytest.approx(alone.variances)
    assert ones.contrast.items == pytest.approx(alone.contrast.items)
    twice = [np.repeat(each, 2) for each in (group, label, old, new)]
    doubled = change_of(*twice, SamplingDesign(2 * n, np.repeat(np.arange(n), 2)))
    assert doubled.variances == pytest.approx(alone.variances)
    # Student's t with the degrees of freedom of the clusters
    low, high = doubled.contrast.limits(0.05)
    first, second = alone.contrast.limits(0.05)
    assert low == pytest.approx(first, abs=0.01)
    assert high == pytest.approx(second, abs=0.01)


def rare_change(rng, sizes, changes, *, share=0.03):
    """Errors of two models, of which a share of the rows differs."""
    group = np.repeat([1, 0], sizes)
    moved = rng.random(len(group)) < share
    error = rng.normal(size=len(group))
    errors = error, np.where(moved, error + changes(rng, len(group)), error)
    design = SamplingDesign(len(group))
    gaps = [
        Gap(*(mean(values, group == g, group, design) for g in (1, 0)), rates=False)
        for values in errors
    ]
    return GapChange(*gaps, design, moved=moved)


def test_a_class_in_which_nothing_changed_has_a_variance():
    """That of one change of 42 rows: mean squares times 1/42, over 40."""
    rng = np.random.default_rng(2)
    group = np.repeat([1, 0], (40, 1500))
    old = rng.normal(size=1540)
    moved = (group == 0) & (rng.random(1540) < 0.03)
    new = old + 2.0 * moved
    design = SamplingDesign(1540)
    gaps = [
        Gap(*(mean(v, group == g, group, design) for g in (1, 0)), rates=False) for v in (old, new)
    ]
    share = moved[group == 0].mean()
    large = 1500 / 1499 * 4 * share * (1 - share) / 1500
    small = 4 * (1 - share) ** 2 / 42 / 40
    change = GapChange(*gaps, design, moved=moved)
    assert change.contrast.error**2 == pytest.approx(large + small, rel=1e-6)
    assert change.contrast.pvalue() > 0.05 > GapChange(*gaps, design).contrast.pvalue()


def test_where_all_or_many_changed_the_variance_is_the_estimated_one():
    rng = np.random.default_rng(3)
    many = rare_change(rng, (300, 300), lambda rng, n: rng.normal(size=n), share=0.5)
    assert many.contrast.error**2 == pytest.approx(many.variances[0], rel=1e-12)


def precisions(label, group, old, new, design=None):
    design = design or SamplingDesign(len(label))
    gaps = [
        Gap(
            *(
                mean(
                    label, (group == g) & (decided == 1), np.where(decided == 1, group, -1), design
                )
                for g in (1, 0)
            )
        )
        for decided in (old, new)
    ]
    return GapChange(*gaps, design, (old, new), old != new)


def test_precisions_of_other_items_have_the_tests_of_four_rates():
    group, label, old, _ = items()
    change = precisions(label, group, old, 1 - old)
    rates, trials = (
        np.array(
            [count(label[(group == g) & (d == 1)]) for d in (old, 1 - old) for g in (1, 0)], float
        )
        for count in (np.mean, len)
    )
    four = ScoreContrast(rates, trials, np.array([-1.0, 1.0, 1.0, -1.0]))
    assert change.contrast.estimate == pytest.approx(four.estimate, rel=1e-12)
    least = change.variances[0]
    expected = ScoreContrast(rates, trials, four.factors, least=least)
    assert change.contrast.limits(0.05) == pytest.approx(expected.limits(0.05), abs=3e-3)
    assert change.contrast.pvalue() == pytest.approx(expected.pvalue(), abs=2e-3)


@pytest.mark.parametrize("kind", ["rows", "frequencies", "clusters"])
def test_precisions_of_nearly_the_same_items_have_the_variance_of_their_difference(kind):
    """That of the totals of rows or clusters, where items are many and none is rare."""
    group, label, old, new = items(n=4000, moved=0.05)
    counts = np.random.default_rng(5).integers(1, 4, 4000)
    rows = np.repeat(np.arange(4000), counts if kind == "frequencies" else 1)
    cluster = np.arange(4000) // 2 if kind == "clusters" else None
    whole = [values[rows] for values in (label.astype(float), group, old, new)]
    change = precisions(*whole, SamplingDesign(len(rows), cluster))
    error = np.sqrt(change.variances[0])
    low, high = change.contrast.limits(0.05)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.03)
    if kind == "frequencies":
        weighted = SamplingDesign(4000, weight=counts.astype(float), kind="frequency")
        same = precisions(label.astype(float), group, old, new, weighted)
        assert same.contrast.limits(0.05) == pytest.approx((low, high), rel=1e-12)
        assert same.contrast.pvalue() == pytest.approx(change.contrast.pvalue(), rel=1e-12)
