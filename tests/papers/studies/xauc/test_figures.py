"""The figures of a ranking."""

import pytest

from fairpairs.papers.studies.xauc.curves import XROC, ranking_curves
from fairpairs.papers.studies.xauc.figures import STYLES, curves, group_names, ranking
from fairpairs.papers.studies.xauc.study import FIGURES as KINDS
from tests.svg import check_figure, words

pytestmark = pytest.mark.slow

SHOWN = {
    "xroc": ["ROC(0)", "ROC(1)", "xROC(0,1)", "xROC(1,0)"],
    "balanced_xroc": ["xROC_1(0)", "xROC_1(1)", "xROC_0(0)", "xROC_0(1)"],
    "score_densities": [f"A={a}, Y={y}" for a in (0, 1) for y in (0, 1)],
    "conditional_xauc": ["xAUC(0,1)", "xAUC(1,0)"],
    "calibration": ["A=0", "A=1"],
}


@pytest.fixture
def names(score_roles):
    return group_names(score_roles)


@pytest.fixture
def draw(score_curves, ranked, names, score_roles):
    """A function a figure."""
    return {
        **{kind: lambda stem, kind=kind: curves(stem, kind, score_curves, names) for kind in KINDS},
        "forest": lambda stem: ranking(stem, ranked, score_roles),
    }


FIGURES = [*SHOWN, "forest"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("figures")


@pytest.fixture
def drawn(draw, folder):
    """A function that draws a figure, once for all tests, and returns its path."""

    def path(figure):
        file = folder / f"{figure}.svg"
        if not file.exists():
            draw[figure](file)
        return file

    return path


def test_the_groups_are_named_by_data_set_and_attribute(names):
    assert names == {
        ("made_scores", "sex"): "0: Female, 1: Male",
        ("made_scores", "race"): "0: Age < 25, 1: Age ≥ 25",
    }


def test_every_kind_of_figure_is_known_and_every_curve_has_a_style(score_curves):
    assert set(SHOWN) == set(KINDS)
    assert {name for shown in SHOWN.values() for name in shown} == set(STYLES)
    assert set(XROC) == {*SHOWN["xroc"], *SHOWN["balanced_xroc"]}
    assert set(score_curves["curve"]) == set(STYLES)


@pytest.mark.parametrize("figure", FIGURES)
def test_the_same_data_give_the_same_bytes(draw, figure, tmp_path):
    check_figure(draw[figure], tmp_path)


@pytest.mark.parametrize("kind", SHOWN)
def test_a_figure_names_its_curves_once_and_its_panels(drawn, kind):
    text = words(drawn(kind))
    for name in SHOWN[kind]:
        assert text.count(name) == 1  # in the legend
    for name in set(STYLES) - set(SHOWN[kind]):
        assert name not in text
    for word in ("Made scores, sex", "0: Female, 1: Male", "Made scores, race"):
        assert word in text


@pytest.mark.parametrize("kind", SHOWN)
def test_a_data_set_without_some_curves_is_drawn_too(
    scored, score_predictions, names, kind, tmp_path
):
    """No item of group 0 has label 1, and of group 1 the scores have no spread."""
    predictions = score_predictions["none"]
    label, sex = scored.label[predictions["item"]], scored.sensitive[predictions["item"], 0]
    few = predictions[~((label == 1) & (sex == 0))].assign(score=0.5)
    shown = ranking_curves(few, scored, treatment="none")
    curves(tmp_path / "figure.svg", kind, shown[shown["attribute"] == "sex"], names)
    text = words(tmp_path / "figure")
    assert "Made scores, sex" in text
    assert "Made scores, race" not in text


def test_the_differences_are_drawn_with_every_case_measure_and_treatment(drawn):
    text = words(drawn("forest"))
    for word in (
        *("ΔAUC", "ΔxAUC", "ΔxAUC_1", "ΔxAUC_0", "Separation violated", "share of repeats"),
        *("Made scores, sex", "Made scores, race", "0: Female, 1: Male", "None", "FairBalance"),
    ):
        assert text.count(word) == 1, word
    assert text.count("group 0 minus group 1") == 4
