"""How often audits of several classes call a fair model violated, and an unfair one.

`SETS=1000 pytest -s benchmarks/levels -k worlds_of_classes` prints the tables of
docs/explanation/calibration.md.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.levels import promises
from fairpairs.audits.audit.adjustment import judge, judge_all
from fairpairs.audits.audit.classes import ClassItems
from fairpairs.audits.criteria.all_classes import ALL_CLASSES
from fairpairs.audits.criteria.comparison import comparisons
from fairpairs.audits.criteria.rates import SEPARATION
from fairpairs.audits.items.class_roles import ClassRoles
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.settings import Settings
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.fairness import chi_square

#: Data sets of each world.
SETS = promises.sets(1)


@dataclass(frozen=True)
class World:
    """A population of labels and predictions of several classes.

    Attributes
    ----------
    items, groups, classes
        Number of items; shares of the groups; shares of the classes.
    right
        Chance that an item is predicted right; else it is any other class.
    others
        Shares of the classes in all groups but the first, if they differ.
    worse
        What the last group's chance to be right is less than `right`.
    aside
        Share of the last group's wrong predictions that are the next class, not any other one.
    """

    items: int
    groups: tuple[float, ...]
    classes: tuple[float, ...]
    right: float = 0.7
    others: tuple[float, ...] = ()
    worse: float = 0.0
    aside: float = 0.0

    def drawn(self, rng):
        """The items of a data set by group, label and prediction, shape (K, c, c)."""
        k, c = len(self.groups), len(self.classes)
        counts = np.zeros((k, c, c), dtype=np.int64)
        for group, size in enumerate(rng.multinomial(self.items, self.groups)):
            last = group == k - 1
            right = self.right - self.worse * last
            shares = self.others if group and self.others else self.classes
            for label, n in enumerate(rng.multinomial(size, shares)):
                chances = np.full(c, (1 - right) * (1 - self.aside * last) / (c - 1))
                chances[(label + 1) % c] += (1 - right) * self.aside * last
                chances[label] = right
                counts[group, label] = rng.multinomial(n, chances)
        return counts

    def violated(self, rng):
        """The p-values of the test of all classes, and of the lines of each."""
        counts = self.drawn(rng)
        group, label, predicted = np.nonzero(counts)
        names = tuple(f"group {i}" for i in range(len(self.groups)))
        sizes = counts.sum(axis=(1, 2))
        items = ClassItems(
            ClassRoles(label, predicted, tuple(f"class {i}" for i in range(len(self.classes)))),
            Attribute("area", group, names, int(sizes.argmax()), sizes),
            Settings(),
            SamplingDesign(len(label), None, counts[group, label, predicted] * 1.0, "frequency"),
        )
        criterion = ALL_CLASSES["separation_all_classes"]
        rows = {criterion.name: [criterion.row(items.counts, items.roles.names, items.attribute)]}
        rows["separation"] = [
            row
            for place in items.classes
            for comparison in comparisons(items.of_class(place))
            for row in SEPARATION.rows(comparison)
        ]
        table = judge([row for some in rows.values() for row in some], 0.05, "holm", {})
        gates = [judge_all(table.copy(), (name,), 0.05)[0] for name in rows]
        return {name: gate["pvalue"] for name, gate in zip(rows, gates, strict=True)}


def zipf(c):
    shares = 1 / np.arange(1, c + 1)
    return tuple(shares / shares.sum())


THREE, HALVES = (0.5, 0.3, 0.2), (0.5, 0.5)
FAIR = {
    "3 classes, 1,000 items in two halves": World(1000, HALVES, THREE),
    "3 classes, a minority of 5 % of 2,000": World(2000, (0.95, 0.05), THREE),
    "3 classes, 60 items": World(60, (0.6, 0.4), THREE),
    "3 classes, 6 or more items expected in each cell": World(
        540, (5 / 6, 1 / 6), (1 / 3, 1 / 3, 1 / 3), 0.5
    ),
    "3 classes, 0.98 predicted right, a minority of 10 % of 3,000": World(
        3000, (0.9, 0.1), THREE, 0.98
    ),
    "3 classes, of which one group never has one": World(1000, HALVES, THREE, others=(0.6, 0.4, 0)),
    "5 classes, 5 groups of other base rates, 2,000 items": World(
        2000, (0.4, 0.2, 0.2, 0.1, 0.1), (0.2,) * 5, others=(0.4, 0.3, 0.1, 0.1, 0.1)
    ),
    "10 classes by Zipf's law, 3 groups, 1,000 items": World(1000, (0.6, 0.3, 0.1), zipf(10)),
    "20 classes, 8 groups, 500 items": World(500, (0.125,) * 8, zipf(20)),
    "50 classes, two groups, 2,000 items": World(2000, (0.7, 0.3), zipf(50)),
}
UNFAIR = {
    "5 classes, right 0.70 and 0.60, 1,000 items in two halves": World(
        1000, HALVES, (0.2,) * 5, worse=0.1
    ),
    "the same, right 0.70 in both, half of the mistakes of one go to the next class": World(
        1000, HALVES, (0.2,) * 5, aside=0.5
    ),
    "20 classes by Zipf's law, right 0.70 and 0.60, 2,000 items in two halves": World(
        2000, HALVES, zipf(20), worse=0.1
    ),
}


@pytest.fixture(autouse=True)
def _fewer_shuffles(monkeypatch):
    monkeypatch.setattr(chi_square, "SHUFFLES", 999)
    monkeypatch.setattr(chi_square, "FEWER_SHUFFLES", 999)


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(FAIR, 1, 5, 8))
def test_fair_worlds_of_classes_are_rarely_violated(name):
    promises.check(name, FAIR[name].violated, number=SETS)


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(UNFAIR, 0, 1))
def test_unfair_worlds_of_classes_are_found(name):
    found = promises.check(name, UNFAIR[name].violated, 1, number=SETS)
    assert max(found.values()) * SETS >= binom.isf(0.99, SETS, 0.5)
