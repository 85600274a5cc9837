"""The tables of the sensitivity study: published numbers, and cells from synthetic results."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.testing import assert_allclose
from scipy.stats import kendalltau, norm, spearmanr, t

from fairpairs.papers.display.tables import write_comparison_table
from fairpairs.papers.published.cells import distance_from_printed
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.studies.density_ratio.cells import PRINTED_CLASSIFIERS, items_above
from fairpairs.papers.studies.density_ratio.regressor_tables import regressor_correlations
from fairpairs.papers.studies.density_ratio.synthetic_tables import correlations

ROOT = Path(__file__).parents[4]
#: What the paper calls the estimators.
NAMES = ["Logistic Regression", "Ridge", "Lasso", "KLR_Gaussian", "KLR_Polynomial"]
#: Tables in the order in which the text has them; it prints no numbers above them.
ORDER = {"intervals": (3, 5, 10, 11), "truth": (4, 12), "caps": (6, 7, 13, 14)}
HEADS = {
    "| Mean Interval | Fairness Measurement | Logistic Regression | Ridge |": "intervals",
    "| Mean Interval | Logistic Regression | Ridge |": "truth",
    "| Corr. Metric | Logistic Regression | Ridge | Lasso |": "caps",
}


@pytest.fixture(scope="module")
def printed(paper):
    """Number of a table → its printed numbers, rows by columns, NaN on the diagonal."""
    found = {kind: [] for kind in ORDER}
    rows = None
    for line in paper("density_ratio_sensitivity").splitlines():
        kind = next((kind for head, kind in HEADS.items() if line.startswith(head)), None)
        if kind is not None:
            rows = []
            found[kind].append(rows)
        elif not line.startswith("|"):
            rows = None
        elif rows is not None and not line.startswith("|---"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            numbers = [c for c in cells if re.fullmatch(r"-|-?\d\.\d+", c)]
            if len(numbers) == 5:
                rows.append([np.nan if c == "-" else float(c) for c in numbers])
    assert all(len(found[kind]) >= len(numbers) for kind, numbers in ORDER.items())
    # of Table 8, which has this head as well, no row is five plain numbers
    return {
        number: np.array(rows)
        for kind, numbers in ORDER.items()
        for number, rows in zip(numbers, [own for own in found[kind] if own], strict=True)
    }


@pytest.mark.parametrize("number", sorted(sum(ORDER.values(), ())))
def test_the_published_file_holds_exactly_the_printed_numbers(shipped, printed, number):
    table = shipped(f"density_ratio/table_{number}")
    wide = table.cells.pivot(index="row", columns="column", values="published")
    rows = list(dict.fromkeys(table.cells["row"]))
    assert_allclose(wide.loc[rows, NAMES], printed[number], rtol=0)
    if len(printed[number]) > 4:
        assert [row.split(", ")[1] for row in rows] == NAMES * (len(rows) // 5)
    assert (table.cells["digits"] == 2).all()
    assert table.spec["runs"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "row", "column", "where"),
    [
        (3, "0 - 0.9, Ridge", "KLR_Gaussian", (0, 0.0, ("ridge", "kernel_gaussian_published"))),
        (3, "3 - 3.9, KLR_Gaussian", "Ridge", (3, 0.0, ("ridge", "kernel_gaussian_published"))),
        (4, "3 - 3.9", "Lasso", (3, 0.0, ("lasso", "population"))),
        (6, "after thresholding, Lasso", "Logistic Regression", (3, 0.99, ("logistic", "lasso"))),
        (6, "before thresholding, Lasso", "Logistic Regression", (3, 0.0, ("logistic", "lasso"))),
        (7, "after thresholding, Ridge", "KLR_Polynomial",
         (3, 0.99, ("ridge", "kernel_polynomial_published"))),
        (10, "0 - 0.9, Lasso", "KLR_Polynomial",
         (0, 0.0, ("lasso", "kernel_polynomial_published"))),
        (12, "0 - 0.9", "KLR_Gaussian", (0, 0.0, ("kernel_gaussian_published", "population"))),
    ],
)  # fmt: skip
def test_a_cell_by_hand(shipped, results, number, row, column, where, reproduced_from, by_hand):
    table = shipped(f"density_ratio/table_{number}")
    ours = reproduced_from(table.name, results=correlations(results))
    cells = compare(table, ours).set_index(["row", "column"])
    cell = cells.loc[(row, column)]
    low, cap, names = where
    measure = "separation" if number == 7 else "independence"
    values = by_hand(results, low, cap, measure, names, kendalltau if number >= 10 else spearmanr)
    assert cell["reproduced"] == pytest.approx(values.mean())
    sd = values.std(ddof=1)
    assert cell["standard_error"] == pytest.approx(sd / np.sqrt(6))
    value = cell["published"]
    nearest = np.clip(values.mean(), value - 0.005, value + 0.005)
    score = (values.mean() - nearest) / (sd * np.sqrt(7 / 6))
    expected = np.sign(score) * norm.isf(t.sf(abs(score), 5))
    assert cell["z"] == pytest.approx(expected, abs=1e-6)
    # of the means of 1 to 2.9 there are no results
    lacking = cells[cells["reproduced"].isna()].reset_index()["row"]
    assert lacking.str.startswith(("1 - 1.9", "2 - 2.9")).all()


@pytest.mark.slow
def test_a_null_cell_is_no_cell(
    shipped, results, write_published, schema, tmp_path, reproduced_from
):
    content = yaml.safe_load((ROOT / "config/published/density_ratio/table_3.yaml").read_text())
    nulls = sum(value is None for row in content["rows"] for value in row["values"])
    table = shipped("density_ratio/table_3")
    assert nulls == 20
    assert len(table.cells) == 100 - 20
    assert not (table.cells["row"].str.split(", ").str[1] == table.cells["column"]).any()
    comparison = compare(table, reproduced_from(table.name, results=correlations(results)))
    write_comparison_table(table, comparison, {}, tmp_path / "t")
    lines = (tmp_path / "t.md").read_text("utf-8").splitlines()
    row = next(line for line in lines if line.startswith("| 0 - 0.9, Ridge"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2] == "–"
    assert "(0.85)" in cells[4]
    wide = pd.read_csv(tmp_path / "t.csv", index_col="row")
    assert np.isnan(wide.loc["0 - 0.9, Ridge", "Ridge (published)"])
    assert wide.loc["0 - 0.9, Ridge", "Lasso (published)"] == 0.99


def test_a_correlation_with_a_small_p_has_an_asterisk(measures, reproduced_from):
    found = regressor_correlations(measures)
    source = found[found["form"] == "published"].copy()
    place = ("Independence, Logistic Regression", "Ridge, Communities")

    def cells():
        ours = reproduced_from("density_ratio/table_1", results=source)
        return ours.set_index(["row", "column"])

    cell = cells().loc[place]
    expected = spearmanr([9, 8, 7, 6, 5, 4], [9, 8, 7, 6, 4, 5])
    assert cell["reproduced"] == pytest.approx(expected.statistic)
    assert expected.pvalue < 0.05
    assert cell["mark"] == "*"
    source["pvalue"] = 0.05
    assert cells().loc[place]["mark"] == ""


def test_the_printed_means_follow_from_the_printed_rows(shipped, reproduced_from):
    table = shipped("density_ratio/section_5_1")
    cells = compare(table, reproduced_from(table.name))
    own = cells[cells["column"] == "Printed cells"]
    assert_allclose(own["reproduced"], [0.94, 0.662, 0.868, 0.572], atol=1e-12)
    assert set(own["verdict"]) == {"agrees"}
    items = cells[cells["row"].str.startswith("Items")].iloc[0]
    assert items["reproduced"] == pytest.approx(239.3, abs=0.05)
    assert items["verdict"] == "differs"
    assert set(cells.loc[cells["reproduced"].isna(), "column"]) == {"Ours"}


@pytest.mark.slow
def test_our_mean_of_a_row_is_that_of_five_classifiers(results, reproduced_from, by_hand):
    place = ("Table 12, mean of 3 - 3.9", "Ours")

    def cells(made):
        ours = reproduced_from("density_ratio/section_5_1", results=correlations(made))
        return ours.set_index(["row", "column"])

    cell = cells(results).loc[place]
    values = np.mean(
        [
            by_hand(results, 3, 0.0, "independence", (name, "population"), kendalltau)
            for name in PRINTED_CLASSIFIERS
        ],
        axis=0,
    )
    assert cell["reproduced"] == pytest.approx(values.mean())
    assert cell["run_sd"] == pytest.approx(values.std(ddof=1))
    assert cell["z"] == pytest.approx(distance_from_printed(values, 0.565, 0.575))
    assert place not in cells(results[results["repeat"] == 0]).index


def test_the_expected_items_above_a_probability_are_those_beyond_equal_odds_of_it():
    beyond = 1 + np.log(9) / 2  # where the odds of means 0 and 2 are 9
    expected = 500 * (norm.sf(beyond) + norm.sf(beyond - 2))
    assert items_above(0.9, 2, 1000) == pytest.approx(expected)
    assert round(2 * items_above(0.9, 3.9, 1000)) == 923  # as many below 0.1 by symmetry


def test_a_cap_of_the_text_is_compared_where_the_run_has_it(measures, shipped, reproduced_from):
    table = shipped("density_ratio/section_5_2")
    frame = measures["communities"].replace({"logistic": "lasso", "ridge": "kernel_gaussian"})
    frame["cap"] = frame["cap"].replace({0.9: 0.99})
    capped = (frame["cap"] > 0) & (frame["estimator"] == "lasso")
    frame.loc[capped, "value"] = -frame.loc[capped, "value"]
    found = regressor_correlations({"communities": frame})
    cells = compare(table, reproduced_from(table.name, results=found))
    cells = cells.set_index(["row", "column"])
    ours = [9, 8, 7, 6, 5, 4], [9, 8, 7, 6, 4, 5]
    expected = spearmanr(*ours).statistic
    before, after = (
        cells.loc[(f"{when}, Lasso and KLR_Gaussian", "Communities")]
        for when in ("before", "after")
    )
    assert (before["reproduced"], after["reproduced"]) == pytest.approx((expected, -expected))
    assert (before["mark"], before["verdict"]) == ("*", "not comparable")
    own = cells.loc["before, Lasso and KLR_Gaussian, printed cells", :].loc["Communities"]
    assert (own["reproduced"], own["verdict"]) == (0.02, "differs")
    kernels = cells.loc["before, KLR_Gaussian and KLR_Polynomial, printed cells"]
    assert set(kernels["verdict"]) == {"agrees"}
    nothing = reproduced_from(table.name)
    assert not nothing["row"].str.startswith("after").any()
