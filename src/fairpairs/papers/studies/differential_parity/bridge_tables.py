"""Tables of a study of bridges, in the layout of Table 3 and of section 4."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.published.cells import RUN
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.studies.differential_parity.bridge_study import BRIDGES, ROWS

#: The level at which the paper calls two people relatively biased (one-sided).
LEVEL = 0.05
#: The largest rounding error of a printed effect size; smaller than any difference of counts.
HALF = 0.005
#: Rows of section 4 that do not count agreement.
OPPOSITE, LARGEST = "RQ1, opposite conclusions", "RQ1, largest DPD of an inconsistency"
#: Agreement of training and test part; that of labels is even, though the printed number is odd.
LABELS, MODELS = "RQ1, labels of train and test", "RQ1, models of train and test"
#: The same of two people only: `MODELS` also compares a model with the person it stands for.
TWO_PEOPLE = f"{MODELS}, of two people"
UNBIASED, BIASED = "RQ2, unbiased bridge (Model Test)", "RQ2, biased bridge"
AS_WRITTEN, CROSSED = f"{BIASED}, E0 from the fitting data", f"{BIASED}, cross-fitted"
#: Shares of the cases in which the unbiased bridge is wrong, by whether Model Train finds the model
#: biased against the decisions that it was fitted on.
MISSED_BY_BIASED = "RQ2, share missed by the unbiased bridge, model biased on its training data"
MISSED_BY_OTHERS = "RQ2, share missed by the unbiased bridge, other models"
#: A row of section 4 → the rows of a study whose conclusions are compared.
COUNTED = {
    LABELS: ("Label Train", "Label Test"),
    MODELS: ("Model Train", "Model Test"),
    TWO_PEOPLE: ("Model Train", "Model Test"),
    UNBIASED: ("Model Test",),
    BIASED: ("Biased Bridge",),
    AS_WRITTEN: (BRIDGES["fitting"],),
    CROSSED: (BRIDGES["cross-fitted"],),
}
KEYS = ["attribute", "decisions", "reference", "row"]


def conclusions(dpd: Any, pvalue_one_sided: Any) -> NDArray[np.int64]:
    """Return the paper's conclusion: 0 for relatively fair, else the sign of DPD."""
    significant = np.asarray(pvalue_one_sided) <= LEVEL
    return np.where(significant, np.sign(np.asarray(dpd)), 0).astype(np.int64)


def distributions(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise each cell of a study over its splits.

    `dpd_low` to `dpd_high` is the middle 95 % of the splits; `green` and `red` are the shares of
    splits that find R_i to prefer group 1, or group 0, more than R_j does.
    """
    rows = results.assign(conclusion=conclusions(results["dpd"], results["pvalue_one_sided"]))
    grouped = rows.groupby(KEYS, sort=False)
    return grouped.agg(
        splits=("dpd", "size"),
        dpd=("dpd", "mean"),
        dpd_sd=("dpd", "std"),
        dpd_low=("dpd", lambda values: values.quantile(0.025)),
        dpd_high=("dpd", lambda values: values.quantile(0.975)),
        dpd_overall=("dpd_overall", "mean"),
        p_one_sided=("pvalue_one_sided", "median"),
        p_two_sided=("pvalue", "median"),
        green=("conclusion", lambda values: (values > 0).mean()),
        red=("conclusion", lambda values: (values < 0).mean()),
    ).reset_index()


def with_published(
    cells: pd.DataFrame, results: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Add the printed p and DPD to each cell of `distributions`, and their place among the splits.

    `place_p` and `place_dpd` are the shares of splits with smaller values (half of equal ones); NaN
    for what the paper does not have.
    """
    printed = _printed(published)
    cells = cells.merge(printed, how="left", on=KEYS)
    splits = results.merge(printed, on=KEYS)
    for name, column in (("p", "pvalue_one_sided"), ("dpd", "dpd")):
        rounded, own = splits[column].round(2), splits[f"published_{name}"]
        place = (rounded < own) + 0.5 * np.isclose(rounded, own)
        shares = splits.assign(place=place).groupby(KEYS)["place"].mean()
        cells = cells.merge(shares.rename(f"place_{name}"), how="left", on=KEYS)
    return cells


def _printed(published: pd.DataFrame) -> pd.DataFrame:
    """Return the printed cells of Table 3 with the keys of a study."""
    table = pd.DataFrame(list(published["key"]))
    table["what"] = "published_" + table["quantity"]
    table["published"] = published["published"].to_numpy()
    return table.pivot(index=KEYS, columns="what", values="published").reset_index()


def counts(results: pd.DataFrame) -> pd.DataFrame:
    """Return how many conclusions agree in each repeat, a column per `COUNTED` (RQ1, RQ2).

    A number is NaN if the repeat does not have the row.
    """
    wide = _by_row(results, "conclusion")
    people = wide.index.to_frame()
    different = people["decisions"] != people["reference"]
    table = {}
    for name, (row, *others) in COUNTED.items():
        if {row, *others} <= set(wide):
            compared = others or ["Label Train", "Label Test"]
            agree = sum(wide[row] == wide[other] for other in compared) > 0
            counted = wide[row].notna() & (different | (name != TWO_PEOPLE))
            table[name] = agree.astype(float).where(counted).groupby("repeat").sum(min_count=1)
    return pd.DataFrame(table)


def _by_row(results: pd.DataFrame, values: str | list[str]) -> Any:
    """Return values of each repeat and case, a column for each row of Table 3."""
    rows = results.assign(conclusion=conclusions(results["dpd"], results["pvalue_one_sided"]))
    return rows.pivot(index=["repeat", *KEYS[:3]], columns="row", values=values)


def misses(results: pd.DataFrame) -> dict[str, float]:
    """Return, per row, how often a 95 % interval misses the estimate from all decisions."""
    rows = results[results["row"].isin(["Model Test", *BRIDGES.values()])]
    error = rows["estimate"] / rows["dpt"]
    with np.errstate(invalid="ignore", divide="ignore"):
        t = ((rows["estimate"] - rows["of_all_labels"]) / error).abs()
    shares = rows.assign(outside=2 * stdtr(rows["dof"], -t) < 0.05).groupby("row")["outside"].mean()
    return {str(row): float(share) for row, share in shares.items()}


def inconsistencies(results: pd.DataFrame) -> pd.DataFrame:
    """Return the opposite conclusions of RQ1 in each repeat, and the largest |DPD| of unequal ones.

    Conclusions of the training and the test part are compared, for labels and for models; the
    largest is NaN if all are equal.
    """
    wide = _by_row(results, ["conclusion", "dpd"])
    parts = []
    for kind in ("Label", "Model"):
        one, other = (wide["conclusion", f"{kind} {part}"] for part in ("Train", "Test"))
        first, second = (wide["dpd", f"{kind} {part}"].abs() for part in ("Train", "Test"))
        larger = first.where(first >= second, second)
        opposite = (one * other < 0).astype(float)
        parts.append(pd.DataFrame({OPPOSITE: opposite, LARGEST: larger[one != other]}))
    grouped = pd.concat(parts).groupby("repeat")
    return pd.DataFrame({OPPOSITE: grouped[OPPOSITE].sum(), LARGEST: grouped[LARGEST].max()})


def missed_by_bias(results: pd.DataFrame) -> pd.DataFrame:
    """Return how often the unbiased bridge is wrong in each repeat, by whether the model is biased.

    It is wrong if it agrees with the labels of neither part; a model is biased if it is so on its
    training data, for that attribute. A share is NaN without such a case.
    """
    wide = _by_row(results, "conclusion").reset_index()
    same_person = wide[wide["decisions"] == wide["reference"]]
    keys = ["repeat", "attribute", "decisions"]
    bias = same_person[keys].assign(biased=same_person["Model Train"] != 0)
    wide = wide.merge(bias, on=keys)
    conclusion = wide["Model Test"]
    wide["missed"] = (conclusion != wide["Label Train"]) & (conclusion != wide["Label Test"])
    shares = wide.groupby(["repeat", "biased"])["missed"].mean().unstack()
    names = {True: MISSED_BY_BIASED, False: MISSED_BY_OTHERS}
    return pd.DataFrame({name: shares.get(biased, np.nan) for biased, name in names.items()})


def section_4_numbers(results: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of section 4, and what lies behind them: a row a split."""
    return counts(results).join(inconsistencies(results)).join(missed_by_bias(results))


def printed_split(published: pd.DataFrame) -> pd.DataFrame:
    """Return the printed cells of Table 3 as the results of one split."""
    names = {"published_dpd": "dpd", "published_p": "pvalue_one_sided"}
    return _printed(published).rename(columns=names).assign(repeat=0)


#: What the paper calls the people → columns of the data set.
PEOPLE = {"R_1": "P1", "R_2": "P2", "R_3": "P3", "R_Avg": "Average"}
#: Column of the data set → what the paper calls the person.
CALLED = {column: name for name, column in PEOPLE.items()}


def bridge_tables(
    results: pd.DataFrame, printed: Sequence[PublishedTable], text: Sequence[PublishedTable]
) -> Record:
    """Return the cells of a study beside the published Table 3, and its numbers of section 4."""
    table_3, section_4 = printed[0].cells, text[0].cells
    cells = with_published(distributions(results), results, table_3)
    rows = counts_rows(results, table_3, section_4)
    return {"cells": (cells, shown_cells(cells)), "conclusions": rows}


def shown_cells(cells: pd.DataFrame) -> Content:
    """Put cells into the order of Table 3: R_j and rows down, R_i and attributes across."""
    people, attributes = (list(dict.fromkeys(cells[axis])) for axis in ("reference", "attribute"))
    places: dict[Any, Sequence[str]] = {
        "reference": people,
        "row": ROWS,
        "decisions": people,
        "attribute": attributes,
    }
    ranked: Any = cells.assign(**{name: cells[name].map(places[name].index) for name in places})
    rows = cells.loc[ranked.sort_values(list(places), kind="stable").index]
    return {"rows": rows, "called": CALLED}


def counts_rows(results: pd.DataFrame, printed: pd.DataFrame, text: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of section 4: in the text, of the printed cells, and over our splits.

    `share_as_in_text` is the share of splits with at least as many agreeing conclusions as in the
    text (for the other two numbers, at most as much); `missed` is the share of 95 % intervals that
    leave out what all labels say. Numbers that the paper does not have are NaN.
    """
    numbers = section_4_numbers(results)
    from_cells = section_4_numbers(printed_split(printed)).iloc[0]
    in_text = {
        key["quantity"]: value
        for key, value in text[["key", "published"]].itertuples(index=False)
        if key["basis"] == RUN
    }
    missed = misses(results)
    pairs = results[KEYS[:3]].drop_duplicates()
    two_people = int((pairs["decisions"] != pairs["reference"]).sum())
    # labels and models, each compared between training and test
    cases = {TWO_PEOPLE: two_people, OPPOSITE: 2 * len(pairs), LARGEST: 2 * len(pairs)}
    rows = []
    for name in map(str, numbers):
        values, number = numbers[name].dropna(), cases.get(name, len(pairs))
        stated, counted = in_text.get(name, np.nan), name in COUNTED
        # a printed number may be rounded; the larger counts are the better ones
        as_stated = values >= stated if counted else values <= stated + HALF
        single = COUNTED[name][-1] if counted and len(COUNTED[name]) == 1 else ""
        rows.append(
            {
                **{"row": name, "in_text": stated},
                **{"of_printed_cells": from_cells.get(name, np.nan), "mean": values.mean()},
                "standard_error": float(values.std()) / np.sqrt(len(values)),
                **{"sd": values.std(), "low": values.quantile(0.025)},
                "high": values.quantile(0.975),
                "share_as_in_text": as_stated.mean() if np.isfinite(stated) else np.nan,
                "share_all_but_one": (values >= number - 1).mean() if counted else np.nan,
                "share_all": (values >= number).mean() if counted else np.nan,
                **{"missed": missed.get(single), "splits": len(values), "cases": number},
            }
        )
    return pd.DataFrame(rows)
