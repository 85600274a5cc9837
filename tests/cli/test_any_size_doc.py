"""any-size.md: its blocks run in order; rows, shards and the warehouse give one audit."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.cli.doc_pages import run_pages

pytestmark = [
    pytest.mark.slow,
    # ibis calls DuckDB by names of before
    pytest.mark.filterwarnings("ignore:.*is deprecated, use to_arrow:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("doc")


@pytest.fixture(scope="module")
def blocks(folder):
    return run_pages(["how-to/any-size.md"], folder)


def test_the_python_of_the_page_gives_what_stands_there(blocks):
    assert not any(block.out for block in blocks if block.kind == "python")


@pytest.mark.parametrize("out", ["from_shards", "from_warehouse"])
def test_counts_give_the_lines_of_the_rows(blocks, folder, out):
    for name in ("audit.csv", "rates.csv"):
        assert (folder / out / name).read_bytes() == (folder / "report" / name).read_bytes()


def test_shards_and_the_warehouse_have_the_same_counts(blocks, folder):
    every = pd.concat(pq.read_table(folder / f"day{day}.counts").to_pandas() for day in (1, 2, 3))
    keys = [name for name in every if name != "count"]
    counts = pq.read_table(folder / "all.counts").to_pandas()
    assert counts["count"].sum() == 300_000
    pd.testing.assert_frame_equal(
        every.groupby(keys, as_index=False).sum(), counts.groupby(keys, as_index=False).sum()
    )
