"""The simulations of known classifiers (section 4.1, Tables I to III) and regressions (3.4.2).

Of regressions labels and errors are normal and independent of the group, so separation implies
comparative separation, and it is known how separation is violated. The hypothesis of the paper is
that a test needs as many pairs as another needs items.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.mathematics.inference.gaps import comparative_separation_from_counts
from fairpairs.mathematics.promises import promise
from fairpairs.papers.experiments.item_counts import cell_counts, separation_from_counts
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.pair_counts import SimulatedSets, count_pairs, draw_cell_counts
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.experiments.wald_power import comparative_separation_power, separation_power

SEPARATION, COMPARATIVE = "separation", "comparative_separation"
#: Notion → the rate whose distribution section 4.1.2 studies.
FOLLOWED = {SEPARATION: "TPR(A=1)", COMPARATIVE: "TPR(1,0)"}


def simulate(settings: Content, *, seed: int, alpha: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row per classifier, notion, size and quantity of Table III and section 4.1.2.

    `used` counts the repeats in which a hypothesis could be tested, or the rate be estimated. The
    second table says how far from normal the rates are.
    """
    rows: list[Record] = []
    for classifier, cells in settings["classifiers"].items():
        items = distribution(cells, name=f"simulation.classifiers.{classifier}")
        for n in settings["sizes"]:
            for notion, size in ((SEPARATION, n), (COMPARATIVE, n * settings["pairs_per_item"])):
                rng = stream(seed, "simulation", classifier, notion, size)
                key = {"classifier": classifier, "notion": notion, "size": size}
                found = _study(items, notion, size, settings["repeats"], alpha, rng)
                rows += [{**key, **row} for row in found]
    simulated = pd.DataFrame(rows)
    return simulated, normality(simulated)


def normality(simulated: pd.DataFrame) -> pd.DataFrame:
    """Return how far from normal the rates of `simulate` are (section 4.1.2)."""
    rows = simulated[simulated["quantity"].isin(["distance", "beyond"])]
    keys = ["classifier", "notion", "size", "repeats", "used"]
    table = rows.set_index([*keys, "quantity"])["simulated"].unstack("quantity").reset_index()
    table["rate"] = table["notion"].map(FOLLOWED)
    columns = ["classifier", "rate", "size", "distance", "beyond", "repeats", "used"]
    return table[columns].rename_axis(columns=None)


def _study(
    items: Floats, notion: str, size: int, repeats: int, alpha: float, rng: np.random.Generator
) -> list[Record]:
    printed = 1.96 if alpha == 0.05 else None  # equation (25)
    if notion == SEPARATION:
        counts = rng.multinomial(size, items.ravel(), size=repeats).reshape(-1, 2, 2, 2)
        tests = separation_from_counts(counts, alpha=alpha)
        followed, trials = counts[:, 1, 1, 1], counts[:, 1, 1].sum(axis=-1)
        power = separation_power(items, size, alpha=alpha, critical_value=printed)
        rate, share = items[1, 1, 1] / items[1, 1].sum(), items[1, 1].sum()
    else:
        chances = cell_probabilities(items)
        pairs = draw_cell_counts(chances, size, rng, size=repeats)
        tests = comparative_separation_from_counts(pairs, alpha=alpha)
        followed, trials = pairs.concordant[:, 1, 0], pairs.comparable[:, 1, 0]
        power = comparative_separation_power(items, size, alpha=alpha, critical_value=printed)
        right, wrong = (cells[1, 0] for cells in chances)
        rate, share = right / (right + wrong), right + wrong
    tested = np.asarray(np.isfinite(tests.pvalue).any(axis=-1))
    violated = np.asarray((tests.pvalue < alpha).any(axis=-1))[tested]
    with np.errstate(invalid="ignore"):
        estimates = followed / trials
    estimates = estimates[np.isfinite(estimates)]
    if violated.size == 0 or estimates.size < 2:
        what = "items" if notion == SEPARATION else "pairs"
        raise InputError(
            f"simulation: with {size} {what} no hypothesis could be tested: raise "
            "`simulation.sizes`."
        )
    mean, variance = estimates.mean(), estimates.var(ddof=1)
    p, r = violated.mean(), len(estimates)
    expected_variance = rate * (1 - rate) / (share * size)
    distance, beyond = _shape(estimates, rate, expected_variance)
    # mean and standard deviation of Kolmogorov's distribution
    distance_mean = np.sqrt(np.pi / 2 / r) * np.log(2)
    distance_sd = np.sqrt((np.pi**2 / 12 - np.pi / 2 * np.log(2) ** 2) / r)
    beyond_error = np.sqrt(beyond * (1 - beyond) / r)
    columns = ("quantity", "expected", "simulated", "standard_error", "repeats", "used")
    rows = (
        ("violated", float(power), p, np.sqrt(p * (1 - p) / len(violated)), repeats, len(violated)),
        ("mean", rate, mean, np.sqrt(variance / r), repeats, r),
        ("variance", expected_variance, variance, variance * np.sqrt(2 / (r - 1)), repeats, r),
        ("distance", distance_mean, distance, distance_sd, repeats, r),
        ("beyond", 2 * ndtr(-1.96), beyond, beyond_error, repeats, r),
    )
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _shape(estimates: Floats, mean: float, variance: float) -> tuple[float, float]:
    """Return the Kolmogorov distance from the normal, and the share beyond 1.96 of its SDs."""
    if variance == 0:  # a rate of 0 or 1: there is no curve
        return np.nan, np.nan
    z = np.sort((estimates - mean) / np.sqrt(variance))
    chance, ranks = ndtr(z), np.arange(len(z) + 1) / len(z)
    distance = max((ranks[1:] - chance).max(), (chance - ranks[:-1]).max())
    return float(distance), float((np.abs(z) > 1.96).mean())


#: Tests of separation on n items, besides the paper's test on fresh pairs.
AT_MEDIANS, NORMAL_MODEL = "separation_at_medians", "separation_by_normal_model"
#: The name of the violation of fair predictions.
FAIR = "none"
#: Items that are drawn at once.
BLOCK = 1 << 21


def compare_sizes(settings: Content, *, seed: int, alpha: float) -> pd.DataFrame:
    """Return how often violations are found on n items and on multiples of n fresh pairs.

    Each of two hypotheses is tested at `alpha`, a single one at 1 − (1 − alpha)²; `used` counts the
    data sets in which something could be tested.
    """
    n, rows = settings["items"], []
    for violation, changes in settings["violations"].items():
        tests = [(AT_MEDIANS, n), (NORMAL_MODEL, n)]
        tests += [(COMPARATIVE, n * times) for times in settings["pairs_per_item"]]
        for test, size in tests:
            rng = stream(seed, "pairs_in_regression", violation, test, size)
            items = 2 * size if test == COMPARATIVE else size
            draw = partial(draw_items, items=items, **changes)
            block, streams = max(1, BLOCK // items), lambda _, rng=rng: rng
            drawn = promise.simulate(draw, settings["repeats"], streams, block=block)
            pvalues = np.concatenate([*map(TESTS[test], drawn)])
            level = alpha if pvalues.shape[1] == 2 else 1 - (1 - alpha) ** 2
            tested = np.isfinite(pvalues).any(axis=1)
            violated = (pvalues[tested] < level).any(axis=1)
            share, used = violated.mean() if violated.size else np.nan, violated.size
            error = np.sqrt(share * (1 - share) / max(used, 1))
            rows.append((violation, test, size, share, error, settings["repeats"], used))
    columns = ["violation", "test", "size", "rejected", "standard_error", "repeats", "used"]
    return pd.DataFrame(rows, columns=columns)


def draw_items(
    rng: np.random.Generator,
    sets: int,
    *,
    items: int,
    shift: float = 0.0,
    slope: float = 0.0,
    noise: float = 0.0,
) -> SimulatedSets:
    """Draw items of data sets: predictions are labels plus errors of equal variance.

    Group 1 has more by `shift` in its predictions, by `slope` in their slope on the label (1), and
    by `noise` in the standard deviation of their errors (1).
    """
    group = rng.integers(2, size=(sets, items))
    label, error = rng.normal(size=(2, sets, items))
    prediction = (1 + slope * group) * label + shift * group + (1 + noise * group) * error
    return SimulatedSets(group, label, prediction)


def separation_at_medians(items: SimulatedSets) -> Floats:
    """Test H0t and H0f, with labels and predictions cut at their medians, shape (r, 2)."""
    label, prediction = (
        (values > np.median(values, axis=1, keepdims=True)).astype(np.int64)
        for values in (items.label, items.score)
    )
    block = np.repeat(np.arange(len(label)), label.shape[1])
    counts = cell_counts(label.ravel(), prediction.ravel(), items.group.ravel(), block, len(label))
    return separation_from_counts(counts).pvalue


def separation_by_normal_model(items: SimulatedSets) -> Floats:
    """Test that both groups have one intercept, slope and error variance, shape (r, 1).

    This is the likelihood ratio test, which knows that predictions given the label are normal.
    """
    n, variance = _residual_variance(items, np.ones(items.label.shape, dtype=bool))
    statistic = n * np.log(variance)
    for group in (0, 1):
        n, variance = _residual_variance(items, items.group == group)
        statistic -= n * np.log(variance)
    return np.asarray(chdtrc(3, statistic)[:, None])


def comparative_separation_of_fresh_pairs(items: SimulatedSets) -> Floats:
    """Test H0c and H0w on pairs of the first half of the items with the second, shape (r, 2)."""
    sets, n = items.label.shape
    left = np.broadcast_to(np.arange(n // 2), (sets, n // 2))
    pairs = count_pairs(items.label, items.score, items.group, left, left + n // 2)
    return comparative_separation_from_counts(pairs).pvalue


TESTS: dict[str, Callable[[SimulatedSets], Floats]] = {
    AT_MEDIANS: separation_at_medians,
    NORMAL_MODEL: separation_by_normal_model,
    COMPARATIVE: comparative_separation_of_fresh_pairs,
}


def _residual_variance(items: SimulatedSets, member: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the size of a group and its residual variance about a line, shape (r,) each."""
    n = member.sum(axis=1)

    def mean(values: Floats) -> Floats:
        return np.asarray(np.where(member, values, 0).sum(axis=1) / n)

    x, y = (v - mean(v)[:, None] for v in (items.label, items.score))
    return n, mean(y * y) - mean(x * y) ** 2 / mean(x * x)
