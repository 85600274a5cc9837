"""How many items or judgments a test needs, and which difference it can detect."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, shown
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.power.items import MOST, PilotOfScores, items_from_rates
from fairpairs.mathematics.power.rejection import Test, expected_rejection


def smallest_number(power_at: Callable[[int], float], power: float = 0.8) -> int:
    """Return the smallest number at which an increasing power reaches the wanted one.

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

    # few items are simulated, which takes longest: begin with many
    numbers: list[int] = [*(4**k for k in range(int(np.log2(MOST)) // 2 + 1)), MOST]
    first = bisect_left(numbers, True, key=lambda n: power_of(n) >= power)
    if first == len(numbers):
        raise InputError(
            f"No number up to {MOST:,} has a power of {power:g}: take rates that differ more, "
            "or more of the items or pairs that are fixed."
        )
    too_few, enough = numbers[first - 1] if first else 0, numbers[first]
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
    """Return the number of judgments over N items that the dyadic test needs.

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
        When all pairs of the N items have less power than wanted; it names the items needed.

    Examples
    --------
    >>> judgments_needed(items_from_rates(tpr=(0.8, 0.7)), 4000)
    14178
    """
    inputs.between(power, "power", 0, 1)
    reached = partial(expected_rejection, "drawn_pairs", items, alpha=alpha, correction=correction)
    if reached(n_items=n_items, n_pairs=MOST) < power:
        enough = smallest_number(lambda n: reached(n_items=n, n_pairs=MOST), power)
        raise InputError(
            f"No number of judgments over {n_items:,} items has a power of {power:g}: at least "
            f"{enough:,} items are needed."
        )
    return smallest_number(lambda m: reached(n_items=n_items, n_pairs=m), power)


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
    """Return the smallest detectable difference: group 1's TPR lower, or its FPR higher.

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
        When not even the largest difference is detectable.

    Examples
    --------
    >>> round(detectable_difference("all_pairs", n_items=1000), 2)
    0.15
    """
    from scipy.optimize import brentq  # noqa: PLC0415  (slow)

    def lacking(difference: float) -> float:
        rates: dict[str, float | tuple[float, float]] = {"tpr": tpr, "fpr": fpr}
        changed = tpr - difference if rate == "tpr" else fpr + difference
        rates[rate] = (tpr if rate == "tpr" else fpr), float(np.clip(changed, 0, 1))
        items = items_from_rates(share=share, prevalence=prevalence, **rates)
        reached = expected_rejection(
            test, items, n_items=n_items, n_pairs=n_pairs, alpha=alpha, correction=correction
        )
        return reached - power

    inputs.one_of(rate, "rate", ("tpr", "fpr"))
    inputs.between(power, "power", 0, 1)
    inputs.between(tpr, "tpr", 0, 1, ends=True)
    inputs.between(fpr, "fpr", 0, 1, ends=True)
    largest = (tpr if rate == "tpr" else 1 - fpr) * (1 - 1e-9)
    # the power falls again where a rate of 0 or 1 leaves little variance: look for the first rise
    steps = np.linspace(0, largest, 51)
    above = next((place for place, step in enumerate(steps) if lacking(step) >= 0), None)
    if above is None:
        raise InputError(
            f"Not even the largest difference of the {rate} is detectable with a power of "
            f"{power:g}: take more items or judgments."
        )
    if above == 0:
        return 0.0
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
