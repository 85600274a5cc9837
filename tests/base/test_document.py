"""Documents as text and page, and names in figures."""

from xml.etree import ElementTree

import pandas as pd
import pytest

from fairpairs.base.document import Document, Figure, Grid, Heading, Notes, Terms, text_of
from fairpairs.base.style import drawing, rendered
from fairpairs.papers.display.figures import experiment_rates

GRID = Grid(["name", "n"], [("a", "1"), ("bcd", "20")], left=("name",), caption="Sizes:")
REPORT = Document("a & b", ["One\ntwo.", Heading("sex"), GRID, Notes(["<b>\x1b"])])


def test_the_text_has_a_blank_line_between_parts_and_none_below_a_heading():
    assert REPORT.to_text().split("\n\n") == [
        "One\ntwo.",
        "sex\nSizes:\nname      n\n------  ---\na         1\nbcd      20",
        "Notes:\n- <b>\x1b",
    ]  # fmt: skip


def test_a_note_of_a_row_stands_below_the_table_and_its_mark_in_the_row():
    grid = Grid(["a"], [["x"], ["y"], ["z"]], notes=["few", "", "few"], most=2, unfolded=1)
    assert str(grid).split("\n") == ["  a", "---  ---", "  x  [1]", "  y", "[1] few"]
    page = Document("t", [grid]).to_html()
    assert page.count('<small class="mark">[1]</small>') == 2
    assert page.count("<li>[1] few</li>") == 1
    assert "<summary>2 more rows</summary>" in page


def test_a_note_of_all_rows_stands_once_below_the_table_without_a_mark():
    grid = Grid(["a"], [["x"], ["y"]], notes=["few", "few"])
    assert str(grid).split("\n") == ["  a", "---", "  x", "  y", "All comparisons: few"]
    page = Document("t", [grid]).to_html()
    assert page.count("few") == 1 and 'class="mark"' not in page


def test_a_page_begins_a_table_with_the_column_that_a_terminal_has_last():
    grid = Grid(["n", "name"], [("1", "long")], left=("name",), first="name")
    assert str(grid).split("\n")[0].split() == ["n", "name"]
    page = Document("t", [grid]).to_html()
    assert '<td class="text">long</td><td>1</td>' in page
    assert '<th class="text">name</th><th>n</th>' in page


def test_a_long_paragraph_is_wrapped_and_a_figure_is_drawn_on_the_page_only():
    drawn = []
    figure = Figure(lambda: drawn.append(1) or "<svg></svg>", "caption", "what it shows")
    parts = ["word " * 40, figure, Terms({"a": "b"})]
    assert [len(line) <= 100 for line in text_of(parts).split("\n")] == [True] * 5
    assert not drawn and text_of(parts).endswith("\na: b")
    page = Document("t", parts).to_html()
    assert drawn and 'aria-label="what it shows"><svg></svg></div>' in page


def test_the_page_stands_alone_and_escapes_what_is_in_the_data():
    page = REPORT.to_html()
    assert "<title>FairPairs: a &amp; b</title>" in page
    assert "<p>One</p>\n<p>two.</p>" in page and "<h2>sex</h2>" in page
    assert "<p>Sizes:</p>" in page
    assert '<td class="text">bcd</td><td>20</td>' in page
    assert r"<li>&lt;b&gt;\x1b</li>" in page
    assert "http:" not in page and "https:" not in page and "<script src" not in page


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
