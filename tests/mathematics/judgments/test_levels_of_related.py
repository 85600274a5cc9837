"""Judgments that share judges and clusters: levels and coverage in fair data, by simulation.

`SETS=1000 pytest -s -m slow -k levels_of_related_judgments` prints the table of
docs/explanation/calibration.md.
"""

import numpy as np
import pytest

from fairpairs.mathematics.inference.gaps import comparative_separation_from_rates
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.mathematics.judgments.related import related_pairs
from tests import promises

#: Sets that a simulation draws.
SETS = promises.sets(10)


def zipf(rng, n, m):
    chance = 1 / np.arange(1, n + 1)
    return rng.choice(n, size=m, p=chance / chance.sum())


def drawn(
    rng, m, items, *, judges=0, clusters=0, persons=0, alike=(0.0, 0.0, 0.0), rate=0.7, share=0.5,
    k=2, zipf_items=False, zipf_judges=False,
):  # fmt: skip
    """Judge random items; every TPR(a, b) is `rate`.

    Judgments of one judge, one cluster or one person's items (one winner, without persons), in one
    cell, have the correlations `alike`: with the chance √ρ a judgment is the one that its unit has
    for the cell.
    """
    items = 5 * persons or items
    if k == 2:
        group = rng.permutation(np.arange(items) < share * items).astype(int)
    else:
        group = rng.integers(k, size=items)
    pick = (lambda: zipf(rng, items, m)) if zipf_items else (lambda: rng.integers(items, size=m))
    winner, loser = pick(), pick()
    loser = np.where(winner == loser, (loser + 1) % items, loser)
    cell = group[winner] * k + group[loser]
    person = np.arange(items) // 5 if persons else None
    judge = zipf(rng, judges, m) if zipf_judges else rng.integers(max(judges, 1), size=m)
    of_winner = winner if person is None else person[winner]
    units = [judge, rng.integers(max(clusters, 1), size=m), of_winner]
    hit, chance, place = rng.random(m) < rate, rng.random(m), 0.0
    for code, correlation in zip(units, alike, strict=True):
        if correlation > 0:
            common = (rng.random((code.max() + 1, k * k)) < rate)[code, cell]
            taken = (place <= chance) & (chance < place + np.sqrt(correlation))
            hit, place = np.where(taken, common, hit), place + np.sqrt(correlation)
    shared = tuple(code for code, n in zip(units, (judges, clusters), strict=False) if n)
    return (winner, loser, hit.astype(float), group, k), shared, person


def tied(rng, m, items, **options):
    """Draw the same with ties: 0.3 of the outcomes, half each way, and 0.2 of the verdicts."""
    (winner, loser, hit, *rest), shared, person = drawn(rng, m, items, **options)
    hit = np.where(rng.random(m) < 0.2, 0.5, hit)
    ties = np.flatnonzero(rng.random(m) < 0.3)
    weights = np.where(np.isin(np.arange(m + len(ties)), [*ties, *range(m, m + len(ties))]), 0.5, 1)
    pairs = np.r_[winner, loser[ties]], np.r_[loser, winner[ties]], np.r_[hit, 1 - hit[ties]], *rest
    return pairs, tuple(np.r_[code, code[ties]] for code in shared), person, weights


def versions(rng, prompts, *, alike, rate=0.7):
    """Judge each prompt in two versions, one of each group."""
    common = rng.random(prompts) < rate
    hit = np.where(
        rng.random((2, prompts)) < np.sqrt(alike), common, rng.random((2, prompts)) < rate
    )
    better = np.concatenate([np.arange(prompts), 2 * prompts + np.arange(prompts)])
    group = np.repeat([0, 1], 2 * prompts)
    pairs = better, better + prompts, hit.ravel().astype(float), group, 2
    return pairs, (np.tile(np.arange(prompts), 2),), None


DESIGNS = {
    **{
        f"{n} judges, {rho}": (drawn, (3000, 1500), {"judges": n, "alike": (rho, 0, 0)})
        for n in (20, 50)
        for rho in (0.0, 0.1, 0.5)
    },
    **{
        f"{n} clusters, {rho}": (drawn, (3000, 1500), {"clusters": n, "alike": (0, rho, 0)})
        for n in (50, 200)
        for rho in (0.0, 0.1, 0.5)
    },
    "20 judges, 0.1, rate 0.5, minority 0.2": (
        drawn, (3000, 1500), {"judges": 20, "alike": (0.1, 0, 0), "rate": 0.5, "share": 0.2}),
    "20 judges, 0.1, rate 0.95, minority 0.2": (
        drawn, (3000, 1500), {"judges": 20, "alike": (0.1, 0, 0), "rate": 0.95, "share": 0.2}),
    "20 judges, 0.5, rate 0.95, minority 0.2": (
        drawn, (3000, 1500), {"judges": 20, "alike": (0.5, 0, 0), "rate": 0.95, "share": 0.2}),
    "300 judgments, 20 judges, 0.1": (
        drawn, (300, 150), {"judges": 20, "alike": (0.1, 0, 0), "rate": 0.9, "share": 0.2}),
    "300 judgments, 50 clusters, 0.5": (
        drawn, (300, 150), {"clusters": 50, "alike": (0, 0.5, 0), "rate": 0.9}),
    "20 judges x 50 clusters, 0": (drawn, (3000, 1500), {"judges": 20, "clusters": 50}),
    "20 judges x 50 clusters, 0.1 each": (
        drawn, (3000, 1500), {"judges": 20, "clusters": 50, "alike": (0.1, 0.1, 0)}),
    "20 judges x 50 clusters, 0.1, 0.3, minority": (
        drawn, (3000, 1500),
        {"judges": 20, "clusters": 50, "alike": (0.1, 0.3, 0), "rate": 0.9, "share": 0.2}),
    "20 judges by Zipf's law, 0.1": (
        drawn, (3000, 1500), {"judges": 20, "alike": (0.1, 0, 0), "zipf_judges": True}),
    "items by Zipf's law, 20 judges, 0.1": (
        drawn, (1500, 300), {"judges": 20, "alike": (0.1, 0, 0), "zipf_items": True, "share": 0.3}),
    "items by Zipf's law, no judges": (
        drawn, (1500, 300), {"zipf_items": True, "share": 0.3}),
    "items by Zipf's law, 50 clusters, 0.1, winners alike by 0.2": (
        drawn, (1500, 300),
        {"clusters": 50, "alike": (0, 0.1, 0.2), "zipf_items": True, "share": 0.3}),
    "items by Zipf's law, winners alike by 0.1": (
        drawn, (1500, 300), {"alike": (0, 0, 0.1), "zipf_items": True, "share": 0.3}),
    "60 persons with 5 items, 0.3": (drawn, (2000, 0), {"persons": 60, "alike": (0, 0, 0.3)}),
    "three groups, 20 judges, 0.1": (
        drawn, (3000, 1500), {"judges": 20, "alike": (0.1, 0, 0), "k": 3}),
    "20 judges, 0.1, ties": (tied, (3000, 1500), {"judges": 20, "alike": (0.1, 0, 0)}),
    "20 judges, 0.1, ties, minority 0.2": (
        tied, (3000, 1500), {"judges": 20, "alike": (0.1, 0, 0), "rate": 0.9, "share": 0.2}),
    "50 pairs of versions, 0.5": (versions, (50,), {"alike": 0.5}),
    "200 pairs of versions, 0.5": (versions, (200,), {"alike": 0.5}),
    "200 pairs of versions, 0.9, rate 0.9": (versions, (200,), {"alike": 0.9, "rate": 0.9}),
}  # fmt: skip


def measured(pairs, shared, clusters, weights=None):
    """Return whether any gap is found (Holm), the joint test finds one; coverage; a note."""
    rates = related_pairs(*pairs, weights=weights, shared=shared, item_clusters=clusters)
    gaps, joint = comparative_separation_from_rates(rates)
    found = np.nan_to_num(adjusted(gaps.pvalue, "holm"), nan=1).min() < 0.05
    known = np.isfinite(gaps.ci_low)
    covered = ((gaps.ci_low <= 0) & (gaps.ci_high >= 0))[known].mean()
    noted = np.char.startswith(gaps.reason, "empty") | (gaps.reason == "")
    return found, np.nan_to_num(joint.pvalue, nan=1) < 0.05, covered, not noted.all()


#: Levels that docs/explanation/calibration.md reports as exceeded, with a note on the result.
EXCEEDED = {name: 0.12 for name in DESIGNS if "winners alike" in name}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(DESIGNS, *range(1, 32, 4)))
def test_levels_of_related_judgments_are_kept(name):
    """20 sets; a level of 0.05 exceeds 0.24 in fewer than one design of 10⁴."""
    draw, sizes, options = DESIGNS[name]

    def say(rng):
        one = draw(rng, *sizes, **options)
        holm, joint, covered, noted = measured(*one)
        plain = measured(one[0], (), None, *one[3:])[0]
        said = {"Holm": holm, "joint": joint, "an interval misses": covered < 1, "noted": noted}
        return {what: bool(value) for what, value in said.items()} | {
            "as if independent": bool(plain)
        }

    allowed = EXCEEDED.get(name, 0.1)
    levels = {"Holm": allowed, "an interval misses": 2 * allowed}
    found = promises.check(name, say, levels, number=SETS)
    if name not in EXCEEDED and found["noted"] <= 0.5:
        assert found["Holm"] <= 0.05 + 3.9 * np.sqrt(0.05 * 0.95 / SETS)
