"""Comparative separation of many items, and of small classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.audits.audit.criteria.comparative_separation import MAX_REAL

from ..synthetic import people, rows, two


@pytest.mark.slow
def test_many_numbers_are_drawn_and_the_row_says_so():
    rng = np.random.default_rng(0)
    n = MAX_REAL + 1000
    y = rng.normal(size=n)
    group = rng.integers(0, 2, n)
    result = fp.audit(y, y + rng.normal(size=n) + 0.1 * group, sensitive_features=group)
    found = rows(result, criterion="comparative_separation")
    assert found["note"].str.startswith(f"on {MAX_REAL:,} of {n:,} items, drawn at random").all()
    assert (found["n"] < MAX_REAL**2 / 2).all()
    assert found["verdict"].iloc[0] == "violated"
    # P(Z < 0.1 / √2 / √2 …) has no closed form here; the sign and the size are known
    assert 0.01 < abs(found["estimate"].iloc[0]) < 0.1


def test_small_classes_have_no_interval_of_pairs_but_a_pvalue():
    """With 6 items of a class the intervals of pairs cover far less than 0.95."""
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 600), np.repeat(["many", "few"], [580, 20])
    score = y + rng.normal(0, 2, 600)
    result = fp.audit(y, score, sensitive_features=group)
    found = rows(result, criterion="comparative_separation")
    small = found["smallest_cell"] < 30
    assert small.any()
    assert found.loc[small, ["ci_low", "ci_high"]].isna().all(axis=None)
    assert found.loc[small, "note"].str.contains("a cell below 30: no interval").all()
    assert found["pvalue"].notna().all()


def test_decisions_are_compared_by_their_counts_as_item_by_item():
    data = people()
    result = fp.audit(data["y"], data["yhat"], sensitive_features=data["race"])
    for group in ("b", "c"):
        part, member = two(data, group)
        of_items = fp.comparative_separation_test(
            part["y"], part["yhat"], sensitive_features=member, correction="none"
        ).to_frame()
        found = rows(result, criterion="comparative_separation", group=group)
        for column in ("estimate", "statistic", "pvalue", "n"):
            assert_allclose(found[column], of_items[column], rtol=1e-13)


def test_ranks_are_those_of_xauc():
    data = people()
    result = fp.audit(
        data["y"], data["yhat"], y_score=data["score"], sensitive_features=data["sex"]
    )
    reference = result.about["attributes"]["sex"]["reference"]
    other = (data["sex"] != reference).astype(int)
    of_items = fp.xauc(data["y"], data["score"], sensitive_features=other, correction="none")
    of_items = of_items.to_frame()
    found = rows(result, criterion="xauc")
    for column in ("estimate", "ci_low", "ci_high", "statistic", "pvalue"):
        assert_allclose(found[column].to_numpy(), of_items[column].to_numpy(), rtol=1e-12)
