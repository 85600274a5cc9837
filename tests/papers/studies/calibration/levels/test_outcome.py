"""What is judged of a result is what its table shows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fairpairs import (
    comparative_separation_test,
    differential_parity_test,
    separation_test,
    two_proportion_test,
    xauc,
)
from fairpairs.papers.studies.calibration.levels.outcome import has_note, judged_fields


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [40, 600])
def test_the_judged_fields_are_those_of_the_table(k, n):
    rng = np.random.default_rng(k)
    y, prediction, group = rng.integers(2, size=n), rng.integers(2, size=n), rng.integers(k, size=n)
    score = rng.normal(size=n)
    results = [
        comparative_separation_test(y, score, sensitive_features=group),
        separation_test(y, prediction, sensitive_features=group),
        two_proportion_test(prediction, sensitive_features=group),
        xauc(y, score, sensitive_features=group),
        differential_parity_test(prediction, y, sensitive_features=group),
    ]
    noted = []
    for result in results:
        table, fields = result.to_frame(), judged_fields(result)
        for column, field in zip(("pvalue", "ci_low", "ci_high"), fields, strict=False):
            assert_array_equal(table[column], field)
        assert_array_equal(table["note"] != "", fields[-1])
        noted.append(fields[-1].any())
        if result is not results[2]:
            assert has_note(result) == noted[-1]
    assert all(noted) if n == 40 else not all(noted)
