"""How often an audit errs at the margin: says within it, or beyond it, where neither holds.

`SETS=400 pytest -s benchmarks/levels -k worlds_at_the_margin` prints the table of
docs/reference/audit.md.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtri

from benchmarks.levels import promises
from fairpairs.audits.audit.adjustment import judge, judge_all
from fairpairs.audits.criteria import CRITERIA
from fairpairs.audits.criteria.comparison import comparisons
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.read import read_items
from fairpairs.audits.items.settings import AuditColumns, Settings

MARGIN = 0.1


@dataclass(frozen=True)
class World:
    """Two groups whose TPR, or whose TPR and FPR, differ by just the margin.

    Attributes
    ----------
    persons, minority
        Persons, and the share of the second group.
    tpr, fpr
        Of the first group; those of the second are smaller by the margin.
    rows
        Rows of a person, who has one label, and whose errors have a correlation of 0.5 before they
        are cut.
    """

    persons: int
    minority: float
    tpr: float = 0.7
    fpr: float = 0.3
    rows: int = 1

    def gate(self, rng, *, both):
        """The joint verdict on separation; `both` rates differ by the margin, or TPR alone."""
        group = rng.random(self.persons) < self.minority
        label = rng.random(self.persons) < 0.4
        less = MARGIN * (group & (label | both))
        rate = np.repeat(np.where(label, self.tpr, self.fpr) - less, self.rows)
        person = np.repeat(np.arange(self.persons), self.rows)
        shared, own = rng.normal(size=self.persons)[person], rng.normal(size=len(person))
        error = own if self.rows == 1 else np.sqrt(0.5) * (shared + own)
        columns = AuditColumns(
            label[person].astype(int), (error < ndtri(rate)).astype(int), {"g": group[person]},
            clusters=person if self.rows > 1 else None,
        )  # fmt: skip
        settings = Settings(margin=MARGIN)
        roles, (attribute,), design = read_items(columns, settings, Wording())
        items = AttributeItems(roles, attribute, settings, design)
        rows = [row for of in comparisons(items) for row in CRITERIA["separation"].rows(of)]
        table = judge(rows, 0.05, "holm", {"separation": MARGIN})
        return judge_all(table, ("separation",), 0.05)[0]


WORLDS = {
    "2,000 items": World(2000, 0.4),
    "a minority of 10 %": World(5000, 0.1),
    "rare predictions (TPR 0.15, FPR 0.12)": World(1500, 0.4, 0.15, 0.12),
    "400 persons with five rows": World(400, 0.5, rows=5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(WORLDS, 1, 3))
def test_worlds_at_the_margin_are_seldom_within_or_beyond(name):
    """Of 10 sets 5 err by a chance of 0.00006 at a level of 0.05."""

    def say(rng):
        return {
            "within": WORLDS[name].gate(rng, both=False)["shown"],
            "beyond": WORLDS[name].gate(rng, both=True)["pvalue"],
        }

    promises.check(name, say, number=promises.sets(10), seed=7)
