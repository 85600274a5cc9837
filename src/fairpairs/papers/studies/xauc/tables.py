"""The ranking of each data set and treatment: tables, and what treatments do to it in words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.base.plain_values import Content, TableRow
from fairpairs.base.texts import decimals
from fairpairs.papers.display.labels import label
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.experiments.summaries import Summary

#: What identifies a row.
KEYS = ["dataset", "attribute", "treatment"]
#: The measures of the test `ranking` that people see.
COLUMNS = (
    *("AUC", "AUC(0)", "AUC(1)", "ΔAUC", "xAUC(0,1)", "xAUC(1,0)", "ΔxAUC"),
    *("xAUC_1(0)", "xAUC_1(1)", "ΔxAUC_1", "xAUC_0(0)", "xAUC_0(1)", "ΔxAUC_0"),
    *("Brier(0)", "Brier(1)"),
)
#: Difference → its hypothesis in the test `xauc`.
HYPOTHESES = {
    "ΔAUC": "AUC(0) = AUC(1)",
    "ΔxAUC": "xAUC(0,1) = xAUC(1,0)",
    "ΔxAUC_1": "xAUC_1(0) = xAUC_1(1)",
    "ΔxAUC_0": "xAUC_0(0) = xAUC_0(1)",
}
NOTE = (
    "Means over {repeats:,} repeats ± their Monte Carlo standard error; in brackets DeLong's "
    "standard error of one test set for the model as it was fitted, which says how well a "
    "population is known. Δ is group 0 less "
    "group 1. “Found” is the share of repeats in which the test of that difference rejects, with "
    "Holm's correction over the four differences."
)
ADJUSTED = (
    "“Adjusted” shifts group 0's log odds so that xAUC(0,1) = xAUC(1,0): found on one half of a "
    "test set, judged on the other alone, and the other way round. The mean ΔxAUC is then near 0; "
    "the mean |ΔxAUC| says how near a single test set comes."
)


def ranking_rows(summary: Summary) -> pd.DataFrame:
    """Return the measures of a ranking, a row for each data set, attribute, treatment and measure.

    `standard_error` is Monte Carlo's, `own_error` the mean of DeLong's. The measure "separation" is
    the share of repeats in which the test separation found a violation, if it was run.
    """
    estimates = summary["estimates"]
    measured = estimates[estimates["test"].isin(["ranking", "xauc_adjustment"])]
    rows = measured.rename(columns={"hypothesis": "measure"}).drop(columns=["test", "rejected"])
    tests = estimates[estimates["test"] == "xauc"]
    names = {hypothesis: measure for measure, hypothesis in HYPOTHESES.items()}
    rejected = tests.assign(measure=tests["hypothesis"].map(names))[[*KEYS, "measure", "rejected"]]
    rows = rows.merge(rejected, how="left", on=[*KEYS, "measure"])
    violations = summary["violations"]
    separation = violations[violations["test"] == "separation"].rename(columns={"violated": "mean"})
    parts = [rows, separation.assign(measure="separation").reindex(columns=rows.columns)]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def display_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the ranking in words: data sets, attributes and treatments down, measures across."""
    shown = {}
    cells = rows.set_index([*KEYS, "measure"]).to_dict("index")
    measures = set(rows["measure"])
    for key in dict.fromkeys(rows[KEYS].itertuples(index=False, name=None)):
        texts = {}
        if "separation" in measures:
            texts["Separation violated"] = _text(cells, (*key, "separation"))
        for measure in COLUMNS:
            texts[measure] = _text(cells, (*key, measure))
            if measure in HYPOTHESES:
                texts[f"{measure} found"] = decimals(_value(cells, (*key, measure), "rejected"), 2)
        if "shift of log odds" in measures:
            for measure in ("ΔxAUC", "|ΔxAUC|", "AUC", "Brier"):
                before, after = (
                    decimals(_value(cells, (*key, f"{measure} {when} it"), "mean"), 3)
                    for when in ("before", "after")
                )
                texts[f"{measure}, adjusted"] = f"{before} → {after}"
        dataset, attribute, treatment = key
        shown[f"{label(dataset)}, {attribute}, {label(treatment)}"] = texts
    return pd.DataFrame.from_dict(shown, orient="index").rename_axis("row")


def write_ranking_table(
    summary: Summary,
    roles: Sequence[Content],
    stem: str | Path,
    *,
    title: str,
) -> None:
    """Write the ranking table of an experiment as stem.csv (tidy), .md and .tex."""
    rows = ranking_rows(summary)
    note = " ".join([*notes(rows, roles), *warnings(roles)])
    write_table(stem, rows, Display(display_table(rows), f"{title}: ranking", note))


def notes(rows: pd.DataFrame, roles: Sequence[Content]) -> list[str]:
    """Return the notes of the table: which errors it shows, and the names of the groups."""
    texts = [NOTE.format(repeats=int(rows["repeats"].max()))]
    if "shift of log odds" in set(rows["measure"]):
        texts.append(ADJUSTED)
    groups = [
        f"{label(metadata['dataset'])}, {attribute}: 0 {names['zero']}, 1 {names['one']}"
        for metadata in roles
        for attribute, names in metadata["sensitive"].items()
    ]
    return [*texts, f"Groups: {'; '.join(groups)}."]


def warnings(roles: Sequence[Content]) -> list[str]:
    """Return the warnings of the data sets that have one."""
    return [
        f"Warning, {label(metadata['dataset'])}: {metadata['warning']}"
        for metadata in roles
        if metadata["warning"]
    ]


def treatment_effects(rows: pd.DataFrame) -> list[str]:
    """Return a sentence per treatment: whether repairing separation repairs the ranking.

    There are none unless the experiment has the treatment None, others, and the test separation. A
    case of which a number is unknown does not count.
    """
    wide = rows.set_index([*KEYS, "measure"])["mean"].unstack("measure")
    if "separation" not in wide or "none" not in set(rows["treatment"]):
        return []
    wide = wide.dropna(subset=["separation", "ΔxAUC"])
    base = wide[wide.index.get_level_values("treatment") == "none"].droplevel("treatment")
    sentences = []
    for treatment in dict.fromkeys(rows["treatment"]):
        if treatment == "none":
            continue
        treated = wide[wide.index.get_level_values("treatment") == treatment].droplevel("treatment")
        both = base.merge(treated, left_index=True, right_index=True, suffixes=("_none", "_own"))
        if both.empty:
            continue
        repaired = both[both["separation_own"] < both["separation_none"]]
        gap_none, gap_own = (repaired[f"ΔxAUC_{side}"].abs() for side in ("none", "own"))
        better, n = int((gap_own < gap_none).sum()), len(repaired)
        sentence = (
            f"{label(treatment)} lowers how often separation is found violated in {n} of "
            f"{len(both)} {'case' if len(both) == 1 else 'cases'} (data set and attribute)"
        )
        if n:
            closer = f"in {better} of these {n} the xAUCs come closer; on average over all these,"
            if n == 1:
                closer = f"there the xAUCs {'come closer' if better else 'do not come closer'}:"
            auc_none, auc_own = (repaired[f"AUC_{side}"].mean() for side in ("none", "own"))
            sentence += (
                f"; {closer} |ΔxAUC| goes from {gap_none.mean():.3f} to {gap_own.mean():.3f}, "
                f"and the AUC from {auc_none:.3f} to {auc_own:.3f}"
            )
            reversed_sign = int((repaired["ΔxAUC_none"] * repaired["ΔxAUC_own"] < 0).sum())
            if reversed_sign:
                sentence += f"; in {reversed_sign} the sign of ΔxAUC turns"
        sentences.append(sentence + ".")
    return sentences


Rows = Mapping[Any, TableRow]


def _value(rows: Rows, key: tuple[str, ...], column: str) -> float:
    return float(rows[key][column]) if key in rows else float("nan")


def _text(rows: Rows, key: tuple[str, ...]) -> str:
    if key not in rows:
        return "–"
    row = rows[key]
    text = f"{decimals(row['mean'], 3)} ± {decimals(row['standard_error'], 3)}"
    return text + (f" [{decimals(row['own_error'], 3)}]" if pd.notna(row["own_error"]) else "")
