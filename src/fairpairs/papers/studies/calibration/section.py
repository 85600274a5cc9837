"""What the report shows of the study: two findings."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.results import Results


def section(results: Results) -> Content | None:
    """Return the findings on the designs, if there are any."""
    rejections = results.csv("rejections", text=("design", "test"))
    found = [] if rejections is None else list(findings(rejections))
    return {"findings": found} if found else None


def findings(rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the level of the tests on pairs of one test set, and with labels that differ."""

    def largest(design: str, test: str, quantity: str, pairs: float | None = None) -> Any:
        rejections: pd.DataFrame = rows[
            (rows["design"] == design) & (rows["test"] == test) & (rows["quantity"] == quantity)
        ]
        if pairs is not None:
            rejections = rejections[rejections["pairs_per_item"] == pairs]
        return None if rejections.empty else rejections.sort_values("n").iloc[-1]

    most = rows.loc[rows["test"] == "binomial", "pairs_per_item"].max()
    two, many = (largest("f0", "binomial", "either", pairs) for pairs in (2.0, most))
    drawn, whole = largest("f0", "drawn_pairs", "holm", most), largest("f0", "all_pairs", "holm")
    if not any(row is None for row in (two, many, drawn, whole)):
        yield (
            "The published test finds violations where there are none",
            f"On pairs drawn from one test set of {two['n']:,} items, the published test of "
            f"comparative separation rejects a fair classifier in {_share(two)} of the test sets "
            f"with two pairs an item and in {_share(many)} with {most:g}, where 9.75 % were "
            "promised: it takes pairs that share items for independent. The tests here, which do "
            f"not, reject in {_share(drawn)} (drawn pairs) and {_share(whole)} (all pairs) at 5 %.",
        )
    raw, balanced = (
        largest("regression_labels_differ", f"all_pairs_{kind}", "holm")
        for kind in ("raw", "balanced")
    )
    if raw is not None and balanced is not None:
        yield (
            "For labels that are numbers, separation does not imply comparative separation",
            f"A regression that treats everyone alike is rejected in {_share(raw)} of the test "
            f"sets of {raw['n']:,} items when the groups' labels differ by half a standard "
            f"deviation; with labels balanced between the groups, the default, in "
            f"{_share(balanced)} at 5 %.",
        )


def _share(row: Any) -> str:
    return f"{100 * row['rejected']:.1f} ± {100 * row['standard_error']:.1f} %"
