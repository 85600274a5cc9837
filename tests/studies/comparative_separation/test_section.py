"""What the report shows of comparative separation."""

from tests.page import Page


def test_the_section_is_the_figure_that_needs_no_data(section_of):
    text = section_of("comparative_separation", figures=("figure_1",))
    assert text.count("<svg") == 1
    assert "Figure 1 of the paper: the probability β" in Page(text).text


def test_without_the_figure_there_is_no_section(section_of):
    assert section_of("comparative_separation") == ""
