from xml.etree import ElementTree

import pandas as pd
import pytest

from fairpairs.base.style import drawing, rendered
from fairpairs.papers.display.figures import experiment_rates

#: The first four make matplotlib's mathematics fail; no font has the others.
NAMES = ["$10k-$20k", "$#$", "$^$", "$\\x$", "北京", "🫠", "\x1b[31m", "a\0b", "\ufffe"]


def words(svg):
    root = ElementTree.fromstring(svg)
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.slow
def test_names_are_drawn_as_they_are_written():
    with drawing(9, 9) as figure:
        for axes, name in zip(figure.subplots(3, 3).flat, NAMES, strict=True):
            axes.plot([0, 1], [0, 1], label=name)
            axes.set_yticks([0, 1], [name, "1"])
            axes.set_title(name)
            axes.legend()
        svg, png = rendered(figure, "svg"), rendered(figure, "png")
    for name in NAMES:
        drawn = name.translate(dict.fromkeys([0, 0x1B, 0xFFFE], "\ufffd"))  # XML has none of these
        assert words(svg).count(drawn) == 3
    assert png.startswith(b"\x89PNG")


def test_names_of_data_sets_and_treatments_are_drawn_as_they_are_written(tmp_path):
    rows = [
        {"dataset": dataset, "attribute": "$#$", "treatment": treatment, "test": test,
         "violated": 0.5, "standard_error": 0.1}
        for dataset in ("$^$", "北京") for treatment in ("$\\x$", "b") for test in ("$&$", "d")
    ]  # fmt: skip
    experiment_rates(tmp_path / "figure", pd.DataFrame(rows))
    drawn = words((tmp_path / "figure.svg").read_bytes())
    assert {"$^$, $#$", "北京, $#$", "$\\x$", "$&$"} <= set(drawn)


def test_ticks_of_a_logarithmic_axis_are_plain_characters():
    with drawing(4, 3) as figure:
        wide, narrow = figure.subplots(1, 2)
        wide.plot([1e-3, 1e3], [-1e4, 1e4])
        wide.set_xscale("log")
        wide.set_yscale("symlog")
        narrow.plot([200, 400], [0, 1])
        narrow.set_xscale("log")
        drawn = words(rendered(figure, "svg"))
    assert {"10⁻³", "10³", "−10⁴", "0", "2×10²", "4×10²"} <= {
        word.replace("-", "−") for word in drawn
    }
    assert not any("$" in word for word in drawn)
