"""Figures: the same bytes from the same data, and the texts that they show."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from fairpairs.output.figures import experiment_rates, published_against_reproduced
from fairpairs.published.comparison import compare
from fairpairs.studies.calibration.designs.figures import design_figure
from fairpairs.studies.calibration.label_mix import gap_of_label_mix, label_mix
from fairpairs.studies.calibration.power_curves import power_curves
from fairpairs.studies.comparative_separation.figures import acceptance_region
from tests.svg import SVG, words


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
def draw(table, summary, study):
    """A function a figure."""
    return {
        "calibration": lambda stem: design_figure(stem, study, alpha=0.05),
        "label_mix": lambda stem: label_mix(stem, gap_of_label_mix),
        "power_curves": lambda stem: power_curves(stem, alpha=0.05),
        "acceptance_region": lambda stem: acceptance_region(stem, alpha=0.05),
        "published_against_reproduced": lambda stem: published_against_reproduced(stem, table[1]),
        "experiment_rates": lambda stem: experiment_rates(stem, summary),
    }


FIGURES = ["acceptance_region", "published_against_reproduced", "experiment_rates", "calibration",
           "label_mix", "power_curves"]  # fmt: skip


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of figures that are drawn once for all tests of a figure."""
    return tmp_path_factory.mktemp("drawn")


@pytest.fixture(params=FIGURES)
def stem(request, draw, drawn):
    path = drawn / request.param / "figure"
    if not path.parent.exists():
        draw[request.param](path.with_suffix(".svg"))
    return path


def test_the_same_data_give_the_same_bytes(stem, draw, tmp_path):
    again = tmp_path / "again/figure"
    draw[stem.parent.name](again.with_suffix(".svg"))
    for ending in ("svg", "png"):
        one, two = (path.with_suffix(f".{ending}") for path in (stem, again))
        assert one.read_bytes() == two.read_bytes()
        assert one.stat().st_size > 2000
    assert sorted(path.name for path in again.parent.iterdir()) == ["figure.png", "figure.svg"]


def test_the_files_say_nothing_of_the_day_or_the_program_version(stem):
    assert "<dc:date>" not in stem.with_suffix(".svg").read_text("utf-8")
    assert b"Software" not in stem.with_suffix(".png").read_bytes()


def test_the_svg_is_xml_that_needs_no_other_file(stem):
    text = stem.with_suffix(".svg").read_text("utf-8")
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


def wide_table(make_published, make_reproduced, n):
    """A table of one simulated row and so many columns."""
    columns = tuple(f"column {i}" for i in range(n))
    published = make_published([("r", "simulated", 3, [0.5] * n)], columns)
    ours = make_reproduced(*(("r", column, 0.4 + i / 50, 0.01) for i, column in enumerate(columns)))
    return compare(published, ours)


@pytest.mark.parametrize(("n", "blocks"), [(4, 1), (5, 2), (8, 2), (9, 3)])
def test_more_than_four_columns_are_drawn_in_blocks(
    make_published, make_reproduced, n, blocks, tmp_path
):
    published_against_reproduced(
        tmp_path / "figure.svg", wide_table(make_published, make_reproduced, n)
    )
    text = words(tmp_path / "figure")
    for i in range(n):
        assert text.count(f"column {i}") == 1
    assert text.count("ours − published") == n  # and the empty places have none
    assert text.count("ours") == text.count("published") == 1
    svg = ElementTree.fromstring((tmp_path / "figure.svg").read_bytes())
    _, _, width, height = map(float, svg.get("viewBox").split())
    assert width == pytest.approx(72 * (2.6 * 4 + 1.8))  # no wider than four
    assert height == pytest.approx(72 * (2.2 * blocks + 0.5))


def test_the_columns_stand_in_their_order_across_the_blocks(
    make_published, make_reproduced, tmp_path
):
    comparison = wide_table(make_published, make_reproduced, 6)
    published_against_reproduced(tmp_path / "figure.svg", comparison)
    text = words(tmp_path / "figure")
    assert [word for word in text if word.startswith("column ")] == [
        f"column {i}" for i in range(6)
    ]
    differing = int((comparison["verdict"] == "differs").sum())
    assert 0 < differing < 6
    assert text.count("≠") == differing
