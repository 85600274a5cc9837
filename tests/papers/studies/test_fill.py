"""Every published table, from a run that has nothing of it."""

import math
from pathlib import Path

import pytest

from fairpairs import InputError
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.studies.fill import fill_cells, fill_texts

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(
    f"{path.parent.name}/{path.stem}" for path in (ROOT / "config/published").glob("*/*.yaml")
)
STUDIES = sorted({name.split("/")[0] for name in SHIPPED})


@pytest.mark.parametrize("table", SHIPPED)
def test_a_table_of_which_the_run_has_nothing_has_the_columns_and_no_row(
    shipped, data_of, reproduced_from, table
):
    frame = reproduced_from(table)
    # but for what follows from printed cells
    assert frame.empty == (not shipped(table).source.published)
    assert {column: str(kind) for column, kind in frame.dtypes.items() if column not in
            ("row", "column", "note", "mark")} == dict.fromkeys(
        ("reproduced", "standard_error", "run_sd", "runs", "z"), "float64")  # fmt: skip
    assert not any(fill_texts(shipped(table), data_of(table)).values())


def test_a_table_for_which_its_study_has_no_function(make_published):
    table = make_published([("r", "computed", 1, [1])], name="comparative_separation/table_99")
    data = SourceData(table.cells, settings={"simulation": {}})
    with pytest.raises(InputError, match=r"cells\.py: `CELLS` has no function for table_99: add"):
        fill_cells(table, data)


@pytest.fixture
def fill(tmp_path, make_published):
    """Fill a table of a user's own study: `fill(what table_3 of its cells.py does)`."""

    def fill(code):
        table = make_published(
            [("r", "computed", 1, [1])], ({"name": "ours", "key": {"size": 3}},), name="own/table_3"
        )
        head = "from fairpairs.papers.published.cells import reproduced, values_of\n"
        folder = tmp_path / "own"
        (folder / "cells.py").write_text(f"{head}CELLS = {{'table_3': {code}}}\n", "utf-8")
        return table, fill_cells(table, SourceData(table.cells, settings={"a": 1}), folder)

    return fill


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("lambda data: lambda key: reproduced(*values_of(key, ['test']))",
         "the key lacks test: add it to the row, column or table."),
        ("lambda data: lambda key: key['group']", "(KeyError: 'group'): correct"),
        ("lambda data: lambda key: 1 / 0", "(ZeroDivisionError: division by zero): correct"),
        ("lambda data: lambda key: 0.5", "the function returns 0.5: return `reproduced(…)` of"),
        ("lambda data: lambda key: {}", "the function returns {}: return `reproduced(…)` of"),
    ],
)  # fmt: skip
def test_a_cell_that_cannot_be_filled_is_named_in_a_sentence(fill, code, words):
    with pytest.raises(InputError) as error:
        fill(code)
    assert "own/cells.py: CELLS of " in str(error.value)
    assert "own/table_3.yaml: the cell (r; ours) with the key {'size': 3}: " in str(error.value)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("lambda data: None", "the function returns None: return a function from the key"),
        ("lambda data: data.results['x']", "TypeError: 'NoneType' object is not subscriptable"),
    ],
)
def test_a_function_of_a_table_that_fails_is_named_with_the_table(fill, code, words):
    with pytest.raises(InputError, match=r"own/table_3\.yaml: ") as error:
        fill(code)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("lambda data: lambda key: reproduced(float('nan'))", "cannot be computed"),
        ("lambda data: lambda key: reproduced(float('nan'), note='no pairs')", "no pairs"),
        ("lambda data: lambda key: None", "not part of this run"),
    ],
)
def test_a_number_that_cannot_be_computed_is_told_from_one_that_the_run_lacks(fill, code, note):
    table, cells = fill(code)
    row = compare(table, cells).iloc[0]
    assert math.isnan(row["reproduced"])
    assert (row["verdict"], row["note"]) == ("not comparable", note)
