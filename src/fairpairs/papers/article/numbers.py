"""What the article takes from the results of a finished run."""

from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from fairpairs.base.errors import InputError
from fairpairs.base.files import plain_rows
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.schemas import read_yaml
from fairpairs.papers.datasets.card import find_card, find_cards
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.plan.files import CLAIMS
from fairpairs.papers.plan.judged_claims import COLUMNS
from fairpairs.papers.plan.studies import find_studies
from fairpairs.papers.published.verdicts import (
    AGREES,
    DIFFERS,
    NOT_COMPARABLE,
    VERDICTS,
    counted,
)
from fairpairs.papers.run.provenance import read_provenance

#: The results that the article needs.
CELLS = ("results/comparison.csv", "results/comparison_of_text.csv")
WORTH = "results/comparison_power.csv"
LEVELS = "results/tables/calibration/rejections.csv"
ORIGIN = "results/predictions.provenance.json"
FIGURES = "results/figures"
#: The figures that it shows, where the run drew them.
SHOWN = ("comparison.svg", "calibration/rejections.svg")
#: The designs of the study of levels: a fair classifier, and unfair ones.
DESIGNS = ("f0", "f1", "f2", "f3")
#: From as many items on, no cell is too small for the published test.
ENOUGH = 300
#: Pairs for each item and items, as the paper's simulation has them.
PAIRS, ITEMS = 2, 1000


def article_numbers(folder: Path, checkout: Path) -> Record:
    """Return the numbers and texts of a finished run that the article shows.

    Results that are missing, or lack a paper that CITATION.cff names, raise InputError.
    """
    for name in (CLAIMS, *CELLS, WORTH, LEVELS, ORIGIN):
        if not (folder / name).is_file():
            raise InputError(f"{folder / name}: there is no such file: finish the run first.")
    claims = read_table(folder / CLAIMS, text=COLUMNS)
    (origin,) = read_provenance([folder / ORIGIN])
    cited = read_yaml(checkout / "CITATION.cff")
    return {
        "papers": _papers(folder, claims, cited["references"]),
        "verdicts": {name: int((claims["verdict"] == name).sum()) for name in VERDICTS},
        "counts": counted(list(claims["verdict"])).removeprefix("of "),
        **_levels(read_table(folder / LEVELS, text=("design", "title", "test", "quantity"))),
        "worth": _worth(read_table(folder / WORTH, text=("paper", "table"))),
        "datasets": _datasets(origin["data"], checkout),
        "figures": [name for name in SHOWN if (folder / FIGURES / name).is_file()],
        "authors": [author["name"] for author in cited["authors"]],
        "version": version("fairpairs"),
        "commit": origin["git_commit"],
        "seed": origin["seed"],
        "versions": origin["versions"],
    }


def _papers(folder: Path, claims: pd.DataFrame, references: list[Record]) -> list[Record]:
    """Return each paper that has conclusions, with these and the counts of its numbers."""
    cells = pd.concat(read_table(folder / name, text=("paper", "verdict")) for name in CELLS)
    verdicts = Counter(zip(cells["paper"], cells["verdict"], strict=True))
    names = {"agree": AGREES, "differ": DIFFERS, "apart": NOT_COMPARABLE}
    found = []
    for name, study in find_studies().items():
        listed = claims[claims["study"] == name].to_dict("records")
        reference = next((one for one in references if one["title"] in study.citation), None)
        if reference is None:
            continue
        if not listed or name not in set(cells["paper"]):
            raise InputError(f"{CLAIMS}: nothing of {study.title}: run all papers first.")
        found.append(
            {
                "name": name,
                "title": study.title,
                "reference": _cited(reference),
                "url": reference.get("url", ""),
                "claims": listed,
                "cells": {key: verdicts[name, verdict] for key, verdict in names.items()},
            }
        )
    return found


def _cited(reference: Content) -> str:
    """Return a reference of CITATION.cff in words."""
    people = [f"{one['given-names']} {one['family-names']}" for one in reference["authors"]]
    year = f" ({reference['year']})" if "year" in reference else ""
    return f"{', '.join(people)}{year}: {reference['title']}."


def _levels(rejections: pd.DataFrame) -> Record:
    """Return how often each test rejects, of the paper's classifiers."""
    either = rejections["quantity"].isin(["either", "holm"])
    rows = rejections[either & rejections["design"].isin(DESIGNS) & (rejections["n"] >= ENOUGH)]
    fair = rows[rows["design"] == DESIGNS[0]]
    items = sorted({int(n) for n in fair["n"]})
    most = fair["pairs_per_item"].max()
    promised = float(fair.loc[fair["test"] == "separation"].iloc[0]["expected"])
    level = round(1 - (1 - promised) ** 0.5, 9)
    kept = [
        ("Published test, pairs of new people", "fresh_pairs", "either", PAIRS, promised),
        ("Published test", "binomial", "either", 1, promised),
        ("Published test", "binomial", "either", PAIRS, promised),
        ("Published test", "binomial", "either", most, promised),
        ("Dyadic test, drawn pairs", "drawn_pairs", "holm", PAIRS, level),
        ("Dyadic test, drawn pairs", "drawn_pairs", "holm", most, level),
        ("All pairs", "all_pairs", "holm", None, level),
        ("Separation, from labels", "separation", "holm", None, level),
    ]
    titles = rows.drop_duplicates("design").set_index("design")["title"]
    return {
        "levels": [
            {
                "test": row["test"],
                "quantity": row["quantity"],
                "design": row["design"],
                "items": int(row["n"]),
                "pairs": None if pd.isna(row["pairs_per_item"]) else float(row["pairs_per_item"]),
                "rejected": float(row["rejected"]),
            }
            for row in rows.to_dict("records")
        ],
        "levels_error": float(fair["standard_error"].max()),
        "promised": promised,
        "level": level,
        "items": items,
        "items_of_table": ITEMS,
        "pairs_of_table": PAIRS,
        "pairs_most": most,
        "violations": [{"title": titles[design]} for design in DESIGNS[1:]],
        "kept": [
            {
                "words": words if pairs is None else f"{words}, {pairs:g}",
                "promised": bound,
                "rejected": list(_cells(fair, test, quantity, pairs)),
            }
            for words, test, quantity, pairs, bound in kept
        ],
    }


def _cells(fair: pd.DataFrame, test: str, quantity: str, pairs: float | None) -> list[float]:
    """Return the shares of a test, in the order of the numbers of items."""
    rows = fair[(fair["test"] == test) & (fair["quantity"] == quantity)]
    per_item = rows["pairs_per_item"]
    rows = rows[per_item.isna() if pairs is None else per_item == pairs]
    return [float(share) for share in rows.sort_values("n")["rejected"]]


def _worth(rows: pd.DataFrame) -> list[Record]:
    """Return what an agreement is worth, of each paper."""
    names = ["cells", "new", "not_told", "noticed", "bugs"]
    sums = rows.groupby("paper", sort=False)[names].sum().astype(int).reset_index()
    return plain_rows(sums)


def _datasets(raw: Content, checkout: Path) -> list[Record]:
    """Return the data sets of a run, each with its source and the checksums of its raw files."""
    shipped = checkout / "config/datasets"
    cards = find_cards(checkout, [], shipped=shipped)
    found = []
    for name, files in raw.items():
        card = read_yaml(find_card(name, cards))
        found.append(
            {
                "name": name,
                "title": card["title"],
                "homepage": card.get("homepage", ""),
                "digests": [digest[:12] for digest in files.values()],
            }
        )
    return found
