"""The suite: every public test, with the cases on which it must keep its promises."""

from dataclasses import dataclass

import fairpairs as fp
from benchmarks.levels import runs
from benchmarks.levels.cases import (
    ATTRIBUTES,
    BRIDGES,
    DECISIONS,
    JUDGMENTS,
    PREDICTIONS,
    REAL,
    SCORES,
    SLOPES,
)
from fairpairs.mathematics.promises.worlds import MARGIN


@dataclass(frozen=True)
class LevelTest:
    """A test: the function that runs it, its cases, and its share of data sets."""

    run: object
    #: draws of data sets, by the name of the case
    cases: dict
    #: share of the data sets of a case on which it runs (less than 1 for slow tests)
    share: float = 1.0


def _some(cases, *words):
    """Return the cases whose names contain one of the words."""
    return {name: draw for name, draw in cases.items() if any(word in name for word in words)}


_SOME_SCORES = _some(
    SCORES, "30 / 30, AUC 0.92", "1,000 / 30, AUC 0.92", "1,000 / 30, AUC 0.998",
    "1,000 / 100, AUC 0.983", "500 / 500, AUC 0.76", "flags",
)  # fmt: skip
_SOME_PREDICTIONS = _some(
    PREDICTIONS, "30 / 30,", "1,000 / 30, prevalence 0.5", "1,000 / 100, prevalence 0.1",
    "2,970 / 30, prevalence 0.3", "500 / 500, prevalence 0.5, TPR 0.8", "8 groups",
)  # fmt: skip
_SOME_REAL = _some(REAL, "50 / 50", "970 / 30", "levels", "3 groups", "skewed")
_SOME_DECISIONS = _some(DECISIONS, "1,000 / 15, ", "10 / 10", "1,000 / 60, skewed")
_ALIKE = {name: REAL[name] for name in ("50 / 50, shift 0", "950 / 50, shift 0")}

LABELLED, PAIRED = ("label", "score"), ("score", "reference")
SHUFFLED = {"n_permutations": runs.PERMUTATIONS}
GAPS, INFORMATION = (
    runs.single(fp.separation_permutation_test, LABELLED, name, statistic=name, **SHUFFLED)
    for name in ("comparative_separation", "information_separation")
)
#: Every public test, by the name of its function and its data.
TESTS = {
    "separation_test": LevelTest(
        runs.pairwise(fp.separation_test, LABELLED, ("TPR", "FPR")), PREDICTIONS
    ),
    "two_proportion_test": LevelTest(
        runs.pairwise(fp.two_proportion_test, ("score",), ("rate",)), PREDICTIONS
    ),
    "conditional_chi_square_test": LevelTest(
        runs.single(fp.conditional_chi_square_test, LABELLED, "statistic"), PREDICTIONS, 0.2
    ),
    "cochran_mantel_haenszel_test": LevelTest(
        runs.single(fp.cochran_mantel_haenszel_test, LABELLED, "statistic"), PREDICTIONS
    ),
    "chi_square_test": LevelTest(
        runs.single(fp.chi_square_test, LABELLED, "statistic"), PREDICTIONS, 0.2
    ),
    "comparative_separation_test_of_predictions": LevelTest(
        runs.comparative_separation, PREDICTIONS
    ),
    "comparative_separation_test_of_scores": LevelTest(runs.comparative_separation, SCORES),
    "comparative_separation_test_of_real_labels": LevelTest(runs.comparative_separation, REAL),
    "comparative_separation_from_judgments": LevelTest(runs.judgments, JUDGMENTS),
    "comparative_separation_slopes_test": LevelTest(runs.slopes, ATTRIBUTES),
    "xauc": LevelTest(runs.xauc, SCORES),
    "separation_permutation_test_of_gaps": LevelTest(GAPS, _SOME_SCORES | _SOME_REAL, 0.2),
    "separation_permutation_test_of_information": LevelTest(INFORMATION, _SOME_REAL, 0.2),
    "differential_parity_test": LevelTest(
        runs.pairwise(fp.differential_parity_test, PAIRED, ("difference",)), DECISIONS
    ),
    "differential_parity_permutation_test": LevelTest(
        runs.single(fp.differential_parity_permutation_test, PAIRED, "means", **SHUFFLED),
        DECISIONS,
        0.2,
    ),
    "differential_parity_slope_test": LevelTest(runs.parity_slope, SLOPES),
    "differential_parity_of_raters": LevelTest(runs.raters, _SOME_DECISIONS),
    "biased_bridge": LevelTest(runs.bridge, BRIDGES, 0.2),
    "density_ratio_fairness": LevelTest(runs.density_ratio, _ALIKE, 0.1),
    "audit_of_predictions": LevelTest(runs.audit("predictions"), _SOME_PREDICTIONS, 0.2),
    "audit_of_scores": LevelTest(runs.audit("scores"), _SOME_SCORES, 0.2),
    "audit_of_real_labels": LevelTest(runs.audit("real"), _SOME_REAL, 0.2),
}


def _within(**data):
    return bool(fp.separation_test(**data).within(MARGIN).all_within)


def _changed(**data):
    """Return the smaller p-value of the changes of TPR and FPR, times two."""
    tests = fp.compare(**data, criterion="separation").to_frame()
    return float(2 * tests.loc[tests["criterion"] == "separation", "pvalue"].min())


#: Tests beside textbook tests: the test, words of the names of its worlds, and on how many times
#: more data sets than the power its level is measured.
BESIDE = {
    "separation_test_in_clusters": (fp.separation_test, " clusters of ", 5),
    "separation_test_with_weights": (fp.separation_test, " rows, weights", 5),
    "xauc_in_clusters": (fp.xauc, "scores, ", 1),
    "judges_of_judgments": (fp.comparative_separation_from_judgments, " judges of ", 5),
    "changes_of_two_models": (_changed, "two models of ", 1),
    "within_a_margin": (_within, "at the margin ", 1),
}


def worlds_beside(part):
    """Return the names of the worlds of a part."""
    words = BESIDE[part][1]
    scored = [name for name in fp.worlds() if name.startswith("scores, ")]
    if part == "xauc_in_clusters":
        return scored
    return [name for name in fp.worlds() if words in name and name not in scored]
