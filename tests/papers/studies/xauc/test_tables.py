"""The table of a ranking, and what its numbers say of treatments."""

import re

import numpy as np
import pandas as pd
import pytest

from fairpairs.mathematics.estimates.ranking_rates import MEASURES, ranking_hypotheses
from fairpairs.papers.studies.xauc.tables import (
    COLUMNS,
    HYPOTHESES,
    display_table,
    ranking_rows,
    treatment_effects,
    write_ranking_table,
)

KEYS = ["dataset", "attribute", "treatment"]


def test_every_difference_is_tested():
    assert tuple(HYPOTHESES.values()) == ranking_hypotheses((0, 1))
    assert [name.removeprefix("Δ") for name in HYPOTHESES] == list(MEASURES)


@pytest.fixture
def rows(ranked):
    return ranking_rows(ranked)


def cell(rows, attribute, treatment, measure):
    chosen = (rows["attribute"] == attribute) & (rows["treatment"] == treatment)
    (row,) = rows[chosen & (rows["measure"] == measure)].to_dict("records")
    return row


def of_repeats(results, attribute, treatment, test, hypothesis):
    own = results[
        (results["attribute"] == attribute)
        & (results["treatment"] == treatment)
        & (results["test"] == test)
        & (results["hypothesis"] == hypothesis)
    ]
    assert len(own) == 3
    return own


@pytest.mark.slow
@pytest.mark.parametrize(("attribute", "treatment"), [("sex", "none"), ("race", "fairbalance")])
@pytest.mark.parametrize("measure", [*COLUMNS, "AUC before it", "ΔxAUC after it"])
def test_a_row_has_the_mean_of_the_repeats_and_both_errors(
    rows, ranking_results, attribute, treatment, measure
):
    row = cell(rows, attribute, treatment, measure)
    test = "xauc_adjustment" if measure.endswith(" it") else "ranking"
    own = of_repeats(ranking_results, attribute, treatment, test, measure)
    assert row["mean"] == pytest.approx(own["estimate"].mean())
    assert row["run_sd"] == pytest.approx(own["estimate"].std())
    assert row["standard_error"] == pytest.approx(own["estimate"].std() / np.sqrt(3))
    assert row["own_error"] == pytest.approx(own["standard_error"].mean(), nan_ok=True)
    assert np.isnan(row["own_error"]) == (test != "ranking" or "Brier" in measure)
    assert row["repeats"] == 3
    if measure in HYPOTHESES:
        tested = of_repeats(ranking_results, attribute, treatment, "xauc", HYPOTHESES[measure])
        assert row["rejected"] == pytest.approx(tested["rejected"].mean())
    else:
        assert np.isnan(row["rejected"])


@pytest.mark.slow
def test_the_rows_know_how_often_separation_is_violated(rows, ranked):
    separation = rows[rows["measure"] == "separation"].set_index(KEYS)
    found = ranked["violations"]
    expected = found[found["test"] == "separation"].set_index(KEYS)
    assert len(separation) == 4
    pd.testing.assert_series_equal(
        separation["mean"], expected["violated"], check_names=False, check_index_type=False
    )
    pd.testing.assert_series_equal(separation["standard_error"], expected["standard_error"])


def test_a_displayed_cell_is_the_mean_with_both_errors(rows):
    table = display_table(rows)
    for attribute in ("sex", "race"):
        words = table.loc[f"Made scores, {attribute}, FairBalance"]
        row = cell(rows, attribute, "fairbalance", "ΔxAUC")
        assert words["ΔxAUC"] == (
            f"{row['mean']:.3f} ± {row['standard_error']:.3f} [{row['own_error']:.3f}]"
        )
        assert words["ΔxAUC found"] == f"{row['rejected']:.2f}"
        row = cell(rows, attribute, "fairbalance", "Brier(1)")
        assert words["Brier(1)"] == f"{row['mean']:.3f} ± {row['standard_error']:.3f}"
        before, after = (
            cell(rows, attribute, "fairbalance", f"AUC {when} it")["mean"]
            for when in ("before", "after")
        )
        assert words["AUC, adjusted"] == f"{before:.3f} → {after:.3f}"


@pytest.fixture
def written(ranked, score_roles, tmp_path):
    def write(name):
        write_ranking_table(ranked, score_roles, tmp_path / f"{name}.csv", title="Made & ranked")
        return {ending: tmp_path / f"{name}.{ending}" for ending in ("csv", "md", "tex")}

    return write


def test_the_csv_is_tidy_and_has_every_digit(written, rows):
    read = pd.read_csv(written("table")["csv"])
    pd.testing.assert_frame_equal(read, rows, check_dtype=False, rtol=1e-14)


def test_the_markdown_is_one_table_with_a_heading_and_notes(written, rows):
    lines = written("table")["md"].read_text("utf-8").splitlines()
    assert lines[0] == "# Made & ranked: ranking"
    cells = [re.split(r"(?<!\\)\|", line) for line in lines if line.startswith("|")]
    assert {len(row) for row in cells} == {len(display_table(rows).columns) + 3}
    assert len(cells) == 2 + 4
    assert lines[-1].startswith("Means over 3 repeats ± their Monte Carlo standard error")
    assert "“Adjusted” shifts group 0's log odds" in lines[-1]


def test_the_latex_is_ascii_with_every_special_character_escaped(written):
    text = written("table")["tex"].read_text("utf-8")
    assert text.isascii()
    for word in (
        *(r"\caption{Made \& ranked: ranking}", r"$\Delta$xAUC\_1", r"Age $\geq$ 25"),
        *(r"Age $<$ 25", r"$\to$", r"$\pm$", "``Found''", r"was $<$measured$>$"),
    ):
        assert word in text
    assert not re.search(r"(?<!\\)[#%_]", text.partition(r"\midrule")[2])


def made(*cases):
    """Rows of a ranking from (data set, treatment, separation, ΔxAUC, AUC)."""
    return pd.DataFrame(
        [
            (dataset, "sex", treatment, measure, value)
            for dataset, treatment, *values in cases
            for measure, value in zip(("separation", "ΔxAUC", "AUC"), values, strict=True)
        ],
        columns=[*KEYS, "measure", "mean"],
    )


UNTREATED = [("a", "none", 0.9, 0.1, 0.8), ("b", "none", 0.5, -0.2, 0.7)]


def test_a_treatment_that_repairs_both_is_said_to(rows):
    repaired = made(
        *UNTREATED, ("a", "reweighing", 0.3, 0.04, 0.79), ("b", "reweighing", 0.2, -0.1, 0.68)
    )
    assert treatment_effects(repaired) == [
        "Reweighing lowers how often separation is found violated in 2 of 2 cases (data set and "
        "attribute); in 2 of these 2 the xAUCs come closer; on average over "
        "all these, |ΔxAUC| goes from 0.150 to 0.070, and the AUC from 0.750 to 0.735."
    ]


def test_only_the_cases_in_which_separation_is_repaired_are_looked_at():
    half = made(
        *UNTREATED, ("a", "fairbalance", 0.3, 0.15, 0.79), ("b", "fairbalance", 0.6, 0, 0.68)
    )
    assert treatment_effects(half) == [
        "FairBalance lowers how often separation is found violated in 1 of 2 cases (data set and "
        "attribute); there the xAUCs do not come closer: |ΔxAUC| goes from 0.100 to 0.150, and "
        "the AUC from 0.800 to 0.790."
    ]


def test_a_treatment_that_does_not_repair_separation_says_no_more():
    worse = made(*UNTREATED, ("a", "fairbalance", 0.9, 0, 1), ("b", "fairbalance", 0.6, 0, 1))
    assert treatment_effects(worse) == [
        "FairBalance lowers how often separation is found violated in 0 of 2 cases (data set and "
        "attribute)."
    ]


def test_a_sign_that_turns_is_said():
    turned = made(
        *UNTREATED, ("a", "reweighing", 0.3, -0.04, 0.79), ("b", "reweighing", 0.2, 0.3, 0.68)
    )
    (sentence,) = treatment_effects(turned)
    assert "; in 1 of these 2 the xAUCs come closer;" in sentence
    assert "|ΔxAUC| goes from 0.150 to 0.170" in sentence
    assert sentence.endswith("; in 2 the sign of ΔxAUC turns.")


@pytest.mark.parametrize(
    "rows",
    [
        made(("a", "reweighing", 0.3, 0.04, 0.79), ("a", "fairbalance", 0.3, 0.04, 0.79)),
        made(*UNTREATED),
        made(*UNTREATED, ("a", "reweighing", 0.3, 0.04, 0.79))[lambda f: f.measure != "separation"],
        made(("a", "none", 0.9, 0.1, 0.8), ("b", "reweighing", 0.3, 0.04, 0.79)),
    ],
    ids=["no None", "nothing but None", "no separation", "no data set with both"],
)
def test_without_what_is_compared_nothing_is_said(rows):
    assert treatment_effects(rows) == []


@pytest.mark.parametrize("unknown", ["separation", "ΔxAUC"])
def test_a_case_of_which_a_number_is_unknown_does_not_count(unknown):
    rows = made(
        *UNTREATED, ("a", "reweighing", 0.3, 0.04, 0.79), ("b", "reweighing", 0.2, -0.1, 0.68)
    )
    gone = (rows["dataset"] == "b") & (rows["measure"] == unknown)
    (sentence,) = treatment_effects(rows.assign(mean=rows["mean"].mask(gone)))
    assert "in 1 of 1 case " in sentence
    assert "|ΔxAUC| goes from 0.100 to 0.040," in sentence
    assert treatment_effects(rows.assign(mean=rows["mean"].mask(rows["measure"] == unknown))) == []
