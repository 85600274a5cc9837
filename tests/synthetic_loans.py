"""A small synthetic data set."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from fairpairs.base.files import write_text
from fairpairs.base.plain_values import Record


def synthetic_loans(n: int) -> pd.DataFrame:
    """Generate loans: whether they were repaid, by women and men of two regions.

    Only whole numbers and short texts, so that the bytes of the CSV are the same on every machine.
    Women repay as often as men of the same income, but their incomes and their share of repaid
    loans are lower, which an untreated model turns into different error rates.
    """
    rng = np.random.default_rng(1)
    male, north = rng.random(n) < 0.6, rng.random(n) < 0.5
    income = rng.integers(10, 60, n) + 12 * male
    debt = rng.integers(0, 100, n)
    purpose = rng.choice(["car", "house", "tools"], n)
    chance = 1 / (1 + np.exp(-(income - 38 - debt / 5 + 8 * (purpose == "tools")) / 8))
    return pd.DataFrame(
        {
            "income": income,
            "debt": debt,
            "purpose": purpose,
            "sex": np.where(male, "male", "female"),
            "region": np.where(north, "north", "south"),
            "repaid": np.where(rng.random(n) < chance, "yes", "no"),
        }
    )


def write_synthetic_dataset(folder: str | Path, *, n: int = 1200) -> Record:
    """Write the raw file and the card of the loans into a folder, and return the card."""
    text = synthetic_loans(n).to_csv(index=False, lineterminator="\n")
    write_text(Path(folder, "mirror/loans/loans.csv"), text)
    card: Record = yaml.safe_load(Path(__file__).with_name("loans.yaml").read_text("utf-8"))
    content = text.encode()
    sealed = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    card |= {"files": [{"name": "loans.csv", **sealed, "urls": []}], "counts": {"rows": n}}
    path = Path(folder, "config/datasets/loans.yaml")
    write_text(path, yaml.safe_dump(card, sort_keys=False))
    return card
