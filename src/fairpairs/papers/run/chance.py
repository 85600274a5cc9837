"""P-values of the difference of two runs of one simulation that are independent of each other."""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import fdtr, fdtrc, stdtr

from fairpairs.base.plain_values import Content

#: Kurtosis of what is averaged, where nothing else is known: that of the exponential distribution.
KURTOSIS = 9.0

Two = tuple[float, float]


def pvalue_of_means(difference: float, errors: Two, runs: Two) -> float | None:
    """Return the two-sided p-value of two means, by Welch's t; None when neither has an error.

    `runs` are inf for the normal distribution.
    """
    variances = [error * error for error in errors]  # inf, where ** would raise
    total = sum(variances)
    if not 0 < total < math.inf:
        return None
    parts = sum(v * v / (n - 1) for v, n in zip(variances, runs, strict=True) if v > 0 and n > 1)
    degrees = total * total / parts if parts > 0 else math.inf
    return float(2 * stdtr(min(degrees, 1e9), -abs(difference) / math.sqrt(total)))


def pvalue_of_constants(runs: Two) -> float:
    """Return the p-value of two runs whose repeats are all the same in each, by permutation."""
    ways = math.lgamma(sum(runs) + 1) - math.lgamma(runs[0] + 1) - math.lgamma(runs[1] + 1)
    return min(1.0, 2 * math.exp(-ways))


def pvalue_of_shares(shares: Two, runs: Two) -> float | None:
    """Return the two-sided p-value of two shares of repeats, by Fisher's exact test.

    None when one is no share of so many repeats: a share of n is k / n.
    """
    from scipy.stats import fisher_exact  # noqa: PLC0415  (slow)

    table = []
    for share, n in zip(shares, runs, strict=True):
        if not math.isfinite(n) or not 0 <= share <= 1:
            return None
        k = round(share * n)
        if abs(share * n - k) > 1e-5 * max(k, 1):  # six digits are committed
            return None
        table.append((k, round(n) - k))
    return float(fisher_exact(np.array(table)).pvalue)


def pvalue_of_deviations(deviations: Two, runs: Two, kurtosis: float) -> float | None:
    """Return the two-sided p-value of two standard deviations, by F; None when one is 0 or unknown.

    The degrees of freedom are those that give the logarithm of a variance its error under a
    kurtosis, (kurtosis − 1) / n in the place of the normal 2 / n (Shoemaker, Fixing the F test for
    equal variances, *The American Statistician* 57, 2003).
    """
    if not all(0 < s < math.inf for s in deviations) or not all(1 < n < math.inf for n in runs):
        return None
    ratio = deviations[0] / deviations[1]
    if math.isinf(kurtosis):
        return None
    first, second = (2 * (n - 1) / (kurtosis - 1) for n in runs)
    return min(1.0, 2 * min(float(f(first, second, ratio * ratio)) for f in (fdtr, fdtrc)))


def is_binomial(share: float, error: float, runs: float) -> bool:
    """Say whether a standard error is that of a share of repeats."""
    if not 0 <= share <= 1 or not math.isfinite(runs) or not runs > 0:
        return False
    return math.isclose(error, math.sqrt(share * (1 - share) / runs), rel_tol=1e-3, abs_tol=1e-12)


def tests_of_cells(
    cells: tuple[str, str], errors: tuple[str, str], rule: Content, runs: Two
) -> Iterator[tuple[str, float]]:
    """Yield the p-value of the cells of two runs, with "number" or "error" for what is tested.

    `errors` are their standard errors or deviations, if the `rule` of agreement.yaml names such a
    column; `runs` are inf if unknown. Nothing is yielded for a number without an error.
    """
    p: float | None = None
    if "written" in rule:
        p = _written_pvalue(cells)
    elif (numbers := _numbers(cells)) is None:
        return
    elif "share" in rule or "count" in rule:
        shares = (numbers[0] / runs[0], numbers[1] / runs[1]) if "count" in rule else numbers
        if rule.get("share") == "rounded" and max(runs) < math.inf:
            shares = (round(shares[0] * runs[0]) / runs[0], round(shares[1] * runs[1]) / runs[1])
        p = pvalue_of_shares(shares, runs)
    elif "variance" in rule and min(numbers) > 0:
        p = pvalue_of_deviations((math.sqrt(numbers[0]), math.sqrt(numbers[1])), runs, KURTOSIS)
    elif (error_numbers := _numbers(errors)) is not None:
        yield from _mean_tests(numbers, error_numbers, rule, runs)
    if p is not None:
        yield "number", p


def _mean_tests(numbers: Two, errors: Two, rule: Content, runs: Two) -> Iterator[tuple[str, float]]:
    """Test a mean, or a share of the repeats, and if a mean has a standard error, this too."""
    if "spread" in rule:
        times = rule.get("times", 1.0)
        errors = (times * errors[0] / math.sqrt(runs[0]), times * errors[1] / math.sqrt(runs[1]))
    elif all(map(is_binomial, numbers, errors, runs)):
        p = pvalue_of_shares(numbers, runs)
        if p is not None:
            yield "number", p
            return
    factor = math.sqrt(rule.get("dependent", 1))
    errors = (factor * errors[0], factor * errors[1])
    p = pvalue_of_means(numbers[0] - numbers[1], errors, runs)
    if rule.get("constant") and errors == (0, 0) and max(runs) < math.inf:
        p = pvalue_of_constants(runs)
    if p is not None:
        yield "number", p
    deviations = (errors[0] * math.sqrt(runs[0]), errors[1] * math.sqrt(runs[1]))
    spread = pvalue_of_deviations(deviations, runs, rule.get("kurtosis", KURTOSIS))
    if spread is not None:
        yield "error", spread


def _written_pvalue(cells: tuple[str, str]) -> float | None:
    """Return the p-value of two texts "number ± standard error", with the error of rounding."""
    parts = [cell.replace(",", "").partition("±")[::2] for cell in cells]
    first, second = map(_numbers, parts)
    if first is None or second is None:
        return None
    rounding = [10.0 ** -len(text.strip().partition(".")[2]) / math.sqrt(12) for text, _ in parts]
    errors = math.hypot(first[1], rounding[0]), math.hypot(second[1], rounding[1])
    return pvalue_of_means(first[0] - second[0], errors, (math.inf, math.inf))


def _numbers(cells: tuple[str, str]) -> Two | None:
    try:
        numbers = float(cells[0]), float(cells[1])
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None
