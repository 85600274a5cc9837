"""The rule compare: all published cells beside ours, in one table."""

import pandas as pd
import pytest

COLUMNS = [
    *("paper", "table", "row", "column", "published", "reproduced", "standard_error"),
    *("z", "p_adjusted", "verdict", "note"),
]
VERDICTS = {"agrees", "differs", "not comparable"}


def comparisons(done, *tables):
    frames = [done.frame(f"results/comparisons/comparative_separation/{t}.parquet") for t in tables]
    return pd.concat(frames, ignore_index=True)


def test_the_comparison_has_exactly_these_columns(done):
    header = done.text("results/comparison.csv").splitlines()[0]
    assert header == ",".join(COLUMNS)
    text = done.text("results/comparison_of_text.csv").splitlines()[0]
    assert text == header.replace("table", "section")


def test_the_verdicts_are_these_three(done):
    for name in ("comparison", "comparison_of_text"):
        frame = done.frame(f"results/{name}.csv")
        assert set(frame["verdict"]) <= VERDICTS
        assert frame["verdict"].notna().all()


def test_every_cell_of_every_table_is_there_in_order(done):
    frame = done.frame("results/comparison.csv")
    parts = comparisons(done, "table_1", "table_2", "table_3")
    assert list(frame["table"]) == [1] * 32 + [2] * 16 + [3] * 32
    frame["note"] = frame["note"].fillna("")
    pd.testing.assert_frame_equal(frame, parts[COLUMNS], check_dtype=False)


def test_the_numbers_of_the_text_stand_apart(done):
    frame = done.frame("results/comparison_of_text.csv")
    assert set(frame["section"]) == {"4.1.2"}
    assert len(frame) == 12
    ours = comparisons(done, "section_4_1_2")
    pd.testing.assert_series_equal(frame["reproduced"], ours["reproduced"])
    pd.testing.assert_series_equal(frame["verdict"], ours["verdict"], check_dtype=False)


def test_what_a_formula_gives_agrees_and_what_is_given_is_not_compared(done):
    frame = done.frame("results/comparison.csv").set_index("table")
    assert set(frame.loc[1, "verdict"]) == {"not comparable"}
    assert set(frame.loc[1, "note"]) == {"an input, taken from the paper"}
    assert set(frame.loc[2, "verdict"]) == {"agrees"}
    expected = frame.loc[3].pipe(lambda cells: cells[cells["row"].str.endswith("Expected")])
    assert len(expected) == 16
    assert set(expected["verdict"]) == {"agrees"}


def test_200_repeats_with_this_seed_differ_nowhere(done):
    frame = done.frame("results/comparison.csv")
    assert "differs" not in set(frame["verdict"])
    assert frame["p_adjusted"].min() >= 0.05


@pytest.mark.parametrize("name", ["comparison", "comparison_of_text"])
def test_the_display_tables_have_a_row_a_cell(done, name):
    cells = len(done.frame(f"results/{name}.csv"))
    markdown = [line for line in done.text(f"results/{name}.md").splitlines() if line[:1] == "|"]
    assert len(markdown) == cells + 2
    latex = done.text(f"results/{name}.tex")
    assert latex.count(r" \\") == cells + 1
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1


def test_a_classifier_that_is_not_the_papers_differs(copy):
    def move(config):
        cells = config["comparative_separation"]["simulation"]["classifiers"]["f3"]
        cells["C=1, Y=1, A=1"] -= 0.03
        cells["C=0, Y=1, A=1"] += 0.03

    copy.configure(move)
    copy.snakemake("results/tables/comparative_separation/table_1.csv").check()
    changed = copy.frame("results/comparisons/comparative_separation/table_1.parquet")
    differing = changed[changed["verdict"] == "differs"]
    assert set(differing["column"]) == {"f3"}
    assert set(differing["row"]) == {"P(C=1, Y=1, A=1)", "P(C=0, Y=1, A=1)"}
