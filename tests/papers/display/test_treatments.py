import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from fairpairs.papers.display import treatments
from fairpairs.papers.display.treatments_figure import (
    _ranks,
    _trade_off,
    ranks_figure,
    undominated,
    write_figures,
)
from fairpairs.papers.experiments.comparison import (
    FEWEST,
    compare_treatments,
    treatments_over_datasets,
)


@pytest.fixture
def measures():
    """FairBalance costs accuracy and lowers the gap; `other` does nothing."""
    rows = []
    means = {"none": (0.80, 0.20), "fairbalance": (0.75, -0.02), "other": (0.80, 0.20)}
    for treatment, (accuracy, gap) in means.items():
        for repeat in range(20):
            halves = {"none": 1, "fairbalance": 2 * (repeat // 2 % 2) - 1}
            halves["other"] = 2 * (repeat // 4 % 2) - 1
            noise = 0.004 * (2 * (repeat % 2) - 1) * halves[treatment]
            common = ("german", treatment, repeat, 70, 30, "logistic_regression")
            rows.append((*common, "accuracy", "", accuracy + noise))
            rows.append((*common, "tpr_gap", "age", gap + noise))
    columns = ["dataset", "treatment", "repeat", "n_train", "n_test", "model"]
    return pd.DataFrame(rows, columns=[*columns, "measure", "attribute", "value"])


TITLES = {"german": "German credit"}


def tables(measures):
    comparison = compare_treatments(measures)
    return treatments.treatments_tables(
        measures, comparison, title="T", titles=TITLES, searches={}, alpha=0.05
    )  # fmt: skip


def test_a_sentence_says_what_is_shown_and_how_large_what_is_not(measures):
    told_of = treatments.told(compare_treatments(measures), TITLES, {})
    first, second = told_of["German credit"]
    assert first == (
        "FairBalance lowers the TPR gap by age (0.200 → -0.020); worsens accuracy (0.800 → 0.750)."
    )
    start = "Other: no change is shown in accuracy (0.800 → 0.800; change -0.00"
    assert second.startswith(start) and "the TPR gap by age (0.200 → 0.200; change -0." in second
    margin = {"accuracy": 0.2}
    (first, _), *_ = treatments.told(
        compare_treatments(measures, margin=margin), {}, margin
    ).values()
    assert first.endswith("; keeps accuracy (0.800 → 0.750) within 0.2.")
    comparison = compare_treatments(measures, margin=margin)
    described = treatments.describe_treatments(comparison[comparison["measure"] == "accuracy"])
    assert described.startswith("- FairBalance keeps accuracy (0.800 → 0.750) within 0.2.")
    comparison.attrs.clear()  # as of a table that was read
    assert "within" not in treatments.describe_treatments(comparison)


def test_over_data_sets_verdicts_are_counted_in_words(measures):
    both = pd.concat([measures, measures.assign(dataset="heart")])
    over = treatments_over_datasets(compare_treatments(both))
    assert treatments.told_over_datasets(over) == [
        "FairBalance: better: TPR gap in 2 of 2 (-0.180); worse: accuracy in 2 of 2 (-0.050).",
        "Other: no change is shown.",
    ]
    note = treatments.over_datasets_table(over, title="T", alpha=0.05).note
    assert "over 2 data sets" in note and "interval over data sets" in note


def test_the_table_has_means_with_marks_and_the_best_in_bold(measures):
    (display,) = tables(measures)
    table = display.table
    assert display.title == "T: German credit"
    assert table.loc["FairBalance", "TPR gap by age"].startswith("**-0.020 ± 0.00")
    assert table.loc["FairBalance", "TPR gap by age"].endswith("** ▲")
    assert table.loc["FairBalance", "Accuracy"].endswith(" ▼")
    assert table["Accuracy"].str.startswith("**").sum() >= 1
    assert "of 20 random splits" in display.note and "more repeats hardly help" not in display.note
    (display,) = tables(measures.assign(n_train=50, n_test=50))
    assert "more repeats hardly help: 70/30 does" in display.note


def test_several_models_and_data_sets_have_rows_and_tables_of_their_own(measures):
    both = pd.concat([measures, measures.assign(model="ridge")])
    (display,) = tables(both)
    assert list(display.table.index)[:2] == [
        "None, Logistic regression",
        "FairBalance, Logistic regression",
    ]
    assert (display.table["Accuracy"].str.startswith("**").sum()) >= 2  # the best of each model
    assert [d.title for d in tables(pd.concat([measures, measures.assign(dataset="heart")]))] == [
        "T: German credit",
        "T: Heart",
    ]


def test_changes_have_intervals(measures):
    table = treatments.changes_table(compare_treatments(measures))
    assert table.loc["FairBalance", "Accuracy"].startswith("-0.050 (-0.05")
    assert table.loc["FairBalance", "Accuracy"].endswith(") ▼")


def test_files_are_written_and_latex_is_bold(measures, tmp_path):
    table = tmp_path / "t.csv"
    compare = {"against": "none", "alpha": 0.05, "margin": {"accuracy": 0.2}}
    searched = measures.assign(setting=np.where(measures["treatment"] == "other", "k=1", ""))
    searched.loc[searched["repeat"] == 0, "setting"] *= 2
    how = {"logistic_regression, other": "the best auc"}
    treatments.write_treatments(
        table, searched, compare=compare, title="Credit", titles=TITLES, searches=how
    )  # fmt: skip
    words = "Settings of Other, by the best auc: k=1 in 19, k=1k=1 in 1 of 20 repeats."
    assert words in (tmp_path / "t.md").read_text("utf-8")
    assert pd.read_csv(table)["verdict"].tolist() == ["no worse", "no worse", "better", "open"]
    latex = (tmp_path / "t.tex").read_text("utf-8")
    assert r"\textbf{-0.020 $\pm$" in latex and r"\bigtriangleup" in latex and r"\approx" in latex
    over = (tmp_path / "t.over_datasets.md").read_text("utf-8")
    assert "1 / 0 / 0; 1.00" in over and "0 / 1 / 0; 2.50" in over and "over 1 data set (" in over


@pytest.mark.parametrize("datasets", [1, 2, FEWEST])
def test_the_figures_show_every_treatment_and_are_the_same_bytes_again(
    measures, tmp_path, datasets
):
    rng = np.random.default_rng(1)
    frames = [measures.assign(dataset=f"d{i}") for i in range(datasets)]
    for frame in frames:
        frame.loc[frame["treatment"] != "none", "value"] += rng.normal(0, 0.01)
    frame = pd.concat(frames, ignore_index=True)
    comparison = compare_treatments(frame)
    titles = {f"d{i}": f"Credit in the year {i}" for i in range(datasets)}
    svg = {}
    for stem in ("a", "b"):
        write_figures(tmp_path / stem, frame, comparison, titles, alpha=0.05)
        svg[stem] = [
            (tmp_path / f"{stem}{kind}.svg").read_text("utf-8")
            for kind in ("", ".trade_off", ".ranks")
        ]
    assert svg["a"] == svg["b"]
    changes, trade_off, ranks = svg["a"]
    assert "FairBalance" in changes and "TPR gap" in changes
    assert changes.count("Credit in the year 1") == (2 if datasets == 2 else 0)  # a panel each
    assert trade_off.count("Credit in the") == datasets and "Accuracy (more is better)" in trade_off
    assert ("Ranks are compared from" in ranks) == (datasets < FEWEST)


def test_without_a_gap_there_is_no_trade_off(measures, tmp_path):
    frame = measures[measures["measure"] == "accuracy"]
    write_figures(tmp_path / "a", frame, compare_treatments(frame), TITLES, alpha=0.05)
    assert "A gap and a measure of" in (tmp_path / "a.trade_off.svg").read_text("utf-8")


def test_the_undominated_points_are_those_of_a_plain_loop():
    rng = np.random.default_rng(2)
    costs = rng.integers(0, 6, (40, 2)).astype(float)
    costs[0] = np.nan
    known = costs[~np.isnan(costs[:, 0])]
    best = {
        tuple(one)
        for one in known
        if not any((other <= one).all() and (other < one).any() for other in known)
    }
    found = costs[undominated(costs)]
    assert {tuple(one) for one in found} == best and len(found) == len(best)


def test_measures_have_the_names_of_the_field():
    assert treatments.heading("fpr_gap", "sex") == "FPR gap by sex"
    assert treatments.heading("auc") == "AUC"
    assert treatments.heading("balanced_accuracy") == "Balanced accuracy"


def test_two_names_with_one_label_have_rows_of_their_own(measures):
    named = measures.replace({"treatment": {"fairbalance": "mine", "other": "Mine"}})
    (display,) = tables(named)
    assert list(display.table.index) == ["None", "mine", "Mine"]
    assert len(treatments.changes_table(compare_treatments(named))) == 2


def several(measures, n=FEWEST):
    return pd.concat([measures.assign(dataset=f"d{i}") for i in range(n)], ignore_index=True)


def test_what_a_treatment_lacks_is_not_ranked(measures, tmp_path):
    """Neither the treatment nor the measure, so that the critical difference is of those left."""
    frame = several(measures)
    less = frame[frame["treatment"] != "other"]
    frame.loc[frame["treatment"] == "other", "value"] = np.nan
    drawn = []
    for of in (frame, less):
        over = treatments_over_datasets(compare_treatments(of))
        ranks_figure(tmp_path / "r.svg", over, against="none", alpha=0.05)
        drawn.append((tmp_path / "r.svg").read_text("utf-8"))
    assert drawn[0] == drawn[1]
    frame["value"] = np.nan
    write_figures(tmp_path / "a", frame, compare_treatments(frame), {}, alpha=0.05)
    assert "Ranks are compared" in (tmp_path / "a.ranks.svg").read_text("utf-8")


def test_a_difference_between_groups_is_no_performance(measures, tmp_path):
    named = measures.replace({"measure": {"tpr_gap": "equalized_odds_difference"}})
    first = named.sort_values("measure", ascending=False, kind="stable")
    write_figures(tmp_path / "a", first, compare_treatments(first), TITLES, alpha=0.05)
    assert "Accuracy (more is better)" in (tmp_path / "a.trade_off.svg").read_text("utf-8")


def test_long_names_leave_room_for_the_figures(measures, tmp_path):
    long = measures.replace({"treatment": {"other": "a_step_after_the_other_" * 9}})
    write_figures(tmp_path / "a", long, compare_treatments(long), TITLES, alpha=0.05)
    assert "…" in (tmp_path / "a.svg").read_text("utf-8")


def test_equal_means_are_all_bold_but_missing_ones_are_not(measures):
    accuracy = measures["measure"] == "accuracy"
    measures.loc[accuracy, "value"] = 0.8
    measures.loc[accuracy & (measures["treatment"] == "other"), "value"] = 0.8 + 1e-15
    (display,) = tables(measures)
    assert display.table["Accuracy"].str.startswith("**").all()
    (display,) = tables(measures.assign(value=measures["value"].mask(accuracy)))
    assert (display.table["Accuracy"] == "–").all()


def test_a_mean_of_fewer_repeats_is_noted(measures):
    gap = measures["measure"] == "tpr_gap"
    empty = gap & (measures["repeat"] < measures["treatment"].map(len))  # 4, 5 and 11 of 20
    (display,) = tables(measures.assign(value=measures["value"].mask(empty)))
    assert display.note.endswith("Repeats of 20 with a value: TPR gap by age 9 to 16.")
    (display,) = tables(measures)
    assert "with a value" not in display.note


def test_what_a_margin_shows_alone_is_open_after_holm():
    row = {"dataset": "d", "model": "m", "attribute": "", "measure": "accuracy", "repeats": 9,
           "treatment": "x", "old": 0.8, "new": 0.8, "low": -0.01, "high": 0.01,
           "verdict": "open", "preferred": "higher"}  # fmt: skip
    (with_margin,), *_ = treatments.told(pd.DataFrame([row]), {}, {"accuracy": 0.02}).values()
    assert with_margin.endswith("change -0.010 to +0.010, within 0.02 but not after Holm).")
    (without,), *_ = treatments.told(pd.DataFrame([row]), {}, {}).values()
    assert without.endswith("change -0.010 to +0.010).")


def test_the_dashed_line_joins_what_nothing_beats():
    """More accuracy is better, and a smaller gap of either sign."""
    means = {"none": (0.8, 0.2), "fair": (0.7, -0.05), "bad": (0.65, 0.3)}
    frames = [
        pd.DataFrame(
            [
                (arm, values[part] + e, 70, 30)
                for arm, values in means.items()
                for e in (-0.01, 0.01)
            ],
            columns=["arm", "value", "n_train", "n_test"],
        )
        for part in (0, 1)
    ]
    axis = Figure().subplots()
    _trade_off(axis, *frames, list(means), True, 0.05)
    (front,) = [line for line in axis.lines if line.get_linestyle() == "--"]
    np.testing.assert_allclose(front.get_xydata(), [(0.8, 0.2), (0.7, 0.05)])


def test_ranks_are_drawn_with_the_critical_difference_of_demsar():
    over = pd.DataFrame({
        "treatment": ["a", "b"], "datasets": 6, "rank": [1.2, 2.9], "rank_of_baseline": 1.9,
        "p_adjusted": [0.5, 0.01],
    })  # fmt: skip
    axis = Figure().subplots()
    _ranks(axis, over, "none", 0.05)
    drawn = [x for line in axis.lines if line.get_marker() == "o" for x in line.get_xdata()]
    assert drawn == [1.2, 2.9] and axis.get_xlim() == (0.7, 3.3)
    band = axis.patches[0].get_extents().transformed(axis.transData.inverted())
    width = 2.241 * np.sqrt(3 * 4 / (6 * 6))  # table 5(b) for three of them
    np.testing.assert_allclose([band.x0, band.x1], [1.9 - width, 1.9 + width], atol=1e-3)
