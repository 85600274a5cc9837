"""Figures: the same bytes from the same data, and the texts that they show."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.display.figures import (
    experiment_rates,
    published_against_reproduced,
    published_and_reproduced,
)
from fairpairs.papers.display.svg import embedded
from fairpairs.papers.published.comparison import compare
from tests.svg import check_figure, words

pytestmark = pytest.mark.slow


@pytest.fixture
def table(make_published, make_reproduced):
    """Two columns; one cell differs, one is absent, one is computed."""
    published = make_published(
        [
            ("f0, Expected", "computed", 3, [0.5, 0.5]),
            ("f0, Simulation", "simulated", 3, [0.5, 0.25]),
            ("f1, Simulation", "simulated", 3, [0.9, 0.8]),
        ],
        ("n=1,000", "n=2,000"),
    )
    ours = make_reproduced(
        ("f0, Expected", "n=1,000", 0.5),
        ("f0, Simulation", "n=1,000", 0.51, 0.016),
        ("f0, Simulation", "n=2,000", 0.45, 0.016),
        ("f1, Simulation", "n=1,000", 0.9, 0.01),
    )
    return published, compare(published, ours)


@pytest.mark.usefixtures("png")
def test_the_same_data_give_the_same_bytes(table, summary, tmp_path):
    figures = {
        "table": lambda path: published_against_reproduced(path, table[1]),
        "rates": lambda path: experiment_rates(path, summary),
    }
    for name, draw in figures.items():
        (tmp_path / name).mkdir()
        check_figure(draw, tmp_path / name, endings=("png", "svg"))


def test_a_table_is_drawn_with_its_simulated_cells(table, tmp_path):
    published_against_reproduced(tmp_path / "figure.svg", table[1])
    text = words(tmp_path / "figure")
    for word in ("f0, Simulation", "f1, Simulation", "n=1,000", "n=2,000", "ours", "published"):
        assert word in text
    assert "f0, Expected" not in text
    assert text.count("≠") == 1  # the one that differs, by 0.2
    assert text.count("−0.2") == text.count("0.2") - 2 == 2  # both panels of differences


def test_an_experiment_is_drawn_with_all_its_groups(summary, tmp_path):
    experiment_rates(tmp_path / "figure.svg", summary)
    text = words(tmp_path / "figure")
    for word in ("Compas, sex", "German, age", "None", "FairBalance", "P(violation found)"):
        assert word in text
    assert text.count("Separation") == 1  # in the legend
    assert text.count("Comparative separation") == 1


def wide_table(make_published, make_reproduced, n):
    """A table of one simulated row and so many columns."""
    columns = tuple(f"column {i}" for i in range(n))
    published = make_published([("r", "simulated", 3, [0.5] * n)], columns)
    ours = make_reproduced(*(("r", column, 0.4 + i / 50, 0.01) for i, column in enumerate(columns)))
    return compare(published, ours)


@pytest.mark.parametrize(("n", "blocks"), [(4, 1), (5, 2), (8, 2)])
def test_more_than_four_columns_are_drawn_in_blocks(
    make_published, make_reproduced, n, blocks, tmp_path
):
    published_against_reproduced(
        tmp_path / "figure.svg", wide_table(make_published, make_reproduced, n)
    )
    text = words(tmp_path / "figure")
    columns = [f"column {i}" for i in range(n)]
    assert [word for word in text if word.startswith("column ")] == columns
    assert text.count("ours − published") == n  # and the empty places have none
    assert text.count("ours") == text.count("published") == 1
    svg = ElementTree.fromstring((tmp_path / "figure.svg").read_bytes())
    _, _, width, height = map(float, svg.get("viewBox").split())
    assert width == pytest.approx(72 * (2.6 * 4 + 1.8))  # no wider than four
    assert height == pytest.approx(72 * (2.2 * blocks + 0.5))


TEXT = (
    '<?xml version="1.0"?>\n<!DOCTYPE svg>\n'
    '<svg><g id="a"/><use xlink:href="#a" clip-path="url(#a)"/></svg>'
)


def test_the_element_stands_alone_with_names_of_its_own(tmp_path):
    (tmp_path / "one.svg").write_text(TEXT, "utf-8")
    assert embedded(tmp_path / "one.svg", "mine") == (
        '<svg><g id="mine-a"/><use xlink:href="#mine-a" clip-path="url(#mine-a)"/></svg>'
    )


def test_digits_that_no_eye_sees_are_dropped(tmp_path):
    path = (
        '<svg><metadata>made</metadata><path d="M 1.23456 -0.5" transform="scale(0.015625)"/></svg>'
    )
    (tmp_path / "one.svg").write_text(path, "utf-8")
    assert embedded(tmp_path / "one.svg", "mine") == (
        '<svg><path d="M 1.23 -0.5" transform="scale(0.015625)"/></svg>'
    )


def test_a_figure_that_is_not_there_is_empty(tmp_path):
    assert embedded(tmp_path / "none.svg", "mine") == ""


@pytest.mark.slow
def test_every_paper_has_a_panel_and_every_verdict_a_count(tmp_path):
    cells = pd.DataFrame(
        {
            "paper": ["xauc", "xauc", "xauc", "density_ratio", "density_ratio"],
            "published": [0.7, 0.8, 300.0, -0.4, 0.5],
            "reproduced": [0.7, 0.6, 300.0, -0.3, np.nan],
            "verdict": ["agrees", "differs", "agrees", "not comparable", "not comparable"],
        }
    )
    published_and_reproduced(tmp_path / "all.svg", cells)
    text = (tmp_path / "all.svg").read_text("utf-8")
    for shown in ("xAUC", "density ratio", "1 agrees", "1 differs", "1 not comparable"):
        assert f">{shown}<" in text
    ticks = ["0.0", "0.3", "0.6", "0.9"]
    assert words(tmp_path / "all")[:10] == [*ticks, "published", *ticks, "reproduced"]
    first = (tmp_path / "all.svg").read_bytes()
    published_and_reproduced(tmp_path / "all.svg", cells)
    assert (tmp_path / "all.svg").read_bytes() == first


def test_a_run_without_comparable_cells_is_drawn_too(tmp_path):
    cells = pd.DataFrame({"paper": ["xauc"], "published": [1.0], "reproduced": [np.nan],
                          "verdict": ["not comparable"]})  # fmt: skip
    published_and_reproduced(tmp_path / "none.svg", cells)
    assert "<svg" in (tmp_path / "none.svg").read_text("utf-8")
