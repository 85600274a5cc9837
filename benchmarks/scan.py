"""Read columns of a Parquet file by DuckDB, as Arrow batches, and print the seconds of the query.

No program that looks at every value can take less, so an audit is compared with it.
"""

import json
import sys

import duckdb
from processes import seconds

#: Rows of a batch, as the audit takes them.
BATCH = 2**17


def scan(path: str, columns: list[str]) -> None:
    """Read the columns once."""
    with duckdb.connect(config={"preserve_insertion_order": False}) as connection:
        relation = connection.read_parquet(path).select(*columns)
        for _ in relation.to_arrow_reader(BATCH):
            pass


if __name__ == "__main__":
    print(json.dumps({"seconds": seconds(lambda: scan(sys.argv[1], sys.argv[2:]))}))
