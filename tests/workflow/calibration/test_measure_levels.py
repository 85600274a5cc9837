"""The rules measure_levels, table_levels and figure_levels: what every test promises."""

from tests.workflow.projects import STUDY_OF_LEVELS

COLUMNS = [
    "test", "case", "promise", "of", "noted", "promised", "measured", "standard_error", "bound",
    "sets", "kept",
]  # fmt: skip


def test_the_table_has_the_rows_of_all_tests_broken_ones_first(calibrated):
    table = calibrated.frame("results/tables/calibration/levels.csv")
    assert list(table) == COLUMNS
    parts = [
        calibrated.frame(f"results/calibration/levels/{test}.parquet")
        for test in STUDY_OF_LEVELS["levels"]
    ]
    assert len(table) == sum(map(len, parts))
    assert table["kept"].is_monotonic_increasing
    assert set(table["sets"]) <= {1, 2}


def test_the_display_table_has_the_worst_case_of_each_promise(calibrated):
    table = calibrated.frame("results/tables/calibration/levels.csv")
    lines = calibrated.text("results/tables/calibration/levels.md").splitlines()
    title, rows = lines[0], [line for line in lines if line.startswith("| ")][1:]
    broken = (~table["kept"].astype(bool)).sum()
    words = f"# What the tests promise: {len(table):,} promises measured, {broken} broken (up to "
    assert title.startswith(words)
    assert len(rows) == len(table[["test", "promise", "noted"]].drop_duplicates())
    assert {row.split("|")[1].strip() for row in rows} == {*STUDY_OF_LEVELS["levels"]}


def test_an_unknown_test_is_named_before_anything_runs(uncalibrated):
    uncalibrated.configure(lambda config: config["calibration"].update(levels=["t_test"]))
    assert "calibration.levels must be one of 'separation_test'" in uncalibrated.refusal()


def test_levels_are_measured_for_tests_of_the_package(calibrated):
    test = "comparative_separation_from_judgments"
    frame = calibrated.frame(f"results/calibration/levels/{test}.parquet")
    assert set(frame["promise"]) == {"level", "coverage"}
