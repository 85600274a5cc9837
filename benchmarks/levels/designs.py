"""How often each test of pairs rejects simulated test sets: designs, and their two tables."""

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.levels.runs import ALPHA
from benchmarks.levels.tables import with_error
from fairpairs.base.schemas import read_yaml
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.studies.calibration.measure import measure_design

STUDIES = Path(__file__).parents[2] / "config/studies"
DESIGNS = {
    **read_yaml(STUDIES / "calibration.yaml")["calibration"]["designs"],
    **read_yaml(Path(__file__).with_name("designs.yaml")),
}
#: Tables of tests on items and on pairs: test and quantity → heading of its column.
COLUMNS = {
    "items": {
        ("separation", "either"): "Separation, either",
        ("separation", "holm"): "Separation, Holm",
        ("all_pairs", "H0c"): "All pairs, H0c",
        ("all_pairs", "H0w"): "All pairs, H0w",
        ("all_pairs", "holm"): "All pairs, Holm",
        ("all_pairs", "joint"): "All pairs, joint",
        ("all_pairs_raw", "holm"): "All pairs, raw, Holm",
        ("all_pairs_balanced", "H0c"): "All pairs, balanced, H0c",
        ("all_pairs_balanced", "H0w"): "All pairs, balanced, H0w",
        ("all_pairs_balanced", "holm"): "All pairs, balanced, Holm",
        ("all_pairs_balanced", "joint"): "All pairs, balanced, joint",
        ("permutation", "joint"): "Permutation, gaps",
        ("permutation_information", "joint"): "Permutation, I_sep",
        ("residuals", "joint"): "Regression of the score",
    },
    "pairs": {
        ("fresh_pairs", "either"): "Fresh pairs, paper, either",
        ("binomial", "either"): "Drawn pairs, paper, either",
        ("drawn_pairs", "H0c"): "Drawn pairs, dyadic, H0c",
        ("drawn_pairs", "H0w"): "Drawn pairs, dyadic, H0w",
        ("drawn_pairs", "holm"): "Drawn pairs, dyadic, Holm",
        ("drawn_pairs", "joint"): "Drawn pairs, dyadic, joint",
        ("drawn_pairs_balanced", "holm"): "Drawn pairs, dyadic, balanced, Holm",
    },
}
#: A row is marked if a larger share of test sets than this has a small cell.
FEW = 0.05
NOTE = (
    "Each cell: share of simulated test sets with a rejection ± its Monte Carlo standard error. "
    "H0c, H0w: each at the level alone; either: of the two, not corrected (0.0975 is nominal at "
    "0.05); Holm and joint: at the level for both together. † more than 5 % of the test sets "
    "have a cell of fewer than 30 pairs, or a group with fewer than 30 items of a label: the level "
    "is not promised there."
)


def measure_named(name, most, seed):
    """Simulate a design on 10,000 test sets, 2,000 by permutations, or on at most so many."""
    simulation = read_yaml(STUDIES / "comparative_separation.yaml")["comparative_separation"]
    repeats, permutation_repeats = (min(sets, most or sets) for sets in (10_000, 2_000))
    return measure_design(
        name, DESIGNS[name], classifiers=simulation["simulation"]["classifiers"], repeats=repeats,
        permutation_repeats=permutation_repeats, permutations=199, seed=seed, alpha=ALPHA,
    )  # fmt: skip


def write_design_tables(study, folder):
    """Write the tables of tests on items and on pairs, and all numbers as rejections.csv."""
    write_table(folder / "rejections", study)
    for kind, headings in COLUMNS.items():
        on_pairs = study["pairs_per_item"].notna()
        table = display_table(study[on_pairs if kind == "pairs" else ~on_pairs], headings)
        write_table(folder / kind, table)


def display_table(study, headings):
    """Return a row for each design and size, with what each test rejects; fair designs first."""
    shown = [key in headings for key in zip(study["test"], study["quantity"], strict=True)]
    study = study[shown].sort_values("separation", ascending=False, kind="stable")
    keys, rows = ["design", "separation", "title", "n", "pairs_per_item"], []
    for (_, holds, title, n, ratio), part in study.groupby(keys, sort=False, dropna=False):
        row = {
            "Design": title,
            "Separation": "holds" if holds else "violated",
            "Items": f"{n:,}{' †' if part['small'].max() > FEW else ''}",
            "Pairs per item": "" if np.isnan(ratio) else f"{ratio:g}",
            **dict.fromkeys(headings.values(), ""),
        }
        columns = part[["test", "quantity", "rejected", "standard_error"]]
        for test, quantity, rate, error in columns.itertuples(index=False):
            row[headings[test, quantity]] = with_error(rate, error)
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.loc[:, (table != "").any()]
