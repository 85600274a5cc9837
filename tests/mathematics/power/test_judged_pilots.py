"""What a pilot of judgments tells: correlations, design effects, power of other collections."""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from fairpairs import comparative_separation_from_judgments, power
from fairpairs.base.errors import InputError
from tests.mathematics.power.judged_sets import JudgedSets, latent

SETS = int(os.environ.get("SETS", "100"))
ITEMS = power.items_from_rates(tpr=(0.9, 0.6), fpr=0.2)


def pilot_of(drawn):
    """The pilot of a drawn set."""
    return power.pilot_of_judgments(**drawn)


def drawn_sets(shared, m, sets, seed=0):
    """Pilots that are drawn with judges and clusters."""
    rng, of = np.random.default_rng(seed), JudgedSets.of(ITEMS, shared)
    return [pilot_of(of.drawn(m, rng)) for _ in range(sets)]


def test_the_gaps_are_those_of_the_test():
    drawn = latent(np.random.default_rng(0), 200, 900, 12, 40, gap=0.5)
    pilot, result = pilot_of(drawn), comparative_separation_from_judgments(**drawn)
    assert_allclose(pilot.gaps, result.difference.estimate)
    assert_allclose(pilot.pairs.ravel(), result.rates()["pairs"])
    assert pilot.units == {"judge": 12, "cluster": 40}
    assert (pilot.n_judgments, pilot.n_items) == (900, 200)
    ties = {**drawn, "outcome": np.where(np.arange(900) % 9 == 0, 0, drawn["outcome"])}
    assert pilot_of(ties).n_judgments == 800
    verdicts = {name: values for name, values in drawn.items() if name != "y_score"}
    ahead = np.sign(drawn["y_score"][drawn["left"]] - drawn["y_score"][drawn["right"]])
    again = pilot_of({**verdicts, "predicted": ahead})
    assert_allclose(again.of_one, pilot.of_one)
    assert_allclose(again.icc("judge"), pilot.icc("judge"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "shared",
    [
        power.SharedJudgments(20, 0.1, 60, 0.05),
        power.SharedJudgments(8, 0.3),
        power.SharedJudgments(clusters=40, cluster_icc=0.0),
        power.SharedJudgments(50, 0.02, 200, 0.2),
    ],
)
def test_correlations_are_found_and_their_intervals_cover(shared):
    # the standard error of a coverage of 0.95 is 0.015 in 200 pilots; few judges who differ much,
    # whose gaps are not normal, are covered a little less
    pilots = drawn_sets(shared, 2400, SETS)
    for kind, icc, number in (
        ("judge", shared.judge_icc, shared.judges),
        ("cluster", shared.cluster_icc, shared.clusters),
    ):
        if number is None:
            continue
        found = np.array([pilot.icc(kind) for pilot in pilots])
        error = found.std(axis=0) / np.sqrt(len(pilots))
        # none is below 0: more than 0 on average where there is none
        least = 0 if icc else 0.01
        assert (np.abs(found.mean(axis=0) - icc) < least + 4 * error + 0.02 * icc).all()
        limits = np.array([pilot.icc_interval(kind) for pilot in pilots])
        covered = ((limits[..., 0] <= icc) & (icc <= limits[..., 1])).mean(axis=0)
        print(f"{shared}: {kind} found {found.mean(axis=0)}, covered {covered}")
        wanted = 0.95 if number > 10 else 0.9
        assert (covered > wanted - 4 * np.sqrt(wanted * (1 - wanted) / SETS)).all()


def test_the_interval_is_that_of_an_analysis_of_variance():
    (pilot,) = drawn_sets(power.SharedJudgments(15, 0.1), 1200, 1)
    each = pilot.behind / 15
    icc = pilot.icc("judge")
    f = 1 + each * icc / (1 - icc)
    for gap, m in enumerate(pilot.behind):
        low, high = (stats.f(14, m - 15).ppf(q) for q in (0.05, 0.95))
        expected = [(f[gap] / q - 1) / (f[gap] / q - 1 + each[gap]) for q in (high, low)]
        found = pilot.icc_interval("judge", alpha=0.1)[gap]
        assert_allclose(found, np.maximum(expected, 0))


def test_the_design_effect_is_kishs_with_an_interval_around_it():
    (pilot,) = drawn_sets(power.SharedJudgments(15, 0.1, 50, 0.1), 1200, 1)
    at, low, high = pilot.design_effect().T
    expected = 1 + sum(
        pilot.icc(kind) * (pilot.unequal[kind] * pilot.behind / number - 1)
        for kind, number in (("judge", 15), ("cluster", 50))
    )
    assert_allclose(at, expected)
    assert all(value < 1.02 for value in pilot.unequal.values())
    assert ((low >= 1) & (low <= at) & (at <= high)).all()


@pytest.mark.slow
def test_power_grows_with_judgments_judges_and_clusters():
    (pilot,) = drawn_sets(power.SharedJudgments(15, 0.1, 50, 0.1), 1200, 1)
    at = power.judged_rejection
    by_judgments = [at(pilot, m) for m in (20, 50, 100, 300, 1000, 5000, 10**6, 10**10)]
    assert (np.diff(by_judgments) > -1e-9).all()
    by_judges = [at(pilot, 1000, judges=judges) for judges in (2, 5, 10, 20, 50, 200)]
    assert (np.diff(by_judges) > 0).all()
    by_clusters = [at(pilot, 1000, clusters=clusters) for clusters in (2, 10, 50, 200)]
    assert (np.diff(by_clusters) > 0).all()
    shared = pilot_of(latent(np.random.default_rng(0), 200, 900, 12, 40, gap=0.5))
    by_items = [at(shared, 900, n_items=n) for n in (50, 100, 200, 1000)]
    assert (np.diff(by_items) > 0).all()
    assert_allclose(at(shared, 900), at(shared, 900, n_items=200))
    none = {"judge": np.zeros(2), "cluster": np.zeros(2)}
    assert at(pilot, 1000, iccs=none) > at(pilot, 1000)


@pytest.mark.slow
def test_a_large_pilot_plans_as_its_rates_do():
    shared = power.SharedJudgments(400, 0.05)
    (pilot,) = drawn_sets(shared, 80_000, 1)
    for judges, m in ((20, 400), (60, 300), (100, 1000)):
        by_rates = power.expected_rejection(
            "fresh_pairs", ITEMS, n_pairs=2 * m, correction="holm",
            shared=power.SharedJudgments(judges, 0.05),
        )  # fmt: skip
        by_pilot = power.judged_rejection(pilot, m, judges=judges)
        assert_allclose(by_pilot, by_rates, atol=0.03)


def broken(**changes):
    return {**latent(np.random.default_rng(0), 60, 300, 6, 20), **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"judges": np.arange(300)}, "No judge has two judgments: how alike those of one judge"),
        ({"clusters": np.arange(300)}, "No cluster has two judgments"),
        (
            {"judges": np.arange(300) % 7, "clusters": np.arange(300) % 7 + 1},
            "judges and clusters are the same units",
        ),
        ({"judges": np.zeros(300)}, "judges holds one value for all judgments that count"),
        ({"sensitive_features": np.arange(60) % 3}, "has 3 groups: make it binary"),
        ({"predicted": np.ones(300)}, "Give either y_score or predicted"),
        ({"judges": np.zeros(3)}, "outcome has 300"),
        ({"judges": [None] * 300}, "missing"),
    ],
)
def test_a_pilot_that_tells_nothing_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        pilot_of(broken(**changes))


def test_a_pilot_without_a_cell_or_without_errors_is_refused():
    drawn = broken()
    group = drawn["sensitive_features"]
    one, two = group[drawn["left"]], group[drawn["right"]]
    winner = np.where(drawn["outcome"] > 0, one, two)
    keep = ~((one != two) & (winner == 1))
    sides = {name: drawn[name][keep] for name in ("left", "right", "outcome", "judges", "clusters")}
    with pytest.raises(InputError, match="prefers an item of 1 over one of 0: add such judgments"):
        pilot_of({**drawn, **sides})
    sure = {name: values for name, values in drawn.items() if name != "y_score"}
    with pytest.raises(InputError, match="All judgments of a gap agree with the scores, or none"):
        pilot_of({**sure, "predicted": drawn["outcome"]})


def test_numbers_that_a_pilot_cannot_plan_for_are_refused():
    (pilot,) = drawn_sets(power.SharedJudgments(15, 0.1), 600, 1)
    with pytest.raises(InputError, match="The pilot has no clusters: give it clusters="):
        power.judged_rejection(pilot, 100, clusters=20)
    with pytest.raises(InputError, match="judges must be a whole number from 2 to 10,000,000,000"):
        power.judged_rejection(pilot, 100, judges=1)
    with pytest.raises(InputError, match="pilot must be a PilotOfJudgments; it is 3"):
        power.judged_rejection(3, 100)
    with pytest.raises(InputError, match="n_items must lie between 2 and 1e"):
        power.judged_rejection(pilot, 100, n_items=1)
    with pytest.raises(InputError, match="n_judgments must lie between 1 and 1e"):
        power.judged_rejection(pilot, 0)
    for iccs in (0.1, {}, {"judge": 0.1}, {"judge": [0.1, 2]}, {"cluster": [0.1, 0.1]}):
        with pytest.raises(InputError, match='for each kind of units of the pilot: "judge"; it is'):
            power.judged_rejection(pilot, 100, iccs=iccs)
