"""A figure as part of a page."""

from fairpairs.papers.display.svg import embedded

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
