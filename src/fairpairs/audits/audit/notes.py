"""The notes of an audit: why a criterion does not apply, notes of rows, and of the whole."""

from __future__ import annotations

import math

from fairpairs.audits.lines.verdicts import NOT_TESTED
from fairpairs.mathematics.estimates.estimates import SMALL
from fairpairs.mathematics.inference.proportions import FEW
from fairpairs.mathematics.inference.sampling.cell_shuffles import ShuffledCells

# --- why a criterion does not apply, or cannot be estimated --------------------------------------

NO_DECISIONS = "the prediction is a number: give decisions of two values, as by a threshold"
NO_NUMBERS = "it is of labels that are numbers"
REAL_LABEL = "the label is a number"
NO_SCORE = "no score is given"
SAME_AS_MEAN_ERROR = "the prediction is the score, so that it is the mean error with another sign"
NO_SHARED_LABEL = "no label has items of both groups"
NO_OVERLAP = "the groups hardly overlap, so the ratio is unbounded"
ONE_ITEM = "a group with one item: a density needs two"


def no_ratio(value: float, reference: str) -> str:
    """Return why the density ratio of counts is NaN, or infinite."""
    if math.isnan(value):
        return "a label that one group does not have"
    return f"a prediction that {reference} never has with the same label"


def other_scale(low: float, high: float) -> str:
    """Return why predictions cannot be compared with labels of 0 and 1."""
    return f"predictions from {low:g} to {high:g} are on another scale than labels of 0 and 1"


def no_probability(low: float, high: float) -> str:
    """Return why a score cannot be calibrated."""
    return f"scores from {low:g} to {high:g} are no probabilities, which lie from 0 to 1"


#: Why a criterion is not one of the lines of several classes.
OF_ONE_CLASS = "it is for one class: name that as positive"
NOT_ORDINAL = "it needs an order of the classes"
#: Why all classes are not tested together.
NO_DEPENDENT_CLASSES = "the test of all classes takes no clusters and no weights"


# --- notes of rows -------------------------------------------------------------------------------

NO_INTERVAL = f"{SMALL}: no interval"
NEWCOMBE = "{}: Newcombe's interval, p of it"
FEW_LABELS = f"{FEW} or fewer positive or negative labels in a group"
NO_MARGIN_TEST = f"{NOT_TESTED} against the margin"
EMPTY = "cannot be estimated: an empty cell"
ONE = "no interval: one item"
ONE_CLUSTER = "no interval: one cluster"
#: Of means whose skewness is above 0.1: Student's interval covers too little.
SKEWED_MEAN = "skewed values: the interval is rough"
#: Of the same of items in clusters, or with weights.
SKEWED_GAP = "skewed values in clusters: interval and p are rough"
SKEWED_WEIGHTED_GAP = "skewed values by weight: interval and p are rough"


def with_small_cell(note: str) -> str:
    """Add to a note that a cell is small."""
    return f"{note}; {SMALL}"


def drawn_at_random(note: str, drawn: int, n: int) -> str:
    """Add to a note that not all items were compared."""
    some = f"on {drawn:,} of {n:,} items, drawn at random"
    return f"{note}; {some}" if note else some


def few_drawn(group: str, drawn: int, items: int) -> str:
    """Return why a group cannot be compared by items that are drawn."""
    return f"{drawn} items of {group} among {items:,} that were drawn at random: too few"


def scores_of_0_or_1(count: int) -> str:
    """Note scores that have no log odds."""
    return f"{count:,} score(s) of 0 or 1 taken for the nearest other one"


def shuffled_counts(shuffles: int) -> str:
    """Note the source of the p-value of a measure of counts."""
    return f"p by {shuffles:,} shuffles of the groups within labels"


def shuffled_groups(shuffles: int, stratum: str) -> str:
    """Note the source of the p-value of a test of all classes."""
    within = f" within {stratum}s" if stratum else ""
    return f"few items expected in a cell: p by {shuffles:,} shuffles of the groups{within}"


def no_two_groups(stratum: str) -> str:
    """Return why all classes cannot be tested."""
    return f"no {stratum} has items of two groups"


def without_two_groups(strata: list[str]) -> str:
    """Note the strata that a test of all classes leaves out."""
    return f"left out, as of one group only: {', '.join(strata)}"


def shuffled_clusters(cells: ShuffledCells) -> str:
    """Note the source of the p-value of a measure of counts, of items in clusters."""
    if math.isnan(cells.pvalue):
        return NO_LIKE_CLUSTERS
    alike = "of like labels" if cells.coarse else "with the same labels"
    return f"p by {cells.shuffles:,} shuffles of whole clusters {alike}"


def by_gaps(why: str) -> str:
    """Note the source of the p-value of a measure of counts that is not shuffled."""
    return f"{why}: p of the differences of TPR and FPR, twice the smaller one"


def by_regressions(shuffles: int, fair: int) -> str:
    """Note the estimator of a measure of real predictions; `fair` is its value under separation."""
    if shuffles:
        return f"by logistic regressions; p by {shuffles:,} shuffles within labels"
    return (
        "by logistic regressions; no p-value without permutations: may be above "
        f"{fair} though separation holds"
    )


def without_margin_test(note: str) -> str:
    """Add to a note that a row has no interval by which to test it against the margin."""
    return f"{note}; {NO_MARGIN_TEST}" if note else NO_MARGIN_TEST


def more_shuffles(alpha: float, needed: int) -> str:
    """End the note of a p-value that cannot be below the level."""
    return f"; too few for a p below {alpha:g}: at least {needed:,} are needed"


# --- notes of the whole audit --------------------------------------------------------------------

FAMILY = "all hypotheses of one attribute and one criterion"
HIGHER_IS_POSITIVE = "A higher prediction or score is taken for a more positive one."
BALANCED = (
    "Comparative separation is balanced here: pairs are weighted so that both groups have the same "
    "labels. Without that, groups whose labels differ violate it though equal labels are treated "
    "alike."
)
TURNED_ROUND = (
    "The score ranks negative items above positive ones in every group (AUC below 0.5): it seems "
    "to be turned round. If a lower score is meant to be more positive, give its negative, or 1 "
    "minus it."
)
NO_LIKE_CLUSTERS = (
    "no test: no two clusters of the two groups have like labels, so there is nothing to shuffle"
)
NO_WEIGHTS = "cannot be estimated with weights: the logistic regressions take none"
NO_PERMUTATIONS = (
    "Without permutations, I_sep and the density ratio have no test: by logistic regressions, "
    "linear in label and prediction, they may be above 0 and 1 though separation holds."
)


def repeated_ids(
    what: str, rows: float, icc: float, alpha: float, rejected: float, remedy: str
) -> str:
    """Note the error rate if rows of one person are treated as independent."""
    return (
        f"{what} repeats, {rows:.1f} rows to a value on average over the rows, and rows are taken "
        f"for independent: if those of one value are alike (ICC {icc:g}) and of one group, a test "
        f"at {alpha:g} rejects {rejected:.2f} of fair models; {remedy}."
    )


def in_several_groups(clusters: dict[str, int]) -> str:
    """Note how many clusters have rows of several groups of each attribute, and what is done."""
    counts = [f"{count:,} of {name}" for name, count in clusters.items()]
    return (
        f"Clusters with rows of several groups: {', '.join(counts)}. The covariance that they "
        "bring is kept; a test at 0.05 of rates near 0 or 1 may reject 0.06 of fair models."
    )


def few_effective(effective: float, rows: int) -> str:
    """Note that, by unequal weights, the rows are worth less than half of their number."""
    return f"The weights leave {effective:,.0f} effective rows of {rows:,}."


def some_shuffles_too_few(shuffles: int, needed: int) -> str:
    """Note that the shuffles are too few for some of the criteria that count."""
    return (
        f"The {shuffles:,} shuffles are too few for some of what counts: a p of theirs, adjusted "
        f"by Holm, is below the level from {needed:,} shuffles on."
    )


#: Why a criterion has no margin.
NOT_NAMED = "none is named"
IN_UNITS = "not on the scale of rates: name one"
NO_SIGN = "no difference of two groups"


def without_margin(criteria: dict[str, list[str]]) -> str:
    """Note which criteria have no margin, and why."""
    parts = [f"{', '.join(names)} ({why})" for why, names in criteria.items()]
    return f"Without a margin: {'; '.join(parts)}."


def taken_for_numbers(levels: int) -> str:
    """Note that a label of few values is treated as numbers."""
    return (
        f"The label has {levels} values, which are taken for numbers. If they are classes, "
        "name that kind of label."
    )


CLASS_LINES = (
    "Each class is compared with the rest by separation, demographic parity and predictive parity; "
    "to audit one class by every criterion, name it as positive."
)


def means_of_ranks(lowest: str, highest: str, classes: int) -> str:
    """Note that means of ordinal labels and predictions are means of ranks."""
    return f"Means are those of ranks, from 1 ({lowest}) to {classes} ({highest})."
