"""Errors of audits of many groups within strata.

`SETS=1000 pytest -s benchmarks/levels -k levels_hold` prints the table of
docs/explanation/methods.md.
"""

import numpy as np
import pytest

from benchmarks.levels import promises
from benchmarks.levels.worlds import audited
from fairpairs.audits.groups.read import CountedGroups
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.roles import Roles
from fairpairs.audits.items.strata import Strata

#: Data sets of each world.
SETS = promises.sets(8)
RATES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


def confounded(rng, groups, strata, items, rates, spread):
    """Groups whose mix of strata differs; also the true differences within strata."""
    n = rng.poisson(items * rng.dirichlet(np.full(strata, 0.5), size=groups))
    p = np.clip(rates + rng.normal(0, spread, (groups, 1)), 0, 1)
    k = rng.binomial(n, p)
    group, stratum = (np.tile(x.ravel(), 2) for x in np.indices(n.shape))
    count = np.concatenate([(n - k).ravel(), k.ravel()])
    kept = count > 0
    taken = np.repeat([0.0, 1.0], n.size)[kept]
    names = tuple(f"{code:04d}" for code in range(groups))
    within = Strata(stratum[kept], strata, {"s": []}, count[kept].astype(float), everyone=True)
    items = CountedGroups(
        Roles(taken, taken, None, "binary", "binary", "1"),
        [Attribute("a", group[kept], names, 0)], count[kept], False, within,
    )  # fmt: skip
    others = n.sum(axis=0) - n
    weight = n * others / np.maximum(n + others, 1)
    apart = p - ((n * p).sum(axis=0) - n * p) / np.maximum(others, 1)
    with np.errstate(invalid="ignore"):  # a group without items
        return items, (weight * apart).sum(axis=1) / weight.sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "strata", "items", "rates"),
    promises.some([
        (20, 5, 200, RATES), (200, 5, 100, RATES), (50, 5, 200, RATES**3 / 10),
        (30, 200, 100, np.linspace(0.05, 0.95, 200)),
    ], 2, 3),
)  # fmt: skip
def test_levels_hold_and_all_intervals_cover_where_groups_differ_in_strata(
    groups, strata, items, rates
):
    shares = []
    for spread in (0.0, 0.1):
        violated = missed = 0
        for i in range(SETS):
            rng = np.random.default_rng([6, i, groups, strata])
            counted, true = confounded(rng, groups, strata, items, rates, spread)
            result = audited(counted, smallest=1)
            rows = result.tests
            true = true[rows["group"].str[2:].astype(int)]
            violated += bool(result.violated)
            missed += bool(((rows["ci_low"] > true) | (rows["ci_high"] < true)).any())
        shares += [violated / SETS, missed / SETS]
    names = ("violated", "missed 0", "violated, unfair", "missed, unfair")
    for name, share in zip(names, shares, strict=True):
        error = np.sqrt(share * (1 - share) / SETS)
        print(f"{groups} groups, {strata} strata, {items}: {name} {share:.3f} ± {error:.3f}")
    assert max(shares[0], shares[1], shares[3]) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / SETS)
