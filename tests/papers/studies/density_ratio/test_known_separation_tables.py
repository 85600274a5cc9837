"""The table of measures of separation beside the truth."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.studies.density_ratio.known_separation_tables import (
    known_separation_rows,
    write_known_separation_table,
)


@pytest.fixture
def results():
    def rows(estimator, values, pvalues):
        return [
            (i, 1.0, 1.0, 2.0, estimator, value, pvalue, "")
            for i, (value, pvalue) in enumerate(zip(values, pvalues, strict=True))
        ]

    nothing = [np.nan] * 4
    columns = ["repeat", "gap", "noise", "truth", "estimator", "value", "pvalue", "note"]
    return pd.DataFrame(
        [
            *rows("ridge", [2.0, 2.0 * np.e, np.nan, -1.0], nothing),
            *rows("logistic", [4.0, 4.0, 4.0, 4.0], [0.01, 0.05, 0.2, np.nan]),
            *rows("information", [0.0, -0.1, 0.2, 0.3], [0.01, 0.02, 0.03, 0.04]),
        ],
        columns=columns,
    )


def test_bias_failures_and_rejections(results):
    rows = known_separation_rows(results, alpha=0.05).set_index("estimator")
    assert rows.loc["ridge", "bias"] == pytest.approx(0.5)
    assert rows.loc["ridge", "failed"] == 0.5
    assert np.isnan(rows.loc["ridge", "rejected"])
    assert rows.loc["logistic", "bias"] == pytest.approx(np.log(2))
    assert rows.loc["logistic", "rejected"] == pytest.approx(2 / 3)
    error = np.sqrt(2 / 9 / 3)
    assert rows.loc["logistic", "rejected_standard_error"] == pytest.approx(error)
    # what is no ratio has no bias, and may well be below 0
    assert np.isnan(rows.loc["information", "bias"])
    assert rows.loc["information", "failed"] == 0
    assert rows.loc["information", "rejected"] == 1


def test_the_display_table(results, tmp_path):
    write_known_separation_table(results, tmp_path / "known.csv", alpha=0.05)
    text = (tmp_path / "known.md").read_text("utf-8")
    assert "1, 1 (ratio 2.00)" in text
    assert "50% failed" in text
    assert "0.69 ± 0.00, rejected 0.67 ± 0.27" in text
    assert len(pd.read_csv(tmp_path / "known.csv")) == 3
    assert (tmp_path / "known.tex").exists()
