"""Experiments as the report shows them."""

import pandas as pd
import pytest

from fairpairs.base.files import write_parquet
from fairpairs.papers.display.labels import levels
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.report.experiments import found, shown_experiment


@pytest.fixture
def show(tmp_path, summary, estimates):
    """A function that shows an experiment with this summary and these estimates."""

    def show(violations=summary, means=estimates):
        for part, frame in (("", violations), (".estimates", means)):
            write_parquet(tmp_path / f"results/summaries/made{part}.parquet", frame)
        arms = {"none": Arm("m", "none", {"call": "m"}, ())}
        experiment = Experiment("made", "Made", ("compas",), arms, 9, 3, ("separation",))
        return shown_experiment(experiment, tmp_path, {"compas": "Compas"})

    return show


def test_every_test_has_its_share_and_every_mean_its_number(show, summary):
    rates = show()["rates"]
    assert list(rates.columns) == [
        *("Attribute", "Treatment", "Test", "Violation found, or mean", "Standard error", "Note")
    ]
    assert len(rates) == len(summary) + 1
    first = rates.iloc[2]
    assert [first.name, *first] == [
        *("Compas", "sex", "FairBalance", "Separation", "0.250", "0.014", "")
    ]
    untested = rates.iloc[5]
    assert untested["Violation found, or mean"] == "–"
    assert untested["Note"] == "a hypothesis could not be tested in 1,000 repeats"
    assert list(rates.iloc[-1][2:]) == ["MAE", "1.250", "0.010", "mean over the repeats"]


def test_it_is_said_how_large_effects_are(show, summary):
    effects = show()["effects"]
    assert len(effects) == len(summary)
    assert list(effects.iloc[0][3:]) == ["H0t", "1.250", "0.010", "0.300", "0.875"]


def test_the_wide_tables_are_split_by_what_they_tell(show):
    tests, others = show()["wide"].items()
    assert tests[0] == "Tests: share of repeats with a violation"
    assert {"None, Separation", "FairBalance, Comparative separation"} <= set(tests[1].index)
    assert others[0] == "Errors, effect sizes and other measures"
    assert list(others[1].index) == ["None, MAE"]
    assert others[1].loc["None, MAE", "Compas, sex"] == "1.250 ± 0.010"


def test_it_is_said_which_tests_keep_their_level(show):
    """The fixture has the paper's tests of separation and comparative separation."""
    both = show()["levels"]
    assert both.startswith("Does not keep its level: Separation (Wald's z, and")
    assert "Comparative separation (the paper's: pairs that share items are taken" in both
    assert levels(["xauc", "comparative_separation_all_pairs", "of_another_project"]) == (
        "Keep their level: Equal AUC and xAUC, Holm; Comparative separation, all pairs, Holm."
    )
    assert levels(["of_another_project"]) == ""


@pytest.mark.slow
def test_ranking_has_a_table_of_its_own(show, summary, estimates):
    means = estimates.iloc[-1:].assign(test="ranking", hypothesis="AUC")
    wide = show(summary, pd.concat([estimates, means]))["wide"]
    assert list(wide["Ranking: AUC and xAUC"].index) == ["None, AUC"]


@pytest.mark.slow
def test_an_experiment_that_tests_nothing_has_its_means(show, summary, estimates):
    shown = show(summary.iloc[:0], estimates.iloc[-1:])
    assert list(shown["rates"]["Test"]) == ["MAE"]
    assert shown["effects"].empty
    assert isinstance(shown["effects"], pd.DataFrame)


def test_the_largest_shares_and_what_lowers_them_come_first():
    rows = [
        ("compas", attribute, treatment, test, share, 0.02)
        for attribute, shares in {
            "sex": (0.2, 0.19),
            "race": (0.9, 0.3),
            "age": (None, 0.5),
        }.items()
        for treatment, share in zip(("none", "reweighing"), shares, strict=True)
        for test in ("separation", "xauc")
    ]
    names = ["dataset", "attribute", "treatment", "test", "violated", "standard_error"]
    assert found(pd.DataFrame(rows, columns=names), {"compas": "Compas"}) == [
        "Compas, race: Separation is found violated in 90 % (± 2.0) of the repeats without "
        "treatment, least with Reweighing: in 30 % (± 2.0).",
        "Compas, age: Separation is found violated in 50 % (± 2.0) of the repeats with Reweighing.",
        "Compas, sex: Separation is found violated in 20 % (± 2.0) of the repeats without "
        "treatment.",
    ]
    assert found(pd.DataFrame([(*rows[0][:4], None, 0.1)], columns=names), {}) == []
