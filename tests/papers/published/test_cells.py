"""Reproduced cells, and rows looked up by their keys."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from fairpairs.papers.published.cells import by, distance_from_printed, printed_values, reproduced


def test_a_cell_is_cleared_of_rounding_and_negative_zeros():
    assert reproduced(0.1 + 0.2)["reproduced"] == 0.3
    zero = reproduced(-1e-17)["reproduced"]
    assert zero == 0
    assert not np.signbit(zero)
    cell = reproduced(0.25, 0.01, runs=50, note="few")
    assert {k: cell[k] for k in ("standard_error", "runs", "note")} == {
        "standard_error": 0.01,
        "runs": 50,
        "note": "few",
    }
    assert np.isnan(cell["run_sd"])


def test_rows_are_looked_up_by_their_keys():
    frame = pd.DataFrame({"a": ["x", "x"], "b": ["y", "z"], "value": [1, 2]})
    assert by(frame, "a", "b") == {("x", "y"): {"value": 1}, ("x", "z"): {"value": 2}}


def test_printed_numbers_are_looked_up_by_a_part_of_their_key(shipped):
    cells = shipped("density_ratio/table_4").cells
    assert printed_values(cells, interval="3 - 3.9", second="kernel_polynomial_published") == [
        -0.21
    ]
    assert len(printed_values(cells, interval="3 - 3.9")) == 5
    assert printed_values(cells, interval="3 - 3.9", dataset="compas") == []


def test_the_distance_from_a_printed_number():
    values = np.array([0.1, 0.2, 0.3])
    assert distance_from_printed(values, 0.15, 0.25) == 0
    assert np.isnan(distance_from_printed(np.ones(4), 0.1, 0.2))
    above = distance_from_printed(values, 0.395, 0.405)
    below = distance_from_printed(values, -0.005, 0.005)
    assert above == pytest.approx(-below)
    assert above < 0  # ours is less
    score = 0.195 / (0.1 * np.sqrt(4 / 3))
    assert below == pytest.approx(norm.isf(t.sf(score, 2)))
    many = np.random.default_rng(0).normal(size=5000)
    assert distance_from_printed(many, -2, -2) == pytest.approx(
        (many.mean() + 2) / many.std(ddof=1), rel=0.01
    )
    assert np.isfinite(distance_from_printed(many * 1e-9, 1, 1))
