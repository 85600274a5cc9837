import importlib
from pathlib import Path

import pandas as pd
import pytest

from fairpairs import InputError
from fairpairs.papers.published.table import CELL, read_published

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(
    f"{path.parent.name}/{path.stem}" for path in (ROOT / "config/published").glob("*/*.yaml")
)


AUTHORS = {
    "comparative_separation": "Xi, Capak, Stockwell and Yu",
    "density_ratio": "Almajed, Tabar and Najafirad",
    "differential_parity": "Yu and Xi",
    "fairbalance": "Yu, Chakraborty and Menzies (2024)",
    "rejected_dialects": "Mire et al.",
    "xauc": "Kallus and Zhou",
}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_table_is_valid(shipped, name):
    table = shipped(name)
    assert table.name == name
    assert list(table.cells) == [*CELL, "published_mark", "key"]
    assert not table.cells[["row", "column"]].duplicated().any()
    assert table.spec["source"].startswith(AUTHORS[table.study])
    if (table.cells["kind"] == "simulated").any():
        assert table.spec["runs"] in (1, 10, 30, 50, 1000, 10_000)
    if (table.cells["kind"] == "impossible").any():
        assert "is impossible" in table.spec["remarks"]
    for published, digits in table.cells[["published", "digits"]].itertuples(index=False):
        assert round(published, digits) == published
    for _, texts in table.texts.groupby("column"):
        assert list(texts["row"]) == list(dict.fromkeys(table.cells["row"]))


def test_every_shipped_table_can_be_reproduced(shipped):
    for study in AUTHORS:
        names = {name for name in SHIPPED if name.startswith(f"{study}/")}
        if study == "fairbalance":  # of measures of its experiment, by keys
            assert {shipped(name).source.experiments for name in names} == {(study,)}
            continue
        cells = importlib.import_module(f"fairpairs.papers.studies.{study}.cells")
        assert {f"{study}/{number}" for number in cells.CELLS} == names


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
        ([ROW], {"texts": [{"name": "a", "key": {}, "values": {"r": "x"}}]},
         ("two columns are called `a`",)),
        ([ROW], {"texts": [{"name": "title", "key": {}, "values": {"rr": "x"}}]},
         ("`title` has a text for the row `rr`", "did you mean `r`?")),
        ([ROW], {"key": {"cap": 0}, "columns": ["b", {"name": "a", "key": {"cap": 1}}]},
         ("the key of the cell (r; a) has `cap` twice", "leave it out")),
    ],
)  # fmt: skip
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
