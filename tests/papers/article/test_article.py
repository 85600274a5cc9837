"""The article: its numbers are those of the run, and a sentence that is not true stops it."""

import re
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.article.article import TEXT, typed_numbers, write_article
from fairpairs.papers.article.numbers import LEVELS, article_numbers

pytest.importorskip("typst", reason="the library typst is not installed")
ROOT = Path(__file__).parents[3]
CLAIMS, CELLS = "results/claims.csv", "results/comparison.csv"


def changed(run, file, change):
    """Change a table of the run."""
    table = pd.read_csv(run / file, keep_default_na=False)
    change(table)
    table.to_csv(run / file, index=False)


def words(run):
    """What the article says, without the tags of the page."""
    _, page = write_article(run, ROOT)
    text = re.sub(r"<style>.*?</style>", "", page.read_text("utf-8"), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", "", text).split())


def test_no_number_is_typed_in_the_text():
    assert typed_numbers(TEXT.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("We find 3 of them.", True),
        ("We find twice as many.", True),
        ("All but two hold.", True),
        ("We find #count(n.sum() + 3) of them.", False),
        ("#so(x.at(0) > 3)[More than three hold.]", True),
        ("#so(x.at(0) > 3)[More hold.] // as 2 did", False),
        ('#let kept = fixed(0.05, digits: 3) + "4"', False),
        ('#lined((1fr, 2fr), ("Table 3",), note: [In 5 tables])', True),
        ("See @table-3 and #f(1).g(2)[there].", False),
        ("#for one in (1, 2) { for two in (3,) [ - #one ] }", False),
    ],
)
def test_a_typed_number_is_found(line, typed):
    assert typed_numbers(f"Words.\n{line}\nWords.") == ([line] if typed else [])


@pytest.mark.slow
def test_it_has_the_numbers_of_the_run(run):
    text = words(run)
    claims = pd.read_csv(run / CLAIMS)
    tables = pd.concat(
        pd.read_csv(run / f"results/comparison{kind}.csv") for kind in ("", "_of_text")
    )
    agree = (tables["verdict"] == "agrees").sum()
    compared = agree + (tables["verdict"] == "differs").sum()
    assert f"Of {compared:,} printed numbers that can be compared, {agree:,} agree with" in text
    assert f"Of {len(claims)} conclusions, " in text
    for claim in claims.to_dict("records"):
        assert " ".join(claim["statement"].split()) in text.replace("’", "'")


@pytest.mark.slow
def test_it_is_the_same_bytes_again(run):
    first = [path.read_bytes() for path in write_article(run, ROOT)]
    assert [path.read_bytes() for path in write_article(run, ROOT)] == first
    assert first[0].startswith(b"%PDF-")
    assert b"<svg" in first[1] or b"data:image/svg" in first[1]


@pytest.mark.slow
def test_another_number_of_the_run_changes_the_text(run):
    before = words(run)

    def change(cells):
        of = (cells["paper"] == "density_ratio") & (cells["verdict"] == "agrees")
        cells.loc[cells.index[of][0], "verdict"] = "differs"

    changed(run, CELLS, change)
    after = words(run)
    assert after != before
    assert "1,118 agree with" in after and "1,119 agree with" in before


@pytest.mark.slow
def test_a_sentence_that_is_no_longer_true_stops_it(run):
    before = set((run / "results").iterdir())

    def change(levels):
        levels.loc[levels["test"] == "binomial", "rejected"] = 0.09

    changed(run, LEVELS, change)
    with pytest.raises(InputError, match=r"no longer true, write it anew: .*it breaks it by far"):
        write_article(run, ROOT)
    assert set((run / "results").iterdir()) == before


def test_a_run_without_a_paper_is_refused(run):
    def change(claims):
        claims.loc[claims["study"] == "xauc", "study"] = "density_ratio"

    changed(run, CLAIMS, change)
    with pytest.raises(InputError, match=r"claims\.csv: nothing of xAUC: run all papers first"):
        write_article(run, ROOT)


def test_an_unfinished_run_is_refused_in_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["article.py", "--directory", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "workflow/article.py"), run_name="__main__")
    assert end.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "claims.csv: there is no such file: finish the run first." in said.err


@pytest.mark.slow
def test_the_levels_are_those_of_the_table(run):
    numbers = article_numbers(run, ROOT)
    levels = pd.read_csv(run / LEVELS)
    cell = levels[
        (levels["design"] == "f0") & (levels["n"] == 1000) & (levels["pairs_per_item"] == 2)
        & (levels["test"] == "binomial") & (levels["quantity"] == "either")
    ]  # fmt: skip
    (row,) = [one for one in numbers["kept"] if one["words"] == "Published test, 2"]
    assert row["rejected"][numbers["items"].index(1000)] == cell["rejected"].item()
    assert numbers["promised"] == pytest.approx(1 - (1 - numbers["level"]) ** 2)
