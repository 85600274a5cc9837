"""Tables I to VIII and section 4.1.2 of the paper, cell by cell, from the results of a run."""

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Content, TableRow
from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.summaries import KEYS, remark
from fairpairs.papers.published import cells
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


def _classifiers(data: SourceData) -> dict[tuple[str], Content]:
    """Return the classifiers of the simulation, if the config has one."""
    classifiers = (data.settings or {}).get("simulation", {}).get("classifiers", {})
    return {(name,): chances for name, chances in classifiers.items()}


@cells.from_rows(_classifiers, "classifier")
def table_1(chances: Content, key: Key) -> cells.Cell:
    """Table I: the distributions, which are settings."""
    return cells.reproduced(chances[f"C={key['prediction']}, Y={key['label']}, A={key['group']}"])


@cells.from_rows(_classifiers, "classifier")
def table_2(chances: Content, key: Key) -> cells.Cell:
    """Table II: the differences of the true rates."""
    return cells.reproduced(true_metrics(distribution(chances))[key["measure"]])


def simulated(data: SourceData) -> cells.Filled:
    """Table III: how often a violation is detected; section 4.1.2: mean and variance of two rates.

    The rates are of f0; expected and simulated, by the size of the test set.
    """

    def cell(row: TableRow, key: Key) -> cells.Cell:
        quantity, runs = row["quantity"], int(row["used"])
        if key["estimate"] == "expected":
            expected = cells.reproduced(row["expected"])
            if quantity == "variance":  # the paper prints the numerator
                expected["reproduced"] *= row["size"]
            return expected
        # the spread of a single run, for the standard error of a published mean or variance
        run_sd = row["standard_error"] * np.sqrt(runs) if quantity != "violated" else np.nan
        note = f"from {runs:,} of {row['repeats']:,} repeats" * (runs < row["repeats"])
        return cells.reproduced(
            row["simulated"], row["standard_error"], run_sd=run_sd, runs=runs, note=note
        )

    find = cells.looked_up(data.results, ("classifier", "notion", "size", "quantity"), cell)

    size = {"separation": "items", "comparative_separation": "pairs"}
    return lambda key: find({"quantity": "violated", "size": key.get(size[key["notion"]]), **key})


@cells.by_dataset
def table_4_texts(description: Content, key: Key) -> str:
    """Table IV: the names of groups and labels, with counts, which the paper does not print."""
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


def _violations(data: SourceData) -> pd.DataFrame:
    (summary,) = data.experiments.values()
    return summary["violations"]


@cells.from_rows(_violations, *KEYS)
def table_5(row: TableRow, key: Key) -> cells.Cell:
    """Table V: how often a violation is detected on real data."""
    return cells.reproduced(
        row["violated"], row["standard_error"], runs=row["tested"], note=remark(row)
    )


def _items(data: SourceData) -> dict[tuple[str], TableRow]:
    """Return the items of Jira by their keys."""
    items = [] if data.items is None else data.items.to_dict("records")
    return {(item["issuekey"],): item for item in items}


@cells.from_rows(_items, "item")
def table_6(row: TableRow, key: Key) -> cells.Cell:
    """Table VI: the group and the story points of some items."""
    return cells.reproduced(row[key["column"]])


@cells.from_rows(_items, "item")
def table_6_texts(row: TableRow, key: Key) -> str:
    """Table VI: the titles."""
    return str(row[key["column"]])


@cells.by_dataset
def table_7_texts(description: Content, key: Key) -> str:
    """Table VII: the story points, with the number of items that have each."""
    values = description["label"]["values"]
    return ", ".join(f"{value} ({number})" for value, number in values.items())


def table_8(data: SourceData) -> cells.Filled:
    """Table VIII: accuracy, I_sep and how often a violation is detected, over the trainings."""
    (summary,) = data.experiments.values()
    means = cells.looked_up(summary["estimates"], (*KEYS, "hypothesis"), cells.mean_of_runs)
    null = cells.looked_up(summary["violations"], KEYS, lambda row, key: row)

    def share(row: TableRow, key: Key) -> cells.Cell:
        note = remark(row)
        for test, when in NULL_TESTS.items():
            if found := null({**key, "test": test}):
                rate = f"{found['violated']:.3f} ± {found['standard_error']:.3f}"
                note += f"; {when} the same test rejects in {rate}"
        return cells.reproduced(
            row["violated"], row["standard_error"], run_sd=row["run_sd"], note=note
        )

    shares = cells.looked_up(summary["violations"], KEYS, share)
    return lambda key: means(key) if "hypothesis" in key else shares(key)


CELLS: cells.Cells = {
    "table_1": table_1,
    "table_2": table_2,
    "table_3": simulated,
    "section_4_1_2": simulated,
    "table_4": cells.counts,
    "table_5": table_5,
    "table_6": table_6,
    "table_7": cells.counts,
    "table_8": table_8,
}
TEXTS: cells.Texts = {"table_4": table_4_texts, "table_6": table_6_texts, "table_7": table_7_texts}
