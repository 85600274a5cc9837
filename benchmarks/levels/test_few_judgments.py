"""How often an audit of judgments with few human outcomes errs, and finds, beside these alone.

`SETS=400 pytest -s -n 0 benchmarks/levels -k few_judgments_keep` prints the table of
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
from fairpairs.audits.judgments.audit import arguments_of_test
from fairpairs.audits.judgments.cheap import judged_in_part, separation
from fairpairs.audits.judgments.settings import CheapOutcomes, Judgments, JudgmentSettings

#: Data sets of each world.
SETS = promises.sets(6)


@dataclass(frozen=True)
class FewJudgments:
    """Judgments of items of two groups, and a cheap judge that errs more often on the second.

    Attributes
    ----------
    judged, human
        Judgments, and those with a human outcome, which are drawn at random.
    items
        Items; 0 for two of its own in each judgment.
    right
        Shares of judgments whose cheap outcome is right: within the first group, and others.
    lean
        Share of judgments whose cheap outcome is the order by the score; and of those of two groups
        whose cheap outcome is the first group.
    gap
        How far the scores of the second group are lower in the unfair world.
    judges
        Judges, each with a taste for a group; people judge, and are a sample.
    """

    judged: int
    human: int
    items: int = 0
    minority: float = 0.4
    right: tuple[float, float] = (0.95, 0.85)
    lean: tuple[float, float] = (0.05, 0.2)
    gap: float = 0.3
    judges: int = 0

    def drawn(self, rng, gap):
        """The arguments of the tests."""
        m, n = self.judged, self.items or 2 * self.judged
        group = (rng.random(n) < self.minority).astype(int)
        need = rng.normal(size=n)
        score = need + 0.8 * rng.normal(size=n) - gap * group
        left, right = np.arange(m), np.arange(m) + m
        if self.items:
            left = rng.integers(n, size=m)
            right = (left + rng.integers(1, n, size=m)) % n
        judge = rng.integers(max(self.judges, 1), size=m)
        taste = 0.4 * rng.normal(size=max(self.judges, 1)) * (self.judges > 0)
        leans = taste[judge] * (group[left] - group[right])
        apart = need[left] - need[right] + leans + 0.3 * rng.normal(size=m)
        outcome = np.where(apart > 0, 1, -1)
        errs = np.take(self.right, np.maximum(group[left], group[right]))
        cheap = np.where(rng.random(m) < errs, outcome, -outcome)
        order = np.sign(score[left] - score[right]).astype(int)
        cheap = np.where(rng.random(m) < self.lean[0], order, cheap)
        apart = (group[left] != group[right]) & (rng.random(m) < self.lean[1])
        cheap = np.where(apart, np.where(group[left], -1, 1), cheap)
        return {
            "left": left, "right": right, "outcome": outcome, "cheap": cheap, "group": group,
            "score": score, "judge": judge, "labelled": np.sort(rng.permutation(m)[: self.human]),
        }  # fmt: skip

    def both(self, left, right, outcome, cheap, group, score, judge, labelled):
        """The line across groups by human and cheap outcomes."""
        human = np.isin(np.arange(len(left)), labelled)
        chance = np.full(len(left), len(labelled) / len(left))
        items = pd.DataFrame({"score": score, "g": pd.Categorical(group)})
        who = pd.Series(judge).where(human) if self.judges else None
        judgments = Judgments(
            (), left, right, np.where(human, outcome, 0), items, ["score"], ["g"], judge=who,
            cheap=CheapOutcomes(cheap, human, chance),
        )  # fmt: skip
        settings = JudgmentSettings(judges="sample")
        given = arguments_of_test(judgments, "score", items["g"], settings)
        judged = judged_in_part(judgments, judgments.cheap, settings)
        return self.line(separation(judgments, judged, "score", items["g"], given).result)

    def line(self, result):
        """Whether a difference across groups is found, and its interval."""
        difference = result.difference
        low, high, pvalue = (
            x[0] for x in (difference.ci_low, difference.ci_high, difference.pvalue)
        )
        table = pd.DataFrame([{"measure": "across", "ci_low": low, "ci_high": high}])
        found = pvalue < 0.05 if np.isfinite(pvalue) else None
        return SimpleNamespace(violated=found, to_frame=lambda: table, pvalue=pvalue)

    def plain(self, rows, outcome, left, right, group, score, judge, **rest):
        judges = {"judges": judge[rows], "judges_as": "sample"} if self.judges else {}
        result = fp.comparative_separation_from_judgments(
            left[rows], right[rows], outcome[rows], score, sensitive_features=group, **judges
        )
        return self.line(result).pvalue

    def people(self, labelled, **rest):
        return self.plain(labelled, **rest)

    def judge_alone(self, cheap, outcome, labelled, **rest):
        return self.plain(slice(None), cheap, **rest)

    def everything(self, labelled, **rest):
        return self.plain(slice(None), **rest)

    def world(self, name):
        """Data without a difference, and with one."""
        beside = {"human outcomes alone": self.people}
        null, other = partial(self.drawn, gap=0.0), partial(self.drawn, gap=self.gap)
        return fp.World(name, null, other, {"across": 0.0}, beside)


WORLDS = {
    "3,000 judgments, 300 by people": FewJudgments(3_000, 300),
    "10,000 judgments, 500 by people": FewJudgments(10_000, 500, gap=0.2),
    "a worse judge": FewJudgments(3_000, 300, right=(0.85, 0.7)),
    "a judge who guesses": FewJudgments(3_000, 300, right=(0.5, 0.5)),
    "a judge who leans to the score": FewJudgments(3_000, 300, lean=(0.5, 0.0)),
    "200 items in all judgments": FewJudgments(3_000, 300, items=200, gap=0.4),
    "60 judgments by people": FewJudgments(3_000, 60, minority=0.5, gap=0.7),
    "a minority of 10 %": FewJudgments(5_000, 1_000, minority=0.1),
    "30 judges with tastes": FewJudgments(3_000, 600, judges=30, gap=0.4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(WORLDS, 4, 5, 8))
def test_few_judgments_keep_the_level_and_find_more(name):
    """No promise is broken: level, coverage, and the power of human outcomes alone minus 0.03."""
    few = WORLDS[name]
    checked = fp.check_promises(few.both, few.world(name), sets=SETS, tolerance=0.02)
    rates = {(row.of, row.kind): row.rate for row in checked.measured}
    numbers = [
        rates["violated", "level"], rates["interval of across", "coverage"],
        rates["human outcomes alone", "level"],
        rates["violated", "power"], rates["human outcomes alone", "power"],
    ]  # fmt: skip
    if SETS >= 100:
        for test, gap in ((few.judge_alone, 0.0), (few.everything, few.gap)):
            streams = (np.random.default_rng([0, number, 1]) for number in range(SETS))
            numbers.append(np.mean([test(**few.drawn(rng, gap)) < 0.05 for rng in streams]))
    print(f"\n| {name} | {' | '.join(f'{one:.3f}' for one in numbers)} |")
    assert checked.kept is not False, checked
