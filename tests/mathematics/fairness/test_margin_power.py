"""The tests against a margin find nearly as much as normal theory lets expect."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtr

from fairpairs.audits.audit.criteria.average_odds import average_odds_contrast
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.balanced import balanced_pairs
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.means import WelchContrast
from fairpairs.mathematics.inference.gaps import gap_contrasts
from fairpairs.mathematics.inference.ranking_differences import difference_contrasts
from fairpairs.papers.studies.calibration.levels.margins.worlds import count_rates

SETS = 200
Draw = Callable[[np.random.Generator], Contrast | None]


def odds(n: int) -> Draw:
    def draw(rng: np.random.Generator) -> Contrast:
        hits = rng.binomial(n, [[0.2, 0.8], [0.2, 0.8]])
        return average_odds_contrast(np.stack([n - hits, hits], axis=-1))

    return draw


def scored(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    group, label = np.arange(2 * n) % 2, np.arange(2 * n) // 2 % 2
    return label, 1.5 * label + rng.normal(size=2 * n), group


def auc(n: int) -> Draw:
    return lambda rng: difference_contrasts(ranking_rates(*scored(rng, n), 2))[0]


def across(n: int) -> Draw:
    return lambda rng: gap_contrasts(all_pairs(*scored(rng, n), 2))[0]


def numbers(n: int) -> Draw:
    def draw(rng: np.random.Generator) -> Contrast | None:
        label, group = rng.integers(6, size=2 * n).astype(float), np.arange(2 * n) % 2
        return gap_contrasts(balanced_pairs(label, label + rng.normal(size=2 * n), group, 2))[0]

    return draw


def mean(n: int, shape: str) -> Draw:
    def draw(rng: np.random.Generator) -> Contrast:
        values = rng.normal(size=2 * n) if shape == "normal" else rng.exponential(size=2 * n)
        return WelchContrast.of(values, np.arange(2 * n) % 2)

    return draw


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("AOD, 100 in a cell", odds(100)),
        ("AUC 0.86, 300 / 300", auc(300)),
        ("across, AUC 0.86, 300 / 300", across(300)),
        ("across, numbers, 200 / 200", numbers(200)),
        ("means, 100 / 100", mean(100, "normal")),
        ("skewed means, 40 / 40", mean(40, "skewed")),
    ],
)
def test_equal_groups_are_shown_nearly_as_often_as_normal_theory_says(
    name: str, draw: Draw
) -> None:
    rng = np.random.default_rng(0)
    contrasts = [draw(rng) for _ in range(SETS if "skewed" not in name else SETS // 5)]
    error = float(np.std([test.estimate for test in contrasts if test is not None]))
    limits = np.array([test.limits(0.1) for test in contrasts if test is not None])
    nearly_as_often(name, 3 * error, (np.abs(limits) < 3 * error).all(axis=1).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "p"), [(400, 400, 0.8), (2000, 100, 0.5), (1000, 50, 0.95), (30, 30, 0.5)]
)
def test_equal_rates_are_shown_nearly_as_often_as_normal_theory_says(
    n: int, m: int, p: float
) -> None:
    rng = np.random.default_rng(0)
    margin = 3 * np.sqrt(p * (1 - p) * (1 / n + 1 / m))
    drawn = rng.binomial(n, p, SETS), rng.binomial(m, p, SETS)
    shown = count_rates(drawn, (n, m), margin, 1, 0.05)[:, 1].mean()
    nearly_as_often(f"rates {p:g}, {n:,} / {m:,}", margin, shown)


def nearly_as_often(name: str, margin: float, shown: float) -> None:
    """Compare with a normal estimate whose margin is three known standard errors."""
    theory = 2 * ndtr(3 - 1.6449) - 1
    noise = np.sqrt(shown * (1 - shown) / SETS)
    print(f"\n{name}: margin {margin:.3f}, shown {shown:.3f} ± {noise:.3f}, theory {theory:.3f}")
    assert theory - 0.17 < shown < theory + 0.06
