"""How often an audit with few human labels errs, and finds, beside human labels alone and all.

`SETS=500 pytest -s -n 0 -k few_labels_keep` prints the table of docs/explanation/few-labels.md.
"""

import os
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

from fairpairs.audits.audit.attribute_items import AttributeItems
from fairpairs.audits.audit.comparison import comparisons
from fairpairs.audits.audit.criteria import CRITERIA
from fairpairs.audits.audit.few_labels import read_few_labels
from fairpairs.audits.audit.items import read_items
from fairpairs.audits.audit.messages import Wording
from fairpairs.audits.audit.settings import AuditColumns, Settings
from fairpairs.base.errors import InputError

#: Data sets of each world.
SETS = int(os.environ.get("SETS", "6"))
CRITERION = {
    "TPR": "equal_opportunity", "AUC": "xauc", "mean error": "differential_parity",
}  # fmt: skip


@dataclass(frozen=True)
class World:
    """Two groups, a model, and a judge that errs more often in the second group.

    Attributes
    ----------
    rows, human
        Rows, and those with a human label, which are drawn at random.
    minority
        Share of the second group.
    right
        Shares of rows of both groups whose cheap label is right.
    lean
        Share of rows whose cheap label is the decision.
    measure
        The line that is looked at. TPR, or AUC, or the mean error of numbers.
    gap
        How far the second group's differs in the unfair world.
    persons
        Rows of a person, whose errors are alike; named as clusters where it is above 1.
    per_cell
        Whether as many rows of each group, decision and cheap label are drawn; by chances.
    """

    rows: int
    human: int
    minority: float = 0.3
    right: tuple[float, float] = (0.95, 0.85)
    lean: float = 0.05
    measure: str = "TPR"
    gap: float = 0.1
    persons: int = 1
    per_cell: bool = False
    tpr: float = 0.8

    def draw(self, rng, gap):
        """Label, prediction, cheap label, group and person of all rows."""
        n, each = self.rows, self.persons
        person = np.repeat(np.arange(n // each), each)
        group = (rng.random(n // each) < self.minority)[person]
        if self.measure == "mean error":
            label = rng.normal(size=n)
            predicted = label + rng.normal(size=n) - gap * group
            cheap = label + (1 - np.take(self.right, group.astype(int))) * rng.normal(size=n)
            return label, predicted, cheap + 0.3 * group, group, person
        label = rng.random(n) < np.where(group, 0.3, 0.4)
        own = rng.normal(size=n // each)[person] if each > 1 else 0.0
        score = rng.normal(size=n) * (0.7 if each > 1 else 1) + 0.7 * own
        if self.measure == "AUC":
            score = score + (1.5 - gap * group) * label
            decision = score > 1
        else:
            rate = np.where(label, self.tpr - gap * group, 0.2)
            decision = rng.random(n) < rate if each == 1 else score < np.quantile(score, rate)
        cheap = np.where(rng.random(n) < np.take(self.right, group.astype(int)), label, ~label)
        cheap = np.where(rng.random(n) < self.lean, decision, cheap)
        predicted = score if self.measure == "AUC" else decision.astype(int)
        return label.astype(int), predicted, cheap.astype(int), group, person

    def labelled(self, rng, group, predicted, cheap):
        """The positions of the human labels, and the chance of each row to have one."""
        n = self.rows
        if not self.per_cell:
            return rng.permutation(n)[: self.human], None
        cell, chance, drawn = 4 * group + 2 * predicted + cheap, np.ones(n), []
        for code in range(8):
            rows = np.flatnonzero(cell == code)
            some = min(self.human // 8, len(rows))
            chance[rows] = some / max(len(rows), 1)
            drawn.append(rng.permutation(rows)[:some])
        return np.concatenate(drawn), chance

    def line(self, label, predicted, group, person, **more):
        """The p-value and the interval of the line, from these rows."""
        clusters = person if self.persons > 1 else None
        columns = AuditColumns(label, predicted, {"g": group}, clusters=clusters, **more)
        try:
            if more:
                few = read_few_labels(columns, Settings(), Wording())
                items = few.items(few.attributes[0], Settings())
            else:
                roles, (attribute,), design = read_items(columns, Settings(), Wording())
                items = AttributeItems(roles, attribute, Settings(), design)
        except InputError:
            return np.nan, -1.0, 1.0
        (comparison,) = comparisons(items)
        rows = CRITERIA[CRITERION[self.measure]].rows(comparison)
        row = next(row for row in rows if row.measure == self.measure)
        low, high = (row.ci_low, row.ci_high) if np.isfinite(row.ci_low) else (-9.0, 9.0)
        return row.pvalue, low, high

    def found(self, seed, gap):
        """What both labels say, and those of people alone, the judge's alone, and all labels.

        Whether a difference is found by each, and whether the interval of the first covers it.
        """
        rng = np.random.default_rng([seed, 11])
        label, predicted, cheap, group, person = self.draw(rng, gap)
        drawn, chance = self.labelled(rng, group, predicted, cheap)
        human = np.full(self.rows, np.nan)
        human[drawn] = label[drawn]
        alone = rng.permutation(self.rows)[: self.human]
        few = self.line(human, predicted, group, person, cheap_label=cheap, chance=chance)
        others = [
            self.line(a[rows], predicted[rows], group[rows], person[rows])[0]
            for a, rows in ((label, alone), (cheap, slice(None)), (label, slice(None)))
        ]
        return [few[0] < 0.05, *(p < 0.05 for p in others), few[1] <= 0 <= few[2]]


WORLDS = {
    "5,000 rows, 500 labels": World(5_000, 500),
    "500 labels, chosen by cell": World(5_000, 500, per_cell=True),
    "a worse judge, 500 by cell": World(5_000, 500, right=(0.85, 0.75), per_cell=True),
    "20,000 rows, 500 by cell": World(20_000, 500, per_cell=True),
    "20,000 rows, 1,000 by cell, judge right in 90 and 80 %": World(
        20_000, 1_000, right=(0.9, 0.8), per_cell=True
    ),
    "50 labels": World(5_000, 50, minority=0.5, gap=0.3),
    "a judge who guesses": World(5_000, 500, right=(0.5, 0.5)),
    "a perfect judge, 1,000 labels": World(5_000, 1_000, right=(1.0, 1.0), lean=0.0),
    "a judge who leans to the decision by half": World(5_000, 1_000, lean=0.5),
    "a minority of 3 %, 2,000 labels": World(20_000, 2_000, minority=0.03, gap=0.2),
    "5,000 labels": World(20_000, 5_000, minority=0.1, gap=0.05),
    "AUC of a score": World(5_000, 500, measure="AUC", gap=0.5),
    "mean error of numbers": World(5_000, 500, measure="mean error", right=(0.7, 0.4), gap=0.15),
    "persons of five rows": World(5_000, 600, persons=5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_few_labels_keep_the_level_and_find_more(name):
    world = WORLDS[name]
    fair = np.mean([world.found(seed, 0.0) for seed in range(SETS)], axis=0)
    unfair = np.mean([world.found(seed + SETS, world.gap) for seed in range(SETS)], axis=0)
    both, alone, judge, _, covered = fair
    power = ", ".join(f"{unfair[i]:.3f}" for i in (0, 1, 3))
    print(f"\n| {name} | {both:.3f} | {covered:.3f} | {alone:.3f} | {judge:.3f} | {power} |")
    assert both * SETS <= binom.isf(1e-4, SETS, 0.05)
