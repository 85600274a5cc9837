import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.papers.experiments.pair_counts import count_pairs, draw_cell_counts

CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]
# (a, y, c) of seven items: TPR 1/2 and 1, TNR 1/2 and 1
ITEMS = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1), (1, 1, 1)]


def sgn(x):
    return int(x > 0) - int(x < 0)


def literal_counts(y_true, y_score, group, pairs):
    """TP + TN and P + N of equations (16) and (17), counted as they stand."""
    judged = [
        (sgn(y_score[i] - y_score[j]), sgn(y_true[i] - y_true[j]), (int(group[i]), int(group[j])))
        for i, j in pairs
    ]
    right, usable = np.zeros((2, 2), dtype=int), np.zeros((2, 2), dtype=int)
    for a in CELLS:
        turned = (a[1], a[0])
        tp = sum(c == 1 and y == 1 and a_ij == a for c, y, a_ij in judged)
        tn = sum(c == -1 and y == -1 and a_ij == turned for c, y, a_ij in judged)
        p = sum(y == 1 and a_ij == a for _, y, a_ij in judged)
        n = sum(y == -1 and a_ij == turned for _, y, a_ij in judged)
        right[a], usable[a] = tp + tn, p + n
    return right, usable


def share(rows):
    """Share of items in each cell (a, y, c)."""
    items = np.zeros((2, 2, 2))
    for row in rows:
        items[row] += 1 / len(rows)
    return items


def outcome(first, second):
    """Cell and rightness of a pair of items (a, y, c), by the definition, None if not usable."""
    for (a, y, c), (b, z, d) in ((first, second), (second, first)):
        if y > z:
            return (a, b), c > d
    return None


@pytest.fixture
def probabilities():
    return np.random.default_rng(5).dirichlet(np.ones(8), size=4).reshape(4, 2, 2, 2)


def test_cell_probabilities_are_those_of_all_ordered_pairs_with_self_pairs():
    right, wrong = np.zeros((2, 2)), np.zeros((2, 2))
    for first in ITEMS:
        for second in ITEMS:
            found = outcome(first, second)
            if found is not None:
                (right if found[1] else wrong)[found[0]] += 1 / len(ITEMS) ** 2
    for mine, expected in zip(cell_probabilities(share(ITEMS)), (right, wrong), strict=True):
        assert_allclose(mine, expected, rtol=1e-12)


@st.composite
def judged_items(draw):
    n = draw(st.integers(1, 8))
    kind = draw(st.sampled_from(["binary", "few", "real"]))
    values = {
        "binary": st.sampled_from([0.0, 1.0]),
        "few": st.sampled_from([-1.0, 0.0, 2.5, 3.0]),
        "real": st.floats(-100, 100),
    }[kind]
    y_true = draw(st.lists(values, min_size=n, max_size=n))
    y_score = draw(st.lists(values, min_size=n, max_size=n))
    group = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    position = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(position, position), max_size=30))
    return np.array(y_true), np.array(y_score), np.array(group), pairs


@pytest.mark.slow
@given(judged_items())
def test_counted_pairs_are_those_of_equations_16_and_17(items):
    y_true, y_score, group, pairs = items
    left, right = np.array(pairs, dtype=int).reshape(-1, 2).T
    counts = count_pairs(y_true, y_score, group, left, right)
    expected = literal_counts(y_true, y_score, group, pairs)
    assert_array_equal(counts.concordant, expected[0])
    assert_array_equal(counts.comparable, expected[1])


def test_drawn_counts_have_their_shapes_and_stay_within_bounds():
    rng = np.random.default_rng(0)
    right, wrong = cell_probabilities(share(ITEMS))
    one = draw_cell_counts((right, wrong), 50, rng)
    many = draw_cell_counts((right, wrong), 50, rng, size=200)
    assert one.concordant.shape == one.comparable.shape == (2, 2)
    assert many.concordant.shape == many.comparable.shape == (200, 2, 2)
    assert (many.concordant >= 0).all()
    assert (many.concordant <= many.comparable).all()
    assert (many.comparable.sum(axis=(1, 2)) <= 50).all()
    # a standard error is below 0.24
    assert_allclose(many.concordant.mean(axis=0), 50 * right, atol=1)
    assert_allclose(many.comparable.mean(axis=0), 50 * (right + wrong), atol=1)


def test_samples_with_a_generator_each_are_drawn_as_if_alone(probabilities):
    numbers, chances = np.array([10, 0, 500, 33]), cell_probabilities(probabilities)
    together, alike = (
        draw_cell_counts(chances, n, [np.random.default_rng(seed) for seed in range(4)])
        for n in (numbers, 20)
    )
    assert together.concordant.shape == together.comparable.shape == (4, 2, 2)
    for i in range(4):
        for drawn, n in ((together, numbers[i]), (alike, 20)):
            alone = draw_cell_counts(tuple(c[i] for c in chances), n, np.random.default_rng(i))
            assert_array_equal(drawn.concordant[i], alone.concordant)
            assert_array_equal(drawn.comparable[i], alone.comparable)


def test_items_of_one_label_make_no_usable_pair():
    chances = cell_probabilities(share([(0, 1, 1), (1, 1, 0)]))
    counts = draw_cell_counts(chances, 50, np.random.default_rng(0))
    assert counts.comparable.sum() == 0


@pytest.mark.parametrize("rate", [0.7, np.array([[0.9, 0.6], [0.3, 0.5]])])
def test_pairs_of_known_cells_and_rates_have_the_expected_counts(rate):
    # 4,000 samples of 500 pairs: the standard error of a mean count is below 11.2 / 63 = 0.18
    usable = np.array([[0.1, 0.05], [0.2, 0.15]])
    chances = usable * rate, usable * (1 - rate)
    drawn = draw_cell_counts(chances, 500, np.random.default_rng(0), 4000)
    assert drawn.concordant.shape == drawn.comparable.shape == (4000, 2, 2)
    assert (drawn.concordant <= drawn.comparable).all()
    assert_allclose(drawn.comparable.mean(axis=0), 500 * usable, atol=0.8)
    assert_allclose(drawn.concordant.mean(axis=0), 500 * usable * rate, atol=0.8)
    everything = draw_cell_counts((2 * usable, 0 * usable), 500, np.random.default_rng(0), 3)
    assert_array_equal(everything.comparable.sum(axis=(1, 2)), 500)
    assert_array_equal(everything.concordant, everything.comparable)


def test_many_samples_are_counted_as_one_by_one():
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 4, 30).astype(float), rng.normal(size=30)
    groups, pairs = rng.integers(0, 2, (5, 30)), rng.integers(0, 30, (2, 5, 40))
    many = count_pairs(y, score, groups, *pairs)
    for i in range(5):
        one = count_pairs(y, score, groups[i], pairs[0, i], pairs[1, i])
        np.testing.assert_array_equal(many.concordant[i], one.concordant)
        np.testing.assert_array_equal(many.comparable[i], one.comparable)
