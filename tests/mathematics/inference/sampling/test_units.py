"""Shuffles of whole clusters."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fairpairs as fp
from fairpairs.mathematics.estimates.cell_measures import information_separation_from_counts
from fairpairs.mathematics.inference.permutation import unit_shuffles
from fairpairs.mathematics.inference.sampling import units as sampling_units
from fairpairs.mathematics.inference.sampling.units import shuffled_cells, shuffled_units


def people(seed=0, number=40, constant=False, sizes=(5, 6)):
    """Label, decision, group and person of rows; each person is of one group."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(number), rng.integers(*sizes, number))
    group = rng.permutation(np.arange(number) % 2)[person]
    y = rng.integers(0, 2, number)[person] if constant else rng.integers(0, 2, len(person))
    score = y + rng.normal(size=number)[person] + rng.normal(size=len(person))
    return y, (score > 0.5).astype(int), group, person


def composition(y, unit):
    """Return the labels of each unit, sorted."""
    return [tuple(sorted(y[unit == u])) for u in range(unit.max() + 1)]


def test_clusters_are_shuffled_whole_among_those_with_the_same_labels():
    y, _, group, person = people()
    units = shuffled_units(group, y, person, y.astype(float))
    assert_array_equal(units.code, person)
    assert not units.doubt
    labels = composition(y, person)
    for a in range(40):
        for b in range(40):
            assert (labels[a] == labels[b]) == (units.stratum[a] == units.stratum[b])
    shuffled = unit_shuffles(group, units, np.random.default_rng(0))(20)
    for row in shuffled:
        of_person = row[np.unique(person, return_index=True)[1]]
        assert_array_equal(row, of_person[person])  # nobody is torn apart
        for label in (0, 1):  # as many items of each label in each group
            assert_array_equal(np.bincount(row[y == label]), np.bincount(group[y == label]))
    assert len(np.unique(shuffled, axis=0)) == 20


def test_a_cluster_with_items_of_several_groups_is_shuffled_within():
    y, _, group, person = people(constant=True)
    mixed = person < 5
    group = np.where(mixed, np.arange(len(y)) % 2, group)
    units = shuffled_units(group, y, person, y.astype(float))
    assert len(units.first) == 35 + mixed.sum()
    shuffled = unit_shuffles(group, units, np.random.default_rng(0))(50)
    for each in range(5):
        inside = person == each
        assert (shuffled[:, inside].sum(axis=1) == group[inside].sum()).all()
        assert len(np.unique(shuffled[:, inside], axis=0)) > 1


def test_hardly_any_clusters_with_the_same_labels_leave_those_alike():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(60), rng.integers(2, 8, 60))
    group, z = (np.arange(60) % 2)[person], rng.normal(size=len(person))
    units = shuffled_units(group, np.arange(len(z)), person, z)
    assert units.doubt
    size = np.bincount(person)
    for stratum in range(units.stratum.max() + 1):
        alike = units.stratum == stratum
        assert size[alike].max() < 2 * size[alike].min()
    of_cluster = np.bincount(person, z) / size
    assert_allclose(units.label, of_cluster)


def test_the_p_value_of_clusters_is_the_share_of_all_exchanges_of_whole_clusters():
    """Six persons of three rows with one composition of labels: 20 exchanges of their groups."""
    y = np.tile([0, 1, 1], 6)
    person, group = np.repeat(np.arange(6), 3), np.repeat([0, 0, 0, 1, 1, 1], 3)
    c = np.array([0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0])

    every = set(permutations([0, 0, 0, 1, 1, 1]))
    share = share_beyond(y, c, group, person, [np.array(each)[person] for each in every])
    result = shuffled_cells(y, c, group, person, 40_000, np.random.default_rng(0))
    assert abs(result.pvalue - share) < 5 * np.sqrt(share * (1 - share) / 40_000)
    assert (result.shuffles, result.coarse) == (40_000, False)


def test_the_p_value_of_mixed_clusters_is_the_share_of_all_exchanges_within_them():
    """Three persons of rows of both groups, two or three of a label: 2^2 3^4 exchanges."""
    labels, groups = [0, 0, 1, 1, 1], [[0, 1, 0, 1, 1], [1, 0, 0, 0, 1]]
    y, person = np.array([*labels, *labels, 1, 1, 1, 0, 0, 0]), np.repeat([0, 1, 2], [5, 5, 6])
    group = np.array([*groups[0], *groups[1], 0, 1, 1, 0, 0, 1])
    c = np.array([0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1])
    cells = [(person == each) & (y == label) for each in range(3) for label in (0, 1)]
    every = []
    for exchange in product(*(sorted(set(permutations(group[cell]))) for cell in cells)):
        every.append(np.empty_like(group))
        for cell, exchanged in zip(cells, exchange, strict=True):
            every[-1][cell] = exchanged
    assert len(every) == 2**2 * 3**4
    # each row is a unit of its own
    share = share_beyond(y, c, group, np.arange(len(y)), every)
    result = shuffled_cells(y, c, group, person, 40_000, np.random.default_rng(0))
    assert abs(result.pvalue - share) < 5 * np.sqrt(share * (1 - share) / 40_000)


def share_beyond(y, c, group, unit, every):
    """Return the share of `every` groups of the rows whose gaps are as large as the observed."""

    def squares(groups):
        total = 0
        for label in (0, 1):
            rates, variances = [], []
            for g in (0, 1):
                kept = (groups == g) & (y == label)
                rate = c[kept].mean()
                sums = np.bincount(unit[kept], c[kept] - rate)
                rates.append(rate)
                variances.append((sums**2).sum() / kept.sum() ** 2)
            total += (rates[0] - rates[1]) ** 2 / sum(variances)
        return total

    share = np.mean([squares(groups) >= squares(group) * (1 - 1e-9) for groups in every])
    assert 0.05 < share < 0.95
    return share


@pytest.mark.parametrize("sizes", [(2, 6), (20, 70)])
def test_shuffles_of_many_strata_take_the_random_numbers_of_one_after_another(monkeypatch, sizes):
    """Of numpy's draws of several kinds, stratum by stratum, in pieces of a few shuffles."""
    y, c, group, person = people(seed=1, number=300, constant=True, sizes=sizes)
    rng = np.random.default_rng(1)
    # the rows of two in three persons are of both groups, those of some mostly of the first
    group = np.where(person % 3, rng.random(len(y)) < np.where(person % 3 == 1, 0.8, 0.3), group)
    c = np.where(person % 5, c, y)
    monkeypatch.setattr(sampling_units, "CHUNK", 20_000)

    def one_by_one(kinds, starts, lengths, size, rng):
        sums = 0
        for start, length in zip(starts, lengths, strict=True):
            rows = slice(start, start + length)
            members = kinds.members[rows].sum()
            drawn = rng.multivariate_hypergeometric(kinds.number[rows], members, size)
            sums += drawn @ kinds.sums[rows]
        return sums

    items = y, c, group, person, 99
    together = shuffled_cells(*items, np.random.default_rng(2))
    monkeypatch.setattr(sampling_units, "_drawn_of_two", one_by_one)
    assert 0.05 < together.pvalue < 0.95
    assert shuffled_cells(*items, np.random.default_rng(2)) == together


def test_a_decision_that_is_the_group_is_found_and_one_that_never_varies_is_not():
    y, _, group, person = people()
    rng = np.random.default_rng(0)
    assert shuffled_cells(y, group, group, person, 999, rng).pvalue == 0.001
    assert shuffled_cells(y, np.ones_like(y), group, person, 999, rng).pvalue == 1


def test_groups_whose_clusters_are_never_alike_have_no_test():
    """All clusters of one group have one label, and all of the other the other one."""
    person, group = np.repeat(np.arange(40), 5), np.repeat([0, 1], 100)
    c = np.arange(200) % 2
    rng = np.random.default_rng(0)
    assert np.isnan(shuffled_cells(group, c, group, person, 99, rng).pvalue)
    with pytest.raises(fp.InputError, match="No stratum has clusters with like labels of two"):
        fp.permutation_test(
            lambda groups: groups @ c, group, strata=group, clusters=person, n_permutations=99
        )
    audit = fp.audit(group, c, sensitive_features={"g": group}, clusters=person).to_frame()
    assert audit.query("measure == 'I_sep'")["pvalue"].isna().all()


def test_groups_whose_clusters_differ_in_size_are_shuffled_by_labels_alone():
    rng = np.random.default_rng(0)
    size = np.r_[rng.integers(8, 15, 30), rng.integers(1, 7, 30)]
    person, group = np.repeat(np.arange(60), size), np.repeat([0, 1], 30)
    y = rng.integers(0, 2, len(person))
    units = shuffled_units(group[person], y, person, y.astype(float))
    assert units.doubt
    strata = [group[units.stratum == stratum] for stratum in range(units.stratum.max() + 1)]
    assert sum(np.ptp(stratum) > 0 for stratum in strata) >= 3


@pytest.mark.parametrize(
    "test",
    [
        lambda y, c, g, **k: fp.separation_permutation_test(
            y, c, sensitive_features=g, statistic="rates", **k
        ),
        lambda y, c, g, **k: fp.differential_parity_permutation_test(
            c, y, sensitive_features=g, **k
        ),
        lambda y, c, g, **k: fp.permutation_test(
            lambda groups: (groups * c).sum(axis=1), g, strata=y, **k
        ),
    ],
)
def test_permutation_tests_shuffle_whole_clusters(test):
    y, c, group, person = people(seed=3)
    options = {"n_permutations": 199, "random_state": 0}
    alone = test(y, c, group, clusters=np.arange(len(y)), **options)
    assert_array_equal(alone.pvalue, test(y, c, group, **options).pvalue)
    clustered = test(y, c, group, clusters=person, **options)
    assert (clustered.null_sd > 1.1 * alone.null_sd).all()
    with pytest.raises(fp.InputError, match="must have one length"):
        test(y, c, group, clusters=person[1:], **options)


@pytest.mark.slow
def test_an_audit_shuffles_whole_clusters_and_refuses_weights_of_regressions():
    y, c, group, person = people(seed=3)
    weight = np.random.default_rng(0).uniform(1, 3, len(y))

    def rows(prediction, **options):
        frame = fp.audit(y, prediction, sensitive_features={"g": group}, **options).to_frame()
        return frame[frame["measure"].isin(["I_sep", "density ratio"])]

    clustered = rows(c, clusters=person)
    assert set(clustered["note"]) == {"p by 9,999 shuffles of whole clusters with the same labels"}
    assert (clustered["pvalue"] > rows(c)["pvalue"].to_numpy()).all()
    assert_allclose(clustered["estimate"], rows(c)["estimate"])
    nearly = np.where(np.arange(len(y)) == 0, 3 + 1e-9, 3.0)
    same = rows(c, sample_weight=nearly)
    assert_allclose(same["estimate"], rows(c)["estimate"])
    assert same["note"].str.startswith("with weights: p of the differences of TPR").all()
    gaps = (
        fp.audit(y, c, sensitive_features={"g": group}, sample_weight=nearly)
        .to_frame()
        .query("criterion == 'separation'")
    )
    assert_allclose(same["pvalue"], min(1, 2 * gaps["pvalue"].min()))
    by_hand = np.bincount(4 * group + 2 * y + c, weight).reshape(2, 2, 2)
    weighted = rows(c, clusters=person, sample_weight=weight)
    assert_allclose(weighted["estimate"].iloc[0], information_separation_from_counts(by_hand))
    real = rows(c + 0.1 * weight, sample_weight=weight)
    assert real["estimate"].isna().all()
    assert real["note"].str.startswith("cannot be estimated with weights").all()
    shuffled = rows(c + 0.1 * weight, clusters=person, n_permutations=99)
    assert shuffled["pvalue"].notna().all()
