"""What each tool's script prints: the rates of every group, as one line of JSON.

These scripts run in the environment of their tool, so they import nothing of FairPairs.
"""

import json
import sys

import pandas as pd

ATTRIBUTES = ("sex", "race")


def items():
    """Return labels, predictions and attributes of the Parquet file that is named."""
    return pd.read_parquet(sys.argv[1], columns=["y", "yhat", *ATTRIBUTES])  # noqa: TID251


def show(version, rates):
    """Print {attribute: {group: {"selection rate", "TPR", "FPR"}}} and the version of the tool."""
    print(json.dumps({"version": version, "rates": rates}))
