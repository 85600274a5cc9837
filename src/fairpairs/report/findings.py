"""What a run shows beyond the papers: each finding in a plain paragraph, with its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Finding = dict[str, str]
#: A data set whose scores use what is known only later, and the same without it.
LEAKING = ("framingham", "framingham_without_followup", "followup, the time to the event")


def findings(results: Path) -> list[Finding]:
    """Say what a run found that no paper has.

    Parameters
    ----------
    results
        The folder `results`; what a run did not make is left out.

    Returns
    -------
    list of dict
        `title`, `text` and `evidence`, the table that the numbers are from, relative to `results`.
    """
    found: list[Finding] = []
    for name, sentences in (
        ("calibration.csv", _calibration),
        ("tables/xauc/ranking_logistic_regression.csv", _leaking_covariate),
        ("tables/density_ratio/known_separation.csv", _ratios_and_products),
    ):
        path = results / name
        if path.exists():
            found += [
                {"title": title, "text": text, "evidence": name}
                for title, text in sentences(pd.read_csv(path))
            ]
    return found


def _share(row: Any) -> str:
    return f"{100 * row['rejected']:.1f} ± {100 * row['standard_error']:.1f} %"


def _calibration(rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the level of the tests on pairs of one test set, and with labels that differ."""

    def of(design: str, test: str, quantity: str, pairs: float | None = None) -> Any:
        own: pd.DataFrame = rows[
            (rows["design"] == design) & (rows["test"] == test) & (rows["quantity"] == quantity)
        ]
        if pairs is not None:
            own = own[own["pairs_per_item"] == pairs]
        return None if own.empty else own.sort_values("n").iloc[-1]

    most = rows.loc[rows["test"] == "binomial", "pairs_per_item"].max()
    two, many = (of("f0", "binomial", "either", pairs) for pairs in (2.0, most))
    drawn, whole = of("f0", "drawn_pairs", "holm", most), of("f0", "all_pairs", "holm")
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
        of("regression_labels_differ", f"all_pairs_{kind}", "holm") for kind in ("raw", "balanced")
    )
    if raw is not None and balanced is not None:
        yield (
            "For labels that are numbers, separation does not imply comparative separation",
            f"A regression that treats everyone alike is rejected in {_share(raw)} of the test "
            f"sets of {raw['n']:,} items when the groups' labels differ by half a standard "
            f"deviation; with labels balanced between the groups, the default, in "
            f"{_share(balanced)} at 5 %.",
        )


def _leaking_covariate(rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield what is left of a difference without a feature that is known only later."""
    with_it, without, what = LEAKING
    first = rows[rows["treatment"] == rows["treatment"].iloc[0]]
    values = first.set_index(["dataset", "measure"])["mean"]
    if not {(with_it, "ΔxAUC"), (without, "ΔxAUC")} <= set(values.index):
        return
    auc, delta = (
        [values[name, measure] for name in (with_it, without)] for measure in ("AUC", "ΔxAUC")
    )
    yield (
        "A feature that is known only later makes the published difference",
        f"The published scores of Framingham use {what}. With it the AUC is {auc[0]:.3f} and the "
        f"difference of the two xAUCs {delta[0]:+.3f}, without it {auc[1]:.3f} and "
        f"{delta[1]:+.3f}.",
    )


def _ratios_and_products(rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield what multiplying two ratios, where they must be divided, makes of 1."""
    own: Any = rows[(rows["gap"] == 0) & (rows["noise"] == 1)].set_index("estimator")
    own = own.to_dict("index")
    if not {"ulsif", "ulsif_published", "logistic"} <= set(own):
        return
    right, product, logistic = (
        own[name]["truth"] * np.exp(own[name]["bias"])
        for name in ("ulsif", "ulsif_published", "logistic")
    )
    rejected = ", ".join(
        f"{label} {100 * own[name]['rejected']:.0f} %"
        for name, label in (("logistic", "its permutation test"), ("information", "I_sep"),
                            ("comparative_separation", "comparative separation"))
        if name in own
    )  # fmt: skip
    yield (
        "Ratios must be divided, not multiplied",
        "Where separation holds, the mean ratio of densities is 1. Fitted by uLSIF it is "
        f"{product:.2f} (geometric mean over data sets) as the public code of the sensitivity "
        f"study has it, which multiplies two ratios, and {right:.2f} when they are divided; by "
        f"logistic regression {logistic:.2f}. Found violated there at 5 %: {rejected}.",
    )
