"""Tables I to VIII and section 4.1.2 of the paper, cell by cell, from the results of a run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Content, TableRow
from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.summaries import KEYS, remark
from fairpairs.papers.published.cells import (
    Cell,
    Cells,
    Filled,
    Texts,
    by_dataset,
    counts,
    looked_up,
    mean_of_runs,
    reproduced,
)
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import Key

#: Tests on the data of Table VIII whose rejections are the level of its test there, and why.
NULL_TESTS = {
    "comparative_separation_permuted": "where separation holds (groups shuffled among items of one "
    "label)",
    "comparative_separation_fresh": "on fresh pairs that are all ranked right with one probability",
}


def true_metrics(items: Floats) -> dict[str, float]:
    """Return the differences of Table II, from the probabilities of a classifier (a, y, c)."""
    rates = items[..., 1] / items.sum(axis=-1)  # P(C=1 | a, y)
    right, wrong = cell_probabilities(items)
    tpr = right / (right + wrong)
    return {
        "TPR(A=1)-TPR(A=0)": float(rates[1, 1] - rates[0, 1]),
        "FPR(A=1)-FPR(A=0)": float(rates[1, 0] - rates[0, 0]),
        "TPR(1,0)-TPR(0,1)": float(tpr[1, 0] - tpr[0, 1]),
        "TPR(1,1)-TPR(0,0)": float(tpr[1, 1] - tpr[0, 0]),
    }


def table_1(data: SourceData) -> Filled:
    """Table I: the distributions, which are settings."""

    def cell(cells: Content, key: Key) -> Cell:
        return reproduced(cells[f"C={key['prediction']}, Y={key['label']}, A={key['group']}"])

    return _of_classifiers(data, cell)


def table_2(data: SourceData) -> Filled:
    """Table II: the differences of the true rates."""

    def cell(cells: Content, key: Key) -> Cell:
        return reproduced(true_metrics(distribution(cells))[key["measure"]])

    return _of_classifiers(data, cell)


def simulated(data: SourceData) -> Filled:
    """Table III: how often a violation is detected; section 4.1.2: mean and variance of two rates.

    The rates are of f0; expected and simulated, by the size of the test set.
    """

    def cell(row: TableRow, key: Key) -> Cell:
        quantity, runs = row["quantity"], int(row["used"])
        if key["estimate"] == "expected":
            expected = reproduced(row["expected"])
            if quantity == "variance":  # the paper prints the numerator
                expected["reproduced"] *= row["size"]
            return expected
        # the spread of a single run, for the standard error of a published mean or variance
        run_sd = row["standard_error"] * np.sqrt(runs) if quantity != "violated" else np.nan
        note = f"from {runs:,} of {row['repeats']:,} repeats" * (runs < row["repeats"])
        return reproduced(
            row["simulated"], row["standard_error"], run_sd=run_sd, runs=runs, note=note
        )

    find = looked_up(data.results, ("classifier", "notion", "size", "quantity"), cell)

    size = {"separation": "items", "comparative_separation": "pairs"}
    return lambda key: find({"quantity": "violated", "size": key.get(size[key["notion"]]), **key})


def table_4_texts(data: SourceData) -> Callable[[Key], str | None]:
    """Table IV: the names of groups and labels, with counts, which the paper does not print."""

    def text(description: Content, key: Key) -> str:
        counted, code = description["counts"], "one" if key["value"] == 1 else "zero"

        def named(names: Content, column: str) -> str:
            ones = counted[column]
            return f"{names[code]} ({ones if code == 'one' else counted['rows'] - ones:,})"

        if key["role"] == "label":
            return named(description["label"], "label")
        return "; ".join(
            f"{name}: {named(names, f'sensitive.{name}')}"
            for name, names in description["sensitive"].items()
        )

    return by_dataset(data, text)


def table_5(data: SourceData) -> Filled:
    """Table V: how often a violation is detected on real data."""

    def cell(row: TableRow, key: Key) -> Cell:
        return reproduced(
            row["violated"], row["standard_error"], runs=row["tested"], note=remark(row)
        )

    (summary,) = data.experiments.values()
    return looked_up(summary["violations"], KEYS, cell)


def table_6(data: SourceData) -> Filled:
    """Table VI: the group and the story points of some items."""
    return _of_items(data, lambda row, key: reproduced(row[key["column"]]))


def table_6_texts(data: SourceData) -> Callable[[Key], str | None]:
    """Table VI: the titles."""
    return _of_items(data, lambda row, key: str(row[key["column"]]))


def table_7_texts(data: SourceData) -> Callable[[Key], str | None]:
    """Table VII: the story points, with the number of items that have each."""

    def text(description: Content, key: Key) -> str:
        values = description["label"]["values"]
        return ", ".join(f"{value} ({number})" for value, number in values.items())

    return by_dataset(data, text)


def table_8(data: SourceData) -> Filled:
    """Table VIII: accuracy, I_sep and how often a violation is detected, over the trainings."""
    (summary,) = data.experiments.values()
    means = looked_up(summary["estimates"], (*KEYS, "hypothesis"), mean_of_runs)
    null = looked_up(summary["violations"], KEYS, lambda row, key: row)

    def share(row: TableRow, key: Key) -> Cell:
        note = remark(row)
        for test, when in NULL_TESTS.items():
            if found := null({**key, "test": test}):
                rate = f"{found['violated']:.3f} ± {found['standard_error']:.3f}"
                note += f"; {when} the same test rejects in {rate}"
        return reproduced(row["violated"], row["standard_error"], run_sd=row["run_sd"], note=note)

    shares = looked_up(summary["violations"], KEYS, share)
    return lambda key: means(key) if "hypothesis" in key else shares(key)


CELLS: Cells = {
    "table_1": table_1,
    "table_2": table_2,
    "table_3": simulated,
    "section_4_1_2": simulated,
    "table_4": counts,
    "table_5": table_5,
    "table_6": table_6,
    "table_7": counts,
    "table_8": table_8,
}
TEXTS: Texts = {"table_4": table_4_texts, "table_6": table_6_texts, "table_7": table_7_texts}


def _of_classifiers(data: SourceData, fill: Callable[[Content, Key], Cell]) -> Filled:
    """Fill a cell from the classifier of its key, if the config has a simulation."""
    classifiers = (data.settings or {}).get("simulation", {}).get("classifiers", {})
    return looked_up({(name,): cells for name, cells in classifiers.items()}, ["classifier"], fill)


def _of_items(data: SourceData, fill: Callable[[TableRow, Key], Any]) -> Callable[[Key], Any]:
    """Fill a cell from the item of Jira with its key."""
    items = [] if data.items is None else data.items.to_dict("records")
    return looked_up({(item["issuekey"],): item for item in items}, ("item",), fill)
