"""The suite: every public test, with the cases on which it must keep its promises."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fairpairs.audits.compare.interface import compare
from fairpairs.base import inputs
from fairpairs.base.errors import InputError
from fairpairs.mathematics.fairness.chi_square import (
    chi_square_test,
    cochran_mantel_haenszel_test,
    conditional_chi_square_test,
)
from fairpairs.mathematics.fairness.differential_parity import (
    differential_parity_permutation_test,
    differential_parity_test,
)
from fairpairs.mathematics.fairness.ranking import xauc
from fairpairs.mathematics.fairness.separation import separation_test
from fairpairs.mathematics.fairness.separation_permutation import separation_permutation_test
from fairpairs.mathematics.fairness.two_proportions import two_proportion_test
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.promises.promise import Said
from fairpairs.mathematics.promises.worlds import MARGIN, WORLDS, World
from fairpairs.papers.studies.calibration.levels import runs
from fairpairs.papers.studies.calibration.levels.cases.decisions import (
    ATTRIBUTES,
    BINARY,
    BRIDGES,
    DECISIONS,
    SLOPES,
)
from fairpairs.papers.studies.calibration.levels.cases.judgments import JUDGMENTS
from fairpairs.papers.studies.calibration.levels.cases.sample import Drawn
from fairpairs.papers.studies.calibration.levels.cases.scores import REAL, SCORES
from fairpairs.papers.studies.calibration.levels.margins.decisions import decision_worlds
from fairpairs.papers.studies.calibration.levels.margins.numbers import mean_worlds, number_worlds
from fairpairs.papers.studies.calibration.levels.margins.scores import score_worlds
from fairpairs.papers.studies.calibration.levels.margins.worlds import MarginWorld
from fairpairs.papers.studies.calibration.levels.outcome import Case
from fairpairs.papers.studies.calibration.levels.runs import Run


@dataclass(frozen=True)
class LevelTest:
    """A test of the study: the function that runs it, its cases and its share of data sets."""

    run: Run
    cases: tuple[Drawn, ...]
    #: share of the data sets of a case on which it runs (less than 1 for slow tests)
    share: float = 1.0


def _select(among: tuple[Drawn, ...], *words: str) -> tuple[Drawn, ...]:
    """Return the cases whose names contain one of the words."""
    return tuple(case for case in among if any(word in case.name for word in words))


def _permuted(statistic: str) -> Run:
    return runs.single(
        separation_permutation_test,
        ("label", "score"),
        statistic,
        statistic=statistic,
        n_permutations=runs.PERMUTATIONS,
    )


_SOME_SCORES = _select(
    SCORES,
    "30 / 30, AUC 0.92",
    "1,000 / 30, AUC 0.92",
    "1,000 / 30, AUC 0.998",
    "1,000 / 100, AUC 0.983",
    "500 / 500, AUC 0.76",
    "flags",
)


_SOME_BINARY = _select(
    BINARY,
    "30 / 30,",
    "1,000 / 30, prevalence 0.5",
    "1,000 / 100, prevalence 0.1",
    "2,970 / 30, prevalence 0.3",
    "500 / 500, prevalence 0.5, TPR 0.8",
    "8 groups",
)


_SOME_REAL = _select(REAL, "50 / 50", "970 / 30", "levels", "3 groups", "skewed")


_SOME_DECISIONS = _select(DECISIONS, "1,000 / 15, ", "10 / 10", "1,000 / 60, skewed")


_ALIKE = tuple(case for case in REAL if case.name in ("50 / 50, shift 0", "950 / 50, shift 0"))


PREDICTED, DECIDED = ("label", "score"), ("score", "reference")
RATES = ("TPR", "FPR")
SHUFFLED = {"n_permutations": runs.PERMUTATIONS}
#: Every public test, by the name of its function and its data.
TESTS: dict[str, LevelTest] = {
    "separation_test": LevelTest(runs.pairwise(separation_test, PREDICTED, RATES), BINARY),
    "two_proportion_test": LevelTest(
        runs.pairwise(two_proportion_test, ("score",), ("rate",)), BINARY
    ),
    "conditional_chi_square_test": LevelTest(
        runs.single(conditional_chi_square_test, PREDICTED, "statistic"), BINARY, 0.2
    ),
    "cochran_mantel_haenszel_test": LevelTest(
        runs.single(cochran_mantel_haenszel_test, PREDICTED, "statistic"), BINARY
    ),
    "chi_square_test": LevelTest(runs.single(chi_square_test, PREDICTED, "statistic"), BINARY, 0.2),
    "comparative_separation_test_of_predictions": LevelTest(
        runs.run_comparative_separation, BINARY
    ),
    "comparative_separation_test_of_scores": LevelTest(runs.run_comparative_separation, SCORES),
    "comparative_separation_test_of_real_labels": LevelTest(runs.run_comparative_separation, REAL),
    "comparative_separation_from_judgments": LevelTest(runs.run_judgments, JUDGMENTS),
    "comparative_separation_slopes_test": LevelTest(runs.run_slopes, ATTRIBUTES),
    "xauc": LevelTest(runs.run_xauc, SCORES),
    "separation_permutation_test_of_gaps": LevelTest(
        _permuted("comparative_separation"), _SOME_SCORES + _SOME_REAL, 0.2
    ),
    "separation_permutation_test_of_information": LevelTest(
        _permuted("information_separation"), _SOME_REAL, 0.2
    ),
    "differential_parity_test": LevelTest(
        runs.pairwise(differential_parity_test, DECIDED, ("difference",)), DECISIONS
    ),
    "differential_parity_permutation_test": LevelTest(
        runs.single(differential_parity_permutation_test, DECIDED, "means", **SHUFFLED),
        DECISIONS,
        0.2,
    ),
    "differential_parity_slope_test": LevelTest(runs.run_parity_slope, SLOPES),
    "differential_parity_of_raters": LevelTest(runs.run_raters, _SOME_DECISIONS),
    "biased_bridge": LevelTest(runs.run_bridge, BRIDGES, 0.2),
    "density_ratio_fairness": LevelTest(runs.run_density_ratio, _ALIKE, 0.1),
    "audit_of_predictions": LevelTest(runs.run_audit("predictions"), _SOME_BINARY, 0.2),
    "audit_of_scores": LevelTest(runs.run_audit("scores"), _SOME_SCORES, 0.2),
    "audit_of_real_labels": LevelTest(runs.run_audit("real"), _SOME_REAL, 0.2),
}


def test_cases(test: str) -> Iterator[Case]:
    """Yield the cases of a test of `TESTS`."""
    chosen = TESTS[test]
    for kind in chosen.cases:
        measure = partial(_said, chosen.run, kind)
        yield Case(test, kind.name, (test, kind.name), measure, chosen.share)


def _said(run: Run, kind: Drawn, rng: np.random.Generator, sets: int, alpha: float) -> list[Said]:
    """Run a test; a data set that cannot be tested says nothing."""
    said: list[Said] = []
    for _ in range(sets):
        sample = kind.draw(rng)
        # for example, too few items of a group: no claim is made
        with suppress(InputError):
            said += run(sample, rng, alpha)
    return said


def repeats_of(test: str, size: Mapping[str, int]) -> int:
    """Return the number of data sets of a test, of those that a size of the study has."""
    kind = "margin" if test in MARGINS else "beside" if test in BESIDE else "level"
    return size[f"{kind}_repeats"]


def check_levels(tests: Sequence[str]) -> None:
    """Raise unless every name is in `TESTS`, `MARGINS` or `BESIDE`, or "power"."""
    for name in tests:
        inputs.one_of(name, "calibration.levels", (*TESTS, *MARGINS, *BESIDE, "power"))


def _within(**data: Any) -> bool:
    return bool(separation_test(**data).within(MARGIN).all_within)


def _changed(**data: Any) -> float:
    """Return the smaller p-value of the changes of TPR and FPR, times two."""
    tests = compare(**data, criterion="separation").to_frame()
    return float(2 * tests.loc[tests["criterion"] == "separation", "pvalue"].min())


#: Part of the config → the test, and words that names of its worlds have.
BESIDE: dict[str, tuple[Callable[..., Any], str]] = {
    "separation_test_in_clusters": (separation_test, " clusters of "),
    "separation_test_with_weights": (separation_test, " rows, weights"),
    "xauc_in_clusters": (xauc, "scores, "),
    "judges_of_judgments": (comparative_separation_from_judgments, " judges of "),
    "changes_of_two_models": (_changed, "two models of "),
    "within_a_margin": (_within, "at the margin "),
}


#: Of the quick ones the level is measured on so many times more data sets than the power.
MORE_FAIR_SETS = {
    "separation_test_in_clusters": 5,
    "separation_test_with_weights": 5,
    "judges_of_judgments": 5,
}


def worlds_beside(part: str) -> Iterator[World]:
    """Yield the worlds of a part."""
    words = BESIDE[part][1]
    for name, world in WORLDS.items():
        scored = name.startswith("scores, ")
        if words in name and scored == words.startswith("scores"):
            yield world


#: The worlds of each part, by its name in the config.
MARGINS: dict[str, Callable[[], Iterator[MarginWorld]]] = {
    "margin_of_decisions": decision_worlds,
    "margin_of_scores": score_worlds,
    "margin_of_numbers": number_worlds,
    "margin_of_means": mean_worlds,
}


def margin_cases(part: str) -> Iterator[Case]:
    """Yield the worlds of a part: one side, that of the true difference, and equivalence."""
    for world in MARGINS[part]():

        def measure(
            rng: np.random.Generator, sets: int, alpha: float, world: MarginWorld = world
        ) -> list[Said]:
            found, noted = world.count(rng, sets, alpha), np.zeros(sets, dtype=bool)
            sides = zip(("one side", "equivalence"), found.T, strict=True)
            return [
                Said(f"{world.measure}, {side}", "margin", values, noted) for side, values in sides
            ]

        yield Case(part, world.case, (part, world.case, world.measure), measure)
