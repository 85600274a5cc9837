"""All groups and intersections, beside loops over the items."""

from itertools import combinations

import numpy as np
import pytest

from fairpairs.mathematics.estimates.subgroups import subgroups


def by_loops(codes, kind, kinds, depth, smallest):
    groups, seen = {}, {frozenset(range(len(kind)))}
    for size in range(1, depth + 1):
        for several in combinations(range(len(codes)), size):
            new, large, rest = {}, 0, 0
            every = sorted(set(zip(*(codes[a].tolist() for a in several), strict=True)))
            for values in every:
                inside = np.logical_and.reduce(
                    [codes[a] == v for a, v in zip(several, values, strict=True)]
                )
                items = frozenset(np.flatnonzero(inside).tolist())
                large, rest = (
                    (large + 1, rest) if len(items) >= smallest else (large, rest + len(items))
                )
                if len(items) >= smallest and items not in seen:
                    seen.add(items)
                    new[several, values] = np.bincount(kind[inside], minlength=kinds).tolist()
            if len(new) == large == 2 and rest < smallest:
                del new[max(new, key=lambda name: (sum(new[name]), name))]
            groups |= new
    return groups


@pytest.mark.parametrize(("depth", "smallest"), [(1, 1), (2, 1), (3, 1), (3, 12)])
def test_groups_and_counts_are_those_of_loops(depth, smallest):
    rng = np.random.default_rng(0)
    a, b = rng.choice(3, 300, p=[0.5, 0.48, 0.02]), rng.integers(0, 5, 300)
    codes, kind = [a, b, (a > 0).astype(int), (b * a % 4 > 1).astype(int)], rng.integers(0, 4, 300)
    found = subgroups(codes, kind, np.ones(300, int), kinds=4, depth=depth, smallest=smallest)
    groups = dict(
        zip(zip(found.attributes, found.codes, strict=True), found.counts.tolist(), strict=True)
    )
    assert groups == by_loops(codes, kind, 4, depth, smallest)


def test_counts_stand_for_rows():
    rng = np.random.default_rng(1)
    codes, kind = [rng.integers(0, 4, 50), rng.integers(0, 2, 50)], rng.integers(0, 2, 50)
    count = rng.integers(1, 9, 50)
    one = subgroups(codes, kind, count, kinds=2, depth=2)
    rows = np.repeat(np.arange(50), count)
    order = rng.permutation(rows)
    two = subgroups(
        [c[order] for c in codes], kind[order], np.ones(len(order), int), kinds=2, depth=2
    )
    assert one.codes == two.codes
    np.testing.assert_array_equal(one.counts, two.counts)


def test_too_many_groups_end_the_search():
    code = np.arange(100)
    counted = subgroups([code, code // 2], code % 2, np.ones(100, int), kinds=2, depth=2, most=120)
    assert counted is None
