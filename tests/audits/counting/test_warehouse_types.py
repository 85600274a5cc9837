"""Results of a GROUP BY with the types that warehouses write: the lines are those of the rows."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairpairs.audits.audit.read import audit_file
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.base.errors import InputError

ROLES = {"label": "y", "prediction": "p", "score": "s", "sensitive": ["g"]}
ITEMS = pd.DataFrame(
    [{"y": i % 2, "p": i // 3 % 2, "s": i % 50 / 50, "g": "ab"[i // 4 % 2]} for i in range(400)]
)
#: What a warehouse may write → the type of each column that is not that of the rows.
TYPES = {
    "Snowflake, NUMBER": {
        "y": pa.decimal128(38, 0), "p": pa.decimal128(38, 0), "s": pa.decimal128(38, 9),
        "count": pa.decimal128(38, 0),
    },
    "small integers": {"y": pa.int8(), "p": pa.uint8(), "count": pa.int32()},
    "dictionaries": {"g": pa.dictionary(pa.int32(), pa.large_string())},
    "a count as a float": {"count": pa.float64()},
}  # fmt: skip


def write_groups(path: Path, **types):
    groups = ITEMS.groupby(list(ITEMS)).size().reset_index(name="count")
    table = pa.Table.from_pandas(groups, preserve_index=False)
    for name, kind in types.items():
        place = table.schema.get_field_index(name)
        values = table[name].combine_chunks()
        cast = values.dictionary_encode() if pa.types.is_dictionary(kind) else values
        table = table.set_column(place, name, cast.cast(kind))
    pq.write_table(table, path)


@pytest.mark.slow
@pytest.mark.parametrize("types", TYPES.values(), ids=TYPES)
def test_groups_of_a_warehouse_give_the_lines_of_the_rows(tmp_path, types):
    rows, groups, counts = (tmp_path / name for name in ("r.parquet", "g.parquet", "g.counts"))
    ITEMS.to_parquet(rows)
    write_groups(groups, **types)
    assert count_files([groups], counts, **ROLES, weight="count") == len(ITEMS)
    expected = audit_file(rows, **ROLES).to_frame()
    pd.testing.assert_frame_equal(audit_file(counts).to_frame(), expected)


@pytest.mark.slow
def test_counts_that_are_no_whole_numbers_are_refused(tmp_path):
    path = tmp_path / "shares.csv"
    groups = ITEMS.groupby(list(ITEMS)).size().reset_index(name="count")
    groups.assign(count=groups["count"] / len(ITEMS)).to_csv(path, index=False)
    with pytest.raises(InputError, match="column `count` must hold counts, whole numbers"):
        count_files([path], tmp_path / "x.counts", **ROLES, weight="count")
    assert [file.name for file in tmp_path.iterdir()] == ["shares.csv"]


@pytest.mark.slow
def test_how_counts_are_read_is_reported_once(tmp_path):
    path = tmp_path / "groups.csv"
    groups = ITEMS.groupby(list(ITEMS)).size().reset_index(name="count")
    groups.assign(count="1,000.0").to_csv(path, index=False)
    result = audit_file(path, **ROLES, weight="count", weight_kind="frequency")
    assert result.about["checks"] == ["Column `count`: 1,000.0 is read as 1000.0."]
