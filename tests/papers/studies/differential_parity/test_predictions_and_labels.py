"""Differential parity of predictions over labels, next to separation."""

import numpy as np
import pytest

from fairpairs.papers.display.layouts import display
from fairpairs.papers.studies.differential_parity import predictions_and_labels
from fairpairs.papers.studies.differential_parity.predictions_and_labels import TESTS, parity_rows


@pytest.mark.slow
def test_a_row_has_the_means_and_the_shares_of_the_tests(parity_results, parity_summary):
    rows = parity_rows(parity_summary)
    assert list(rows) == [
        *("dataset", "attribute", "treatment", "difference", "difference_error", "dpd"),
        *("dpd_error", "violated", "separation", "separation_permutation"),
    ]
    assert len(rows) == 4
    for row in rows.to_dict("records"):
        own = parity_results
        for key in ("dataset", "attribute", "treatment"):
            own = own[own[key] == row[key]]
        tests = dict(iter(own.groupby("test")))
        for name, test in zip(("difference", "dpd"), TESTS, strict=True):
            estimates = tests[test]["estimate"]
            assert row[name] == pytest.approx(estimates.mean())
            assert row[f"{name}_error"] == pytest.approx(estimates.std() / np.sqrt(3))
        assert row["violated"] == pytest.approx(tests["differential_parity"]["rejected"].mean())
        # separation has two hypotheses: it is violated where one of them is rejected
        each = tests["separation"].groupby("repeat")["rejected"].any()
        assert row["separation"] == pytest.approx(each.mean())
        permuted = tests["separation_permutation"]["rejected"]
        assert row["separation_permutation"] == pytest.approx(permuted.mean())


def test_the_rows_in_words(parity_summary):
    rows = parity_rows(parity_summary)
    table = display(predictions_and_labels.__file__, "predictions", rows, title="").table
    assert list(table) == [
        *("difference", "DPD", "Differential parity", "Separation"),
        "Separation, permutation within labels (gaps)",
    ]
    assert list(table.index) == [
        f"Made scores, {attribute}, {treatment}"
        for treatment in ("None", "FairBalance")
        for attribute in ("sex", "race")
    ]
    for (_, words), row in zip(table.iterrows(), rows.to_dict("records"), strict=True):
        for column, name in (("difference", "difference"), ("DPD", "dpd")):
            value, error = map(float, words[column].split(" ± "))
            assert value == pytest.approx(row[name], abs=0.000501)
            assert error == pytest.approx(row[f"{name}_error"], abs=0.000501)
        assert float(words["Differential parity"]) == pytest.approx(row["violated"], abs=0.000501)
        assert float(words["Separation"]) == pytest.approx(row["separation"], abs=0.000501)
