"""The tables of the paper on comparative separation, cell by cell, from the results of a run.

References
----------
Xi, Capak, Stockwell and Yu, *Comparative Separation*, Tables I to V and section 4.1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.experiments.known_classifiers import distribution
from fairpairs.experiments.summaries import KEYS, remark
from fairpairs.published.cells import Cell, Texts, by, name, reproduced
from fairpairs.studies.comparative_separation.simulation import (
    COMPARATIVE,
    SEPARATION,
    true_metrics,
)


def table_1(settings: Mapping[str, Any]) -> Callable[[str, str], Cell | None]:
    """Table I: the distributions, which are settings."""
    classifiers = settings["classifiers"]

    def cell(row: str, column: str) -> Cell | None:
        if column not in classifiers:
            return None
        return reproduced(classifiers[column][row.removeprefix("P(").removesuffix(")")])

    return cell


def table_2(settings: Mapping[str, Any]) -> Callable[[str, str], Cell | None]:
    """Table II: the differences of the true rates."""
    metrics = {
        name: true_metrics(distribution(cells)) for name, cells in settings["classifiers"].items()
    }
    return lambda row, column: reproduced(metrics[column][row]) if column in metrics else None


def table_3(estimates: pd.DataFrame) -> Callable[[str, str], Cell | None]:
    """Table III: how often a violation is detected, expected and simulated."""
    found = estimates[estimates["quantity"] == "violated"]
    cells = by(found, "classifier", "notion", "size")

    def cell(row: str, column: str) -> Cell | None:
        classifier, kind = row.split(", ")
        notion, size = column.split(", ")
        key = (classifier, name(notion), int(size.split("=")[1].replace(",", "")))
        return _expected_or_simulated(cells[key], kind) if key in cells else None

    return cell


def section_4_1_2(estimates: pd.DataFrame) -> Callable[[str, str], Cell | None]:
    """Section 4.1.2: mean and variance of two estimated rates of f0."""
    cells = by(estimates[estimates["classifier"] == "f0"], "quantity", "notion", "size")

    def cell(row: str, column: str) -> Cell | None:
        quantity, rate = row.split(" of ")
        notion = SEPARATION if rate == "TPR(A=1)" else COMPARATIVE
        kind, *sizes = column.split(", ")
        text = (sizes or ["n=1,000 or np=2,000"])[0].split(" or ")[notion == COMPARATIVE]
        size = int(text.split("=")[1].replace(",", ""))
        if (quantity, notion, size) not in cells:
            return None
        result = _expected_or_simulated(cells[quantity, notion, size], kind, quantity)
        if kind == "Expected" and quantity == "variance":  # the paper prints the numerator
            result["reproduced"] *= size
        return result

    return cell


def table_4(prepared: Mapping[str, Mapping[str, Any]]) -> Callable[[str, str], Cell | None]:
    """Table IV: the numbers of items."""

    def cell(row: str, column: str) -> Cell | None:
        about = prepared.get(name(row))
        return reproduced(about["counts"]["rows"]) if about else None

    return cell


def table_4_texts(prepared: Mapping[str, Mapping[str, Any]]) -> Texts:
    """Table IV: the groups and the labels, with the counts that the paper does not print."""

    def groups(about: Mapping[str, Any], code: str) -> str:
        ones = {name: about["counts"][f"sensitive.{name}"] for name in about["sensitive"]}
        counts = (
            ones if code == "one" else {a: about["counts"]["rows"] - n for a, n in ones.items()}
        )
        return "; ".join(
            f"{name}: {names[code]} ({counts[name]:,})"
            for name, names in about["sensitive"].items()
        )

    def label(about: Mapping[str, Any], code: str) -> str:
        ones, rows = about["counts"]["label"], about["counts"]["rows"]
        return f"{about['label'][code]} ({ones if code == 'one' else rows - ones:,})"

    return {
        f"{what}={number}": {
            name.capitalize(): write(about, code) for name, about in prepared.items()
        }
        for what, write in (("Sensitive attribute, A", groups), ("Class label, Y", label))
        for number, code in ((1, "one"), (0, "zero"))
    }


def table_5(summary: Mapping[str, pd.DataFrame]) -> Callable[[str, str], Cell | None]:
    """Table V: how often a violation is detected on real data."""
    cells = by(summary["violations"], *KEYS)

    def cell(row: str, column: str) -> Cell | None:
        treatment, test = row.split(", ")
        dataset, attribute = column.split(", ")
        key = (name(dataset), attribute, name(treatment), name(test))
        if key not in cells:
            return None
        result = cells[key]
        runs = result["tested"]
        return reproduced(
            result["violated"], result["standard_error"], runs=runs, note=remark(result)
        )

    return cell


def table_6(items: pd.DataFrame) -> Callable[[str, str], Cell | None]:
    """Table VI: the group and the story points of some items."""
    columns = {"is internal A": "sensitive_is_internal", "story point R": "label"}
    found = items.set_index("issuekey")
    return lambda row, column: (
        reproduced(found[columns[column]][row]) if row in found.index else None
    )


def table_6_texts(items: pd.DataFrame) -> Texts:
    """Table VI: the titles."""
    return {
        "title": {str(key): str(title) for key, title in items[["issuekey", "title"]].to_numpy()}
    }


def table_7(prepared: Mapping[str, Mapping[str, Any]]) -> Callable[[str, str], Cell | None]:
    """Table VII: the numbers of items, of all and of the two groups."""

    def cell(row: str, column: str) -> Cell | None:
        about = prepared.get(name(row))
        if about is None:
            return None
        rows, ones = about["counts"]["rows"], about["counts"]["sensitive.is_internal"]
        return reproduced({"|X|": rows, "A=1 internal": ones, "A=0 external": rows - ones}[column])

    return cell


def table_7_texts(prepared: Mapping[str, Mapping[str, Any]]) -> Texts:
    """Table VII: the story points, with the number of items of each."""
    counts = {
        name.capitalize(): ", ".join(f"{v} ({n})" for v, n in about["label"]["values"].items())
        for name, about in prepared.items()
    }
    return {"story points": counts}


def table_8(summary: Mapping[str, pd.DataFrame]) -> Callable[[str, str], Cell | None]:
    """Table VIII: accuracy, I_sep and how often a violation is detected, over the trainings."""
    estimates = by(summary["estimates"], "treatment", "test", "hypothesis")
    violations = by(summary["violations"], "treatment", "test")
    columns = {
        "MAE": ("accuracy", "MAE"),
        "rho": ("accuracy", "Pearson"),
        "r_s": ("accuracy", "Spearman"),
        "I_sep": ("information_separation", "I_sep"),
    }

    def cell(row: str, column: str) -> Cell | None:
        treatment = {"None": "none", "FairReweighing": "fair_reweighing"}[row.split()[1]]
        if column in columns:
            found = estimates.get((treatment, *columns[column]))
            if found is None:
                return None
            return reproduced(found["mean"], found["standard_error"], run_sd=found["run_sd"])
        found = violations.get((treatment, "comparative_separation"))
        if found is None:
            return None
        note = remark(found)
        for test, when in (
            ("comparative_separation_permuted", "where separation holds (groups shuffled among "
             "items of one label)"),
            ("comparative_separation_fresh", "on fresh pairs that are all ranked right with one "
             "probability"),
        ):  # fmt: skip
            if null := violations.get((treatment, test)):
                rate = f"{null['violated']:.3f} ± {null['standard_error']:.3f}"
                note += f"; {when} the same test rejects in {rate}"
        return reproduced(
            found["violated"], found["standard_error"], run_sd=found["run_sd"], note=note
        )

    return cell


#: Name of a published file → the function of its source that gives its columns of words.
TEXTS: dict[str, Callable[[Any], Texts]] = {
    "comparative_separation_table_4": table_4_texts,
    "comparative_separation_table_6": table_6_texts,
    "comparative_separation_table_7": table_7_texts,
}

#: Name of a published file → the function of its source that gives its cells.
TABLES: dict[str, Callable[[Any], Callable[[str, str], Cell | None]]] = {
    "comparative_separation_table_1": table_1,
    "comparative_separation_table_2": table_2,
    "comparative_separation_table_3": table_3,
    "comparative_separation_section_4_1_2": section_4_1_2,
    "comparative_separation_table_4": table_4,
    "comparative_separation_table_5": table_5,
    "comparative_separation_table_6": table_6,
    "comparative_separation_table_7": table_7,
    "comparative_separation_table_8": table_8,
}


def _expected_or_simulated(
    row: Mapping[Hashable, Any], kind: str, quantity: str = "violated"
) -> Cell:
    if kind == "Expected":
        return reproduced(row["expected"])
    runs = int(row["used"])
    # the spread of a single run, for the standard error of a published mean or variance
    run_sd = row["standard_error"] * np.sqrt(runs) if quantity != "violated" else np.nan
    note = f"from {runs:,} of {row['repeats']:,} repeats" * (runs < row["repeats"])
    return reproduced(row["simulated"], row["standard_error"], run_sd=run_sd, runs=runs, note=note)
