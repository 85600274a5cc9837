"""Which rows are chosen to be labelled, and their chances."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.sampling.two_phases import draw_rows, neyman_allocation


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 2_000)
    return pd.DataFrame({
        "truth": label, "judge": np.where(rng.random(2_000) < 0.9, label, 1 - label),
        "approved": np.where(rng.random(2_000) < 0.8, label, 1 - label),
        "sex": rng.choice(["f", "m"], 2_000, p=[0.2, 0.8]),
    })  # fmt: skip


def chosen(table, human=None, n=200, **options):
    return fp.choose(
        human, table["approved"], sensitive_features=options.pop("groups", table[["sex"]]),
        cheap_label=table["judge"], n=n, **options,
    )  # fmt: skip


def test_as_many_rows_as_asked_and_none_without_a_chance(table):
    choice = chosen(table)
    assert choice.chosen.sum() == 200 == choice.cells["chosen"].sum()
    assert choice.chance.min() > 0 and choice.chance.max() <= 1
    assert_allclose(choice.chance.sum(), 200)
    # the small group gets more than its share
    assert choice.cells.groupby("sex")["chosen"].sum()["f"] > 60


def test_rounds_join(table):
    first = chosen(table)
    human = table["truth"].where(first.chosen)
    second = chosen(table, human, 100, chance=first.chance, random_state=1)
    assert not (first.chosen & second.chosen).any()
    assert (second.chance > first.chance).all()
    human = table["truth"].where(first.chosen | second.chosen)
    result = fp.audit(
        human, table["approved"], sensitive_features=table[["sex"]], cheap_label=table["judge"],
        chance=second.chance,
    )  # fmt: skip
    assert result.about["few_labels"]["human"] == 300


def test_labels_at_random_are_a_first_round(table):
    human = table["truth"].where(np.arange(2_000) % 10 == 0)
    choice = chosen(table, human, 50)
    assert (choice.chance > 0.1).all()
    assert choice.cells["labelled"].sum() == 200


def test_allocation_is_neymans():
    expected = neyman_allocation(
        np.array([3.0, 1.0]), np.array([0, 0]), np.array([1_000, 1_000]), 100
    )
    assert_allclose(expected.sum(), 100)
    assert expected[0] / expected[1] > 2
    full = neyman_allocation(np.array([3.0, 1.0]), np.array([0, 0]), np.array([10, 1_000]), 100)
    assert_allclose(full, [10, 90])
    late = neyman_allocation(np.array([1.0, 1.0]), np.array([90, 0]), np.array([99, 99]), 20)
    assert late[1] > 17


def test_drawn_numbers_are_those_expected_rounded():
    cell = np.repeat([0, 1, 2], 10)
    for seed in range(20):
        rows = draw_rows(cell, np.arange(30), np.array([2.5, 0.5, 3]), np.random.default_rng(seed))
        counts = np.bincount(cell[rows], minlength=3)
        assert counts.sum() == 6
        assert (np.abs(counts - [2.5, 0.5, 3]) < 1).all()


def test_every_row_may_be_chosen(table):
    assert chosen(table, n=5_000).chosen.all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "n must be"),
        ({"criterion": "xauc"}, "'xauc' compares no rates of decisions"),
        ({"human": "truth"}, "y_true has a value in every row"),
        ({"approved": "score"}, "rows are chosen for labels and decisions of two values"),
        ({"judge": "score"}, "cheap_label holds"),
        ({"chance": [0.0] * 2_000}, "chance holds 0 in row 1"),
        ({"human": "approvals"}, "name how they were drawn"),
        ({"groups": {"decision": ["a", "b"] * 1_000}}, "`decision` has the name of a"),
    ],
)
def test_refusals(table, change, message):
    table["score"] = np.linspace(0, 1, 2_000)
    few = (table["approved"] == 1) & (np.arange(2_000) % 5 == 0)
    table["approvals"] = table["truth"].where(few)
    human = table["truth"].where(np.arange(2_000) % 10 == 0)
    options = {}
    for name, value in change.items():
        if name in table:
            table[name] = table[value]
        elif name == "human":
            human = table[value]
        else:
            options[name] = value
    with pytest.raises(InputError, match=message):
        chosen(table, human, **options)
