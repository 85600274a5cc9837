"""What a run shows beyond the papers, in words."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.report.findings import findings


def calibration_row(design, test, quantity, n, pairs, rejected):
    columns = ("design", "test", "quantity", "n", "pairs_per_item", "rejected", "standard_error")
    values = (design, test, quantity, n, pairs, rejected, 0.002)
    return dict(zip(columns, values, strict=True))


@pytest.fixture
def results(tmp_path):
    (tmp_path / "tables/ranking").mkdir(parents=True)
    pd.DataFrame(
        [
            calibration_row("f0", "binomial", "either", 100, 2.0, 0.9),
            calibration_row("f0", "binomial", "either", 5000, 2.0, 0.271),
            calibration_row("f0", "binomial", "either", 5000, 16.0, 0.712),
            calibration_row("f0", "drawn_pairs", "holm", 5000, 16.0, 0.049),
            calibration_row("f0", "all_pairs", "holm", 5000, np.nan, 0.047),
            calibration_row("regression_labels_differ", "all_pairs_raw", "holm", 1000, np.nan, 0.4),
            calibration_row(
                "regression_labels_differ", "all_pairs_balanced", "holm", 1000, np.nan, 0.053
            ),
        ]
    ).to_csv(tmp_path / "calibration.csv", index=False)
    names = ("framingham", "framingham_without_followup")
    pd.DataFrame(
        [
            {"dataset": name, "treatment": "none", "measure": measure, "mean": mean}
            for name, means in zip(names, ((0.77, 0.0512), (0.651, -0.031)), strict=True)
            for measure, mean in zip(("AUC", "ΔxAUC"), means, strict=True)
        ]
    ).to_csv(tmp_path / "tables/ranking/ranking_logistic_regression.csv", index=False)
    pd.DataFrame(
        [
            {"gap": gap, "noise": 1.0, "truth": truth, "estimator": name, "bias": bias,
             "rejected": rejected}
            for gap, truth in ((0.0, 1.0), (1.0, 1.86))
            for name, bias, rejected in (
                ("ulsif", 0.0, np.nan),
                ("ulsif_published", np.log(1.5), np.nan),
                ("logistic", 0.01, 0.04),
                ("comparative_separation", np.nan, 0.06),
            )
        ]
    ).to_csv(tmp_path / "tables/known_separation.csv", index=False)  # fmt: skip
    return tmp_path


def test_each_finding_has_its_numbers_and_where_they_are_from(results):
    found = findings(results)
    assert [finding["evidence"] for finding in found] == [
        *["calibration.csv"] * 2,
        "tables/ranking/ranking_logistic_regression.csv",
        "tables/known_separation.csv",
    ]
    published, mix, leaking, ratios = (finding["text"] for finding in found)
    assert "one test set of 5,000 items" in published
    for number in ("27.1 ± 0.2 %", "71.2 ± 0.2 % with 16", "4.9 ± 0.2 %", "4.7 ± 0.2 %"):
        assert number in published
    assert "40.0 ± 0.2 %" in mix
    assert "5.3 ± 0.2 %" in mix
    assert "AUC is 0.770 and the difference of the two xAUCs +0.051" in leaking
    assert "without it 0.651 and -0.031" in leaking
    assert "it is 1.50 (geometric mean" in ratios
    assert "1.00 when they are divided" in ratios
    assert "its permutation test 4 %, comparative separation 6 %" in ratios


def test_what_was_not_made_is_left_out(results, tmp_path_factory):
    assert findings(tmp_path_factory.mktemp("empty")) == []
    (results / "calibration.csv").unlink()
    ranking = results / "tables/ranking/ranking_logistic_regression.csv"
    rows = pd.read_csv(ranking)
    rows[rows["dataset"] == "framingham"].to_csv(ranking, index=False)
    assert [finding["evidence"] for finding in findings(results)] == ["tables/known_separation.csv"]
