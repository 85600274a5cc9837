"""I_sep and the density ratio in an audit."""

import numpy as np
import pytest

import fairpairs as fp

from ..synthetic import rows


@pytest.mark.slow
def test_measures_of_counts_are_tested_by_shuffles(full):
    found = rows(full, criterion="information_separation", attribute="race")
    assert found.set_index("group").loc["b", "pvalue"] == 1e-4
    assert found["note"].str.contains("p by 9,999 shuffles").all()


def test_groups_that_do_not_overlap_have_no_ratio_and_no_word_of_options_that_there_are_not():
    y = np.arange(40.0)
    group = np.repeat(["low", "high"], 20)
    audited = fp.audit(y, y + 0.5, sensitive_features=group)
    (row,) = rows(audited, criterion="density_ratio_separation").to_dict("records")
    assert row["verdict"] == "cannot be estimated"
    assert row["note"] == "the groups hardly overlap, so the ratio is unbounded"
