"""The tables of the calibration study, from a study that is made by hand."""

import re

import pandas as pd
import pytest

from fairpairs.papers.studies.calibration.designs.tables import (
    COLUMNS,
    FEW,
    NOTE,
    display_table,
    write_design_tables,
)


def text(study, design, n, ratio, test, quantity):
    """What stands in the cell of one row of the study."""
    same = study["pairs_per_item"].isna() if ratio is None else study["pairs_per_item"] == ratio
    (row,) = study[
        (study["design"] == design) & (study["n"] == n) & same
        & (study["test"] == test) & (study["quantity"] == quantity)
    ].itertuples()  # fmt: skip
    return f"{row.rejected:.3f} ± {row.standard_error:.3f}"


def test_a_row_is_a_design_and_a_size_and_fair_ones_stand_first(study):
    table = display_table(study, "items")
    assert table[["Design", "Separation", "Items"]].to_numpy().tolist() == [
        ["The fair", "holds", "200 †"],
        ["The fair", "holds", "1,000"],
        ["The points", "holds", "300"],
        ["The points", "holds", "60"],
        ["The unfair", "violated", "200"],
        ["The unfair", "violated", "1,000"],
    ]


@pytest.mark.slow
def test_pairs_have_a_row_for_each_number_of_them(study):
    table = display_table(study, "pairs")
    assert list(table)[:4] == ["Design", "Separation", "Items", "Pairs per item"]
    assert table.iloc[:, [0, 2, 3]].to_numpy().tolist() == [
        *(["The fair", n, ratio] for n in ("200 †", "1,000") for ratio in ("0.5", "8")),
        ["The points", "300", "2"],
        *(["The unfair", n, ratio] for n in ("200", "1,000") for ratio in ("0.5", "8")),
    ]


def test_each_cell_is_the_share_and_its_error(study):
    items, pairs = (display_table(study, kind) for kind in ("items", "pairs"))
    row = items[(items["Design"] == "The fair") & (items["Items"] == "1,000")].iloc[0]
    assert row["All pairs, H0c"] == text(study, "fair", 1000, None, "all_pairs", "H0c")
    assert row["All pairs, joint"] == text(study, "fair", 1000, None, "all_pairs", "joint")
    assert row["Separation, either"] == text(study, "fair", 1000, None, "separation", "either")
    assert row["Permutation, gaps"] == ""
    row = items[items["Items"] == "60"].iloc[0]
    assert row["Permutation, gaps"] == text(study, "points", 60, None, "permutation", "joint")
    assert row["All pairs, Holm"] == ""
    row = pairs[(pairs["Design"] == "The unfair") & (pairs["Pairs per item"] == "0.5")].iloc[1]
    assert row["Items"] == "1,000"
    for name, test in (
        ("Fresh pairs, paper, either", ("fresh_pairs", "either")),
        ("Drawn pairs, paper, either", ("binomial", "either")),
        ("Drawn pairs, dyadic, Holm", ("drawn_pairs", "holm")),
    ):
        assert row[name] == text(study, "unfair", 1000, 0.5, *test)


def test_no_cell_of_the_study_is_lost(study):
    for kind in ("items", "pairs"):
        on_pairs = study["pairs_per_item"].notna()
        part = study[on_pairs if kind == "pairs" else ~on_pairs]
        shown = [key in COLUMNS[kind] for key in zip(part["test"], part["quantity"], strict=True)]
        cells = display_table(study, kind).iloc[:, 4 if kind == "pairs" else 3 :]
        assert (cells != "").sum(axis=None) == sum(shown)


def test_columns_without_an_entry_are_left_out(study):
    items = list(display_table(study, "items"))[3:]
    assert items == [  # in the order of COLUMNS
        "Separation, either",
        "Separation, Holm",
        "All pairs, H0c",
        "All pairs, Holm",
        "All pairs, joint",
        "All pairs, raw, Holm",
        "All pairs, balanced, H0c",
        "All pairs, balanced, Holm",
        "All pairs, balanced, joint",
        "Permutation, gaps",
        "Regression of the score",
    ]
    fair = display_table(study[study["design"] == "fair"], "items")
    assert list(fair)[3:] == items[:5]
    assert "Drawn pairs, dyadic, H0w" not in display_table(study, "pairs")
    assert "Pairs per item" not in display_table(study, "items")


def test_every_test_of_the_table_has_a_heading_of_its_own():
    for headings in COLUMNS.values():
        assert len(set(headings.values())) == len(headings)


@pytest.mark.parametrize(("small", "marked"), [(FEW, False), (FEW + 1e-6, True), (1.0, True)])
def test_a_dagger_marks_more_than_a_few_small_test_sets(study, small, marked):
    own = study["design"].eq("unfair") & study["n"].eq(1000) & study["test"].eq("separation")
    table = display_table(study.assign(small=study["small"].where(~own, small)), "items")
    items = table.loc[table["Design"] == "The unfair", "Items"].tolist()
    assert items == ["200", "1,000 †" if marked else "1,000"]


def test_a_small_test_set_of_items_does_not_mark_its_pairs(study):
    own = study["design"].eq("unfair") & study["pairs_per_item"].isna()
    table = display_table(study.assign(small=study["small"].where(~own, 1)), "pairs")
    assert not table.loc[table["Design"] == "The unfair", "Items"].str.contains("†").any()


def test_a_test_that_could_never_be_made_is_a_dash(study):
    own = study["test"].eq("residuals")
    numbers = ["rejected", "standard_error"]
    changed = study.copy()
    changed.loc[own, numbers] = float("nan")
    table = display_table(changed, "items")
    assert set(table["Regression of the score"]) == {"– ± –", ""}


def test_two_designs_of_one_title_have_a_row_each(make_study):
    """A title is what a reader sees, not what tells designs apart."""
    made = make_study(
        ("one", 200, None, "all_pairs", "holm"), ("two", 200, None, "all_pairs", "holm"),
        fair={"one", "two"},
    ).assign(title="The same")  # fmt: skip
    table = display_table(made, "items")
    assert list(table["All pairs, Holm"]) == [
        text(made, name, 200, None, "all_pairs", "holm") for name in ("one", "two")
    ]


@pytest.mark.parametrize("kind", ["items", "pairs"])
def test_a_study_of_one_design_has_a_table(study, kind):
    table = display_table(study[study["design"] == "unfair"], kind)
    assert set(table["Separation"]) == {"violated"}


@pytest.fixture
def written(study, tmp_path):
    """The files of the study, and the study as one frame."""
    stems = {kind: tmp_path / f"tables/calibration_{kind}.csv" for kind in ("items", "pairs")}
    designs = (part for _, part in study.groupby("design", sort=False))
    write_design_tables(designs, stems, tmp_path / "calibration.csv")
    return tmp_path


def test_there_is_a_long_table_and_two_display_tables(written):
    found = sorted(p.relative_to(written).as_posix() for p in written.rglob("*") if p.is_file())
    assert found == [
        "calibration.csv",
        *(f"tables/calibration_{kind}.{ending}" for kind in ("items", "pairs")
          for ending in ("csv", "md", "tex")),
    ]  # fmt: skip


def test_the_long_table_is_the_study_with_all_digits(written, study):
    assert (written / "calibration.csv").read_text("utf-8") == study.to_csv(index=False)
    read = pd.read_csv(written / "calibration.csv")
    pd.testing.assert_frame_equal(read, study, rtol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["items", "pairs"])
def test_the_csv_and_the_markdown_have_the_words_of_the_table(written, study, kind):
    table = display_table(study, kind)
    stem = written / f"tables/calibration_{kind}"
    read = pd.read_csv(stem.with_suffix(".csv"), dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(read, table, check_dtype=False)
    markdown = stem.with_suffix(".md").read_text("utf-8")
    assert markdown.startswith(f"# Rejections of simulated test sets, tests on {kind}\n\n")
    assert markdown.endswith(f"\n\n{NOTE}\n")
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"\|", line)[1:-1]] for line in lines]
    assert [cells[0], *cells[2:]] == [list(table), *table.to_numpy().tolist()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["items", "pairs"])
def test_the_latex_can_be_read(written, study, kind):
    latex = (written / f"tables/calibration_{kind}.tex").read_text("utf-8")
    assert latex.isascii()
    for name in ("table", "tabular"):
        assert latex.count(rf"\begin{{{name}}}") == latex.count(rf"\end{{{name}}}") == 1
    assert latex.count(r"$\dagger$") == display_table(study, kind)["Items"].str.count("†").sum() + 1
    assert latex.count(r" \\") == len(display_table(study, kind)) + 1


@pytest.mark.slow
def test_the_same_study_is_the_same_bytes(study, tmp_path):
    for name in ("one", "two"):
        stems = {kind: tmp_path / name / kind for kind in ("items", "pairs")}
        write_design_tables([study], stems, tmp_path / name / "long.csv")
    files = sorted((tmp_path / "one").iterdir())
    assert len(files) == 7
    for file in files:
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_a_study_without_pairs_has_its_other_tables(study, tmp_path):
    """The config may have `pairs_per_item: []` in every design."""
    stems = {kind: tmp_path / f"{kind}.csv" for kind in ("items", "pairs")}
    write_design_tables([study[study["pairs_per_item"].isna()]], stems, tmp_path / "long.csv")
    assert "The fair" in (tmp_path / "items.md").read_text("utf-8")
    for ending in ("csv", "md", "tex"):
        assert (tmp_path / f"pairs.{ending}").exists()
