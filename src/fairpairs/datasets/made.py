"""A small data set that the project makes itself, for the demo and the tests."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from fairpairs.files import write_text


def made_loans(n: int = 1200, *, seed: int = 1) -> pd.DataFrame:
    """Make loans: whether they were repaid, by women and men of two regions.

    Whole numbers and words only, so that the bytes of the CSV are the same on every machine. Women
    repay as often as men of the same income, but their incomes and their share of repaid loans are
    lower, which an untreated model turns into different error rates.
    """
    rng = np.random.default_rng(seed)
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


def write_made_dataset(folder: str | Path, *, n: int = 1200, seed: int = 1) -> dict[str, Any]:
    """Write the loans into `folder`: mirror/loans/loans.csv and config/datasets/loans.yaml.

    Returns
    -------
    dict
        The card.
    """
    text = made_loans(n, seed=seed).to_csv(index=False, lineterminator="\n")
    write_text(Path(folder, "mirror/loans/loans.csv"), text)
    card: dict[str, Any] = {
        "title": "Made loans",
        "citation": "Made by FairPairs; not real.",
        "licence": "None needed: no person stands behind a row.",
        "files": [
            {
                "name": "loans.csv",
                "bytes": len(text.encode()),
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
                "urls": [],
            }
        ],
        "features": {
            "income": "numeric",
            "debt": "numeric",
            "purpose": "categorical",
            "sex": "sensitive",
            "region": "sensitive",
        },
        "label": {
            "column": "repaid",
            "one": ["yes"],
            "zero": ["no"],
            "names": {"one": "Repaid", "zero": "Not repaid"},
        },
        "sensitive": {
            "sex": {
                "column": "sex",
                "one": ["male"],
                "zero": ["female"],
                "names": {"one": "Male", "zero": "Female"},
            },
            "region": {
                "column": "region",
                "one": ["north"],
                "zero": "others",
                "names": {"one": "North", "zero": "Elsewhere"},
            },
        },
        "counts": {"rows": n},
    }
    path = Path(folder, "config/datasets/loans.yaml")
    write_text(path, yaml.safe_dump(card, sort_keys=False))
    return card
