import re
from xml.etree import ElementTree

import numpy as np
import pytest

from fairpairs.reporting.comparison import compare
from fairpairs.reporting.figures import (
    acceptance_region,
    experiment_rates,
    published_against_reproduced,
)

SVG = "{http://www.w3.org/2000/svg}"


def words(path):
    svg = ElementTree.fromstring(path.with_suffix(".svg").read_bytes())
    return [" ".join("".join(text.itertext()).split()) for text in svg.iter(f"{SVG}text")]


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


@pytest.fixture
def draw(table, summary):
    """A function a figure."""
    return {
        "acceptance_region": lambda stem: acceptance_region(stem, alpha=0.05),
        "published_against_reproduced": lambda stem: published_against_reproduced(stem, table[1]),
        "experiment_rates": lambda stem: experiment_rates(stem, summary),
    }


FIGURES = ["acceptance_region", "published_against_reproduced", "experiment_rates"]


@pytest.mark.parametrize("figure", FIGURES)
def test_the_same_data_give_the_same_bytes(draw, figure, tmp_path):
    for name in ("one", "two"):
        draw[figure](tmp_path / name / "figure.svg")
    for ending in ("svg", "png"):
        one, two = (tmp_path / name / f"figure.{ending}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        assert one.stat().st_size > 2000
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "figure.png",
        "figure.svg",
    ]


@pytest.mark.parametrize("figure", FIGURES)
def test_the_files_say_nothing_of_the_day_or_the_program_version(draw, figure, tmp_path):
    draw[figure](tmp_path / "figure.svg")
    assert "<dc:date>" not in (tmp_path / "figure.svg").read_text("utf-8")
    assert b"Software" not in (tmp_path / "figure.png").read_bytes()


@pytest.mark.parametrize("figure", FIGURES)
def test_the_svg_is_xml_that_needs_no_other_file(draw, figure, tmp_path):
    draw[figure](tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text("utf-8")
    assert ElementTree.fromstring(text.encode()).tag == f"{SVG}svg"
    assert not re.search(r"<(image|script|style [^>]*src)\b", text)
    assert set(re.findall(r"href=\"(.)", text)) <= {"#"}


def test_figure_1_shows_the_bounds_and_beta(tmp_path):
    acceptance_region(tmp_path / "figure.svg", alpha=0.05)
    text = " ".join(words(tmp_path / "figure"))
    assert "−1.96σ" in text
    assert "μ" in text
    # the chance that a normal number with mean 0.9 lies between −1.96 and 1.96
    assert "β = 0.853" in text
    acceptance_region(tmp_path / "other.svg", alpha=0.01)
    assert "2.58σ" in " ".join(words(tmp_path / "other"))


def test_a_table_is_drawn_with_its_simulated_cells(table, tmp_path):
    published_against_reproduced(tmp_path / "figure.svg", table[1])
    text = words(tmp_path / "figure")
    for word in ("f0, Simulation", "f1, Simulation", "n=1,000", "n=2,000", "ours", "published"):
        assert word in text
    assert "f0, Expected" not in text
    assert text.count("≠") == 1  # the one that differs


def test_an_experiment_is_drawn_with_all_its_groups(summary, tmp_path):
    experiment_rates(tmp_path / "figure.svg", summary)
    text = words(tmp_path / "figure")
    for word in ("Compas, sex", "German, age", "None", "FairBalance", "P(violation found)"):
        assert word in text
    assert text.count("Separation") == 1  # in the legend
    assert text.count("Comparative separation") == 1


def test_one_group_one_treatment_and_one_test_are_drawn_too(summary, tmp_path):
    experiment_rates(tmp_path / "figure.svg", summary.iloc[:1])
    assert "Compas, sex" in words(tmp_path / "figure")


def test_shares_without_a_number_are_drawn_as_nothing(summary, tmp_path):
    experiment_rates(
        tmp_path / "figure.svg", summary.assign(violated=np.nan, standard_error=np.nan)
    )
    assert "German, age" in words(tmp_path / "figure")


def test_other_data_give_another_picture(summary, tmp_path):
    experiment_rates(tmp_path / "one.svg", summary)
    experiment_rates(tmp_path / "two.svg", summary.assign(violated=summary["violated"] / 2))
    for ending in ("svg", "png"):
        one, two = (tmp_path / f"{name}.{ending}" for name in ("one", "two"))
        assert one.read_bytes() != two.read_bytes()
