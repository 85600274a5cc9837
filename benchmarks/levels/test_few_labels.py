"""How often an audit with few human labels errs, and finds, beside human labels alone and all.

`SETS=400 pytest -s -n 0 benchmarks/levels -k few_labels_keep` prints the table of
docs/explanation/few-labels.md.
"""

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from benchmarks.levels import promises
from fairpairs.audits.audit.audit import rows_of
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.few_labels import read_few_labels
from fairpairs.audits.items.messages import Wording
from fairpairs.audits.items.read import read_items
from fairpairs.audits.items.settings import AuditColumns, Settings
from fairpairs.base.errors import InputError

#: Data sets of each world.
SETS = promises.sets(6)
CRITERION = {
    "TPR": "equal_opportunity", "AUC": "xauc", "mean error": "differential_parity",
}  # fmt: skip


@dataclass(frozen=True)
class FewLabels:
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
    favour
        Share of rows of the second group whose cheap label is 0.
    measure
        The line that is looked at. TPR, or AUC, or the mean error of numbers.
    gap
        How far the second group's differs in the unfair world.
    persons
        Rows of a person, whose errors are alike; named as clusters where it is above 1.
    per_cell
        Whether as many rows of each group, decision and cheap label are drawn; by chances.
    rounds
        Rounds in which rows are chosen by `choose`, which knows the labels of earlier rounds.
    """

    rows: int
    human: int
    minority: float = 0.3
    right: tuple[float, float] = (0.95, 0.85)
    lean: float = 0.05
    favour: float = 0.0
    measure: str = "TPR"
    gap: float = 0.1
    persons: int = 1
    per_cell: bool = False
    rounds: int = 0
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
        if self.favour:
            cheap = cheap & ~(group & (rng.random(n) < self.favour))
        predicted = score if self.measure == "AUC" else decision.astype(int)
        return label.astype(int), predicted, cheap.astype(int), group, person

    def labelled(self, rng, label, group, predicted, cheap):
        """The positions of the human labels, and the chance of each row to have one."""
        n = self.rows
        if self.rounds:
            human, chance = np.full(n, np.nan), None
            for _ in range(self.rounds):
                choice = fp.choose(
                    human, predicted, sensitive_features={"g": group}, cheap_label=cheap,
                    n=self.human // self.rounds, chance=chance, criterion="equal_opportunity",
                    random_state=int(rng.integers(2**31)),
                )  # fmt: skip
                human[choice.chosen], chance = label[choice.chosen], choice.chance
            return np.flatnonzero(np.isfinite(human)), chance
        if not self.per_cell:
            return rng.permutation(n)[: self.human], None
        cell, chance, drawn = 4 * group + 2 * predicted + cheap, np.ones(n), []
        for code in range(8):
            rows = np.flatnonzero(cell == code)
            some = min(self.human // 8, len(rows))
            chance[rows] = some / max(len(rows), 1)
            drawn.append(rng.permutation(rows)[:some])
        return np.concatenate(drawn), chance

    def drawn(self, rng, gap):
        """The arguments of the tests: all rows, of which some have a human label."""
        label, predicted, cheap, group, person = self.draw(rng, gap)
        positions, chance = self.labelled(rng, label, group, predicted, cheap)
        human = np.full(self.rows, np.nan)
        human[positions] = label[positions]
        return {
            "label": label, "predicted": predicted, "cheap": cheap, "group": group,
            "person": person if self.persons > 1 else None, "human": human, "chance": chance,
            "random": rng.permutation(self.rows)[: self.human],
        }  # fmt: skip

    def both(self, human, cheap, chance, predicted, group, person, **rest):
        """The line by human and cheap labels, as a result with an interval."""
        columns = AuditColumns(
            human, predicted, {"g": group}, clusters=person, cheap_label=cheap, chance=chance
        )
        (items,) = read_few_labels(columns, Settings(), Wording())
        row = self.line(items)
        found = row.pvalue < 0.05 if np.isfinite(row.pvalue) else None
        table = pd.DataFrame(
            [{"measure": self.measure, "ci_low": row.ci_low, "ci_high": row.ci_high}]
        )
        return SimpleNamespace(violated=found, to_frame=lambda: table)

    def plain(self, label, rows, predicted, group, person):
        """The p-value of the line by one kind of labels, of some rows."""
        clusters = None if person is None else person[rows]
        columns = AuditColumns(label[rows], predicted[rows], {"g": group[rows]}, clusters=clusters)
        try:
            roles, (attribute,), design = read_items(columns, Settings(), Wording())
        except InputError:
            return np.nan
        return self.line(AttributeItems(roles, attribute, Settings(), design)).pvalue

    def line(self, items):
        """The row of the group."""
        name = CRITERION[self.measure]
        return next(row for row in rows_of(items, [name]) if row.measure == self.measure)

    def people(self, label, random, predicted, group, person, **rest):
        return self.plain(label, random, predicted, group, person)

    def judge(self, cheap, predicted, group, person, **rest):
        return self.plain(cheap, slice(None), predicted, group, person)

    def everything(self, label, predicted, group, person, **rest):
        return self.plain(label, slice(None), predicted, group, person)

    def world(self, name):
        """Data without a difference, and with one."""
        beside = {"human labels alone": self.people, "the judge alone": self.judge}
        null, other = partial(self.drawn, gap=0.0), partial(self.drawn, gap=self.gap)
        return fp.World(name, null, other, {self.measure: 0.0}, beside)


WORLDS = {
    "5,000 rows, 500 labels": FewLabels(5_000, 500),
    "500 labels, chosen by cell": FewLabels(5_000, 500, per_cell=True),
    "500 labels, chosen in two rounds": FewLabels(5_000, 500, rounds=2),
    "a worse judge, 500 by cell": FewLabels(5_000, 500, right=(0.85, 0.75), per_cell=True),
    "20,000 rows, 500 by cell": FewLabels(20_000, 500, per_cell=True),
    "20,000 rows, 1,000 by cell, judge right in 90 and 80 %": FewLabels(
        20_000, 1_000, right=(0.9, 0.8), per_cell=True
    ),
    "50 labels": FewLabels(5_000, 50, minority=0.5, gap=0.3),
    "a judge who guesses": FewLabels(5_000, 500, right=(0.5, 0.5)),
    "a perfect judge, 1,000 labels": FewLabels(5_000, 1_000, right=(1.0, 1.0), lean=0.0),
    "a judge who leans to the decision by half": FewLabels(5_000, 1_000, lean=0.5),
    "a judge who leans to the decision and to a group": FewLabels(
        5_000, 1_000, lean=0.3, favour=0.3
    ),
    "a minority of 3 %, 2,000 labels": FewLabels(20_000, 2_000, minority=0.03, gap=0.2),
    "5,000 labels": FewLabels(20_000, 5_000, minority=0.1, gap=0.05),
    "AUC of a score": FewLabels(5_000, 500, measure="AUC", gap=0.5),
    "mean error of numbers": FewLabels(
        5_000, 500, measure="mean error", right=(0.7, 0.4), gap=0.15
    ),
    "persons of five rows": FewLabels(5_000, 600, persons=5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(WORLDS, 2, 10, 13, 14, 15))
def test_few_labels_keep_the_level_and_find_more(name):
    """No promise is broken: level, coverage, and the power of human labels alone minus 0.03."""
    few = WORLDS[name]
    checked = fp.check_promises(few.both, few.world(name), sets=SETS, tolerance=0.02)
    rates = {(row.of, row.kind): row.rate for row in checked.measured}
    numbers = [
        rates["violated", "level"], rates[f"interval of {few.measure}", "coverage"],
        *(rates[name, "level"] for name in ("human labels alone", "the judge alone")),
        rates["violated", "power"], rates["human labels alone", "power"],
    ]  # fmt: skip
    if SETS >= 100:
        streams = (np.random.default_rng([0, number, 1]) for number in range(SETS))
        found = [few.everything(**few.drawn(rng, few.gap)) < 0.05 for rng in streams]
        numbers.append(np.mean(found))
    print(f"\n| {name} | {' | '.join(f'{one:.3f}' for one in numbers)} |")
    assert checked.kept is not False, checked
