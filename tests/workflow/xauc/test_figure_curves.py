"""The rule figure_curves: one figure of each kind, a panel for each data set and attribute."""

import struct
from xml.etree import ElementTree

import pytest

from fairpairs.papers.studies.xauc.figures import curves
from fairpairs.papers.studies.xauc.study import FIGURES

SVG = "{http://www.w3.org/2000/svg}"
NAMES = {
    ("loans", "sex"): "0: Female, 1: Male",
    ("loans", "region"): "0: Elsewhere, 1: North",
}


def test_there_is_a_figure_of_every_kind(ranked):
    drawn = ranked.files("results/figures")
    assert drawn == sorted(
        f"results/figures/{stem}.{ending}"
        for stem in ("loans", "xauc/loans", *(f"xauc/{kind}/loans" for kind in FIGURES))
        for ending in ("svg", "png")
    )


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_shows_the_curves_of_the_run(ranked, kind, tmp_path):
    stem = ranked / f"results/figures/xauc/{kind}/loans"
    shown = ranked.frame("results/xauc/curves/loans/loans.parquet")
    curves(tmp_path / "figure.svg", kind, shown, NAMES)
    for ending in ("svg", "png"):
        expected = (tmp_path / f"figure.{ending}").read_bytes()
        assert stem.with_suffix(f".{ending}").read_bytes() == expected
    svg = ElementTree.fromstring(stem.with_suffix(".svg").read_bytes())
    text = ["".join(part.itertext()).strip() for part in svg.iter(f"{SVG}text")]
    assert {"Loans, sex", "Loans, region", "0: Female, 1: Male"} <= set(text)


@pytest.mark.parametrize("kind", FIGURES)
def test_the_png_is_a_picture_of_two_panels(ranked, kind):
    content = (ranked / f"results/figures/xauc/{kind}/loans.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert (width, height) == (round(150 * 6.8), round(150 * 3.9))
