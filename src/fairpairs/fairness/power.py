"""How often a test is expected to find a violation, and how many items or judgments it needs.

Everything starts from the probability of an item in each cell (a, y, c): group, label, prediction;
or, for scores, from a pilot.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, section 3.4: Proposition 3.5 and equations
(31) to (36). The variances for pairs that share items are derived in docs/calibration.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from fairpairs.arrays import Floats
from fairpairs.errors import InputError, shown
from fairpairs.fairness import inputs
from fairpairs.fairness.expected_gaps import (
    PilotOfScores,
    checked_items,
    critical_gaps,
    differences_of_separation,
    few_are_expected,
    gaps_and_covariance,
)
from fairpairs.fairness.gaps import gap_cells
from fairpairs.fairness.pairs.drawn import cell_probabilities
from fairpairs.fairness.pairs.rates import Ties, check_ties
from fairpairs.fairness.power_simulation import simulated_rejection
from fairpairs.fairness.results import Correction

#: "separation": `separation_test`. "fresh_pairs": the dyadic test on pairs of two fresh
#: items each. "drawn_pairs": the same on pairs drawn from the items. "binomial": the paper's test
#: on such pairs. "all_pairs": the test on all pairs of the items.
Test = Literal["separation", "fresh_pairs", "drawn_pairs", "binomial", "all_pairs"]

#: A share is not told from 0 or 1 when it lies as near.
ROUNDING = 1e-12
#: Levels of the score that a pilot is summed up by.
LEVELS = 64
#: Fresh pairs are as drawn from so many items for each of them: hardly any is met twice.
FRESH = 10_000
#: More items or pairs than this are taken for never.
MOST = 10**10


def acceptance_probability(
    p_1: ArrayLike,
    n_1: ArrayLike,
    p_2: ArrayLike,
    n_2: ArrayLike,
    *,
    alpha: float = 0.05,
    critical_value: float | None = None,
) -> Floats:
    """Chance β that the two-sided z-test accepts p1 = p2 (Proposition 3.5, equation 25).

    Parameters
    ----------
    p_1, p_2
        True proportions.
    n_1, n_2
        Sizes of the two samples; they need not be whole.
    alpha
        Level of the test.
    critical_value
        What |z| is held against, by default the exact normal quantile of `alpha`. Equation (25)
        has 1.96, which Table III needs in one cell to agree to the printed digit.

    Returns
    -------
    ndarray
        1 where neither sample has variance, because the test cannot be made.
    """
    p1, n1, p2, n2 = (np.asarray(x, dtype=float) for x in (p_1, n_1, p_2, n_2))
    sigma = np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    z = ndtri(1 - alpha / 2) if critical_value is None else critical_value
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = (p1 - p2) / sigma
    # without variance there is no test, so nothing is rejected
    return np.where(sigma > 0, ndtr(z - shift) - ndtr(-z - shift), 1.0)


def separation_power(
    items: Floats, n: int, *, alpha: float = 0.05, critical_value: float | None = None
) -> Floats:
    """Chance 1 − βt βf that separation is found violated on n items (equations 31 to 33).

    Parameters
    ----------
    items
        Probability of an item in each cell (a, y, c), shape (..., 2, 2, 2).
    n
        Number of items; a cell is taken to hold its expected share of them.
    alpha, critical_value
        As in `acceptance_probability`, for each hypothesis.
    """
    totals = items.sum(axis=-1)  # (..., group, label)
    rates = items[..., 1] / totals
    beta = acceptance_probability(
        rates[..., 1, :], n * totals[..., 1, :], rates[..., 0, :], n * totals[..., 0, :],
        alpha=alpha, critical_value=critical_value,
    )  # fmt: skip
    return np.asarray(1 - beta.prod(axis=-1))


def comparative_separation_power(
    items: Floats, n_pairs: int, *, alpha: float = 0.05, critical_value: float | None = None
) -> Floats:
    """Chance 1 − βc βw that comparative separation is found violated (equations 34 to 36).

    Parameters
    ----------
    items
        Probability of an item in each cell (a, y, c), shape (..., 2, 2, 2).
    n_pairs
        Number of pairs, each of two fresh items.
    alpha, critical_value
        As in `acceptance_probability`, for each hypothesis.
    """
    right, wrong = cell_probabilities(items)
    usable = right + wrong
    tpr, n = right / usable, n_pairs * usable
    beta_c, beta_w = (
        acceptance_probability(
            tpr[..., *i], n[..., *i], tpr[..., *j], n[..., *j],
            alpha=alpha, critical_value=critical_value,
        )
        for i, j in (((1, 0), (0, 1)), ((1, 1), (0, 0)))
    )  # fmt: skip
    return np.asarray(1 - beta_c * beta_w)


def items_from_rates(
    *,
    share: float = 0.5,
    prevalence: float | tuple[float, float] = 0.5,
    tpr: float | tuple[float, float] = 0.8,
    fpr: float | tuple[float, float] = 0.4,
) -> Floats:
    """Return the probability of an item in each cell (a, y, c) from the rates of the groups.

    Parameters
    ----------
    share
        Share of group 1.
    prevalence, tpr, fpr
        P(Y=1), P(C=1 | Y=1) and P(C=1 | Y=0): of both groups, or of group 0 and of group 1.

    Returns
    -------
    ndarray of shape (2, 2, 2)

    Raises
    ------
    InputError
        When one does not lie between 0 and 1, or a share or prevalence is 0 or 1.
    """
    given = {"share": share, "prevalence": prevalence, "tpr": tpr, "fpr": fpr}
    for name, value in given.items():
        values = inputs.numbers(value, name)
        if values.shape not in ((), (1,), (2,)) or (name == "share" and values.ndim):
            raise InputError(
                f"{name} must be one number, or one for each group; it is {shown(value)}."
            )
        low, high = values.min(), values.max()
        open_ends = name in ("share", "prevalence")
        if not (0 <= low <= high <= 1) or (open_ends and not ROUNDING < low <= high < 1 - ROUNDING):
            between = "between 0 and 1, without these" if open_ends else "from 0 to 1"
            raise InputError(f"{name} must lie {between}; it is {shown(value)}.")
    one, p, t, f = (inputs.numbers(value, name) for name, value in given.items())
    groups = np.array([1 - one, one])
    p, t, f = (np.broadcast_to(x, 2) for x in (p, t, f))
    labels = np.stack([1 - p, p], axis=1) * groups[:, None]
    rates = np.stack([f, t], axis=1)
    return np.stack([labels * (1 - rates), labels * rates], axis=2)


def pilot_of_scores(
    y_true: ArrayLike, y_score: ArrayLike, *, sensitive_features: ArrayLike, ties: Ties = "wrong"
) -> PilotOfScores:
    """Return what a pilot says of larger collections, for scores that are not yes or no.

    Collections of other sizes are drawn from its shares of (group, label, level of the score), of
    which 64 levels at the most are kept. For predictions of 0 and 1 the shares of the cells (group,
    label, prediction) say the same.

    Parameters
    ----------
    y_true, y_score, sensitive_features, ties
        As in `comparative_separation_test`; two groups and two labels.

    Raises
    ------
    InputError
        As `comparative_separation_test`; and when there are other than two groups or labels, or a
        group has fewer than two items of a label.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sex, label = rng.integers(0, 2, (2, 300))
    >>> score = label + rng.normal(size=300) * np.where(sex == 1, 1, 0.6)
    >>> pilot = pilot_of_scores(label, score, sensitive_features=sex)
    >>> judgments_needed(pilot, 4000)
    3905
    """
    labels = inputs.numeric(y_true, "y_true")
    group, names = inputs.two_groups(sensitive_features)
    inputs.same_items(y_true=y_true, sensitive_features=sensitive_features)
    high = labels == labels.max()
    if not (high | (labels == labels.min())).all():
        raise InputError("y_true must have two values: a pilot of real labels cannot be scaled.")
    if np.bincount(2 * group + high, minlength=4).min() < 2:
        raise InputError("A pilot needs two items of each label in each group: add items.")
    scores = inputs.numeric(y_score, "y_score")
    inputs.same_items(y_true=y_true, y_score=y_score)
    check_ties(ties)
    level, n_levels = _levels(scores, high)
    if n_levels > LEVELS:
        level, ties = level * LEVELS // n_levels, "half"
    place = (2 * group + high) * n_levels + level
    items = np.bincount(place, minlength=4 * n_levels).reshape(2, 2, n_levels) / len(labels)
    return PilotOfScores(names, items[..., :LEVELS], ties)


def _levels(scores: Floats, high: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """Return the level of each score from low to high, and how many levels there are.

    Neighbours that only items of one label have are one level, which changes no comparison.
    """
    values, place = np.unique(scores, return_inverse=True)
    ones = np.bincount(place, high, minlength=len(values))
    share = ones / np.bincount(place)
    pure = (share[1:] == share[:-1]) & np.isin(share[1:], (0, 1))
    level = np.concatenate([[0], np.cumsum(~pure)])
    return level[place], int(level[-1]) + 1


def expected_rejection(
    test: Test,
    items: Floats | PilotOfScores,
    *,
    n_items: int | None = None,
    n_pairs: int | None = None,
    alpha: float = 0.05,
    correction: Correction = "none",
) -> float:
    """Return how often a test is expected to reject either of its two hypotheses.

    Where separation holds this is its level, else its power. It is computed from the normal
    distribution of the gaps where 30 items or pairs of each kind (group, label, prediction) or more
    are expected. Where fewer are, and for pilots of scores, it is the share of 2,000 simulated
    sets (with a fixed seed) in which the test rejects; its standard error is 0.01.

    Parameters
    ----------
    test
        A name in `Test`.
    items
        Probability of an item in each cell (a, y, c), shape (2, 2, 2); or a pilot of scores, which
        goes with "fresh_pairs", "drawn_pairs" and "all_pairs".
    n_items
        Number of items; not for "fresh_pairs".
    n_pairs
        Number of pairs; for "fresh_pairs", "drawn_pairs" and "binomial".
    alpha
        Level.
    correction
        "none", "holm" or "sidak".

    Returns
    -------
    float

    Raises
    ------
    InputError
        When the test is not known, or a number that it needs is missing.

    Examples
    --------
    >>> items = items_from_rates(tpr=(0.8, 0.7))
    >>> round(expected_rejection("all_pairs", items, n_items=1000), 2)
    0.57
    """
    _check_request(test, items, {"n_items": n_items, "n_pairs": n_pairs}, alpha, correction)
    items = items if isinstance(items, PilotOfScores) else checked_items(items)
    # rejecting either at this level is what the correction amounts to
    each = {"none": alpha, "holm": alpha / 2, "sidak": 1 - np.sqrt(1 - alpha)}[correction]
    m = None if test in ("separation", "all_pairs") else n_pairs
    n = FRESH * (n_pairs or 0) if test == "fresh_pairs" else n_items or 0
    if test == "binomial" and not isinstance(items, PilotOfScores):
        critical = _binomial_critical_gaps(items, n_pairs or 0, each)
        return _either_found(*gaps_and_covariance(items, n, m), critical)
    if isinstance(items, PilotOfScores) or few_are_expected(items, n, m):
        return simulated_rejection(
            items, n, m, separation=test == "separation", alpha=alpha, correction=correction
        )
    if test == "separation":
        return _either_found(*differences_of_separation(items, n, each))
    return _either_found(*gaps_and_covariance(items, n, m), critical_gaps(items, n, m, each))


def _either_found(gaps: Floats, covariance: Floats, critical: Floats) -> float:
    """Return the chance that one of two normal estimates is off by more than is critical."""
    if not (np.diagonal(covariance) > 0).all():
        return 0.0  # without variance nothing is rejected
    accepted = multivariate_normal(gaps, covariance, allow_singular=True).cdf(
        critical, lower_limit=-critical
    )
    return float(1 - accepted)


def _binomial_critical_gaps(items: Floats, n_pairs: int, level: float) -> Floats:
    """Return the critical gaps of the paper's test, which takes pairs to be independent."""
    right, wrong = cell_probabilities(items)
    usable = right + wrong
    alone = (right * wrong / usable**2 / (usable * n_pairs)).ravel()
    first, second = gap_cells(2)
    return np.asarray(ndtri(1 - level / 2) * np.sqrt(alone[first] + alone[second]))


def _check_request(
    test: str,
    items: Floats | PilotOfScores,
    numbers: Mapping[str, int | None],
    alpha: float,
    correction: str,
) -> None:
    inputs.one_of(test, "test", get_args(Test))
    needed = {
        "n_items": test != "fresh_pairs",
        "n_pairs": test in ("fresh_pairs", "drawn_pairs", "binomial"),
    }
    for name, number in numbers.items():
        if needed[name] and number is None:
            raise InputError(f"{test} needs {name}.")
        if number is not None:
            inputs.between(number, name, 1, MOST, ends=True)
    if isinstance(items, PilotOfScores) and test in ("separation", "binomial"):
        raise InputError(f"{test} needs yes/no predictions: a pilot of scores has none.")
    inputs.level(alpha)
    inputs.one_of(correction, "correction", get_args(Correction))


def smallest_number(power_at: Callable[[int], float], power: float = 0.8) -> int:
    """Return the smallest number at which an increasing power reaches what is wanted.

    Parameters
    ----------
    power_at
        Function of a number of items or pairs, such as a call of `expected_rejection`.
    power
        Wanted power.

    Returns
    -------
    int

    Raises
    ------
    InputError
        When no number up to 10¹⁰ is enough.

    Examples
    --------
    >>> items = items_from_rates(tpr=(0.8, 0.7))
    >>> smallest_number(lambda n: expected_rejection("separation", items, n_items=n))
    1142
    """
    inputs.between(power, "power", 0, 1)
    if not callable(power_at):
        raise InputError(f"power_at must be a function of a number; it is {shown(power_at)}.")

    def power_of(n: int) -> float:
        return float(inputs.numbers(power_at(n), "What power_at returns"))

    too_few, enough = 0, 1
    while power_of(enough) < power:
        if enough == MOST:
            raise InputError(
                f"No number up to {MOST:,} has a power of {power:g}: take rates that differ more, "
                "or more of the items or pairs that are fixed."
            )
        too_few, enough = enough, min(4 * enough, MOST)
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if power_of(middle) < power:
            too_few = middle
        else:
            enough = middle
    return enough


def judgments_needed(
    items: Floats | PilotOfScores,
    n_items: int,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> int:
    """Return how many judgments over N items the dyadic test needs.

    More judgments over the same items help only as far as all pairs do: the variance is nearly
    A/N + B/M.

    Parameters
    ----------
    items
        Probability of an item in each cell (a, y, c), shape (2, 2, 2), or a pilot of scores.
    n_items
        Number of items, N.
    power, alpha, correction
        As in `expected_rejection`.

    Raises
    ------
    InputError
        When all pairs of the N items have less power than is wanted; it names the items needed.

    Examples
    --------
    >>> judgments_needed(items_from_rates(tpr=(0.8, 0.7)), 4000)
    14178
    """
    inputs.between(power, "power", 0, 1)

    def over(n: int, m: int) -> float:
        return expected_rejection(
            "drawn_pairs", items, n_items=n, n_pairs=m, alpha=alpha, correction=correction
        )

    if over(n_items, MOST) < power:
        enough = smallest_number(lambda n: over(n, MOST), power)
        raise InputError(
            f"No number of judgments over {n_items:,} items has a power of {power:g}: at least "
            f"{enough:,} items are needed."
        )
    return smallest_number(lambda m: over(n_items, m), power)


def detectable_difference(
    test: Test,
    *,
    rate: Literal["tpr", "fpr"] = "tpr",
    share: float = 0.5,
    prevalence: float | tuple[float, float] = 0.5,
    tpr: float = 0.8,
    fpr: float = 0.4,
    n_items: int | None = None,
    n_pairs: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> float:
    """Return by how much group 1's TPR must be lower, or its FPR higher, to be found.

    Parameters
    ----------
    test
        A name in `Test`.
    rate
        Which of the rates of group 1 differs from group 0's.
    share, prevalence, tpr, fpr
        As in `items_from_rates`; the rates are those of group 0.
    n_items, n_pairs, power, alpha, correction
        As in `expected_rejection`.

    Raises
    ------
    InputError
        When not even the largest difference would be found.

    Examples
    --------
    >>> round(detectable_difference("all_pairs", n_items=1000), 2)
    0.15
    """

    def lacking(difference: float) -> float:
        rates = {"tpr": (tpr, tpr), "fpr": (fpr, fpr)}
        changed = tpr - difference if rate == "tpr" else fpr + difference
        rates[rate] = (rates[rate][0], float(np.clip(changed, 0, 1)))
        found = expected_rejection(
            test,
            items_from_rates(
                share=share, prevalence=prevalence, tpr=rates["tpr"], fpr=rates["fpr"]
            ),
            n_items=n_items,
            n_pairs=n_pairs,
            alpha=alpha,
            correction=correction,
        )
        return found - power

    inputs.one_of(rate, "rate", ("tpr", "fpr"))
    inputs.between(power, "power", 0, 1)
    inputs.between(tpr, "tpr", 0, 1, ends=True)
    inputs.between(fpr, "fpr", 0, 1, ends=True)
    largest = (tpr if rate == "tpr" else 1 - fpr) * (1 - 1e-9)
    # the power falls again where a rate of 0 or 1 leaves little variance: look for the first rise
    steps = np.linspace(0, largest, 51)
    values = np.array([lacking(step) for step in steps])
    if values[0] >= 0:
        return 0.0
    if not (values >= 0).any():
        raise InputError(
            f"Not even the largest difference of the {rate} would be found with a power of "
            f"{power:g}: take more items or judgments."
        )
    above = int(np.argmax(values >= 0))
    return float(brentq(lacking, steps[above - 1], steps[above], xtol=1e-6))


def power_curve(tests: Mapping[str, Callable[[int], float]], numbers: ArrayLike) -> pd.DataFrame:
    """Tabulate expected rejection rates over numbers of items or pairs.

    Parameters
    ----------
    tests
        Name of a curve → function of a number, such as a call of `expected_rejection`.
    numbers
        Numbers of items or pairs, shape (k,).

    Returns
    -------
    DataFrame
        Columns `test`, `number`, `power`.
    """
    if not isinstance(tests, Mapping) or not all(map(callable, tests.values())):
        raise InputError(f"tests must name functions of a number; it is {shown(tests)}.")
    rows = [
        (name, int(number), power_at(int(number)))
        for name, power_at in tests.items()
        for number in inputs.numeric(numbers, "numbers")
    ]
    return pd.DataFrame(rows, columns=["test", "number", "power"])
