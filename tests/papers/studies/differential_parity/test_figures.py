"""The figures of differential parity."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.figures import (
    bridges,
    predictions_and_labels,
    raters,
)
from fairpairs.papers.studies.differential_parity.predictions_and_labels import parity_rows
from tests.svg import words

pytestmark = pytest.mark.slow

PEOPLE = ("P1", "Average", "Zoe")
ABOUT = {
    "sensitive": {
        "sex": {"one": "Male", "zero": "Female"},
        "race": {"one": "Asian", "zero": "Caucasian"},
    }
}


@pytest.fixture
def cells():
    """A study of two people of the paper and one other, as `with_published` returns it."""
    rng = np.random.default_rng(0)
    rows = [
        (attribute, decisions, reference, row)
        for attribute in ("sex", "race")
        for decisions in PEOPLE
        for reference in PEOPLE
        for row in ROWS[:6]
    ]
    frame = pd.DataFrame(rows, columns=["attribute", "decisions", "reference", "row"])
    frame["dpd"] = rng.normal(0, 0.3, len(frame))
    frame["dpd_low"], frame["dpd_high"] = frame["dpd"] - 0.1, frame["dpd"] + 0.1
    known = (frame["decisions"] != "Zoe") & (frame["reference"] != "Zoe")
    frame["published_dpd"] = frame["dpd"].round(1).where(known)
    return frame


@pytest.fixture
def draw(cells, rated, parity_summary):
    """A function a figure."""
    return {
        "bridges": lambda stem: bridges(stem, cells),
        "raters": lambda stem: raters(stem, *rated, ABOUT),
        "predictions_and_labels": lambda stem: predictions_and_labels(stem, parity_summary),
    }


FIGURES = ["bridges", "raters", "predictions_and_labels"]


@pytest.fixture
def kept(monkeypatch):
    """The figures that are saved, as matplotlib has them."""
    figures = []
    save = Figure.savefig

    def keep(self, *arguments, **keywords):
        save(self, *arguments, **keywords)
        if self not in figures:
            figures.append(self)

    monkeypatch.setattr(Figure, "savefig", keep)
    return figures


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("figures")


@pytest.fixture(scope="module")
def figures():
    """The figures that are drawn for several tests, by name."""
    return {}


@pytest.fixture
def drawn(draw, kept, folder, figures):
    """A function that draws a figure, once for all tests; returns its path and matplotlib's."""

    def path_and_figure(name):
        if name not in figures:
            draw[name](folder / f"{name}.svg")
            (figures[name],) = kept
        return folder / f"{name}.svg", figures[name]

    return path_and_figure


@pytest.mark.parametrize("figure", FIGURES)
def test_the_same_data_give_the_same_bytes(draw, drawn, figure, tmp_path):
    path, _ = drawn(figure)
    draw[figure](tmp_path / "figure.svg")
    text = path.read_text("utf-8")
    assert text == (tmp_path / "figure.svg").read_text("utf-8")
    assert len(text) > 5000
    assert "<dc:date>" not in text
    assert not re.search(r"<script\b", text)
    # the matrix of people is a picture inside the file
    assert all(h.startswith(("#", "data:")) for h in re.findall(r"href=\"([^\"]+)\"", text))


def texts_of(figure):
    """The texts of a figure that are seen, with their places on the canvas."""
    beyond = set()  # the labels of ticks that lie beyond their axis are not drawn
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if not low <= tick.get_loc() <= high or not tick.get_visible():
                    beyond |= {id(tick.label1), id(tick.label2)}
    renderer = figure.canvas.get_renderer()
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in beyond:
            yield text.get_text(), text.get_window_extent(renderer)


@pytest.mark.parametrize("figure", FIGURES)
def test_no_two_texts_overlap_and_none_is_cut(drawn, figure):
    assert_readable(drawn(figure)[1])


def assert_readable(figure):
    FigureCanvasAgg(figure).draw()
    shown, texts = figure.bbox, list(texts_of(figure))
    assert len(texts) > 8
    for i, (one, box) in enumerate(texts):
        assert min(box.x0 - shown.x0, shown.x1 - box.x1) > -1, one
        assert min(box.y0 - shown.y0, shown.y1 - box.y1) > -1, one
        for other, second in texts[i + 1 :]:
            across = min(box.x1, second.x1) - max(box.x0, second.x0)
            down = min(box.y1, second.y1) - max(box.y0, second.y0)
            assert across <= 1 or down <= 1, (one, other)


def test_a_study_has_a_panel_for_each_two_people(drawn):
    path, figure = drawn("bridges")
    assert len(figure.axes) == 9
    called = ["R_1", "R_Avg", "Zoe"]
    assert [axes.get_title() for axes in figure.axes] == [
        f"{decisions} over {reference}" for reference in called for decisions in called
    ]
    text = words(path)
    for row in ROWS[:6]:
        assert text.count(row) == 3  # at the left
    assert ROWS[6] not in text
    for name in (
        "sex: mean and middle 95 % of splits",
        "race: mean and middle 95 % of splits",
        "published, one split",
    ):
        assert text.count(name) == 1


def test_a_study_is_drawn_where_it_says(drawn, cells):
    _, figure = drawn("bridges")
    panel = next(axes for axes in figure.axes if axes.get_title() == "R_Avg over R_1")
    own = cells[(cells["decisions"] == "Average") & (cells["reference"] == "P1")]
    lines = [line for line in panel.get_lines() if len(line.get_xdata()) == 6]
    for line, attribute, column in zip(
        lines, ("sex", "sex", "race", "race"), ["dpd", "published_dpd"] * 2, strict=True
    ):
        expected = own[own["attribute"] == attribute].set_index("row").loc[list(ROWS[:6])]
        np.testing.assert_allclose(line.get_xdata(), expected[column])
        assert list(np.round(line.get_ydata())) == list(range(6))
    low, high = panel.get_ylim()
    assert low > high  # the first row stands above


def test_everyone_is_drawn_by_the_size_over_the_others(drawn, rated):
    _, figure = drawn("raters")
    pairs, people = rated
    assert len(figure.axes) == 5  # two bars, two matrices, the colours
    for k, attribute in enumerate(("sex", "race")):
        above, below = figure.axes[k], figure.axes[2 + k]
        names = ABOUT["sensitive"][attribute]
        assert above.get_title() == (
            f"{attribute}: > 0 prefers “{names['one']}”, < 0 “{names['zero']}”"
        )
        each = people[people["attribute"] == attribute].sort_values("dpd")
        np.testing.assert_allclose([bar.get_height() for bar in above.patches], each["dpd"])
        order = list(each["decisions"])
        across = [label.get_text() for label in below.get_xticklabels()]
        down = [label.get_text() for label in below.get_yticklabels()]
        assert across == order
        assert down == order[::-1]
        shown = below.images[0].get_array()
        sizes = pairs[pairs["attribute"] == attribute].set_index(["decisions", "reference"])
        for y, second in enumerate(down):
            for x, first in enumerate(across):
                if first == second:
                    assert np.ma.getmaskarray(shown)[y, x]
                    continue
                sign = 1 if (first, second) in sizes.index else -1
                cell = sizes.loc[(first, second) if sign == 1 else (second, first)]
                if cell["pvalue_holm"] < 0.05:
                    assert shown[y, x] == pytest.approx(sign * cell["dpd"])
                else:
                    assert np.ma.getmaskarray(shown)[y, x]
    assert (pairs["pvalue_holm"] < 0.05).any()
    assert (pairs["pvalue_holm"] >= 0.05).any()


def test_many_people_are_named_now_and_then(kept, tmp_path):
    names = [f"P{i}" for i in range(60)]
    people = pd.DataFrame(
        {"attribute": "sex", "decisions": names, "dpd": np.linspace(-1, 1, 60), "pvalue_holm": 0.01}
    )
    first, second = np.triu_indices(60, 1)
    pairs = pd.DataFrame(
        {
            "attribute": "sex", "decisions": np.array(names)[first],
            "reference": np.array(names)[second], "dpd": -0.5, "pvalue_holm": 0.01,
        }
    )  # fmt: skip
    raters(tmp_path / "figure.svg", pairs, people, ABOUT)
    assert_readable(*kept)
    text = words(tmp_path / "figure")
    assert [name for name in text if name in names] == [*names[::2], *names[::-2]]


def test_predictions_are_drawn_by_treatment(drawn, parity_summary):
    path, figure = drawn("predictions_and_labels")
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        *("Made scores, sex", "Made scores, race")
    ]
    text = words(path)
    assert text.count("None") == text.count("FairBalance") == 1
    rows = parity_rows(parity_summary).set_index(["treatment", "attribute"])
    for container, treatment in zip(axes.containers, ("none", "fairbalance"), strict=True):
        line = container.lines[0]
        np.testing.assert_allclose(line.get_xdata(orig=False), rows.loc[treatment]["dpd"])
        (bars,) = container.lines[2]
        for segment, (_, row) in zip(
            bars.get_segments(), rows.loc[treatment].iterrows(), strict=True
        ):
            width = segment[1, 0] - segment[0, 0]
            assert width == pytest.approx(2 * 1.959964 * row["dpd_error"], rel=1e-6)
