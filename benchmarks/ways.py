"""Plain ways to what an audit does, each in a process: `ways.py scan FILE COLUMN…`, or `fairlearn`.

The scan is a query of DuckDB that reads columns as Arrow batches: no program that looks at every
value can take less. Fairlearn's are the rates of each group and their differences, without tests.
"""

import json
import sys

from processes import seconds


def scan(path: str, *columns: str) -> None:
    """Read columns of a Parquet file once, in batches as the audit takes them."""
    import duckdb

    with duckdb.connect(config={"preserve_insertion_order": False}) as connection:
        for _ in connection.read_parquet(path).select(*columns).to_arrow_reader(2**17):
            pass


def fairlearn(path: str, label: str, prediction: str, *attributes: str) -> None:
    """Measure three rates by group, of each attribute."""
    import pandas as pd
    from fairlearn import metrics

    data = pd.read_parquet(path, columns=[label, prediction, *attributes])  # noqa: TID251
    rates = {
        name: getattr(metrics, name)
        for name in ("selection_rate", "true_positive_rate", "false_positive_rate")
    }
    for name in attributes:
        metrics.MetricFrame(
            metrics=rates, y_true=data[label], y_pred=data[prediction],
            sensitive_features=data[name],
        ).difference()  # fmt: skip


if __name__ == "__main__":
    _, way, *words = sys.argv
    work = {"scan": scan, "fairlearn": fairlearn}[way]
    print(json.dumps({"seconds": seconds(lambda: work(*words))}))
