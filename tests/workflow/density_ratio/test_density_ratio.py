"""Measures by density ratios in the real workflow, on synthetic data and on made incomes."""

import pandas as pd

from fairpairs.papers.studies.density_ratio import synthetic
from tests.workflow.projects import RATIOS


def test_the_study_is_that_of_the_package(measured):
    parts = [
        measured.frame(f"results/density_ratio/synthetic/{chunk}.parquet")
        for chunk in ("0000000-0000000", "0000001-0000002")
    ]
    expected = synthetic.synthetic_study(RATIOS["density_ratio"], repeats=range(1), seed=7)
    pd.testing.assert_frame_equal(parts[0], expected, check_exact=True)
    assert [set(part["repeat"]) for part in parts] == [{0}, {1, 2}]
    matching = {synthetic.in_form(name, form) for name, form in synthetic.matching_forms()}
    assert set(expected["estimator"]) == {
        *synthetic.STUDIED,
        *synthetic.AS_PUBLISHED,
        *matching,
        "population",
        "sample",
    }


def test_tables_and_figures_are_made(measured):
    for name in ("conclusions", "regressors"):
        assert "loans" in measured.text(f"results/tables/density_ratio/{name}.md")
    kernels = measured.frame("results/tables/density_ratio/regressor_kernels.csv")
    assert kernels["published"].notna().all()
    assert kernels["as_published"].isna().all()  # the run has none of the paper's data sets
    asterisks = measured.frame("results/tables/density_ratio/regressor_asterisks.csv")
    assert asterisks["published_asterisk"].sum() == 388
    assert asterisks["value"].isna().all()  # the run has none of the paper's data sets
    assert "kernel_polynomial, cap 0.9" in measured.text(
        "results/tables/density_ratio/estimators.md"
    )
    for name in ("synthetic", "regressors"):
        assert "<svg" in measured.text(f"results/figures/density_ratio/{name}.svg")
    comparison = measured.frame("results/comparisons/density_ratio/table_3.parquet")
    of_last = comparison[comparison["row"].str.startswith("3 - 3.9")]
    assert of_last["reproduced"].notna().all()
    real = measured.frame("results/comparisons/density_ratio/table_1.parquet")
    assert set(real["verdict"]) == {"not comparable"}
    report = measured.text("results/report.html")
    assert "Which estimator of a density ratio?" in report
    assert report.count('aria-label="Measures of regressors by two estimators') == 1


def test_a_label_of_two_values_has_no_regressors(small):
    def change(config):
        config["density_ratio"] = RATIOS["density_ratio"]

    small.configure(change)
    assert "density_ratio: the data set loans has a label of 0 and 1" in small.refusal()
