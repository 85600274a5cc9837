"""Every published table, from a run that has nothing of it."""

import importlib
from pathlib import Path

import pytest

from fairpairs import InputError
from fairpairs.published.source import SourceData
from fairpairs.studies.fill import fill_cells, fill_texts

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize("study", STUDIES)
def test_only_tables_with_texts_have_functions_for_them(shipped, study):
    module = importlib.import_module(f"fairpairs.studies.{study}.cells")
    assert set(getattr(module, "TEXTS", {})) == {
        number for number in module.CELLS if len(shipped(f"{study}/{number}").texts)
    }


def test_a_table_for_which_its_study_has_no_function(make_published):
    table = make_published([("r", "computed", 1, [1])], name="comparative_separation/table_99")
    data = SourceData(table.cells, settings={"simulation": {}})
    with pytest.raises(InputError, match=r"cells\.py: `CELLS` has no function for table_99: add"):
        fill_cells(table, data)
