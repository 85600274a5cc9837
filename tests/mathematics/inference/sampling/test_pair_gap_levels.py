"""How often equal AUCs are found to differ, and those at a margin shown within it, in clusters.

`SETS=10000 pytest -s -k level_of_ranks_in_clusters` prints the rows of
docs/explanation/calibration.md.
"""

from itertools import starmap

import numpy as np
import pytest
from scipy.special import ndtri

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.pairs.binary import score_order
from fairpairs.mathematics.inference.sampling.comparative import balanced_gaps
from fairpairs.mathematics.inference.sampling.placements import RankedItems
from fairpairs.mathematics.promises.worlds import clusters
from tests import promises

ROWS, MARGIN = 5, 0.1
#: AUC, xAUC, xAUC_1, xAUC_0 of the groups 1 and 0; the group 2 are all items.
GAPS = ((1, 1), (0, 0)), ((1, 0), (0, 1)), ((1, 2), (0, 2)), ((2, 1), (2, 0))
#: Kind of cluster, and clusters of each group (and label, where a cluster has one).
DESIGNS = (("one cell", (50, 50)), ("one cell", (500, 20)), ("both labels", (50, 50)),
           ("both groups", (50, 50)))  # fmt: skip


def persons(kind, sizes):
    """Group, label and cluster of the rows: five of each person, or ten in both groups."""
    if kind == "one cell":  # a person is of one group and one label
        cells = [(g, y) for g in (0, 1) for y in (0, 1) for _ in range(sizes[g])]
        rows = [[cell] * ROWS for cell in cells]
    elif kind == "both labels":
        cells = [(g, i) for g in (0, 1) for i in range(2 * sizes[g])]
        rows = [[(g, (i + j) % 2) for j in range(ROWS)] for g, i in cells]
    else:
        rows = [[(j % 2, (j // 2 + i) % 2) for j in range(2 * ROWS)] for i in range(sum(sizes))]
    group, label = np.array([row for person in rows for row in person]).T
    return group, label, np.repeat(np.arange(len(rows)), [len(person) for person in rows])


def normal(rng, cluster):
    """Standard normal numbers whose correlation within a cluster is 0.5."""
    return (rng.normal(size=cluster.max() + 1)[cluster] + rng.normal(size=len(cluster))) / np.sqrt(
        2
    )


def said(rng, kind, sizes, means, test, *, weighted=False, gaps=GAPS):
    """The p-values of a test of each gap; means by group and label."""
    group, label, cluster = persons(kind, sizes)
    score = normal(rng, cluster) + means[group, label]
    weight = rng.lognormal(size=len(group)) if weighted else None
    design = SamplingDesign(len(group), cluster, weight)
    items = RankedItems(label, group, 2, score_order(score), design)
    return {str(i): test(gap.contrast(design)) for i, gap in enumerate(starmap(items.gap, gaps))}


def apart(auc):
    """Means of the labels 0 and 1 of normal scores with this AUC."""
    half = ndtri(np.asarray(auc)) / np.sqrt(2)
    return np.stack([-half, half], axis=-1)


def check(name, say, level=0.056):
    promises.check(name, say, level, number=promises.sets(10))


def equal(contrast):
    return contrast.pvalue()


def within(contrast):
    return contrast.within(MARGIN)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "sizes"), DESIGNS)
@pytest.mark.parametrize("auc", promises.some([0.76, 0.92, 0.983], 2))
def test_level_of_ranks_in_clusters(kind, sizes, auc):
    name = f"equal; {kind}, {sizes[0]} and {sizes[1]}, AUC {auc}"
    check(name, lambda rng: said(rng, kind, sizes, apart([auc, auc]), equal))


@pytest.mark.slow
@pytest.mark.parametrize("auc", [0.76, 0.92, 0.983])
def test_level_of_ranks_in_clusters_with_weights(auc):
    means = apart([auc, auc])
    name = f"equal; one cell, 50 and 50, lognormal weights, AUC {auc}"
    check(name, lambda rng: said(rng, "one cell", (50, 50), means, equal, weighted=True))


#: Clusters of the groups, rows of each, ICC, sizes, and to which multiple scores are rounded.
FEW = {
    "5 + 5 of 40, ICC 0.1": ((5, 5), 40, 0.1, "equal", 0),
    "5 + 5 of 40, ICC 0.5": ((5, 5), 40, 0.5, "equal", 0),
    "10 + 10 of 20, unequal, ICC 0.2": ((10, 10), 20, 0.2, "unequal", 0),
    "10 + 10 of 20, ties, ICC 0.3": ((10, 10), 20, 0.3, "equal", 1.5),
    "15 + 15 of 20, larger with higher scores, ICC 0.3": ((15, 15), 20, 0.3, "outcome", 0),
    "40 + 8 of 20, ICC 0.5": ((40, 8), 20, 0.5, "equal", 0),
    "30 + 3 of 20, ICC 0.2": ((30, 3), 20, 0.2, "equal", 0),
    "8 + 20 of 20 and 60, ICC 0.2": ((8, 20), 20, 0.2, "group", 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_level_of_ranks_in_clusters_that_are_few(name):
    number, rows, icc, sizes, rounded = FEW[name]

    def say(rng):
        drawn = clusters(rng, number=number, rows=rows, icc=icc, sizes=sizes, score=True)
        score, group = drawn["y_score"], drawn["sensitive_features"]
        if rounded:
            score = np.round(score / rounded)
        design = SamplingDesign(len(score), drawn["clusters"])
        items = RankedItems(drawn["y_true"], group, 2, score_order(score), design)
        gaps = starmap(items.gap, GAPS)
        return {str(i): gap.contrast(design).pvalue() for i, gap in enumerate(gaps)}

    check(f"few; {name}", say)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "sizes"), DESIGNS)
@pytest.mark.parametrize("aucs", promises.some(
    [(0.86, 0.76), (0.76, 0.86), (0.92, 0.82), (0.82, 0.92), (0.983, 0.883), (0.883, 0.983)], 1, 4
))  # fmt: skip
def test_level_of_ranks_in_clusters_at_the_margin(kind, sizes, aucs):
    """AUCs that differ by the margin; xAUCs that do, where the AUCs are equal."""
    both = apart(aucs)
    shifted = np.tile(both.mean(axis=0), (2, 1))
    shifted[1] += both[1, 1] - both[0, 1]

    def say(rng):
        auc = said(rng, kind, sizes, both, within, gaps=GAPS[:1])
        return {
            "AUC": auc["0"],
            "xAUC": said(rng, kind, sizes, shifted, within, gaps=GAPS[1:2])["0"],
        }

    name = f"at the margin; {kind}, {sizes[0]} and {sizes[1]}, {aucs[0]} and {aucs[1]}"
    # the small group of 20 persons is worse, and those ranked right vary too little
    check(name, say, 0.1 if sizes[1] == 20 and aucs[0] > 0.95 else 0.056)


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [True, False])
@pytest.mark.parametrize("noise", [1.0, 0.3])
@pytest.mark.parametrize("sizes", [(50, 50), (500, 20)])
def test_level_of_ranks_in_clusters_of_real_labels(sizes, noise, clustered):
    """Comparative separation of labels that are higher in one group by half a standard deviation.

    Persons with five rows; or independent items, five times as many, with unequal weights.
    """
    group = np.repeat([0, 1], np.array(sizes) * ROWS)
    cluster = np.repeat(np.arange(sum(sizes)), ROWS) if clustered else np.arange(len(group))

    def say(rng):
        label = normal(rng, cluster) + 0.5 * group
        score = label + noise * normal(rng, cluster)
        weight = None if clustered else rng.lognormal(sigma=0.7, size=len(group))
        design = SamplingDesign(len(group), cluster if clustered else None, weight)
        gaps = balanced_gaps(label, score, group, design)
        return {str(i): gap.contrast(design).pvalue() for i, gap in enumerate(gaps)}

    what = "clusters" if clustered else "weights"
    check(f"real labels; {what}, {sizes[0]} and {sizes[1]}, noise {noise}", say)
