"""Tables of the designs: how often each test rejects, by design and number of items."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.display.tables import Display, write_table

#: Test of the study and quantity → heading of its column, for tests on items and on pairs.
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


def write_design_tables(
    designs: Iterable[pd.DataFrame], stems: dict[str, str | Path], long: str | Path
) -> None:
    """Write the tables of tests on "items" and "pairs", and all numbers as the CSV `long`."""
    study = pd.concat(designs, ignore_index=True)
    write_table(long, study)
    for kind, stem in stems.items():
        table = display_table(study, kind)
        title = f"Rejections of simulated test sets, tests on {kind}"
        write_table(stem, table, Display(table.set_index("Design"), title, NOTE))


def display_table(study: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return a row for each design and size, with what each test on "items" or "pairs" rejects."""
    headings = COLUMNS[kind]
    on_pairs = study["pairs_per_item"].notna()
    part = study[on_pairs if kind == "pairs" else ~on_pairs]
    shown = [key in headings for key in zip(part["test"], part["quantity"], strict=True)]
    part = part[np.array(shown, dtype=bool)]
    part = part.sort_values("separation", ascending=False, kind="stable")
    if part.empty:
        return pd.DataFrame(columns=["Design", "Separation", "Items"])
    rows = []
    for (_, holds, title, n, ratio), group in part.groupby(
        ["design", "separation", "title", "n", "pairs_per_item"], sort=False, dropna=False
    ):
        mark = " †" if group["small"].max() > FEW else ""
        row = {
            "Design": str(title),
            "Separation": "holds" if holds else "violated",
            "Items": f"{n:,}{mark}",
        }
        if kind == "pairs":
            row["Pairs per item"] = f"{ratio:g}"
        cells = {
            headings[test, quantity]: f"{decimals(rate, 3)} ± {decimals(error, 3)}"
            for test, quantity, rate, error in group[
                ["test", "quantity", "rejected", "standard_error"]
            ].itertuples(index=False)
        }
        rows.append(row | {name: cells.get(name, "") for name in headings.values()})
    table = pd.DataFrame(rows)
    return table.loc[:, [column for column in table if (table[column] != "").any()]]
