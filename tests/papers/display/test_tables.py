import math
import re

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display import tables
from fairpairs.papers.display.labels import TESTS, label
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.registry import known
from fairpairs.papers.studies.fill import fill_texts


@pytest.mark.parametrize(
    ("ours", "error", "published", "digits", "verdict", "text"),
    [
        (0.4772, 0.0049, 0.4771, 4, "agrees", "0.4772 ± 0.0049 (0.4771)"),
        (1.0, 0.0, 1.0, 3, "agrees", "1.000 (1.000)"),
        (7000, 0.0, 7214, 0, "differs", "7,000 (7,214) ≠"),
        (-0.0001, 0.0, 0.0, 3, "agrees", "0.000 (0.000)"),
        (0.9741, 0.00042, 0.974, 3, "agrees", "0.974 ± 0.0004 (0.974)"),  # an error is not 0
        (1.0, 1e-46, 1.0, 2, "agrees", "1.00 ± 0.00 (1.00)"),
        (math.nan, math.nan, 0.844, 3, "not comparable", "– (0.844)"),
    ],
)
def test_a_cell_has_ours_its_error_and_the_published_number(
    ours, error, published, digits, verdict, text
):
    cell = pd.Series(
        {
            "reproduced": ours,
            "standard_error": error,
            "published": published,
            "digits": digits,
            "verdict": verdict,
        }
    )
    assert tables.cell_text(cell) == text


def test_beside_a_single_run_stands_the_spread_of_one():
    cell = {"reproduced": 24.34, "standard_error": 0.37, "run_sd": 2.65, "published": 29.0}
    cell |= {"digits": 0, "verdict": "agrees"}
    assert tables.cell_text(pd.Series(cell), of_one_run=True) == "24 ± 3 (29)"
    assert tables.cell_text(pd.Series(cell | {"run_sd": math.nan}), of_one_run=True) == "24 (29)"


def test_both_asterisks_stand_behind_their_numbers():
    cell = {"reproduced": 1.0, "standard_error": 0.0, "published": 0.93, "digits": 2}
    cell |= {"verdict": "not comparable", "mark": "*"}
    assert tables.cell_text(pd.Series(cell)) == "1.00* (0.93)"
    assert tables.cell_text(pd.Series(cell | {"published_mark": "*"})) == "1.00* (0.93*)"
    assert tables.cell_text(pd.Series(cell | {"mark": "", "published_mark": "*"})) == "1.00 (0.93*)"


def markdown_rows(text):
    """The cells of each line of the Markdown table, without the rule below the header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [
        [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
    ]
    assert re.fullmatch(r"[|:-]+", lines[1])
    return [rows[0], *rows[2:]]


@pytest.fixture
def written(tmp_path, make_published, make_reproduced):
    """A comparison table with every verdict: the CSV, the Markdown, the LaTeX."""
    published = make_published(
        [("f0, Simulation", "simulated", 3, [0.5, 0.25]), ("count", "computed", 0, [7214, 10])],
        ("n=1,000", "n=2,000"),
        title="Costs & benefits",
        remarks="The paper prints f0 as f_0.\n",
    )
    note = "a hypothesis could not be tested in 3 repeats"
    ours = make_reproduced(
        ("f0, Simulation", "n=1,000", 0.508, 0.0158, np.nan, note),
        ("count", "n=1,000", 7214),
        ("count", "n=2,000", 12),
    )
    comparison = compare(published, ours)
    tables.write_comparison_table(published, comparison, {}, tmp_path / "table.csv")
    return {ending: tmp_path / f"table.{ending}" for ending in ("csv", "md", "tex")}


def test_the_csv_of_a_comparison(written):
    frame = pd.read_csv(written["csv"])
    expected = pd.DataFrame(
        {
            "row": ["f0, Simulation", "count"],
            "n=1,000": [0.508, 7214],
            "n=1,000 (standard error)": [0.0158, 0],
            "n=1,000 (published)": [0.5, 7214],
            "n=2,000": [np.nan, 12],
            "n=2,000 (standard error)": [np.nan, 0],
            "n=2,000 (published)": [0.25, 10],
        }
    )
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_the_markdown_of_a_comparison(written):
    text = written["md"].read_text("utf-8")
    assert text.startswith("# Table 3: Costs & benefits\n\n")
    assert markdown_rows(text) == [
        ["row", "n=1,000", "n=2,000"],
        ["f0, Simulation", "0.508 ± 0.016 (0.500)", "– (0.250)"],
        ["count", "7,214 (7,214)", "12 (10) ≠"],
    ]
    note = text.splitlines()[-1]
    for words_of_the_note in (
        "f0, Simulation, n=1,000: a hypothesis could not be tested in 3 repeats.",
        "f0, Simulation, n=2,000: not part of this run.",
        "The paper prints f0 as f_0.",
        "Source: A made paper, Table III.",
        "≠ marks a cell that differs",
    ):
        assert words_of_the_note in note


def test_the_latex_of_a_comparison(written):
    text = written["tex"].read_text("utf-8")
    assert text.isascii()
    assert r"\caption{Table 3: Costs \& benefits}" in text
    assert r"f0, Simulation & 0.508 $\pm$ 0.016 (0.500) & -- (0.250) \\" in text
    assert r"count & 7,214 (7,214) & 12 (10) $\neq$ \\" in text
    assert r"f\_0" in text
    for name in ("table", "tabular"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") == 1
    assert text.rstrip().endswith(r"\end{table}")
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_a_note_on_every_cell_is_said_once(tmp_path, make_published, make_reproduced):
    published = make_published([("r", "input", 1, [1, 2])], ("a", "b"))
    comparison = compare(published, make_reproduced(("r", "a", 1), ("r", "b", 2)))
    tables.write_comparison_table(published, comparison, {}, tmp_path / "table.csv")
    text = (tmp_path / "table.md").read_text("utf-8")
    assert text.count("n input, taken from the paper.") == 1
    assert "r, a" not in text


PREPARED = {
    "german": {
        "counts": {"rows": 1000, "label": 700, "sensitive.sex": 690, "sensitive.age": 810},
        "label": {"one": "Good credit", "zero": "Bad credit"},
        "sensitive": {
            "sex": {"one": "Male", "zero": "Female"},
            "age": {"one": "Age > 25", "zero": "Age ≤ 25"},
        },
    }
}


@pytest.fixture
def table_4(tmp_path, shipped, make_reproduced, data_of):
    """Table IV, of which this run has one of two data sets."""
    published = shipped("comparative_separation/table_4")
    comparison = compare(published, make_reproduced(("German", "|X|", 1000)))
    stem = tmp_path / "table_4.csv"
    texts = fill_texts(published, data_of(published.name, datasets=PREPARED))
    tables.write_comparison_table(published, comparison, texts, stem)
    return {ending: tmp_path / f"table_4.{ending}" for ending in ("csv", "md", "tex")}


def test_columns_of_words_stand_beside_the_published_ones(table_4):
    text = table_4["md"].read_text("utf-8")
    assert "sex: Female (310); age: Age ≤ 25 (190) (Sex-Female; Age≤25)" in text
    assert "Good credit (700) (Good credit)" in text
    assert "– (Did not reoffended)" in text
    frame = pd.read_csv(table_4["csv"], index_col="row")
    assert frame.loc["German", "Class label, Y=0"] == "Bad credit (300)"
    assert pd.isna(frame.loc["Compas", "Class label, Y=0"])
    assert frame.loc["Compas", "|X| (published)"] == 7214


def test_a_bar_in_a_heading_does_not_break_the_markdown(table_4):
    rows = markdown_rows(table_4["md"].read_text("utf-8"))
    assert [len(row) for row in rows] == [6, 6, 6]
    assert rows[0][:2] == ["row", "|X|"]
    assert rows[2][:2] == ["German", "1,000 (1,000)"]


@pytest.fixture
def experiment(tmp_path, summary, estimates):
    tables.write_experiment_table(
        summary, estimates, tmp_path / "made.csv", title="Made & 100 % sure"
    )
    return {ending: tmp_path / f"made.{ending}" for ending in ("csv", "md", "tex")}


def test_the_csv_of_an_experiment_is_its_summary(experiment, summary):
    frame = pd.read_csv(experiment["csv"], keep_default_na=False, na_values=[""])
    rates = frame[frame["quantity"] == "violated"].drop(columns="quantity")
    expected = summary.rename(columns={"violated": "value"})[list(rates)]
    pd.testing.assert_frame_equal(rates, expected, check_dtype=False)
    (other,) = frame[frame["quantity"] != "violated"].itertuples()
    assert (other.test, other.quantity, other.value) == ("accuracy", "MAE", 1.25)


def test_the_markdown_of_an_experiment(experiment):
    text = experiment["md"].read_text("utf-8")
    assert text.startswith("# Made & 100 % sure\n")
    assert markdown_rows(text) == [
        ["row", "Compas, sex", "German, age"],
        ["None, Separation", "1.000 ± 0.000", "0.840 ± 0.012"],
        ["None, Comparative separation", "0.955 ± 0.007", "– ± –"],
        ["FairBalance, Separation", "0.250 ± 0.014", "0.240 ± 0.014"],
        ["FairBalance, Comparative separation", "0.310 ± 0.015", "0.000 ± 0.000"],
        ["None, MAE", "1.250 ± 0.010", ""],
    ]
    assert "1,000 repeats" in text.splitlines()[-1]


@pytest.fixture
def long(tmp_path):
    frame = pd.DataFrame(
        {
            "paper": ["a_b", "a_b"],
            "section": ["4.1.2", "4.1.2"],
            "z": [-1.23456789, np.nan],
            "p_adjusted": [0.000012345, 1.0],
            "note": ["", "50 % of {x}"],
        }
    )
    tables.write_long_table(frame, tmp_path / "long.csv", title="All")
    return frame, {ending: tmp_path / f"long.{ending}" for ending in ("csv", "md", "tex")}


def test_the_csv_of_a_long_table_has_all_digits(long):
    frame, files = long
    read = pd.read_csv(files["csv"], keep_default_na=False, na_values={"z": [""]})
    pd.testing.assert_frame_equal(read, frame, check_dtype=False)


def test_the_display_of_a_long_table_has_four_digits(long):
    _, files = long
    assert markdown_rows(files["md"].read_text("utf-8")) == [
        ["", "section", "z", "p_adjusted", "note"],
        ["a_b", "4.1.2", "-1.235", "1.234e-05", ""],
        ["a_b", "4.1.2", "", "1", "50 % of {x}"],
    ]
    text = files["tex"].read_text("utf-8")
    assert r"a\_b & 4.1.2 & -1.235 & 1.234e-05 &  \\" in text
    assert r"50 \% of \{x\}" in text


#: Characters that LaTeX does not read as they stand → how they are written.
SPECIAL = {
    **{character: rf"\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde", "^": r"\textasciicircum", "\\": r"\textbackslash",
    "≥": r"$\geq$", "≤": r"$\leq$", "Δ": r"$\Delta$", "→": r"$\to$", "−": "$-$",
    "±": r"$\pm$", "–": "--", "“": "``", "”": "''",
}  # fmt: skip


@pytest.mark.parametrize("character", SPECIAL)
def test_every_special_character_is_plain_latex(tmp_path, character):
    frame = pd.DataFrame({"first": ["x"], f"a{character}b": [f"c{character}d"]})
    tables.write_long_table(frame, tmp_path / "t.csv", title=f"e{character}f")
    text = (tmp_path / "t.tex").read_text("utf-8")
    assert text.isascii()
    for start in "ace":
        assert f"{start}{SPECIAL[character]}" in text


def test_the_experiment_in_words_keeps_each_test_apart(summary, estimates):
    """Tests that differ in how pairs are taken have names that say so."""
    tests = [*TESTS, "separation", "comparative_separation"]
    many = pd.concat([summary[summary["test"] == "separation"].assign(test=test) for test in tests])
    table = tables.experiment_display_table(many, estimates.iloc[:0])
    assert table.shape == (2 * len(tests), 2)
    assert list(table.index[: len(tests)]) != list(table.index[len(tests) :])
    assert (table != "").all(axis=None)


def test_a_number_that_two_tests_have_names_its_test(summary, estimates):
    accuracy = estimates[estimates["test"] == "accuracy"]
    both = pd.concat([accuracy, accuracy.assign(test="my_test", mean=7.0)])
    table = tables.experiment_display_table(summary.iloc[:0], both)
    assert list(table.index) == ["None, Accuracy: MAE", "None, My test: MAE"]
    assert table.to_numpy().tolist() == [["1.250 ± 0.010"], ["7.000 ± 0.010"]]


def test_the_names_of_tests_are_of_tests_and_differ():
    tests = known("tests")
    assert set(TESTS) <= set(tests)
    assert len({label(test) for test in tests}) == len(tests)
