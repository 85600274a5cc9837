"""Levels and power of rankings and of gaps of scores.

`SETS=1000 pytest -s benchmarks/levels -k worlds_of_scores` prints the numbers of
docs/explanation/ranking.md and of docs/explanation/comparative-separation.md.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import ndtr

from benchmarks.levels import promises
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.inference.gaps import comparative_separation_from_rates
from fairpairs.mathematics.inference.ranking_differences import (
    difference_variances,
    differences_from_rates,
)
from fairpairs.mathematics.inference.results import adjusted


@dataclass(frozen=True)
class World:
    """Scores of groups with `sizes` positive, and as many negative, items.

    In each group the means of the labels are `apart`, positive items have another `spread`, and all
    scores are multiplied by `scale` and moved by `shift`; `flags` are 0 but for some items.
    Of the hypotheses the first `true` hold, and one may be rejected at the `level`.
    """

    sizes: tuple[int, ...]
    apart: tuple[float, ...]
    spread: tuple[float, ...] = (1, 1, 1)
    scale: tuple[float, ...] = (1, 1, 1)
    shift: tuple[float, ...] = (0, 0, 0)
    true: int = 4
    level: float | None = 0.05
    flags: bool = False

    def draw(self, rng):
        group = np.repeat(np.arange(len(self.sizes)), np.multiply(self.sizes, 2))
        y = np.concatenate([np.repeat([1.0, 0.0], n) for n in self.sizes])
        if self.flags:
            return y, 1.0 * (rng.random(len(y)) < np.where(y == 1, 0.05, 0.02)), group
        apart, spread, scale, shift = (
            np.asarray(x)[group] for x in (self.apart, self.spread, self.scale, self.shift)
        )
        noise = np.where(y == 1, spread, 1) * rng.normal(size=len(y))
        return y, scale * (apart * y + noise) + shift, group


WORLDS = {
    **{
        f"apart by {d}, {few} beside 1,000": World((1000, few), (d, d))
        for d in (1, 2, 3, 4)
        for few in (10, 30, 100)
    },
    "flags": World((1000, 50), (0, 0), flags=True),
    "three times the spread": World((1000, 50), (1, 5**0.5), spread=(1, 3)),
    "shifted": World((1000, 50), (2, 2), shift=(0, 2), true=1),
    "a third group": World((500, 30, 500), (3, 3, 0)),
    "good, three times the spread, 50": World((1000, 50), (3, 45**0.5), (1, 3), level=0.06),
    "good, three times the spread, 100": World((1000, 100), (3, 45**0.5), (1, 3), level=0.08),
    "30 are worse": World((1000, 30), (3, 1.8), level=None),
    "30 are better": World((1000, 30), (1.8, 3), level=None),
    "20 are worse": World((1000, 20), (3, 1.8), level=None),
    "30 beside 500": World((500, 30), (4, 4)),
    "all spread, apart by 3": World(
        (400, 50), (3, 3), scale=(1, 3), shift=(-1.5, -4.5), level=None
    ),
    "all spread, apart by 3.6": World(
        (400, 50), (3.6, 3.6), scale=(1, 3), shift=(-1.8, -5.4), level=None
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(WORLDS, 9, 15))
def test_worlds_of_scores(name):
    world = WORLDS[name]

    def say(rng):
        items, k = world.draw(rng), len(world.sizes)
        rates, pairs = ranking_rates(*items, k), all_pairs(*items, k)
        found = differences_from_rates(rates)
        with np.errstate(invalid="ignore", divide="ignore"):  # two perfect rates
            own = 2 * ndtr(-np.abs(found.estimate) / np.sqrt(difference_variances(rates)))
        gaps, _ = comparative_separation_from_rates(pairs)
        alone, _ = comparative_separation_from_rates(replace(pairs, pooled=None))
        missed = (found.ci_low > 0) | (found.ci_high < 0)
        least = {
            "xauc": found.pvalue, "DeLong's own variance": own, "gaps": gaps.pvalue,
            "gaps, own variance": alone.pvalue,
        }  # fmt: skip
        return {what: np.nanmin(adjusted(p, "holm")[: world.true]) for what, p in least.items()} | {
            "an interval misses 0": bool(missed[: world.true].any())
        }

    levels = {"xauc": world.level + 0.006} if world.level else {}
    promises.check(name, say, levels, number=promises.sets(10))
