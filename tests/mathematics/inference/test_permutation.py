"""The permutation test of any metric, against full enumerations and scipy."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import InputError
from fairpairs.mathematics.inference.permutation import permutation_test, permute_within
from fairpairs.mathematics.inference.results import COLUMNS
from tests.mathematics.synthetic import items_of_levels


def test_every_stratum_keeps_its_groups():
    rng = np.random.default_rng(0)
    strata, group = rng.integers(5, size=40), rng.choice(["a", "b", "c"], size=40)
    shuffled = permute_within(group, strata, 30, rng)
    assert shuffled.shape == (30, 40)
    for row, stratum in product(shuffled, range(5)):
        own = strata == stratum
        assert sorted(row[own]) == sorted(group[own])
    assert (shuffled != group).any(axis=1).all()


def test_every_arrangement_is_equally_likely():
    # strata of three and of two items have 3 · 2 arrangements: 6,000 draws, standard error 29
    strata, group = np.array([1, 0, 1, 0, 1]), np.array([1, 0, 0, 1, 0])
    drawn = permute_within(group, strata, 6000, np.random.default_rng(1))
    rows, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(rows) == 6
    assert_allclose(counts, 1000, atol=4.5 * 29)


def enumerated(group, strata):
    """All assignments of two groups to the items that keep the strata as they are."""
    choices = []
    for stratum in np.unique(strata):
        own = np.flatnonzero(strata == stratum)
        choices.append(list(combinations(own, int(group[own].sum()))))
    rows = np.zeros((int(np.prod([len(c) for c in choices])), len(group)), dtype=int)
    for row, chosen in zip(rows, product(*choices), strict=True):
        row[[i for part in chosen for i in part]] = 1
    return rows


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("numbers", [1, 2])
def test_the_p_value_tends_to_that_of_the_full_enumeration(alternative, numbers):
    if alternative == "greater" and numbers == 2:
        return
    strata, group = np.repeat([0, 1], [5, 4]), np.array([1, 1, 0, 0, 0, 0, 1, 1, 0])
    values = np.random.default_rng(3).normal(size=(9, numbers))

    def statistic(groups):
        return groups @ values

    every = statistic(enumerated(group, strata))
    assert len(every) == 60
    observed = statistic(group[None])
    if alternative == "greater":
        beyond = every[:, 0] >= observed[0, 0] - 1e-9
    else:
        inverse = np.linalg.inv(np.atleast_2d(np.cov(every.T)))
        distance = [(v - every.mean(axis=0)) @ inverse @ (v - every.mean(axis=0)) for v in every]
        own = observed[0] - every.mean(axis=0)
        beyond = np.array(distance) >= own @ inverse @ own - 1e-9
    exact = beyond.mean()
    assert 0.02 < exact < 0.98
    result = permutation_test(
        statistic, group, strata=strata, n_permutations=20_000, alternative=alternative,
        random_state=1,
    )  # fmt: skip
    # the mean over the draws differs a little from that over all: a neighbour may change places
    error = np.sqrt(exact * (1 - exact) / 20_000)
    assert_allclose(result.pvalue, exact, atol=4 * error + (alternative != "greater") / 60)
    assert_allclose(result.null_mean, every.mean(axis=0), atol=4.5 * every.std() / np.sqrt(20_000))
    assert_allclose(result.null_sd, every.std(axis=0), rtol=0.03)
    assert_allclose(result.statistic, observed[0], rtol=1e-12)
    assert result.n_permutations == 20_000


@pytest.mark.parametrize("n_permutations", [1, 19, 500])
def test_the_p_value_counts_those_at_least_as_far_and_the_observed_one(n_permutations):
    y, s, group = items_of_levels(1)

    def statistic(groups):
        return ((2 * groups - 1) * s).sum(axis=1)

    drawn = permute_within(group, y, n_permutations, np.random.default_rng(5))
    null, observed = statistic(drawn), statistic(group[None])[0]
    one = permutation_test(
        statistic, group, strata=y, n_permutations=n_permutations, alternative="greater",
        random_state=5,
    )  # fmt: skip
    assert one.pvalue == ((null >= observed - 1e-12).sum() + 1) / (n_permutations + 1)
    two = permutation_test(
        statistic, group, strata=y, n_permutations=n_permutations, random_state=5
    )
    every = np.append(null, observed)
    far = np.abs(null - every.mean()) >= np.abs(observed - every.mean()) - 1e-12
    assert two.pvalue == (far.sum() + 1) / (n_permutations + 1)


def test_a_constant_statistic_has_a_p_value_of_1():
    _, _, group = items_of_levels(2)
    for alternative in ("two-sided", "greater"):
        result = permutation_test(
            lambda groups: np.full(len(groups), 0.1), group, alternative=alternative
        )
        assert result.pvalue == 1


def test_equal_values_that_differ_by_rounding_count_as_equal():
    # the sums of 0.1 to 0.3 depend on the order in which they are added
    values = np.tile([0.1, 0.2, 0.3], 4)
    group = np.repeat([1, 0], 6)
    noise = np.random.default_rng(0)

    def statistic(groups):
        return groups @ values + noise.uniform(-1, 1, len(groups)) * 1e-15

    exact = enumerated(group, np.zeros(12)) @ np.tile([1, 2, 3], 4)
    expected = (exact >= 12).mean()
    result = permutation_test(
        statistic, group, n_permutations=9999, alternative="greater", random_state=0
    )
    assert_allclose(result.pvalue, expected, atol=4.5 * 0.005)


def test_groups_may_have_names_and_attributes_may_be_continuous():
    y, s, group = items_of_levels(4)
    names = np.array(["f", "m"])[group]
    one = permutation_test(
        lambda groups: (groups == "m") @ s, names, strata=y, n_permutations=99, random_state=0
    )
    other = permutation_test(
        lambda groups: groups @ s, group, strata=y, n_permutations=99, random_state=0
    )
    assert one.pvalue == other.pvalue
    age = np.random.default_rng(0).uniform(20, 70, 60)
    result = permutation_test(
        lambda ages: (ages * s).sum(axis=1), age, strata=y, n_permutations=99, random_state=0
    )
    assert 0 < result.pvalue <= 1


def test_an_alternative_is_a_side_and_one_side_takes_one_number():
    group = [0, 1, 0, 1]
    with pytest.raises(
        InputError, match="alternative must be one of 'two-sided', 'greater', 'less'; "
    ):
        permutation_test(lambda g: g.sum(axis=1), group, alternative="larger")
    for alternative in ("greater", "less"):
        with pytest.raises(InputError, match=f"'{alternative}' takes a statistic of one number"):
            permutation_test(lambda g: g[:, :2], group, alternative=alternative)


PREDICTED = np.array([1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0])


TWELVE = np.repeat([0, 1], 6)


def rate_gap(groups):
    """Share of positive predictions of group 1 less that of group 0."""
    return groups @ PREDICTED / groups.sum(axis=1) - (1 - groups) @ PREDICTED / (1 - groups).sum(
        axis=1
    )


def test_a_metric_of_one_assignment_is_tested_as_one_of_many():
    kwargs = {"n_permutations": 200, "random_state": 2}
    many = permutation_test(rate_gap, TWELVE, **kwargs)
    one = permutation_test(lambda g: rate_gap(g[None])[0], TWELVE, vectorized=False, **kwargs)
    several = permutation_test(
        lambda g: [rate_gap(g[None])[0], g[0]], TWELVE, vectorized=False, **kwargs
    )
    assert one.pvalue == many.pvalue
    assert_array_equal(one.null_mean, many.null_mean)
    assert several.statistic.shape == (2,)


def test_a_result_says_what_was_found():
    found = permutation_test(
        rate_gap, TWELVE, alternative="less", n_permutations=999, random_state=0
    )
    assert found.violated is True
    assert_allclose(found.effect_size, found.statistic - found.null_mean)
    assert_allclose(found.deviations, found.effect_size / found.null_sd)
    assert found.interpretation == (
        "There is evidence at the level 0.05 that the statistic is less than chance makes it when "
        f"the groups are shuffled (observed -0.667, mean when shuffled {found.null_mean[0]:.3g}, "
        f"p = {found.pvalue:.3f})."
    )
    row = found.to_frame().iloc[0]
    assert tuple(row.index) == COLUMNS
    assert row["estimate"] == found.statistic[0]
    assert row["statistic"] == found.deviations[0]
    assert (row["pvalue"], row["n"], row["smallest_cell"]) == (found.pvalue, 12, 6)
    strict = permutation_test(
        rate_gap, TWELVE, strata=np.zeros(12), alternative="less", n_permutations=999, alpha=1e-2,
        random_state=0,
    )  # fmt: skip
    assert strict.violated is False
    assert "not enough evidence at the level 0.01" in strict.interpretation
    assert "shuffled within strata" in strict.interpretation


@pytest.mark.parametrize(
    ("n", "n_permutations", "note"),
    [
        (12, 19, "19 permutations are too few for a p-value below 0.05"),
        (12, 20, ""),
        (6, 99, "only 20 different assignments, too few for a p-value below 0.05"),
        (7, 99, ""),  # 35
    ],
)
def test_a_note_says_when_nothing_could_be_found(n, n_permutations, note):
    group = np.repeat([0, 1], [n // 2, n - n // 2])
    result = permutation_test(
        lambda g: g.prod(axis=1, where=group == 1), group, n_permutations=n_permutations,
        random_state=0, alternative="greater",
    )  # fmt: skip
    assert result.note == note
    assert result.interpretation.endswith(f"beware: {note}." if note else ").")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alternative": "both"}, "alternative must be .* it is 'both'"),
        ({"alternative": None}, "alternative must be .* it is None"),
        ({"statistic": 0.3}, "statistic must be a function of groups; it is 0.3"),
        ({"statistic": lambda g: "x", "vectorized": False}, "statistic must return a number"),
        (
            {"statistic": lambda g: g[: 1 + g[0]].tolist(), "vectorized": False},
            "statistic must return a number, or as many each time",
        ),
    ],
)
def test_what_a_test_of_any_metric_cannot_take(change, message):
    given = {"statistic": rate_gap, "sensitive_features": TWELVE, "n_permutations": 9}
    with pytest.raises(InputError, match=message):
        permutation_test(**{**given, **change})


def test_a_permutation_that_cannot_be_computed_counts_as_extreme():
    def first(groups):
        return np.where(groups[:, 0] == 1, np.nan, groups @ np.arange(8.0))

    groups = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    result = permutation_test(first, groups, n_permutations=999, random_state=0)
    assert 0.45 < result.pvalue < 0.56  # half of them, and the two most extreme of 70
    number = int(result.note.split()[0])
    assert result.note == f"{number} permutations leave a cell empty: counted as extreme"
    assert 430 < number < 570
    assert np.isfinite([result.null_mean, result.null_sd]).all()
    one_sided = permutation_test(
        first, groups, n_permutations=999, random_state=0, alternative="greater"
    )
    assert abs(one_sided.pvalue - number / 1000) < 0.05
