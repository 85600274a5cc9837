import importlib
from pathlib import Path

import pandas as pd
import pytest

from fairpairs import InputError
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.table import CELL, read_published

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(
    f"{path.parent.name}/{path.stem}" for path in (ROOT / "config/published").glob("*/*.yaml")
)
CELLS = {
    "comparative_separation/table_1": 32,
    "comparative_separation/table_2": 16,
    "comparative_separation/table_3": 32,
    "comparative_separation/table_4": 2,
    "comparative_separation/table_5": 24,
    "comparative_separation/table_6": 12,
    "comparative_separation/table_7": 3,
    "comparative_separation/table_8": 10,
    "comparative_separation/section_4_1_2": 12,
    "density_ratio/section_5": 5,
    "density_ratio/section_5_1": 2 * 4 + 1,
    "density_ratio/section_5_2": 3 * 3 + 3,
    **{f"density_ratio/table_{number}": 3 * 3 * 20 for number in (1, 8)},
    # of 3 x 3 x 42 some are printed as nan
    **{f"density_ratio/table_{number}": 326 for number in (2, 9)},
    **{f"density_ratio/table_{number}": 4 * 20 for number in (3, 5, 10, 11)},
    **{f"density_ratio/table_{number}": 4 * 5 for number in (4, 12)},
    **{f"density_ratio/table_{number}": 2 * 20 for number in (6, 7, 13, 14)},
    "differential_parity/section_4": 2 * 6,
    "differential_parity/table_2": 6,
    "differential_parity/table_3": 4 * 5 * 2 * 8,
    "rejected_dialects/table_1": 17 * 2,
    "rejected_dialects/table_2": 17,
    "rejected_dialects/table_3": 17 * 2,
    "xauc/section_5": 4 * 2,
    "xauc/section_5_1": 2,
    "xauc/section_6": 1,
    "xauc/table_1": 80,
}


def text_of(name):
    return (ROOT / f"config/published/{name}.yaml").read_text("utf-8")


AUTHORS = {
    "comparative_separation": "Xi, Capak, Stockwell and Yu",
    "density_ratio": "Almajed, Tabar and Najafirad",
    "differential_parity": "Yu and Xi",
    "rejected_dialects": "Mire et al.",
    "xauc": "Kallus and Zhou",
}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_table_is_valid(shipped, name):
    table = shipped(name)
    assert table.name == name
    assert list(table.cells) == [*CELL, "published_mark", "key"]
    assert len(table.cells) == CELLS[name]
    assert not table.cells[["row", "column"]].duplicated().any()
    assert table.spec["source"].startswith(AUTHORS[table.study])
    if (table.cells["kind"] == "simulated").any():
        assert table.spec["runs"] in (1, 10, 50, 1000, 10_000)


def test_every_shipped_table_can_be_reproduced():
    assert set(SHIPPED) == set(CELLS)
    for study in AUTHORS:
        cells = importlib.import_module(f"fairpairs.papers.studies.{study}.cells")
        assert {f"{study}/{number}" for number in cells.CELLS} == {
            name for name in SHIPPED if name.startswith(f"{study}/")
        }


@pytest.mark.parametrize("name", SHIPPED)
def test_a_printed_number_has_no_more_digits_than_it_says(shipped, name):
    cells = shipped(name).cells
    for published, digits in cells[["published", "digits"]].itertuples(index=False):
        assert round(published, digits) == published


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != "x"])
def test_what_is_printed_in_words_has_every_row(shipped, name):
    table = shipped(name)
    for _, texts in table.texts.groupby("column"):
        assert list(texts["row"]) == list(dict.fromkeys(table.cells["row"]))


@pytest.mark.parametrize(
    ("name", "row", "column", "published", "digits", "kind"),
    [
        ("table_1", "P(C=1, Y=0, A=0)", "f1", 0.121, 3, "input"),
        ("table_1", "P(C=0, Y=1, A=0)", "f3", 0.025, 3, "input"),
        ("table_2", "TPR(1,1)-TPR(0,0)", "f3", -0.120, 3, "computed"),
        ("table_2", "FPR(A=1)-FPR(A=0)", "f3", 0.103, 3, "computed"),
        ("table_3", "f0, Expected", "Separation, n=2,000", 0.0975, 4, "computed"),
        ("table_3", "f1, Simulation", "Separation, n=2,000", 0.7349, 4, "simulated"),
        ("table_3", "f3, Simulation", "Comparative separation, np=4,000", 0.9811, 4, "simulated"),
        ("table_4", "Compas", "|X|", 7214, 0, "computed"),
        ("table_5", "None, Separation", "German, sex", 0.523, 3, "simulated"),
        ("table_5", "Reweighing, Separation", "Compas, race", 0.642, 3, "simulated"),
        (
            *("section_4_1_2", "variance of TPR(1,0)"),
            *("Simulation, n=2,000 or np=4,000", 0.00041, 5, "simulated"),
        ),
        ("table_6", "JSW-2478", "story point R", 13, 0, "computed"),
        ("table_7", "Jira", "A=0 external", 157, 0, "computed"),
        ("table_8", "Treatment None", "Comparative separation", 0.334, 3, "simulated"),
        ("table_8", "Treatment FairReweighing", "I_sep", 0.006, 3, "simulated"),
        ("section_4_1_2", "mean of TPR(A=1)", "Expected", 0.8, 1, "computed"),
    ],
)
def test_some_numbers_of_the_paper(shipped, name, row, column, published, digits, kind):
    cells = shipped(f"comparative_separation/{name}").cells.set_index(["row", "column"])
    assert tuple(cells.loc[(row, column)].drop("key")) == (published, digits, kind, "")


def test_table_1_holds_distributions_with_the_rates_of_the_paper(shipped):
    cells = shipped("comparative_separation/table_1").cells
    wide = cells.pivot(index="row", columns="column", values="published")
    for column in wide:
        assert wide[column].sum() == pytest.approx(1)
    f0 = wide["f0"]
    tpr = f0["P(C=1, Y=1, A=1)"] / (f0["P(C=1, Y=1, A=1)"] + f0["P(C=0, Y=1, A=1)"])
    assert tpr == pytest.approx(0.8)


def test_a_value_digits_and_kind_may_be_given_for_the_row_or_for_each_column(make_published):
    table = make_published(
        [("r", "computed", 2, [1, 2.5]), ("s", ["input", "simulated"], [0, 3], [3, 0.125])],
        ("a", "b"),
    )
    expected = pd.DataFrame(
        {
            "row": ["r", "r", "s", "s"],
            "column": ["a", "b", "a", "b"],
            "published": [1, 2.5, 3, 0.125],
            "digits": [2, 2, 0, 3],
            "kind": ["computed", "computed", "input", "simulated"],
            "published_mark": "",
            "key": [{}] * 4,
        }
    )
    pd.testing.assert_frame_equal(table.cells, expected)
    assert table.name == "comparative_separation/table_3"
    assert "rows" not in table.spec
    assert table.heading == "Table 3"


def test_a_number_may_have_an_asterisk(make_published):
    cells = make_published([("r", "redone", 2, ["-0.93*", 0.5, "1*"])], ("a", "b", "c")).cells
    assert list(cells["published"]) == [-0.93, 0.5, 1]
    assert list(cells["published_mark"]) == ["*", "", "*"]


@pytest.mark.parametrize("name", [name for name in SHIPPED if "impossible" in text_of(name)])
def test_what_is_impossible_is_explained(shipped, name):
    table = shipped(name)
    assert "is impossible" in table.spec["remarks"]


def test_numbers_of_the_text_are_of_a_section(make_published):
    table = make_published([("r", "input", 0, [1])], section="4.1.2", drop=("table",))
    assert table.heading == "Section 4.1.2"


ROW = ("r", "computed", 1, [1, 2])


@pytest.mark.parametrize(
    ("rows", "about", "words"),
    [
        ([("r", "computed", 1, [1])], {}, ("`r`", "2 values, one per column")),
        ([("r", "computed", 1, [1, 2, 3])], {}, ("`r`", "2 values, one per column")),
        ([ROW, ("s", "computed", [1], [1, 2])], {}, ("`s`", "2 values, one per column")),
        ([("r", ["input"], 1, [1, 2])], {}, ("`r`", "2 values, one per column")),
        ([("r", "guessed", 1, [1, 2])], {}, ("rows.0.kind", "guessed")),
        ([("r", "computed", 1, ["x", 2])], {}, ("rows.0.values.0", "'x'")),
        ([("r", "computed", 1, ["0.9 *", 2])], {}, ("rows.0.values.0", "'0.9 *'")),
        ([ROW], {"drop": ("source",)}, ("`source` is missing", "where exactly")),
        ([ROW], {"drop": ("from",)}, ("`from` is missing", "the part of a run that reproduces it")),
        ([ROW], {"sourse": "x"}, ("unknown key `sourse`", "did you mean `source`?")),
        ([ROW], {"paper": "another"}, ("unknown key `paper`",)),
        ([ROW, ROW], {}, ("two rows are called `r`", "rename or drop one")),
        ([ROW], {"columns": ["a", "a"]}, ("two columns are called `a`", "rename or drop one")),
        (
            [ROW],
            {"texts": [{"name": "a", "key": {}, "values": {"r": "x"}}]},
            ("two columns are called `a`",),
        ),
        (
            [ROW],
            {"texts": [{"name": "title", "key": {}, "values": {"rr": "x"}}]},
            ("`title` has a text for the row `rr`", "did you mean `r`?"),
        ),
        (
            [ROW],
            {"key": {"cap": 0}, "columns": ["b", {"name": "a", "key": {"cap": 1}}]},
            ("the key of the cell (r; a) has `cap` twice", "leave it out"),
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_explained(write_published, schema, rows, about, words):
    path = write_published(rows, **{"columns": ("a", "b"), **about})
    with pytest.raises(InputError) as error:
        read_published(path, schema)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    for word in words:
        assert word in message


def test_a_table_is_in_a_table_or_in_the_text(write_published, schema):
    for about in ({"drop": ("table",)}, {"section": "4.1.2"}):
        with pytest.raises(InputError):
            read_published(write_published([ROW], ("a", "b"), **about), schema)


def test_a_file_that_is_missing_or_no_yaml_is_explained(tmp_path, schema):
    with pytest.raises(InputError, match=r"nothing\.yaml: there is no such file"):
        read_published(tmp_path / "nothing.yaml", schema)
    (tmp_path / "bad.yaml").write_text("rows: [1, 2", "utf-8")
    with pytest.raises(InputError, match=r"bad\.yaml: not valid YAML"):
        read_published(tmp_path / "bad.yaml", schema)


def test_a_simulated_cell_without_a_number_of_runs_is_refused_or_not_judged(
    write_published, schema, make_reproduced
):
    """Without `runs` there is no standard error of the published number, so no z."""
    path = write_published([("r", "simulated", 3, [0.5])], drop=("runs",))
    try:
        table = read_published(path, schema)
    except InputError as error:
        assert "runs" in str(error)
        return
    cells = compare(table, make_reproduced(("r", "ours", 0.5, 0.01)))
    assert cells["verdict"].item() != "differs"


def test_a_key_is_that_of_the_table_the_row_and_the_column(make_published):
    rows = [("r", "computed", 1, [1, 2])]
    columns = ({"name": "a", "key": {"dataset": "compas"}}, "b")
    texts = [{"name": "title", "key": {"role": "label"}, "values": {"r": "x"}}]
    table = make_published(rows, columns, key={"cap": 0}, texts=texts)
    assert list(table.cells["key"]) == [{"cap": 0, "dataset": "compas"}, {"cap": 0}]
    assert list(table.texts["key"]) == [{"cap": 0, "role": "label"}]
    assert list(table.texts["published"]) == ["x"]
    assert table.columns == ["a", "b"]
    assert (table.study, table.number) == ("comparative_separation", "table_3")
