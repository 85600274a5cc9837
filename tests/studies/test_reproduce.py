"""What a published table is reproduced from, whatever its study."""

import importlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.published.cells import by, printed_values, reproduced
from fairpairs.studies.reproduce import reproduce_texts

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    f"{path.parent.name}/{path.stem}" for path in (ROOT / "config/published").glob("*/*.yaml")
)
STUDIES = sorted({name.split("/")[0] for name in SHIPPED})


def test_a_cell_is_cleared_of_rounding_and_negative_zeros():
    assert reproduced(0.1 + 0.2)["reproduced"] == 0.3
    zero = reproduced(-1e-17)["reproduced"]
    assert zero == 0
    assert not np.signbit(zero)
    cell = reproduced(0.25, 0.01, runs=50, note="few")
    assert {k: cell[k] for k in ("standard_error", "runs", "note")} == {
        "standard_error": 0.01,
        "runs": 50,
        "note": "few",
    }
    assert np.isnan(cell["run_sd"])


def test_rows_are_looked_up_by_their_keys():
    frame = pd.DataFrame({"a": ["x", "x"], "b": ["y", "z"], "value": [1, 2]})
    assert by(frame, "a", "b") == {("x", "y"): {"value": 1}, ("x", "z"): {"value": 2}}


def test_printed_numbers_are_looked_up_by_a_part_of_their_key(shipped):
    cells = shipped("density_ratio/table_4").cells
    assert printed_values(cells, interval="3 - 3.9", second="kernel_polynomial") == [-0.21]
    assert len(printed_values(cells, interval="3 - 3.9")) == 5
    assert printed_values(cells, interval="3 - 3.9", dataset="compas") == []


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
    assert not any(reproduce_texts(shipped(table), data_of(table)).values())


@pytest.mark.parametrize("study", STUDIES)
def test_only_tables_with_texts_have_functions_for_them(shipped, study):
    module = importlib.import_module(f"fairpairs.studies.{study}.cells")
    assert set(getattr(module, "TEXTS", {})) == {
        number for number in module.CELLS if len(shipped(f"{study}/{number}").texts)
    }
