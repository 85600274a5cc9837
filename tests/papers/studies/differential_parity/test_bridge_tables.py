"""The tables of a study of bridges."""

import re

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display.layouts import display
from fairpairs.papers.studies.differential_parity import bridge_tables
from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_tables import (
    AS_WRITTEN,
    BIASED,
    CALLED as NAMES,
    COUNTED,
    LABELS,
    LARGEST,
    OPPOSITE,
    PEOPLE,
    TWO_PEOPLE,
    counts_rows,
    distributions,
    misses,
    section_4_numbers,
    shown_cells,
    with_published,
)

pytestmark = pytest.mark.slow

CROSSED = "Biased Bridge, cross-fitted"


def table_of(layout, values):
    return display(bridge_tables.__file__, layout, **values, title="Made").table


def test_a_study_is_laid_out_as_table_3(results, printed):
    cells = with_published(distributions(results), results, printed)
    table = table_of("cells", shown_cells(cells))
    assert table.index.name == "R_j \\ R_i"
    assert list(table.index) == [f"{person}, {row}" for person in PEOPLE for row in ROWS]
    assert list(table.columns) == [f"{p}, {a}" for p in PEOPLE for a in ("Sex", "Race")]
    assert table.notna().all(axis=None)
    for cell in cells.to_dict("records"):
        text = table.loc[
            f"{NAMES[cell['reference']]}, {cell['row']}",
            f"{NAMES[cell['decisions']]}, {cell['attribute'].capitalize()}",
        ]
        ours, _, beside = text.partition(" [")
        p, dpd = re.fullmatch(r"\((\S+)\) (\S+)(?: [▲▼])?", ours).groups()
        assert float(p) == pytest.approx(cell["p_one_sided"], abs=0.00501)
        assert float(dpd) == pytest.approx(cell["dpd"], abs=0.00501)
        assert ("▲" in text) == (cell["green"] > 0.5)
        assert ("▼" in text) == (cell["red"] > 0.5)
        assert bool(beside) == (cell["row"] in ROWS[:5])
    assert "(0.50) 0.00 [(0.50) 0.00]" in set(table.to_numpy().ravel())


def test_the_counts_stand_beside_those_of_the_text_and_of_the_printed_cells(results, printed, said):
    rows = counts_rows(results, printed, said).set_index("row")
    table = table_of("conclusions", {"rows": rows.reset_index()})
    numbers = section_4_numbers(results)
    assert list(table.index) == list(rows.index) == list(numbers)
    assert list(table["in the text"]) == [
        *("27", "25", "–", "29", "32", "–", "–"), *("0", "0.10", "–", "–")
    ]  # fmt: skip
    assert list(table["of the printed cells"]) == [
        *("26", "25", "19", "28", "31", "–", "–"), *("0", "0.14", "0.20", "0.00")
    ]  # fmt: skip
    assert list(table["splits"])[:9] == ["12"] * 6 + ["2", "12", "12"]
    assert list(table["of"]) == [
        "24" if name == TWO_PEOPLE else "64" if name in (OPPOSITE, LARGEST) else "32"
        for name in numbers
    ]
    missed = misses(results)
    for name, values in numbers.items():
        own = values.dropna()
        row = rows.loc[name]
        assert row["sd"] == pytest.approx(own.std())
        assert row["mean"] == pytest.approx(own.mean())
        assert row["standard_error"] == pytest.approx(own.std() / np.sqrt(len(own)))
        assert row["low"] == pytest.approx(np.quantile(own, 0.025))
        assert row["high"] == pytest.approx(np.quantile(own, 0.975))
        if name in COUNTED and len(COUNTED[name]) == 1:
            assert row["missed"] == missed[COUNTED[name][0]]
        else:
            assert np.isnan(row["missed"])
        mean, error = table.loc[name, "ours, mean ± SE"].split(" ± ")
        assert float(mean) == pytest.approx(own.mean(), abs=0.0501)
        assert float(error) == pytest.approx(own.std() / np.sqrt(len(own)), abs=0.0501)
        low, high = table.loc[name, "ours, middle 95 % of splits"].split(" to ")
        assert float(low) == pytest.approx(np.quantile(own, 0.025), abs=0.501)
        assert float(high) == pytest.approx(np.quantile(own, 0.975), abs=0.501)


def test_the_shares_of_splits_are_counted(results, printed, said):
    rows = counts_rows(results, printed, said).set_index("row")
    numbers = section_4_numbers(results)
    for name, values in numbers.items():
        own, row = list(values.dropna()), rows.loc[name]
        as_said = {
            LABELS: [value >= 27 for value in own],
            "RQ1, models of train and test": [value >= 25 for value in own],
            "RQ2, unbiased bridge (Model Test)": [value >= 29 for value in own],
            BIASED: [value == 32 for value in own],
            OPPOSITE: [value == 0 for value in own],
            LARGEST: [round(value, 2) <= 0.1 for value in own],
        }.get(name)
        assert row["share_as_in_text"] == pytest.approx(
            np.mean(as_said) if as_said else np.nan, nan_ok=True
        )
        most = 24 if name == TWO_PEOPLE else 32
        for column, number in (("share_all", most), ("share_all_but_one", most - 1)):
            expected = np.mean([value >= number for value in own]) if name in COUNTED else np.nan
            assert row[column] == pytest.approx(expected, nan_ok=True)


def test_e_0_as_written_is_counted_beside_held_out(printed, said, results):
    """Where the bridge from the fitting data concludes what the labels do, all 32 are right."""
    labels = results[results["row"] == "Label Train"]
    right = labels.assign(row="Biased Bridge, E0 from the fitting data")
    study = pd.concat([results[results["row"] != right["row"].iloc[0]], right], ignore_index=True)
    rows = counts_rows(study, printed, said).set_index("row")
    assert rows.loc[AS_WRITTEN, ["mean", "sd", "share_all", "share_all_but_one"]].tolist() == [
        *(32, 0, 1, 1)
    ]
    before = counts_rows(results, printed, said).set_index("row")
    pd.testing.assert_series_equal(rows.loc[BIASED], before.loc[BIASED])
