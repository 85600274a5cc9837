"""The table of a ranking."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from fairpairs.mathematics.estimates.ranking_rates import MEASURES, ranking_hypotheses
from fairpairs.papers.display.layouts import display
from fairpairs.papers.studies.xauc import tables
from fairpairs.papers.studies.xauc.tables import (
    COLUMNS,
    HYPOTHESES,
    SEPARATIONS,
    SPREADS,
    normal_score_disparities,
    ranking_rows,
    ranking_table,
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


def test_a_displayed_cell_is_the_mean_with_both_errors(rows, ranked, score_roles):
    _, shown = ranking_table(ranked, score_roles)["ranking"]
    words = display(
        tables.__file__, "ranking", **shown, title="Made", words={"made_scores": score_roles[0]}
    )
    assert "Means over 3 repeats ± their Monte Carlo standard error" in words.note
    assert "“Adjusted” shifts group 0's log odds" in words.note
    assert "Groups: Made scores, sex: 0 Female, 1 Male" in words.note
    assert words.note.count("Warning, Made scores: ") == 1
    table = words.table
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


def test_disparate_precision_decides_the_sign_with_equal_means():
    rows = normal_score_disparities()
    assert len(rows) == len(SEPARATIONS) * len(SPREADS) ** 4
    rows = rows.query("separation == 1")
    assert (np.sign(rows["disparity"]) == np.sign(rows["difference"])).all()
    assert rows["difference"].ne(0).any()
    # groups of unlike precision without a disparity: what counts is the difference of the labels
    less_precise = rows.query("sd_0_1 == sd_0_0 == 2 and sd_1_1 == sd_1_0 == 1")
    assert less_precise["disparity"].item() == 0


def test_the_closed_form_is_that_of_the_difference_of_two_normal_scores():
    rows = normal_score_disparities()
    xauc, other = (
        norm.cdf(rows["separation"] / np.hypot(rows[f"sd_{a}_1"], rows[f"sd_{1 - a}_0"]))
        for a in (0, 1)
    )
    np.testing.assert_allclose(rows["xauc"], xauc)
    np.testing.assert_allclose(rows["disparity"], xauc - other)
