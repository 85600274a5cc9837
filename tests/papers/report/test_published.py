"""Published tables as the report shows them."""

import re

import pandas as pd
import pytest

from fairpairs.base.files import write_parquet
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.report.report import fewer_repeats, position, reasons, shown_table, total

ROWS = [
    ("f1", "simulated", 4, [0.4772, 0.1]),
    ("f2", "computed", 2, [0.47, None]),
    ("f3", "input", 3, [0.22, 0.3]),
]


@pytest.fixture
def show(tmp_path, make_published, make_reproduced):
    """A function that shows the rows of a table, with our cells."""

    def show(rows, *cells):
        published = make_published(rows, ("a", "b"))
        comparison = compare(published, make_reproduced(*cells))
        write_parquet(tmp_path / f"comparisons/{published.name}.parquet", comparison)
        return shown_table(published, tmp_path)

    return show


def test_a_table_has_every_cell_with_its_verdict(show):
    table = show(ROWS, ("f1", "a", 0.9, 0.01), ("f1", "b", 0.1, 0.01), ("f2", "a", 0.47, 0.0))
    assert table["cells"]["f1", "a"]["text"] == "0.9000 ± 0.0100 (0.4772) ≠"
    assert table["cells"]["f1", "a"]["verdict"] == "differs"
    assert re.fullmatch(r"z = 2.*", table["cells"]["f1", "a"]["title"])
    assert table["cells"]["f2", "a"] == {
        "text": "0.47 (0.47)", "verdict": "agrees", "title": ""
    }  # fmt: skip
    assert table["cells"]["f2", "b"]["text"] == "–"  # where the paper has none
    assert [(cell["row"], cell["column"]) for cell in table["differing"]] == [("f1", "a")]
    assert table["tally"] == {"agrees": 2, "differs": 1, "not comparable": 2}
    assert (table["study"], table["id"]) == (
        "comparative_separation", "comparative_separation-table_3"
    )  # fmt: skip


def test_a_note_is_said_once_with_its_cells(show):
    assert show(ROWS, ("f1", "a", 0.47, 0.01))["notes"] == {
        "not part of this run": ["f1, b", "f2, a", "f3, a", "f3, b"]
    }
    alone = show([ROWS[2]], ("f3", "a", 0.22, 0.0), ("f3", "b", 0.3, 0.0))
    assert alone["notes"] == {"an input, taken from the paper": ["Every cell"]}


def test_cells_without_a_verdict_are_counted_by_reason(show):
    input_only = show([ROWS[2]], ("f3", "a", 0.22, 0.0))
    redone = show([("f4", "redone", 2, [0.1, 0.2])], ("f4", "a", 0.5, 0.0), ("f4", "b", 0.2, 0.0))
    assert reasons([input_only, redone]) == [
        "cells redone with our own choices, since the paper does not give what they rest on (2)",
        "inputs that the paper gives (1)",
        "cells that are not part of this run (1)",
    ]
    computed = [show([ROWS[1]], ("f2", "a", value, 0.0)) for value in (0.47, 0.5)]
    assert reasons(computed) == []
    assert total(computed) == {"agrees": 1, "differs": 1, "not comparable": 0}


def test_the_columns_of_text_stand_beside_the_numbers(tmp_path, shipped, make_reproduced):
    published = shipped("comparative_separation/table_4")
    write_parquet(
        tmp_path / f"comparisons/{published.name}.parquet", compare(published, make_reproduced())
    )
    columns = list(dict.fromkeys(published.texts["column"]))
    rows = list(dict.fromkeys(published.texts["row"]))
    ours = pd.DataFrame(index=pd.Index(rows, name="row"), columns=columns, dtype=object)
    ours.iloc[0, 0] = "ours"
    (tmp_path / "tables/comparative_separation").mkdir(parents=True)
    ours.to_csv(tmp_path / f"tables/{published.name}.csv")
    table = shown_table(published, tmp_path)
    assert table["columns"] == [*published.columns, *columns]
    assert table["cells"][rows[0], columns[0]]["text"].startswith("ours (")
    assert table["cells"][rows[1], columns[0]]["text"].startswith("– (")


def test_the_tables_stand_in_the_order_of_the_paper(shipped):
    names = [*(f"table_{i}" for i in (5, 4, 3, 2, 1)), "section_4_1_2"]
    tables = [shipped(f"comparative_separation/{name}") for name in names]
    assert [table.heading for table in sorted(tables, key=position)] == [
        *("Table 1", "Table 2", "Table 3", "Section 4.1.2", "Table 4", "Table 5")
    ]


@pytest.mark.parametrize(
    ("repeats", "expected"),
    [(1000, []), (2000, []), (None, []), (999, ["Table 3: 999 repeats where the paper has 1,000"])],
)
def test_repeats_are_compared_with_the_runs_of_the_paper(make_published, repeats, expected):
    table = make_published(ROWS[:1], ("a", "b"))
    assert fewer_repeats([table], {table.name: repeats}) == expected
    assert fewer_repeats([table], {}) == []
