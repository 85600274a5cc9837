"""What each treatment of an experiment did: sentences and a table."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.plain_values import Content, TableRow
from fairpairs.base.texts import decimals
from fairpairs.papers.display.labels import label
from fairpairs.papers.display.tables import Display, read_table, write_table
from fairpairs.papers.experiments.comparison import (
    BETTER,
    NO_WORSE,
    WORSE,
    compare_treatments,
)
from fairpairs.papers.experiments.measures import HIGHER, LOWER
from fairpairs.papers.experiments.over_datasets import treatments_over_datasets

#: Marks of verdicts in a table.
MARKS = {BETTER: " ▲", WORSE: " ▼", NO_WORSE: " ≈"}
BOLD = "; the best of a column in bold"
NOTE = (
    f"Mean ± standard deviation of {{repeats}} random splits{BOLD}. ▲ better "
    "and ▼ worse than {against}, ≈ not worse by more than the margin: shown by the corrected "
    "resampled t (Nadeau and Bengio 2003), Holm over treatments, at {alpha:g}. It speaks of "
    "training on data like these. A gap is better if it is nearer 0."
)
HALVES = " The test part is as large as the training part, so more repeats hardly help: 70/30 does."


def write_treatments(
    table: str | Path,
    measures: pd.DataFrame,
    *,
    compare: Content,
    title: str,
    searches: Mapping[str, str],
) -> None:
    """Compare, and write the table as .csv (tidy), .md and .tex; for `searches` see `settings`."""
    comparison = compare_treatments(measures, **compare)
    display = treatments_table(measures, comparison, title=title, alpha=compare["alpha"])
    note = " ".join([display.note, *settings(measures, searches)])
    display = replace(display, note=note)
    write_table(table, comparison, display)
    over = treatments_over_datasets(comparison)
    stem = Path(table).with_suffix(".over_datasets.csv")
    write_table(stem, over, over_datasets_table(over, title=title, alpha=compare["alpha"]))


def over_datasets_table(over: pd.DataFrame, *, title: str, alpha: float) -> Display:
    """Return verdicts over data sets and mean ranks, treatments down, measures across."""
    cells: dict[str, dict[str, str]] = {}
    for row in over.to_dict("records"):
        mark = "*" if row["p_adjusted"] < alpha else ""
        text = f"{row['better']} / {row['open']} / {row['worse']}; {row['rank']:.2f}{mark}"
        name = f"{label(row['model'])}, {label(row['treatment'])}"
        cells.setdefault(measure_label(row["measure"], ""), {})[name] = text
    datasets = int(over["datasets"].max())
    note = (
        f"Better / open / worse over {datasets} data sets (of gaps one for each attribute); the "
        "mean rank among the treatments and the baseline, 1 is best. * differs from the baseline "
        "by Wilcoxon's signed ranks over data sets, Holm; tested from six data sets on."
    )
    return Display(
        pd.DataFrame(cells).fillna("–").rename_axis("row"), f"{title}: over data sets", note
    )


def read_treatments(path: str | Path) -> pd.DataFrame:
    """Read the comparison that `write_treatments` wrote as CSV."""
    names = ("dataset", "attribute", "groups", "model", "measure", "treatment", "against")
    return read_table(path, text=(*names, "verdict"))


def measure_label(measure: str, attribute: str) -> str:
    """Return a measure in words: ("tpr_gap", "age") → "TPR gap, age"."""
    words = label(measure)
    for name in ("tpr", "fpr", "tnr", "fnr", "auc", "mae", "rmse", "ppv", "npv"):
        words = " ".join(w.upper() if w.lower() == name else w for w in words.split(" "))
    return f"{words}, {attribute}" if attribute else words


def sentences(comparison: pd.DataFrame) -> list[str]:
    """Say what is shown to be better and worse, by data set, model and treatment; last the rest."""
    texts, silent = [], []
    several = len(set(comparison["model"])) > 1
    for names, part in comparison.groupby(["dataset", "model", "treatment"], sort=False):
        dataset, model, treatment = map(label, map(str, names))
        where = ", ".join([dataset, *([model] if several else []), treatment])
        rows = part[part["repeats"] > 0].to_dict("records")
        shown = {
            word: [_change(row) for row in rows if row["verdict"] == verdict]
            for word, verdict in (("better", BETTER), ("worse", WORSE), ("not worse", NO_WORSE))
        }
        found = [f"{word}: {', '.join(changes)}" for word, changes in shown.items() if changes]
        if not found:
            silent.append(where)
            continue
        if rest := len(rows) - sum(map(len, shown.values())):
            found.append(f"no change shown in {rest} other measures")
        texts.append(f"{where}: {'; '.join(found)}.")
    return [*texts, *([f"No change is shown for {'; '.join(silent)}."] if silent else [])]


def _change(row: TableRow) -> str:
    name = measure_label(row["measure"], row["attribute"])
    return f"{name} {decimals(row['old'], 3)} → {decimals(row['new'], 3)}"


def treatments_table(
    measures: pd.DataFrame, comparison: pd.DataFrame, *, title: str, alpha: float
) -> Display:
    """Return the means of all measures, data sets, models and treatments down."""
    keys = ["dataset", "model", "treatment"]
    columns = ["measure", "attribute"]
    groups = measures.groupby([*keys, *columns], sort=False)["value"]
    means, spreads = groups.mean(), groups.std()
    verdicts = comparison.set_index([*keys, *columns])["verdict"]
    blocks = means.groupby(["dataset", "model", *columns], sort=False)
    preferred = dict(zip(comparison["measure"], comparison["preferred"], strict=True))
    best = {block: _best(part, preferred[str(block[2])]) for block, part in blocks}
    cells: dict[str, dict[str, str]] = {}
    for names, mean, spread in zip(list(means.index), means, spreads, strict=True):
        *arm, measure, attribute = map(str, names)
        text = "–" if np.isnan(mean) else f"{decimals(mean, 3)} ± {decimals(spread, 3)}"
        if names == best[arm[0], arm[1], measure, attribute]:
            text = f"**{text}**"
        text += MARKS.get(verdicts.get(names, ""), "")
        cells.setdefault(measure_label(measure, attribute), {})[", ".join(map(label, arm))] = text
    against = comparison["against"].iloc[0]
    note = NOTE.format(repeats=measures["repeat"].nunique(), against=label(against), alpha=alpha)
    if (comparison["n_test"] >= comparison["n_train"]).any():
        note += HALVES
    return Display(pd.DataFrame(cells).fillna("–").rename_axis("row"), title, note)


def settings(measures: pd.DataFrame, searches: Mapping[str, str]) -> list[str]:
    """Say which settings were chosen in the repeats, and how: `searches` has the latter by arm."""
    if "setting" not in measures:
        return []
    keys = ["dataset", "model", "treatment"]
    repeats = measures[measures["setting"] != ""].drop_duplicates([*keys, "repeat"])
    texts = []
    for names, rows in repeats.groupby(keys, sort=False):
        dataset, model, treatment = map(str, names)
        counts = rows["setting"].value_counts()
        chosen = ", ".join(f"{setting} in {n}" for setting, n in counts.items())
        rule = searches[f"{model}, {treatment}"]
        arm = ", ".join(map(label, (dataset, model, treatment)))
        texts.append(f"{arm}: settings by {rule}: {chosen} of {len(rows)} repeats.")
    return texts


def _best(means: pd.Series, better: str) -> object:
    if means.isna().all():
        return None
    if better == HIGHER:
        return means.idxmax()
    return means.idxmin() if better == LOWER else means.abs().idxmin()
