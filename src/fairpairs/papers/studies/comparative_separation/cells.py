"""Tables I to VIII and section 4.1.2 of the paper, cell by cell, from the results of a run."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import TableRow
from fairpairs.mathematics.estimates.pairs.rates import cell_probabilities
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.repeat_sums import KEYS
from fairpairs.papers.experiments.summaries import Summary, remark
from fairpairs.papers.published.cells import Cell, Cells, Texts, by, reproduced, values_of
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


def table_1(data: SourceData) -> Callable[[Key], Cell | None]:
    """Table I: the distributions, which are settings."""
    classifiers = _classifiers(data)

    def cell(key: Key) -> Cell | None:
        if key["classifier"] not in classifiers:
            return None
        name = f"C={key['prediction']}, Y={key['label']}, A={key['group']}"
        return reproduced(classifiers[key["classifier"]][name])

    return cell


def table_2(data: SourceData) -> Callable[[Key], Cell | None]:
    """Table II: the differences of the true rates."""
    metrics = {
        name: true_metrics(distribution(cells)) for name, cells in _classifiers(data).items()
    }

    def cell(key: Key) -> Cell | None:
        gaps = metrics.get(key["classifier"])
        return reproduced(gaps[key["measure"]]) if gaps else None

    return cell


def table_3(data: SourceData) -> Callable[[Key], Cell | None]:
    """Table III: how often a violation is detected, expected and simulated."""
    simulated = _simulation(data)

    def cell(key: Key) -> Cell | None:
        row = simulated.get((*values_of(key, ("classifier", "notion", "size")), "violated"))
        return _expected_or_simulated(row, key["estimate"]) if row else None

    return cell


def section_4_1_2(data: SourceData) -> Callable[[Key], Cell | None]:
    """Section 4.1.2: mean and variance of two estimated rates of f0."""
    simulated = _simulation(data)

    def cell(key: Key) -> Cell | None:
        size = key["items" if key["notion"] == "separation" else "pairs"]
        quantity, estimate = key["quantity"], key["estimate"]
        row = simulated.get((key["classifier"], key["notion"], size, quantity))
        if row is None:
            return None
        result = _expected_or_simulated(row, estimate, quantity)
        if estimate == "expected" and quantity == "variance":  # the paper prints the numerator
            result["reproduced"] *= size
        return result

    return cell


def counts(data: SourceData) -> Callable[[Key], Cell | None]:
    """Tables IV and VII: the numbers of items, of all and of the two groups."""

    def cell(key: Key) -> Cell | None:
        description = data.datasets.get(key["dataset"])
        if description is None:
            return None
        rows = description["counts"]["rows"]
        if "attribute" not in key:
            return reproduced(rows)
        ones = description["counts"][f"sensitive.{key['attribute']}"]
        return reproduced(ones if key["group"] == 1 else rows - ones)

    return cell


def table_4_texts(data: SourceData) -> Callable[[Key], str | None]:
    """Table IV: the names of groups and labels, with counts, which the paper does not print."""

    def text(key: Key) -> str | None:
        description = data.datasets.get(key["dataset"])
        if description is None:
            return None
        counted, code = description["counts"], "one" if key["value"] == 1 else "zero"
        if key["role"] == "label":
            return _named(description["label"][code], counted["label"], counted["rows"], code)
        return "; ".join(
            f"{name}: {_named(names[code], counted[f'sensitive.{name}'], counted['rows'], code)}"
            for name, names in description["sensitive"].items()
        )

    return text


def _named(name: str, ones: int, rows: int, code: str) -> str:
    """Return the name of a group or label and its number of items."""
    return f"{name} ({ones if code == 'one' else rows - ones:,})"


def table_5(data: SourceData) -> Callable[[Key], Cell | None]:
    """Table V: how often a violation is detected on real data."""
    violations = by(_only_experiment(data)["violations"], *KEYS)

    def cell(key: Key) -> Cell | None:
        row = violations.get(values_of(key, KEYS))
        if row is None:
            return None
        return reproduced(
            row["violated"], row["standard_error"], runs=row["tested"], note=remark(row)
        )

    return cell


def table_6(data: SourceData) -> Callable[[Key], Cell | None]:
    """Table VI: the group and the story points of some items."""
    items = _items(data)
    return lambda key: (
        reproduced(items[key["item"]][key["column"]]) if key["item"] in items else None
    )


def table_6_texts(data: SourceData) -> Callable[[Key], str | None]:
    """Table VI: the titles."""
    items = _items(data)

    def text(key: Key) -> str | None:
        item = items.get(key["item"])
        return str(item[key["column"]]) if item else None

    return text


def table_7_texts(data: SourceData) -> Callable[[Key], str | None]:
    """Table VII: the story points, with the number of items that have each."""

    def text(key: Key) -> str | None:
        description = data.datasets.get(key["dataset"])
        if description is None:
            return None
        return ", ".join(f"{v} ({n})" for v, n in description["label"]["values"].items())

    return text


def table_8(data: SourceData) -> Callable[[Key], Cell | None]:
    """Table VIII: accuracy, I_sep and how often a violation is detected, over the trainings."""
    summary = _only_experiment(data)
    estimates = by(summary["estimates"], *KEYS, "hypothesis")
    violations = by(summary["violations"], *KEYS)

    def cell(key: Key) -> Cell | None:
        if "hypothesis" in key:
            row = estimates.get(values_of(key, (*KEYS, "hypothesis")))
            if row is None:
                return None
            return reproduced(row["mean"], row["standard_error"], run_sd=row["run_sd"])
        row = violations.get(values_of(key, KEYS))
        if row is None:
            return None
        note = remark(row)
        for test, when in NULL_TESTS.items():
            if null := violations.get(values_of({**key, "test": test}, KEYS)):
                rate = f"{null['violated']:.3f} ± {null['standard_error']:.3f}"
                note += f"; {when} the same test rejects in {rate}"
        return reproduced(row["violated"], row["standard_error"], run_sd=row["run_sd"], note=note)

    return cell


CELLS: Cells = {
    "table_1": table_1,
    "table_2": table_2,
    "table_3": table_3,
    "section_4_1_2": section_4_1_2,
    "table_4": counts,
    "table_5": table_5,
    "table_6": table_6,
    "table_7": counts,
    "table_8": table_8,
}
TEXTS: Texts = {"table_4": table_4_texts, "table_6": table_6_texts, "table_7": table_7_texts}


def _classifiers(data: SourceData) -> Mapping[str, Mapping[str, float]]:
    """Return the classifiers of the config; none if it has no simulation."""
    classifiers: Mapping[str, Mapping[str, float]] = (
        (data.settings or {}).get("simulation", {}).get("classifiers", {})
    )
    return classifiers


def _simulation(data: SourceData) -> Mapping[Any, TableRow]:
    if data.results is None:
        return {}
    return by(data.results, "classifier", "notion", "size", "quantity")


def _items(data: SourceData) -> Mapping[Any, TableRow]:
    """Return the columns of the items of Jira by their key."""
    return {} if data.items is None else by(data.items, "issuekey")


def _only_experiment(data: SourceData) -> Summary:
    (summary,) = data.experiments.values()
    return summary


def _expected_or_simulated(row: TableRow, estimate: str, quantity: str = "violated") -> Cell:
    if estimate == "expected":
        return reproduced(row["expected"])
    runs = int(row["used"])
    # the spread of a single run, for the standard error of a published mean or variance
    run_sd = row["standard_error"] * np.sqrt(runs) if quantity != "violated" else np.nan
    note = f"from {runs:,} of {row['repeats']:,} repeats" * (runs < row["repeats"])
    return reproduced(row["simulated"], row["standard_error"], run_sd=run_sd, runs=runs, note=note)
