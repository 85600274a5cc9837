"""Levels of the tests of ties, places, leans and strata, where judgments are related.

`SETS=1000 pytest -s -k related_judgments_hold` prints the rates of docs/explanation/calibration.md.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import fairpairs as fp
from tests import promises

#: Simulated sets of a case; more by the environment.
SETS = promises.sets(10)

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Case:
    """m judgments by 20 judges on 50 prompts; items of their own, or shared ones by Zipf's law.

    `judge`, `prompt` and `item` are the intra-class correlations that each brings.
    """

    m: int = 600
    items: int | None = None
    share: float = 0.4
    judge: float = 0.0
    prompt: float = 0.0
    item: float = 0.0

    def draw(self, rng):
        """Return items, groups, judges, prompts, and effects of judge and prompt, and of items."""
        if self.items is None:
            n, left, right = 2 * self.m, np.arange(self.m), self.m + np.arange(self.m)
        else:
            n, often = self.items, 1 / np.arange(1, self.items + 1)
            left, right = rng.choice(n, (2, self.m), p=often / often.sum())
            right = np.where(left == right, (left + 1) % n, right)
        group = np.where(rng.random(n) < self.share, "b", "a")
        judge, prompt = rng.integers(20, size=self.m), rng.integers(50, size=self.m)
        effect = scale(self.judge) * rng.normal(size=20)[judge]
        effect += scale(self.prompt) * rng.normal(size=50)[prompt]
        return left, right, group, judge, prompt, effect, scale(self.item) * rng.normal(size=n)


def scale(icc):
    """Return the standard deviation of an effect on log odds."""
    return np.sqrt(icc / (1 - icc)) * np.pi / np.sqrt(3)


def chance(rng, log_odds):
    return rng.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds))


CASES = {
    "independent": Case(),
    "judges and prompts": Case(judge=0.25, prompt=0.25),
    "few judgments, one group 20 %": Case(150, share=0.2, judge=0.1, prompt=0.1),
    "one group 20 %": Case(2000, share=0.2, judge=0.25, prompt=0.25),
    "150 items by Zipf's law": Case(3000, 150, judge=0.05, prompt=0.05, item=0.2),
    "100 items by Zipf's law": Case(1000, 100, item=0.5),
}


def found(pvalues, joint):
    """The p-value of each hypothesis, and that of the notion, by name."""
    return dict(enumerate(pvalues.tolist())) | {"all": joint}


@pytest.mark.parametrize("case", CASES)
def test_ties_of_related_judgments_hold_their_level(case):
    def say(rng):
        left, right, group, judge, prompt, effect, quality = CASES[case].draw(rng)
        tie = chance(rng, np.log(1 / 9) + effect + quality[left] + quality[right])
        result = fp.outcome_ties_test(
            left, right, np.where(tie, 0, rng.choice([-1, 1], len(tie))),
            sensitive_features=group, judges=judge, clusters=prompt,
        )  # fmt: skip
        return found(result.difference.pvalue, result.pvalue)

    promises.check(f"ties, {case}", say, 0.06, number=SETS, seed=1)


@pytest.mark.parametrize("case", CASES)
def test_places_of_related_judgments_hold_their_level(case):
    def say(rng):
        left, right, group, judge, prompt, effect, quality = CASES[case].draw(rng)
        first = chance(rng, effect + quality[left] - quality[right])
        result = fp.first_place_test(
            left, right, np.where(first, 1, -1),
            sensitive_features=group, judges=judge, clusters=prompt,
        )  # fmt: skip
        return found(result.difference.pvalue, result.pvalue)

    promises.check(f"first place, {case}", say, 0.06, number=SETS, seed=2)


@pytest.mark.parametrize(
    ("case", "judges_differ"),
    [*((case, False) for case in CASES), *((case, True) for case in CASES if CASES[case].judge)],
)
def test_leans_of_related_judgments_hold_their_level(case, judges_differ):
    """Whether judges differ must be found only where they do."""
    settings = CASES[case].__dict__ | ({} if judges_differ else {"judge": 0.0})

    def say(rng):
        left, right, group, judge, prompt, effect, quality = Case(**settings).draw(rng)
        for_b = np.where(group[left] == "b", 1, -1)
        first = chance(rng, effect * for_b + quality[left] - quality[right])
        result = fp.judge_lean_test(
            left, right, np.where(first, 1, -1),
            sensitive_features=group, judges=judge, judges_as="sample", clusters=prompt,
        )  # fmt: skip
        return {"lean": result.pvalue, "judges differ": result.differ["pvalue"][0]}

    levels = {"lean": 0.06} if judges_differ else 0.06
    name = f"lean, judges {'differ' if judges_differ else 'alike'}, {case}"
    promises.check(name, say, levels, number=SETS, seed=3)


STRATA = {
    "independent": (Case(), 5),
    "few judgments, one group 20 %": (Case(150, share=0.2), 5),
    "judges and prompts": (Case(1500, judge=0.25, prompt=0.25), 5),
    "25 strata": (Case(judge=0.1, prompt=0.1), 25),
    "150 items by Zipf's law": (Case(3000, 150, judge=0.05, item=0.2), 5),
}


@pytest.mark.parametrize("case", STRATA)
def test_strata_of_related_judgments_hold_their_level(case):
    """Strata of prompts whose rates differ; judges and prompts favour one group or the other."""
    settings, n = STRATA[case]

    def say(rng):
        left, right, group, judge, prompt, effect, quality = settings.draw(rng)
        stratum, outcome = prompt % n, rng.choice([-1, 1], settings.m)
        winner, loser = np.where(outcome > 0, (left, right), (right, left))
        rate = rng.uniform(0.3, 0.8, n)[stratum]
        lean = np.where(group[winner] == "b", 1, -1) * effect
        hit = chance(rng, np.log(rate / (1 - rate)) + lean + quality[winner] - quality[loser])
        result = fp.comparative_separation_from_judgments(
            left, right, outcome, predicted=np.where(hit, outcome, -outcome),
            sensitive_features=group, judges=judge, clusters=prompt, strata=stratum,
        )  # fmt: skip
        both = np.concatenate([result.difference.pvalue, result.heterogeneity])
        return dict(enumerate(both.tolist()))

    promises.check(f"strata, {case}", say, 0.06, number=SETS, seed=4)
