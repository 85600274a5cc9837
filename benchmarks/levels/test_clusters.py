"""Items that are not independent: what it costs to ignore it, levels, power beside textbook tests.

`SETS=1000 pytest -s benchmarks/levels/test_clusters.py` prints the numbers of
docs/explanation/questions.md (`-k clusters_of_one_group`), of inference.md (`-k beside_textbook`)
and of calibration.md (`-k in_clusters`).
"""

from itertools import starmap

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import betaincinv, ndtri

import fairpairs as fp
from benchmarks.levels import promises
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import mean
from fairpairs.mathematics.inference.sampling.placements import RankedItems
from fairpairs.mathematics.promises.competitors import RANKED, jackknifed

pytestmark = pytest.mark.slow


TESTS = {
    "all pairs": fp.comparative_separation_test,
    "separation": lambda y, s, **k: fp.separation_test(y, 1 * (s > 0.5), **k),
    "permutation": lambda y, s, **k: fp.separation_permutation_test(
        y, s, n_permutations=39, random_state=0, **k
    ),
}


@pytest.mark.parametrize("name", TESTS)
def test_clusters_of_one_group(name):
    """100 clusters of 5 items whose scores share half of their variance, named or not."""
    cluster = np.repeat(np.arange(100), 5)

    def say(rng):
        group, y = rng.integers(0, 2, 100)[cluster], rng.integers(0, 2, 500)
        shared, own = rng.normal(size=100)[cluster], rng.normal(size=500)
        score, given = np.sqrt(0.5) * (shared + own) + y, {"sensitive_features": group}
        # of 39 permutations, p = 0.05 counts as a rejection
        named, not_named = (
            TESTS[name](y, score, **given, **options).pvalue * (1 - 1e-12)
            for options in ({"clusters": cluster}, {})
        )
        return {"named": named, "not named": not_named}

    promises.check(f"clusters, {name}", say, {"named": 0.056}, number=promises.sets(10))


def gap_of(values, classes, first, second, design):
    return Gap(*(mean(values, classes == code, classes, design) for code in (first, second)))


#: Numbers of rows of persons.
UNEQUAL = np.array([1, 1, 2, 2, 3, 3, 4, 6, 10, 18])
RATES = [(0.5, 0.5), (0.9, 0.9), (0.05, 0.05), (0.55, 0.5), (0.95, 0.9), (0.1, 0.05), (0.02, 0.12)]
DESIGNS = [
    ("five", (50, 50), "one group"), ("unequal", (50, 50), "one group"),
    ("five", (10, 10), "one group"), ("five", (20, 500), "one group"),
    ("five", (50, 50), "both groups"), ("unequal", (50, 50), "both groups"),
]  # fmt: skip


@pytest.mark.parametrize(("sizes", "persons", "kind"), promises.some(DESIGNS, 1, 4))
@pytest.mark.parametrize("rates", promises.some(RATES, 4))
def test_level_of_rates_in_clusters(sizes, persons, kind, rates):
    """Rates of persons, with an intraclass correlation of 0.5; two-sided, and of each side."""

    def say(rng):
        rows = np.resize(UNEQUAL if sizes == "unequal" else 5, sum(persons))
        person = np.repeat(np.arange(sum(persons)), rng.permutation(rows))
        n, design = len(person), SamplingDesign(len(person), person)
        group = (person < persons[0]).astype(int)
        group = rng.integers(0, 2, n) if kind == "both groups" else group
        share, likely = rng.random(sum(persons))[person], np.take(rates[::-1], group)
        values = (rng.random(n) < betaincinv(likely, 1 - likely, share)).astype(float)
        contrast = gap_of(values, group, 1, 0, design).contrast(design)
        truth = rates[0] - rates[1]
        sides = contrast.pvalue_above(truth), contrast.pvalue_below(truth)
        return {"two-sided": 2 * min(sides), "above": sides[0], "below": sides[1]}

    levels = {"two-sided": 0.056, "above": 0.07, "below": 0.07}
    name = f"{kind}, {sizes}, {persons[0]} and {persons[1]}, rates {rates[0]}, {rates[1]}"
    promises.check(name, say, levels, number=promises.sets(10))


#: AUC, xAUC, xAUC_1, xAUC_0 of the groups 1 and 0; the group 2 are all items.
GAPS = ((1, 1), (0, 0)), ((1, 0), (0, 1)), ((1, 2), (0, 2)), ((2, 1), (2, 0))


@pytest.mark.parametrize("auc", promises.some([0.76, 0.92, 0.983], 2))
@pytest.mark.parametrize("persons", [(50, 50), (500, 20)])
@pytest.mark.parametrize("kind", ["one cell", "both labels", "both groups"])
def test_level_of_ranks_in_clusters(kind, persons, auc):
    """Persons with five rows of one group (and label), or with ten of both groups."""
    rows, number = (10, sum(persons)) if kind == "both groups" else (5, 2 * sum(persons))
    person, row = np.repeat(np.arange(number), rows), np.tile(np.arange(rows), number)
    group = row % 2 if kind == "both groups" else (person >= 2 * persons[0]).astype(int)
    labels = {"one cell": person, "both labels": person + row, "both groups": person + row // 2}
    label = labels[kind] % 2
    design = SamplingDesign(len(person), person)

    def say(rng):
        noise = rng.normal(size=person.max() + 1)[person] + rng.normal(size=len(person))
        score = np.sqrt(2) * ndtri(auc) * label + noise / np.sqrt(2)
        items = RankedItems(label, group, 2, score_order(score), design)
        gaps = starmap(items.gap, GAPS)
        return {str(i): gap.contrast(design).pvalue() for i, gap in enumerate(gaps)}

    name = f"{kind}, {persons[0]} and {persons[1]} persons a label, AUC {auc}"
    promises.check(name, say, 0.056, number=promises.sets(10))


#: Clusters of the groups, rows of each, ICC, shift of an unfair model (in standard deviations).
BESIDE = (
    ((5, 5), 40, 0.1, 0.9), ((10, 10), 20, 0.1, 0.6), ((20, 20), 20, 0.1, 0.4),
    ((60, 60), 10, 0.05, 0.3), ((60, 60), 10, 0.3, 0.5), ((200, 200), 5, 0.3, 0.3),
    ((40, 8), 20, 0.1, 0.6), ((200, 15), 10, 0.1, 0.5),
)  # fmt: skip


@pytest.mark.parametrize("unfair", [False, True])
@pytest.mark.parametrize("design", promises.some(BESIDE, 0, 6))
def test_rates_and_rankings_beside_textbook_tests(design, unfair):
    """The FPR, and a linear model with robust errors; xAUC, and the jackknife over clusters."""
    clusters, rows, icc, shift = design
    cluster = np.repeat(np.arange(sum(clusters)), rows)
    group, sampled = (cluster >= clusters[0]).astype(int), SamplingDesign(len(cluster), cluster)

    def say(rng):
        label = rng.integers(0, 2, len(cluster))
        shared = np.sqrt(icc / (1 - icc)) * rng.normal(size=sum(clusters))[cluster]
        score = 2.0 * label - 1 + shared + shift * unfair * group + rng.normal(size=len(cluster))
        positive, kept = (score > 0).astype(float), label == 0
        fit = sm.OLS(positive[kept], sm.add_constant(group[kept].astype(float))).fit(
            cov_type="cluster", cov_kwds={"groups": cluster[kept]}, use_t=True
        )
        items = RankedItems(label, group, 2, score_order(score), sampled)
        return {
            "FPR": gap_of(positive, 2 * group + label, 2, 0, sampled).contrast(sampled).pvalue(),
            "FPR, robust errors": float(fit.pvalues[1]),
            "xAUC": items.gap(*RANKED[1]).contrast(sampled).pvalue(),
            "xAUC, jackknife": float(jackknifed(label, score, group, cluster)[1]),
        }

    levels = {} if unfair else {"FPR": 0.06, "xAUC": 0.06}
    promises.check(f"{design}, unfair {unfair}", say, levels, number=promises.sets(10))
