"""Audits for one look that are repeated every week."""

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from benchmarks.repeated_looks.repeated import (
    Design,
    weekly_counts,
    weekly_violated,
)


@pytest.mark.slow
def test_a_week_is_tested_as_by_separation_test():
    items, hits = weekly_counts(Design(300, share=0.2, gap=0.15), np.random.default_rng(4), 1)
    found = weekly_violated(items, hits, 0.05)[0]
    assert 5 < found.sum() < 47
    for week in range(8):
        rows = [
            (label, group, i < hits[0, week, place, group])
            for place, label in enumerate((1, 0))
            for group in (0, 1)
            for i in range(items[0, week, place, group])
        ]
        table = pd.DataFrame(rows, columns=["label", "group", "hit"])
        result = fp.separation_test(
            table["label"], table["hit"].astype(int), sensitive_features=table["group"]
        )
        assert found[week] == result.violated
