"""The rule simulate: known classifiers, random test sets."""

import numpy as np
import pytest

COLUMNS = {
    "classifier": "str",
    "notion": "str",
    "size": "int64",
    "quantity": "str",
    "expected": "float64",
    "simulated": "float64",
    "standard_error": "float64",
    "repeats": "int64",
    "used": "int64",
}


@pytest.fixture
def estimates(done):
    return done.frame("results/comparative_separation/simulation.parquet")


def test_there_is_a_row_a_classifier_notion_size_and_quantity(estimates):
    assert {column: str(kind) for column, kind in estimates.dtypes.items()} == COLUMNS
    keys = estimates[["classifier", "notion", "size", "quantity"]]
    assert set(keys.itertuples(index=False, name=None)) == {
        (classifier, notion, size, quantity)
        for classifier in ("f0", "f1", "f2", "f3")
        for notion, sizes in (
            ("separation", (1000, 2000)),
            ("comparative_separation", (2000, 4000)),
        )
        for size in sizes
        for quantity in ("violated", "mean", "variance", "distance", "beyond")
    }
    assert len(estimates) == 80
    assert set(estimates["repeats"]) == {200}
    assert set(estimates["used"]) == {200}


def test_what_is_simulated_lies_near_what_is_expected(estimates):
    z = (estimates["simulated"] - estimates["expected"]) / estimates["standard_error"]
    assert z.abs().max() < 5
    assert 0.3 < z.std() < 2


def test_the_standard_error_of_a_share(estimates):
    found = estimates[estimates["quantity"] == "violated"]
    share = found["simulated"]
    np.testing.assert_allclose(found["standard_error"], np.sqrt(share * (1 - share) / 200))


@pytest.mark.parametrize(
    ("classifier", "notion", "size", "published"),
    [  # Table III, the rows "Expected"
        ("f0", "separation", 1000, 0.0975),
        ("f1", "separation", 2000, 0.7464),
        ("f2", "comparative_separation", 2000, 0.7274),
        ("f3", "comparative_separation", 4000, 0.9813),
    ],
)
def test_the_expected_shares_are_the_published_ones(estimates, classifier, notion, size, published):
    row = estimates.query(
        f"classifier == '{classifier}' and notion == '{notion}' and size == {size} "
        "and quantity == 'violated'"
    )
    assert round(row["expected"].item(), 4) == published


def test_more_splits_of_the_data_do_not_simulate_again(copy):
    copy.configure(lambda config: config.update(repeats=16))
    jobs = copy.snakemake("--dry-run").check().jobs
    assert "simulate" not in jobs
    assert jobs["train"] == 1  # the fourth chunk; the others are kept
