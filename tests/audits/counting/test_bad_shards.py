"""Shards that are empty, cut or of one row: nothing is lost, or one sentence says what is."""

import gzip
import json

import pandas as pd
import pytest

from fairpairs.audits.audit.audit import audit_file
from fairpairs.audits.counting.counts_file import count_files
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError

ROLES = {"label": "y", "prediction": "p", "sensitive": ["g"]}
ITEMS = pd.DataFrame(
    [{"y": i % 2, "p": i // 2 % 2, "s": i / 80, "g": "ab"[i // 4 % 2]} for i in range(80)]
)
WRITE = {
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "csv": lambda frame, path: frame.to_csv(path, index=False),
}


def lines(*paths, **roles):
    return audit_file(list(paths), **roles).to_frame()


@pytest.mark.slow
@pytest.mark.parametrize("ending", WRITE)
@pytest.mark.parametrize("roles", [ROLES, ROLES | {"score": "s"}])
def test_a_shard_without_rows_counts_nothing(tmp_path, ending, roles):
    counts = []
    for name, frame in (("none", ITEMS[:0]), ("one", ITEMS[:30]), ("two", ITEMS[30:])):
        path = tmp_path / f"{name}.{ending}"
        WRITE[ending](frame, path)
        counts.append(path.with_suffix(".counts"))
        assert count_files([path], counts[-1], **roles) == len(frame)
    rows = tmp_path / f"rows.{ending}"
    WRITE[ending](ITEMS, rows)
    pd.testing.assert_frame_equal(lines(*counts), lines(rows, **roles))
    assert count_files(counts, tmp_path / "all.counts", **roles) == 80
    with pytest.raises(InputError, match="no rows"):
        audit_file(counts[:1])


def test_no_shard_of_a_folder_is_lost(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"y": 1, "g": "f"}\n')
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(b'{"y": 0, "g": "m"}\n'))
    assert len(Rows.of_files([tmp_path])) == 2
    (tmp_path / "c.tsv").write_text("y\tg\n1\tf\n")
    with pytest.raises(InputError, match=r"c\.tsv is CSV: give files of one kind"):
        Rows.of_files([tmp_path])


def test_a_shard_of_one_row_in_json_is_not_lost(tmp_path):
    records = ITEMS.to_dict("records")
    parts = {"one.jsonl": records[:1], "others.jsonl": records[1:]}
    for name, some in parts.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, some)), "utf-8")
    result = audit_file([tmp_path / name for name in parts], **ROLES)
    assert result.about["items"] == 80
