"""The tables of a study of bridges."""

import re

import numpy as np
import pandas as pd
import pytest

from fairpairs.studies.differential_parity.bridge_study import ROWS
from fairpairs.studies.differential_parity.bridge_summaries import (
    COUNTED,
    OF_TWO,
    counts,
    distributions,
    misses,
    with_published,
)
from fairpairs.studies.differential_parity.bridge_tables import (
    PEOPLE,
    counts_rows,
    counts_table,
    display_table,
    mark,
    write_bridge_tables,
)

NAMES = {column: name for name, column in PEOPLE.items()}
CROSSED = "Biased Bridge, cross-fitted"


def test_a_mark_is_what_most_splits_find():
    assert mark({"green": 0.51, "red": 0.0}) == "▲"
    assert mark({"green": 0.0, "red": 0.51}) == "▼"
    assert mark({"green": 0.5, "red": 0.5}) == ""


def test_a_study_is_laid_out_as_table_3(results, printed):
    cells = with_published(distributions(results), results, printed)
    table = display_table(cells)
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


def test_other_people_keep_their_names(results, printed):
    few = results[results["decisions"].isin(["P1", "P2"]) & results["reference"].isin(["P1", "P2"])]
    other = few.replace({"P1": "Ann", "P2": "Bob"})
    table = display_table(with_published(distributions(other), other, printed))
    assert list(table.columns) == ["Ann, Sex", "Ann, Race", "Bob, Sex", "Bob, Race"]
    assert list(table.index) == [f"{person}, {row}" for person in ("Ann", "Bob") for row in ROWS]
    assert not table.map(lambda text: "[" in text).any(axis=None)


def test_the_counts_stand_beside_those_of_the_text_and_of_the_printed_cells(results, printed, said):
    rows = counts_rows(results, printed, said).set_index("row")
    table = counts_table(rows.reset_index())
    assert list(table.index) == list(rows.index) == list(COUNTED)
    assert list(table["in the text"]) == ["27", "25", "–", "29", "32", "–", "–"]
    assert list(table["of the printed cells"]) == ["26", "25", "19", "28", "31", "–", "–"]
    assert list(table["splits"]) == ["12"] * 6 + ["2"]
    assert list(table["of"]) == ["24" if name == OF_TWO else "32" for name in COUNTED]
    missed = misses(results)
    for name, values in counts(results).items():
        own = values.dropna()
        row = rows.loc[name]
        assert row["mean"] == pytest.approx(own.mean())
        assert row["standard_error"] == pytest.approx(own.std() / np.sqrt(len(own)))
        assert row["low"] == np.quantile(own, 0.025)
        assert row["high"] == np.quantile(own, 0.975)
        assert row["missed"] == missed.get(COUNTED[name][-1]) or name.startswith("RQ1")
        mean, error = table.loc[name, "ours, mean ± SE"].split(" ± ")
        assert float(mean) == pytest.approx(own.mean(), abs=0.0501)
        assert float(error) == pytest.approx(own.std() / np.sqrt(len(own)), abs=0.0501)
        low, high = table.loc[name, "ours, middle 95 % of splits"].split(" to ")
        assert float(low) == pytest.approx(np.quantile(own, 0.025), abs=0.501)
        assert float(high) == pytest.approx(np.quantile(own, 0.975), abs=0.501)


def test_of_one_split_there_is_no_standard_error(results, printed, said):
    crossed = results[(results["row"] != CROSSED) | (results["repeat"] == 0)]
    table = counts_table(counts_rows(crossed, printed, said))
    own = table.loc["RQ2, biased bridge, cross-fitted"]
    assert own["splits"] == "1"
    assert re.fullmatch(r"\d+\.0 ± –", own["ours, mean ± SE"])


def test_both_tables_are_written(results, printed, said, tmp_path):
    stems = [tmp_path / "study.csv", tmp_path / "study_conclusions.csv"]
    write_bridge_tables(results, printed, said, stems, title="A made & small study")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{stem}.{ending}"
        for stem in ("study", "study_conclusions")
        for ending in ("csv", "md", "tex")
    ]
    cells = with_published(distributions(results), results, printed)
    pd.testing.assert_frame_equal(pd.read_csv(stems[0]), cells, check_dtype=False)
    markdown = stems[0].with_suffix(".md").read_text("utf-8")
    assert markdown.startswith("# A made & small study\n")
    assert "over 12 random splits" in markdown
    assert markdown.count("\n| R_") == 28 + 1  # with the header
    conclusions_md = stems[1].with_suffix(".md").read_text("utf-8")
    assert "# A made & small study: agreeing conclusions" in conclusions_md
    assert "the text's 27 is not possible" in conclusions_md
    rows = counts_rows(results, printed, said)
    pd.testing.assert_frame_equal(pd.read_csv(stems[1]), rows, check_dtype=False)
    for text in counts_table(rows)["ours, mean ± SE"]:
        assert text in conclusions_md


def test_the_latex_has_nothing_that_latex_cannot_read(results, printed, said, tmp_path):
    stems = [tmp_path / "study.csv", tmp_path / "study_conclusions.csv"]
    write_bridge_tables(results, printed, said, stems, title="A made & small study")
    texts = [stem.with_suffix(".tex").read_text("utf-8") for stem in stems]
    marked = display_table(with_published(distributions(results), results, printed))
    signs = "".join(marked.to_numpy().ravel())
    for sign, command in (("▲", r"$\bigtriangleup$"), ("▼", r"$\bigtriangledown$")):
        assert signs.count(sign) > 3
        assert texts[0].count(command) == signs.count(sign) + 1  # and in the note
    for text in texts:
        assert text.isascii()
        assert not re.search(r"(?<!\\)[_%#^~]", text)
        assert r"A made \& small study" in text
