"""The rule table: each number of a published table beside ours."""

import json

import numpy as np
import pandas as pd
import pytest

CELLS = {
    "comparative_separation/table_1": 32,
    "comparative_separation/table_2": 16,
    "comparative_separation/table_3": 32,
    "comparative_separation/section_4_1_2": 12,
}
COLUMNS = {
    "row": "str",
    "column": "str",
    "published": "float64",
    "reproduced": "float64",
    "standard_error": "float64",
    "z": "float64",
    "p_adjusted": "float64",
    "verdict": "str",
    "note": "str",
    "digits": "int64",
    "kind": "str",
    "difference_error": "float64",
    "published_error": "float64",
    "run_sd": "float64",
    "mark": "str",
    "published_mark": "str",
}


def test_there_are_tables_of_what_the_run_has_and_no_others(done):
    assert done.files("results/comparisons") == sorted(
        f"results/comparisons/{table}.parquet" for table in CELLS
    )
    normality = "results/tables/comparative_separation/normality"
    assert done.files("results/tables") == sorted(
        [
            *(
                f"results/tables/{table}.{ending}"
                for table in [*CELLS, "loans"]
                for ending in ("csv", "md", "provenance.json", "tex")
            ),
            *(f"{normality}.{ending}" for ending in ("csv", "provenance.json")),
        ]
    )


@pytest.mark.parametrize("table", CELLS)
def test_a_comparison_has_a_row_a_cell(done, table):
    frame = done.frame(f"results/comparisons/{table}.parquet")
    kinds = {column: str(kind) for column, kind in frame.dtypes.items()}
    where = kinds.pop("section" if "section" in table else "table")
    assert where == ("str" if "section" in table else "int64")
    assert kinds.pop("paper") == "str"
    assert kinds == COLUMNS
    assert len(frame) == CELLS[table]
    assert not frame[["row", "column"]].duplicated().any()


@pytest.mark.parametrize("table", CELLS)
def test_the_csv_has_our_number_its_error_and_the_published_one(done, table):
    wide = done.frame(f"results/tables/{table}.csv").set_index("row")
    cells = done.frame(f"results/comparisons/{table}.parquet")
    columns = list(dict.fromkeys(cells["column"]))
    assert list(wide) == [
        name for c in columns for name in (c, f"{c} (standard error)", f"{c} (published)")
    ]
    assert list(wide.index) == list(dict.fromkeys(cells["row"]))
    for cell in cells.itertuples():
        row = wide.loc[cell.row]
        assert row[cell.column] == pytest.approx(cell.reproduced, abs=1e-12)
        assert row[f"{cell.column} (standard error)"] == pytest.approx(cell.standard_error)
        assert row[f"{cell.column} (published)"] == cell.published


@pytest.mark.parametrize("table", CELLS)
@pytest.mark.parametrize("ending", ["md", "tex"])
def test_the_display_tables_have_every_published_number(done, table, ending):
    text = done.text(f"results/tables/{table}.{ending}")
    cells = done.frame(f"results/comparisons/{table}.parquet")
    for published, digits in cells[["published", "digits"]].itertuples(index=False):
        assert f"({published:,.{digits}f})" in text
    assert "Xi, Capak, Stockwell and Yu" in text  # the source


def test_what_is_simulated_is_ours(done):
    estimates = done.frame("results/comparative_separation/simulation.parquet").set_index(
        ["classifier", "notion", "size", "quantity"]
    )
    cells = done.frame("results/comparisons/comparative_separation/table_3.parquet").set_index(
        ["row", "column"]
    )
    ours = estimates.loc["f2", "comparative_separation", 4000, "violated"]
    cell = cells.loc["f2, Simulation", "Comparative separation, np=4,000"]
    assert cell["reproduced"] == ours["simulated"]
    assert cell["standard_error"] == ours["standard_error"]
    expected = cells.loc["f2, Expected", "Comparative separation, np=4,000"]
    assert expected["reproduced"] == pytest.approx(ours["expected"])
    assert expected["standard_error"] == 0


def test_z_is_the_difference_over_its_error(done):
    cells = done.frame("results/comparisons/comparative_separation/table_3.parquet")
    simulated = cells[cells["kind"] == "simulated"]
    share = simulated["published"]
    # 200 repeats are ours, 10,000 the paper's
    pooled = (200 * simulated["reproduced"] + 10_000 * share) / 10_200
    error = np.sqrt(pooled * (1 - pooled) * (1 / 200 + 1 / 10_000) + 0.0001**2 / 12)
    np.testing.assert_allclose(simulated["difference_error"], error)
    np.testing.assert_allclose(simulated["z"], (simulated["reproduced"] - share) / error)
    assert cells.loc[cells["kind"] == "computed", ["z", "p_adjusted"]].isna().all(axis=None)


def test_table_4_counts_the_items_and_names_the_groups(papers):
    counts = json.loads(papers.text("data/prepared/compas.json"))["counts"]
    cells = papers.frame("results/comparisons/comparative_separation/table_4.parquet")
    cells = cells.set_index("row")
    assert cells.loc["Compas", "reproduced"] == counts["rows"] == 1200
    assert cells.loc["Compas", "verdict"] == "differs"  # it is not the real one
    assert pd.isna(cells.loc["German", "reproduced"])
    assert cells.loc["German", "verdict"] == "not comparable"
    assert cells.loc["German", "note"] == "not part of this run"
    text = papers.text("results/tables/comparative_separation/table_4.md")
    assert f"sex: Male ({counts['sensitive.sex']:,}); race: North" in text
    assert f"sex: Female ({1200 - counts['sensitive.sex']:,}); race: Elsewhere" in text
    assert f"Not repaid ({1200 - counts['label']:,})" in text


def test_table_5_has_the_rates_of_the_summary(papers):
    cells = papers.frame("results/comparisons/comparative_separation/table_5.parquet")
    summary = papers.frame("results/summaries/classification.parquet").set_index(
        ["attribute", "treatment", "test"]
    )
    had = cells[cells["reproduced"].notna()].set_index(["row", "column"])
    assert set(had.index) == {
        (f"None, {test}", f"Compas, {attribute}")
        for test in ("Separation", "Comparative separation")
        for attribute in ("sex", "race")
    }
    for (row, column), cell in had.iterrows():
        test = row.removeprefix("None, ").lower().replace(" ", "_")
        ours = summary.loc[column.removeprefix("Compas, "), "none", test]
        assert cell["reproduced"] == pytest.approx(ours["violated"], abs=1e-12)
        assert cell["standard_error"] == ours["standard_error"]
    assert set(cells.loc[cells["reproduced"].isna(), "verdict"]) == {"not comparable"}


def test_a_table_of_several_experiments_is_made_of_those_that_the_config_has(unranked):
    def rename(config):
        config["experiments"]["ranking_rankboost"] = config["experiments"].pop("loans")

    unranked.configure(rename)
    run = unranked.snakemake("results/tables/xauc/table_1.md", "--dry-run").check()
    assert run.jobs == {"fetch": 1, "prepare": 1, "train": 2, "test": 2, "summarise": 1, "table": 1}
    assert "ranking_logistic_regression" not in run.stdout
