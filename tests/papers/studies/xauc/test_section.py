"""What the report shows of xAUC."""

import re

import pytest

from fairpairs.base.files import write_json, write_parquet
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.experiments.train import train_folds
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.studies.xauc.held_out import held_out_calibration, held_out_ranking
from fairpairs.papers.studies.xauc.study import FIGURES
from fairpairs.papers.studies.xauc.tables import ranking_rows
from tests.page import Page

pytestmark = pytest.mark.slow

QUESTION = "Do the scores rank fairly?"

ARMS = {"none": Arm("m", "none", {"call": "m"}, ())}


@pytest.fixture
def show(tmp_path, section_of, ranked, score_roles):
    """A function that shows the section of experiments on scores: `show(name=tests, …)`."""

    def show(*, curves=True, folds=None, **tests):
        write_json(tmp_path / "data/prepared/made_scores.json", score_roles[0])
        experiments, figures = [], []
        for name, of_experiment in tests.items():
            for part, ending in (("violations", ""), ("estimates", ".estimates")):
                write_parquet(tmp_path / f"results/summaries/{name}{ending}.parquet", ranked[part])
            experiments.append(
                Experiment(
                    name, f"Made {name}", ("made_scores",), ARMS, 3, 3, of_experiment, folds=folds
                )
            )
            figures += [name, *(f"{kind}/{name}" for kind in FIGURES if curves)]
        return section_of("xauc", experiments=tuple(experiments), figures=tuple(figures))

    return show


TESTS = ("separation", "xauc", "ranking", "xauc_adjustment")


def test_the_report_asks_whether_scores_rank_fairly(show, ranked):
    page = Page(show(scores=TESTS))
    assert page.headings == [QUESTION, "Made scores"]
    for row in ranking_rows(ranked).to_dict("records"):
        if row["measure"].startswith("xAUC("):
            own = f"{row['mean']:.3f} ± {row['standard_error']:.3f} [{row['own_error']:.3f}]"
            assert own in page.cells
    warning = "Scores & ranks <made>. Nobody was asked & nothing was <measured>."
    assert page.warnings == [warning]
    for note in (
        "Means over 3 repeats",
        "Groups: Made scores, sex: 0 Female, 1 Male",
        "“Adjusted” shifts",
    ):
        assert note in page.text
    for title in FIGURES.values():
        assert f"{title}." in page.text
    assert "how often separation was found violated" in page.text
    assert "nan" not in page.text.lower().split()


def test_two_rankings_share_no_names_of_the_parts_of_their_figures(show):
    text = show(first=TESTS, second=TESTS)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {href[1:] for href in page.hrefs} <= set(page.ids)
    used = set(re.findall(r"url\(#([^)]+)\)", text))
    assert used
    assert used <= set(page.ids)
    assert text.count("<svg") == text.count("</svg>") == 2 * (1 + len(FIGURES))


def test_the_tables_of_all_held_out_items_stand_below_the_ranking(show, small_dataset, tmp_path):
    predictions = train_folds(
        small_dataset, model="logistic_regression", treatment="none", folds=5, seed=1
    )
    titles = ("ranking of all held-out items", "calibration of all held-out items")
    assert not any(title in show(folds=5, scores=TESTS) for title in titles)
    rows = held_out_ranking(predictions, small_dataset)
    write_table(tmp_path / "results/tables/xauc/held_out/scores", rows)
    calibration = held_out_calibration(predictions, small_dataset)
    write_table(tmp_path / "results/tables/xauc/calibration/scores", calibration)
    text = show(folds=5, scores=TESTS)
    assert all(title in text for title in titles)
    page = Page(text)
    own = rows.set_index(["attribute", "measure"]).loc[("sex", "ΔxAUC")]
    assert f"{own['estimate']:+.3f} ± {own['standard_error']:.3f}" in page.cells
    own = calibration.set_index(["attribute", "group"]).loc[("race", "1")]
    assert f"{own['slope']:.3f} ± {own['slope_error']:.3f}" in page.cells
    assert "leaves out what other training data would change" in page.text
    assert not any(title in show(scores=TESTS) for title in titles)


@pytest.mark.parametrize("tests", [("separation",), ("ranking",), ("xauc", "xauc_adjustment")])
def test_an_experiment_without_the_tests_of_a_ranking_has_none(show, tests):
    page = Page(show(scores=tests, ranked=TESTS))
    assert "Made ranked" in page.headings
    assert "Made scores" not in page.headings
