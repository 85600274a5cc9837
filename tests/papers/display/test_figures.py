"""Figures: the same bytes from the same data, and the texts that they show."""

from xml.etree import ElementTree

import pytest

from fairpairs.papers.display.figures import experiment_rates, published_against_reproduced
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
