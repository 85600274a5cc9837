"""Components of the variance of judgments, against least squares over all pairs of judgments."""

import numpy as np
import pytest

from fairpairs.mathematics.judgments.components import variance_components


def plain(contribution, cell, one, two, kinds):
    """Regress the product of each two judgments on what they share."""
    rows, products = [], []
    m = len(contribution)
    for i in range(m):
        for j in range(m):
            if i == j:
                continue
            ends = [a == b for a in (one[i], two[i]) for b in (one[j], two[j])]
            rows.append([
                sum(ends),
                {one[i], two[i]} == {one[j], two[j]},
                *(code[i] == code[j] for code in kinds.values()),
                cell[i] == cell[j] == 0,
                cell[i] == cell[j] == 1,
                cell[i] != cell[j],
            ])  # fmt: skip
            products.append(contribution[i] * contribution[j])
    found = np.linalg.lstsq(np.array(rows, dtype=float), np.array(products), rcond=None)[0]
    return found[: 2 + len(kinds)]


@pytest.mark.parametrize("sizes", [{}, {"judge": 5}, {"judge": 6, "cluster": 9}])
def test_the_components_are_those_of_least_squares_over_all_pairs(sizes):
    rng = np.random.default_rng(len(sizes))
    m, n = 90, 14
    one = rng.integers(n, size=m)
    two = (one + rng.integers(1, n, size=m)) % n
    cell, kinds = rng.integers(2, size=m), {k: rng.integers(s, size=m) for k, s in sizes.items()}
    effects = rng.normal(size=(3, 40))
    x = effects[0, one] + effects[0, two] + rng.normal(size=m)
    x = x + sum(effects[1 + i, code] for i, code in enumerate(kinds.values()))
    x = x - np.bincount(cell, x)[cell] / np.bincount(cell)[cell]
    parts = variance_components(x, cell, one, two, kinds)
    expected = plain(x, cell, one, two, kinds)
    assert list(parts) == ["item", "pair", *kinds]
    assert list(parts.values()) == pytest.approx(np.maximum(expected, 0), abs=1e-9)
    assert sum(value > 0 for value in parts.values()) > len(kinds)


def test_what_no_two_judgments_share_has_no_component():
    x = np.array([0.5, -0.5, 1.0, -1.0])
    place = np.arange(4)
    parts = variance_components(x, np.array([0, 0, 1, 1]), place, place + 4, {"judge": place})
    assert parts == {"item": 0, "pair": 0, "judge": 0}


def test_the_component_of_judges_is_that_of_an_analysis_of_variance():
    # 12 judges with 9 judgments each, in one cell: (MSB − MSW) / n, with the mean taken off
    rng = np.random.default_rng(3)
    judge = np.repeat(np.arange(12), 9)
    x = rng.normal(size=12)[judge] + rng.normal(size=108)
    by_judge = x.reshape(12, 9)
    between = 9 * by_judge.mean(axis=1).var(ddof=1)
    within = by_judge.var(axis=1, ddof=1).mean()
    place = np.arange(108)
    parts = variance_components(
        x - x.mean(), np.zeros(108, dtype=int), place, place + 108, {"judge": judge}
    )
    assert parts["judge"] == pytest.approx((between - within) / 9)
