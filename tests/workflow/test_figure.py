"""The rules figure_table, figure_experiment, figure_acceptance_region."""

import struct
from xml.etree import ElementTree

import pytest

FIGURES = (
    "comparative_separation/figure_1",
    "comparative_separation/table_3",
    "comparison",
    "loans",
)
SVG = "{http://www.w3.org/2000/svg}"


def words(svg):
    return " ".join("".join(text.itertext()) for text in svg.iter(f"{SVG}text"))


def test_there_are_the_figures_of_what_the_run_has(done):
    assert done.files("results/figures") == sorted(
        f"results/figures/{figure}.{ending}" for figure in FIGURES for ending in ("svg", "png")
    )


@pytest.mark.parametrize("figure", FIGURES)
def test_the_svg_is_xml_with_text_and_marks(done, figure):
    svg = ElementTree.fromstring((done / f"results/figures/{figure}.svg").read_bytes())
    assert svg.tag == f"{SVG}svg"
    assert len(words(svg)) > 20
    assert len(list(svg.iter(f"{SVG}path"))) > 3


@pytest.mark.parametrize("figure", FIGURES)
def test_the_png_is_a_picture(done, figure):
    content = (done / f"results/figures/{figure}.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert width > 350
    assert height > 200
    assert content.endswith(b"IEND\xaeB`\x82")


def test_table_3_is_drawn_with_its_simulated_rows_and_columns(done):
    svg = ElementTree.fromstring(
        (done / "results/figures/comparative_separation/table_3.svg").read_bytes()
    )
    text = words(svg)
    for word in (
        *(f"f{i}, Simulation" for i in range(4)),
        *("Separation, n=1,000", "Comparative separation, np=4,000", "ours", "published"),
    ):
        assert word in text
    assert "Expected" not in text


def test_the_experiment_is_drawn_with_its_groups_treatments_and_tests(done):
    svg = ElementTree.fromstring((done / "results/figures/loans.svg").read_bytes())
    text = words(svg)
    for word in ("Loans, sex", "Loans, region", "FairBalance", "Separation"):
        assert word in text
    assert "Comparative separation" in text


def test_figure_1_follows_the_level(copy):
    assert "1.96σ" in copy.text("results/figures/comparative_separation/figure_1.svg")
    copy.configure(lambda config: config.update(alpha=0.1))
    copy.snakemake("results/figures/comparative_separation/figure_1.svg").check()
    assert "1.64σ" in copy.text("results/figures/comparative_separation/figure_1.svg")
