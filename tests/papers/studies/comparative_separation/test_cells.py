"""The cells of the paper's tables from made results."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.published.comparison import compare
from fairpairs.papers.studies.comparative_separation.simulation import simulate
from fairpairs.papers.studies.fill import fill_texts

NAME = "comparative_separation/{}".format


@pytest.fixture
def settings(table_1):
    made = {"repeats": 30, "sizes": [1000, 2000], "pairs_per_item": 2, "classifiers": table_1}
    return {"simulation": made}


@pytest.fixture
def estimates(settings):
    return simulate(settings["simulation"], seed=1, alpha=0.05)[0]


def cells(frame):
    return frame.set_index(["row", "column"])


@pytest.mark.parametrize(
    ("table", "kind", "verdict"),
    [("table_1", "input", "not comparable"), ("table_2", "computed", "agrees")],
)
def test_what_rests_on_the_settings_is_the_papers(
    shipped, settings, table, kind, verdict, reproduced_from
):
    published = shipped(NAME(table))
    comparison = compare(published, reproduced_from(published.name, settings=settings))
    assert set(comparison["kind"]) == {kind}
    assert set(comparison["verdict"]) == {verdict}
    assert comparison["standard_error"].eq(0).all()


def test_table_2_by_hand(settings, reproduced_from):
    ours = cells(reproduced_from(NAME("table_2"), settings=settings))["reproduced"]
    # f3: TPR 0.230/0.275 less 0.200/0.225; f1: FPR 0.081/0.225 less 0.121/0.275
    assert ours["TPR(A=1)-TPR(A=0)", "f3"] == pytest.approx(0.230 / 0.275 - 0.200 / 0.225)
    assert ours["FPR(A=1)-FPR(A=0)", "f1"] == pytest.approx(0.081 / 0.225 - 0.121 / 0.275)
    # a pair is right when the first member is predicted 1 and the second 0
    first, second = 0.231 / 0.275, 0.171 / 0.225
    assert ours["TPR(1,0)-TPR(0,1)", "f2"] == pytest.approx(
        first * 0.154 / 0.275 - second * 0.144 / 0.225
    )
    zero = ours["TPR(1,1)-TPR(0,0)", "f0"]
    assert zero == 0
    assert not np.signbit(zero)


def test_table_3_takes_each_cell_from_its_place(estimates, reproduced_from):
    marked = estimates.assign(
        expected=np.arange(len(estimates)) + 0.25, simulated=np.arange(len(estimates)) + 0.5
    )
    ours = cells(reproduced_from(NAME("table_3"), results=marked))
    assert len(ours) == 32
    places = marked.reset_index().set_index(["classifier", "notion", "size", "quantity"])["index"]
    for (row, column), cell in ours.iterrows():
        classifier, kind = row.split(", ")
        notion, size = {
            "Separation, n=1,000": ("separation", 1000),
            "Separation, n=2,000": ("separation", 2000),
            "Comparative separation, np=2,000": ("comparative_separation", 2000),
            "Comparative separation, np=4,000": ("comparative_separation", 4000),
        }[column]
        place = places[classifier, notion, size, "violated"]
        assert cell["reproduced"] == place + (0.25 if kind == "Expected" else 0.5)
        error = marked["standard_error"][place] if kind == "Simulation" else 0
        assert cell["standard_error"] == error
        assert np.isnan(cell["run_sd"])


def test_the_expected_cells_of_table_3_agree(shipped, estimates, reproduced_from):
    published = shipped(NAME("table_3"))
    comparison = compare(published, reproduced_from(published.name, results=estimates))
    expected = comparison[comparison["kind"] == "computed"]
    assert len(expected) == 16
    assert set(expected["verdict"]) == {"agrees"}


def test_section_4_1_2_takes_means_and_variances_of_f0(shipped, estimates, reproduced_from):
    published = shipped(NAME("section_4_1_2"))
    ours = cells(reproduced_from(published.name, results=estimates))
    keys = estimates.set_index(["classifier", "notion", "size", "quantity"])
    for row, notion, sizes in (
        ("TPR(A=1)", "separation", (1000, 2000)),
        ("TPR(1,0)", "comparative_separation", (2000, 4000)),
    ):
        for quantity in ("mean", "variance"):
            for column, size in zip(
                ("Simulation, n=1,000 or np=2,000", "Simulation, n=2,000 or np=4,000"),
                sizes,
                strict=True,
            ):
                cell, source = (
                    ours.loc[f"{quantity} of {row}", column],
                    keys.loc["f0", notion, size, quantity],
                )
                assert cell["reproduced"] == pytest.approx(source["simulated"], abs=1e-12)
                assert cell["standard_error"] == source["standard_error"]
                assert cell["run_sd"] == pytest.approx(source["standard_error"] * np.sqrt(30))
    expected = ours.xs("Expected", level="column")["reproduced"]
    assert expected["mean of TPR(A=1)"] == pytest.approx(0.8)
    assert expected["variance of TPR(A=1)"] == pytest.approx(0.8 * 0.2 / 0.275)  # times n
    assert expected["mean of TPR(1,0)"] == pytest.approx(0.48)
    assert expected["variance of TPR(1,0)"] == pytest.approx(0.48 * 0.52 / (2 * 0.275 * 0.275))
    comparison = compare(published, reproduced_from(published.name, results=estimates))
    assert set(comparison.loc[comparison["column"] == "Expected", "verdict"]) == {"agrees"}


def test_what_could_not_be_tested_is_noted(estimates, reproduced_from):
    ours = cells(reproduced_from(NAME("table_3"), results=estimates.assign(used=97, repeats=100)))
    note = ours.loc["f1, Simulation", "Separation, n=1,000"]["note"]
    assert note == "from 97 of 100 repeats"
    assert ours.loc["f1, Expected", "Separation, n=1,000"]["note"] == ""


PREPARED = {
    "compas": {
        "counts": {"rows": 7214, "label": 3963, "sensitive.sex": 5819, "sensitive.race": 2454},
        "label": {"one": "Did not reoffend", "zero": "Reoffended"},
        "sensitive": {
            "sex": {"one": "Male", "zero": "Female"},
            "race": {"one": "Caucasian", "zero": "Other"},
        },
    }
}


def test_table_4_counts_and_words(shipped, reproduced_from, data_of):
    published = shipped(NAME("table_4"))
    ours = reproduced_from(published.name, datasets=PREPARED)
    assert list(ours[["row", "column", "reproduced"]].itertuples(index=False, name=None)) == [
        ("Compas", "|X|", 7214)
    ]
    assert fill_texts(published, data_of(published.name, datasets=PREPARED)) == {
        "Sensitive attribute, A=1": {"Compas": "sex: Male (5,819); race: Caucasian (2,454)"},
        "Sensitive attribute, A=0": {"Compas": "sex: Female (1,395); race: Other (4,760)"},
        "Class label, Y=1": {"Compas": "Did not reoffend (3,963)"},
        "Class label, Y=0": {"Compas": "Reoffended (3,251)"},
    }


def test_table_5_takes_each_cell_from_its_place(summary, reproduced_from):
    ours = cells(
        reproduced_from(NAME("table_5"), experiments={"classification": {"violations": summary}})
    )
    keys = summary.set_index(["dataset", "attribute", "treatment", "test"])
    assert len(ours) == 8  # the summary has neither race nor reweighing
    cell = ours.loc["FairBalance, Comparative separation", "Compas, sex"]
    assert cell["reproduced"] == 0.31
    assert (
        cell["standard_error"]
        == keys.loc["compas", "sex", "fairbalance", "comparative_separation"]["standard_error"]
    )
    assert cell["note"] == ""
    small = ours.loc["None, Separation", "German, age"]
    assert small["reproduced"] == 0.84
    assert small["note"] == "a cell below 30 in 1,000 of 1,000 repeats (smallest 17)"
    untested = ours.loc["None, Comparative separation", "German, age"]
    assert np.isnan(untested["reproduced"])
    assert untested["note"] == "a hypothesis could not be tested in 1,000 repeats"


def test_what_the_paper_does_not_have_is_left_out(summary, reproduced_from):
    other = summary.assign(dataset="loans")
    ours = reproduced_from(NAME("table_5"), experiments={"classification": {"violations": other}})
    assert len(ours) == 0
    numbers = ["reproduced", "standard_error", "run_sd", "runs", "z"]
    columns = ["row", "column", *numbers, "note", "mark"]
    assert list(ours) == columns


@pytest.mark.parametrize("table", ["table_1", "table_2"])
def test_other_classifiers_are_left_out(settings, table, reproduced_from):
    known = settings["simulation"]["classifiers"]
    made = {"simulation": {"classifiers": {"f1": known["f1"], "mine": known["f0"]}}}
    ours = reproduced_from(NAME(table), settings=made)
    assert set(ours["column"]) == {"f1"}


JIRA = {
    "counts": {"rows": 284, "test": 65, "sensitive.is_internal": 127},
    "label": {"name": "storypoint", "values": {"1": 39, "4": 6}},
    "sensitive": {"is_internal": {"one": "internal", "zero": "external"}},
}


def test_table_7_counts_groups_and_story_points(shipped, reproduced_from, data_of):
    published = shipped(NAME("table_7"))
    ours = cells(reproduced_from(published.name, datasets={"jira": JIRA}))
    assert list(ours["reproduced"]) == [284, 127, 157]
    assert fill_texts(published, data_of(published.name, datasets={"jira": JIRA})) == {
        "story points": {"Jira": "1 (39), 4 (6)"}
    }


def test_table_6_shows_the_items_by_their_key(shipped, reproduced_from, data_of):
    items = pd.DataFrame(
        {
            "item": [0, 1],
            "issuekey": ["JSW-1681", "JSW-1"],
            "title": ["Generic", "Other"],
            "label": [5.0, 1.0],
            "sensitive_is_internal": [0, 1],
        }
    )
    published = shipped(NAME("table_6"))
    ours = cells(reproduced_from(published.name, items=items))
    assert ours.loc["JSW-1681", "story point R"]["reproduced"] == 5
    assert ours.loc["JSW-1681", "is internal A"]["reproduced"] == 0
    assert len(ours) == 2
    assert (
        fill_texts(published, data_of(published.name, items=items))["title"]["JSW-1681"]
        == "Generic"
    )


def test_table_8_takes_means_and_the_rate_with_its_null_rates(reproduced_from):
    keys = {"dataset": "jira", "attribute": "is_internal"}
    estimates = pd.DataFrame(
        [
            ("none", "accuracy", "MAE", 1.5, 0.01, 0.03),
            ("none", "information_separation", "I_sep", 0.01, 0.001, 0.003),
        ],
        columns=["treatment", "test", "hypothesis", "mean", "standard_error", "run_sd"],
    ).assign(**keys)  # fmt: skip
    violations = pd.DataFrame(
        [
            ("none", "comparative_separation", 0.33),
            ("none", "comparative_separation_permuted", 0.4),
        ],
        columns=["treatment", "test", "violated"],
    ).assign(**keys, repeats=10, tested=10, standard_error=0.005, run_sd=0.016, incomplete=0,
             small_cells=10, smallest_cell=2)  # fmt: skip
    source = {"violations": violations, "estimates": estimates}
    ours = cells(reproduced_from(NAME("table_8"), experiments={"story_points": source}))
    assert len(ours) == 3
    assert ours.loc["Treatment None", "MAE"]["run_sd"] == 0.03
    rate = ours.loc["Treatment None", "Comparative separation"]
    assert (rate["reproduced"], rate["run_sd"]) == (0.33, 0.016)
    assert "a cell below 30 in 10 of 10 repeats (smallest 2)" in rate["note"]
    assert "the same test rejects in 0.400 ± 0.005" in rate["note"]
