"""The simulations of section 4.1 (Tables I to III): known classifiers and random test sets."""

import numpy as np
import pandas as pd
from scipy.special import ndtr

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.mathematics.inference.gaps import comparative_separation_from_counts
from fairpairs.papers.experiments.item_counts import separation_from_counts
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.pair_counts import draw_cell_counts
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
