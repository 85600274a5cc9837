"""Tables 2 and 3 and section 4 of the paper on differential parity, and studies of its kind.

References
----------
Yu and Xi, *Differential Parity: Relative Fairness Between Two Sets of Decisions*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from fairpairs.files import write_text
from fairpairs.output.tables import number, write_display_table
from fairpairs.published.cells import (
    OURS,
    PRINTED,
    SMALLEST_P,
    Cell,
    distance_from_printed,
    reproduced,
)
from fairpairs.studies.differential_parity.bridge_study import BRIDGES, ROWS

#: What the paper calls the people → columns of the data set.
PEOPLE = {"R_1": "P1", "R_2": "P2", "R_3": "P3", "R_Avg": "Average"}
#: The level at which the paper calls two people relatively biased, one-sided.
LEVEL = 0.05
#: Half a unit of the last printed digit.
HALF = 0.005
#: Rows of section 4 that count no agreement.
OPPOSITE, LARGEST = "RQ1, opposite conclusions", "RQ1, largest DPD of an inconsistency"
#: The row of section 4 whose number is even, as the printed one is not.
LABELS = "RQ1, labels of train and test"
EVEN = "impossible: pairs of people are antisymmetric, so the number is even"
#: A row of section 4 → the rows of a study whose conclusions are compared.
COUNTED = {
    LABELS: ("Label Train", "Label Test"),
    "RQ1, models of train and test": ("Model Train", "Model Test"),
    "RQ2, unbiased bridge (Model Test)": ("Model Test",),
    "RQ2, biased bridge": ("Biased Bridge",),
    "RQ2, biased bridge, E0 from the fitting data": (BRIDGES["fitting"],),
    "RQ2, biased bridge, cross-fitted": (BRIDGES["cross-fitted"],),
}
GREEN, RED = "▲", "▼"
KEYS = ["attribute", "decisions", "reference", "row"]


def conclusions(dpd: Any, pvalue_one_sided: Any) -> NDArray[np.int64]:
    """Return the paper's conclusion: 0 for relatively fair, else the sign of DPD."""
    found = np.asarray(pvalue_one_sided) <= LEVEL
    return np.where(found, np.sign(np.asarray(dpd)), 0).astype(np.int64)


def distributions(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise every cell of a study over its splits.

    Parameters
    ----------
    results
        What `bridge_study.bridge_study` returned, of all chunks.

    Returns
    -------
    DataFrame
        A row for each attribute, two people and row of Table 3: number of `splits`, `dpd` (mean),
        `dpd_sd`, `dpd_low` and `dpd_high` (the middle 95 % of the splits), `dpd_overall` (mean),
        `p_one_sided` and `p_two_sided` (medians), and the shares of splits that find R_i to prefer
        group 1 (`green`) or group 0 (`red`) more than R_j does.
    """
    found = results.assign(found=conclusions(results["dpd"], results["pvalue_one_sided"]))
    grouped = found.groupby(KEYS, sort=False)
    return grouped.agg(
        splits=("dpd", "size"),
        dpd=("dpd", "mean"),
        dpd_sd=("dpd", "std"),
        dpd_low=("dpd", lambda own: own.quantile(0.025)),
        dpd_high=("dpd", lambda own: own.quantile(0.975)),
        dpd_overall=("dpd_overall", "mean"),
        p_one_sided=("pvalue_one_sided", "median"),
        p_two_sided=("pvalue", "median"),
        green=("found", lambda own: (own > 0).mean()),
        red=("found", lambda own: (own < 0).mean()),
    ).reset_index()


def with_published(cells: pd.DataFrame, results: pd.DataFrame, published: pd.DataFrame
                   ) -> pd.DataFrame:  # fmt: skip
    """Put the printed p and DPD beside each cell, and their place among the splits.

    Parameters
    ----------
    cells
        What `distributions` returned.
    results
        The results of the study.
    published
        The cells of the published Table 3.

    Returns
    -------
    DataFrame
        The cells with `published_p`, `published_dpd`, and `place_p`, `place_dpd`, the shares of
        splits with smaller values (half of equal ones); NaN for what the paper has not.
    """
    printed = _printed(published)
    cells = cells.merge(printed, how="left", on=KEYS)
    splits = results.merge(printed, on=KEYS)
    for name, own in (("p", "pvalue_one_sided"), ("dpd", "dpd")):
        rounded = splits[own].round(2)
        smaller = (rounded < splits[f"published_{name}"]) + 0.5 * np.isclose(
            rounded, splits[f"published_{name}"]
        )
        place = splits.assign(place=smaller).groupby(KEYS)["place"].mean()
        cells = cells.merge(place.rename(f"place_{name}"), how="left", on=KEYS)
    return cells


def _printed(published: pd.DataFrame) -> pd.DataFrame:
    """Return the printed cells of Table 3 with the keys of a study."""
    rows = published["row"].str.split(", ", expand=True)
    columns = published["column"].str.split(", ", expand=True)
    table = pd.DataFrame(
        {
            "attribute": columns[1].str.lower(),
            "decisions": columns[0].map(PEOPLE),
            "reference": rows[0].map(PEOPLE),
            "row": rows[1],
            "what": "published_" + rows[2].str.lower(),
            "published": published["published"],
        }
    )
    return table.pivot(index=KEYS, columns="what", values="published").reset_index()


def counts(results: pd.DataFrame) -> pd.DataFrame:
    """Count how many conclusions agree, for each split (RQ1 and RQ2 of the paper).

    Parameters
    ----------
    results
        A row for each attribute, two people, row of Table 3 and `repeat`, with `dpd` and
        `pvalue_one_sided`.

    Returns
    -------
    DataFrame
        A row a repeat, a column for each of `COUNTED`; NaN where the repeat has not the row.
    """
    found = results.assign(found=conclusions(results["dpd"], results["pvalue_one_sided"]))
    wide = found.pivot(index=["repeat", *KEYS[:3]], columns="row", values="found")
    train, test = wide["Label Train"], wide["Label Test"]
    table = {}
    for name, rows in COUNTED.items():
        if not set(rows) <= set(wide):
            continue
        own = wide[rows[0]]
        if len(rows) == 2:
            agree = (own == wide[rows[1]]).astype(float)
        else:
            agree = ((own == train) | (own == test)).astype(float)
        table[name] = agree.where(own.notna()).groupby("repeat").sum(min_count=1)
    return pd.DataFrame(table)


def misses(results: pd.DataFrame) -> dict[str, float]:
    """Return how often a 95 % interval leaves out what the decisions on all items say.

    Parameters
    ----------
    results
        What `fairpairs.studies.differential_parity.bridge_study.bridge_study` returned.

    Returns
    -------
    dict
        For each row that is estimated from different items, the share of cells and splits.
    """
    own = results[results["row"].isin(["Model Test", *BRIDGES.values()])]
    error = own["estimate"] / own["dpt"]
    with np.errstate(invalid="ignore", divide="ignore"):
        t = ((own["estimate"] - own["of_all_labels"]) / error).abs()
    shares = own.assign(outside=2 * stdtr(own["dof"], -t) < 0.05).groupby("row")["outside"].mean()
    return {str(row): float(share) for row, share in shares.items()}


def inconsistencies(results: pd.DataFrame) -> pd.DataFrame:
    """Say how far apart inconsistent conclusions of RQ1 lie, of labels and of models.

    Parameters
    ----------
    results
        As for `counts`.

    Returns
    -------
    DataFrame
        A row a repeat: the number of pairs whose conclusions on training and test part are of
        opposite signs, and the largest |DPD| of a pair whose conclusions differ (NaN without one).
    """
    found = results.assign(found=conclusions(results["dpd"], results["pvalue_one_sided"]))
    wide = found.pivot(index=["repeat", *KEYS[:3]], columns="row", values=["found", "dpd"])
    parts = []
    for kind in ("Label", "Model"):
        one, other = (wide["found", f"{kind} {part}"] for part in ("Train", "Test"))
        first, second = (wide["dpd", f"{kind} {part}"].abs() for part in ("Train", "Test"))
        larger = first.where(first >= second, second)
        parts.append(
            pd.DataFrame({OPPOSITE: (one * other < 0).astype(float), LARGEST: larger[one != other]})
        )
    grouped = pd.concat(parts).groupby("repeat")
    return pd.DataFrame({OPPOSITE: grouped[OPPOSITE].sum(), LARGEST: grouped[LARGEST].max()})


def printed_counts(published: pd.DataFrame) -> dict[str, float]:
    """Count how many conclusions agree among the printed cells of Table 3."""
    return {str(k): float(v) for k, v in counts(_printed_split(published)).iloc[0].items()}


def _printed_split(published: pd.DataFrame) -> pd.DataFrame:
    """Return the printed cells of Table 3 as the results of one split."""
    table = _printed(published).rename(
        columns={"published_dpd": "dpd", "published_p": "pvalue_one_sided"}
    )
    return table.assign(repeat=0)


def table_2(items: pd.DataFrame) -> Callable[[str, str], Cell | None]:
    """Table 2: the numbers of images, of each group and of raters, from the prepared items."""
    male, asian, n = items["sensitive_sex"].sum(), items["sensitive_race"].sum(), len(items)
    people = items.filter(regex=r"^decision_P\d+$")
    numbers = {
        "#Images": n, "Sex-Female": n - male, "Sex-Male": male, "Race-Asian": asian,
        "Race-Caucasian": n - asian, "# Raters": people.shape[1],
    }  # fmt: skip
    return lambda row, column: reproduced(numbers[column])


def table_3(source: Mapping[str, pd.DataFrame]) -> Callable[[str, str], Cell | None]:
    """Table 3: p and DPD, the means over the splits; z against the spread of one split."""
    results = dict(iter(source["results"].groupby(KEYS)))
    table = _printed(source["published"])
    keys = zip(*(table[key] for key in KEYS), strict=True)
    values = zip(table["published_p"], table["published_dpd"], strict=True)
    printed = dict(zip(keys, values, strict=True))

    def cell(row: str, column: str) -> Cell | None:
        reference, kind, what = row.split(", ")
        decisions, attribute = column.split(", ")
        key = (attribute.lower(), PEOPLE[decisions], PEOPLE[reference], kind)
        if key not in results:
            return None
        own = results[key]
        p, dpd = printed[key]
        if what == "p":
            values = own["pvalue_one_sided"].to_numpy()
            ours = np.sign(own["dpd"].to_numpy()) * -ndtri(np.maximum(values, SMALLEST_P))
            bounds = [-ndtri(np.clip(p + side, 0, 0.5)) for side in (HALF, -HALF)]
            if dpd < 0:
                bounds = [-bounds[1], -bounds[0]]
        else:
            ours = values = own["dpd"].to_numpy()
            bounds = [dpd - HALF, dpd + HALF]
        sd = float(values.std(ddof=1))
        return reproduced(
            values.mean(),
            sd / np.sqrt(len(values)),
            run_sd=sd,
            z=distance_from_printed(ours, *bounds),
        )

    return cell


def section_4(source: Mapping[str, Any]) -> Callable[[str, str], Cell | None]:
    """Section 4: conclusions that agree, of the printed cells, and the means over the splits."""
    splits = {PRINTED: _printed_split(source["printed"]["differential_parity_table_3"])}
    if source["run"] is not None:
        splits[OURS] = source["run"]["results"]
    tables = {name: counts(own).join(inconsistencies(own)) for name, own in splits.items()}
    text = source["text"].set_index(["row", "column"])["published"].to_dict()

    def cell(row: str, column: str) -> Cell | None:
        if column not in tables or row not in tables[column]:
            return None
        own = tables[column][row].dropna()
        note = EVEN if row == LABELS else ""
        if column == PRINTED:
            return reproduced(own.iloc[0], note=note)
        sd, value = float(own.std()), text[row, column]
        # the text bounds the largest DPD, and prints the others
        bounds = (0, value + HALF) if row == LARGEST else (value - 0.5, value + 0.5)
        z = distance_from_printed(own.to_numpy(dtype=float), *bounds)
        return reproduced(own.mean(), sd / np.sqrt(len(own)), run_sd=sd, z=z, note=note)

    return cell


#: Name of a published file → the function of its source that gives its cells.
TABLES: dict[str, Callable[[Any], Callable[[str, str], Cell | None]]] = {
    "differential_parity_table_2": table_2,
    "differential_parity_table_3": table_3,
    "differential_parity_section_4": section_4,
}

NOTE = (
    "Each cell: (median one-sided p) mean DPD over {splits} random splits; ▲ where most splits "
    "find that R_i prefers group 1 more than R_j does (one-sided p ≤ 0.05), ▼ less; then, where "
    "the paper has the cell, [(p) DPD] as printed. A one-sided p at 0.05 finds a difference in "
    "10 % of fair pairs; the CSV has two-sided ones, the spread over splits, the place of the "
    "printed number in it, and the DPD over the standard deviation of all items."
)


def display_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a study in the layout of Table 3: R_j and rows down, R_i and attributes across."""
    texts = cells.assign(
        line=cells["reference"].map(_called) + ", " + cells["row"],
        column=cells["decisions"].map(_called) + ", " + cells["attribute"].str.capitalize(),
        text=[_text(cell) for cell in cells.to_dict("records")],
    )
    people = list(dict.fromkeys(cells["reference"]))
    rows = [row for row in ROWS if row in set(cells["row"])]
    lines = [f"{_called(person)}, {row}" for person in people for row in rows]
    attributes = dict.fromkeys(cells["attribute"])
    columns = [f"{_called(person)}, {a.capitalize()}" for person in people for a in attributes]
    table = texts.pivot(index="line", columns="column", values="text")
    return table.loc[lines, columns].rename_axis("R_j \\ R_i")


def mark(cell: Mapping[Any, Any]) -> str:
    """Return the sign of what most splits find, or nothing."""
    return GREEN if cell["green"] > 0.5 else RED if cell["red"] > 0.5 else ""


def _text(cell: Mapping[Any, Any]) -> str:
    text = f"({number(cell['p_one_sided'], 2)}) {number(cell['dpd'], 2)} {mark(cell)}".rstrip()
    if np.isnan(cell["published_p"]):
        return text
    return f"{text} [({number(cell['published_p'], 2)}) {number(cell['published_dpd'], 2)}]"


def _called(person: str) -> str:
    return next((name for name, column in PEOPLE.items() if column == person), person)


def counts_table(results: pd.DataFrame, printed: pd.DataFrame, text: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of section 4: in the text, of the printed cells, and over our splits.

    Parameters
    ----------
    results
        The results of a study.
    printed, text
        The cells of the published Table 3 and of section 4.
    """
    own, of_cells = counts(results), printed_counts(printed)
    said = text[text["column"] == OURS].set_index("row")["published"]
    missed = misses(results)
    cases = len(results[KEYS[:3]].drop_duplicates())
    rows = []
    for name in map(str, own):
        values = own[name].dropna()
        low, high = np.quantile(values, (0.025, 0.975))
        error = float(values.std()) / np.sqrt(len(values))  # NaN of one split
        rows.append(
            {
                "conclusions that agree": name,
                "in the text": number(said.get(name, np.nan), 0),
                "of the printed cells": number(of_cells.get(name, np.nan), 0),
                "ours, mean ± SE": f"{number(values.mean(), 1)} ± {number(error, 1)}",
                "ours, middle 95 % of splits": f"{number(low, 0)} to {number(high, 0)}",
                "95 % intervals that miss the labels of all items": number(
                    missed.get(COUNTED[name][-1], np.nan) if len(COUNTED[name]) == 1 else np.nan, 3
                ),
                "splits": str(len(values)),
                "of": str(cases),
            }
        )
    return pd.DataFrame(rows).set_index("conclusions that agree")


def write_bridge_tables(
    results: pd.DataFrame,
    printed: pd.DataFrame,
    text: pd.DataFrame,
    stems: Sequence[str | Path],
    *,
    title: str,
) -> None:
    """Write a study as stems[0].csv (tidy), .md and .tex, and its counts as stems[1].

    Parameters
    ----------
    results
        What `bridge_study.bridge_study` returned, of all chunks.
    printed, text
        The cells of the published Table 3 and of section 4.
    stems
        Where the tables go; an ending is replaced.
    title
        Title of the study.
    """
    cells = with_published(distributions(results), results, printed)
    write_text(Path(stems[0]).with_suffix(".csv"), cells.to_csv(index=False))
    note = NOTE.format(splits=int(cells["splits"].max()))
    write_display_table(display_table(cells), Path(stems[0]), title=title, note=note)
    table = counts_table(results, printed, text)
    write_text(Path(stems[1]).with_suffix(".csv"), table.to_csv())
    note = (
        "A conclusion is 0 (one-sided p > 0.05) or the sign of DPD. RQ1 counts pairs of people in "
        "which training and test part conclude the same, RQ2 those in which the estimate concludes "
        "what the labels of one of the parts do. Pairs are antisymmetric and a person agrees with "
        "oneself, so the first row is even; the text's 27 is not possible."
    )
    write_display_table(table, Path(stems[1]), title=f"{title}: agreeing conclusions", note=note)
