import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fairpairs.papers.experiments.comparison import treatments_over_datasets

VERDICTS = ["better", "open", "worse", "no worse"]


def comparison(datasets, attributes=("",), measure="accuracy", seed=1):
    rng = np.random.default_rng(seed)
    rows = [
        {
            "dataset": f"d{d}", "attribute": a, "model": "m", "measure": measure, "treatment": t,
            "old": old, "new": rng.normal(0.7, 0.1), "verdict": VERDICTS[(d + i) % 4],
            "preferred": "higher" if measure == "accuracy" else "nearer 0",
        }
        for d in range(datasets)
        for a in attributes
        for old in [rng.normal(0.7, 0.1)]
        for i, t in enumerate(("x", "y"))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_verdicts_are_counted_and_ranks_tested_as_by_scipy():
    frame = comparison(8)
    found = treatments_over_datasets(frame).set_index("treatment")
    counts = frame.groupby(["treatment", "verdict"]).size()
    for t in ("x", "y"):
        assert found.loc[t, "better"] == counts[t, "better"]
        assert found.loc[t, "open"] == counts[t, "open"] + counts[t, "no worse"]
        assert found.loc[t, "datasets"] == 8
    wide = frame.pivot(index="dataset", columns="treatment", values="new")
    wide.insert(0, "old", frame.groupby("dataset")["old"].first())
    ranks = (-wide).rank(axis=1).mean()
    assert found["rank"].tolist() == pytest.approx([ranks["x"], ranks["y"]])
    assert found["rank_of_baseline"].iloc[0] == pytest.approx(ranks["old"])
    friedman = stats.friedmanchisquare(*wide.to_numpy().T).pvalue
    assert found["friedman_p"].iloc[0] == pytest.approx(friedman)
    p = sorted(stats.wilcoxon(wide["old"], wide[t]).pvalue for t in ("x", "y"))
    assert sorted(found["p_adjusted"]) == pytest.approx([min(1, 2 * p[0]), max(2 * p[0], p[1])])


def test_a_data_set_counts_once_and_gaps_by_their_size():
    frame = comparison(6, ("sex", "age"), "tpr_gap")
    frame["new"] *= np.where(np.arange(len(frame)) % 3 == 0, -1, 1)
    found = treatments_over_datasets(frame).set_index("treatment")
    sizes = frame.assign(new=frame["new"].abs()).groupby(["dataset", "treatment"])["new"].mean()
    old = frame.groupby("dataset")["old"].mean()
    wide = sizes.unstack().assign(old=old)
    assert found.loc["x", "rank"] == pytest.approx(wide.rank(axis=1)["x"].mean())
    assert found.loc["x", "datasets"] == 6


def test_few_data_sets_are_counted_and_not_tested():
    found = treatments_over_datasets(comparison(5))
    assert found[["friedman_p", "p_adjusted"]].isna().all(axis=None)
    assert found["rank"].between(1, 3).all()


def test_a_treatment_without_the_measure_has_verdicts_and_no_rank():
    frame = comparison(6)
    missing = frame["treatment"] == "y"
    frame.loc[missing, ["new", "verdict"]] = [np.nan, "open"]
    found = treatments_over_datasets(frame).set_index("treatment")
    alone = treatments_over_datasets(frame[~missing]).set_index("treatment")
    assert found.loc["x", "p_adjusted"] == alone.loc["x", "p_adjusted"]
    assert found.loc["y", ["rank", "difference", "p_adjusted"]].isna().all()


def test_the_mean_change_has_students_interval_over_data_sets():
    frame = comparison(5)
    found = treatments_over_datasets(frame, alpha=0.1).set_index("treatment")
    for treatment, part in frame.groupby("treatment"):
        change = part["new"] - part["old"]
        low, high = stats.ttest_1samp(change, 0).confidence_interval(0.9)
        ours = found.loc[treatment, ["difference", "low", "high"]].tolist()
        assert ours == pytest.approx([change.mean(), low, high])


def test_a_change_is_that_of_the_same_attributes():
    frame = comparison(6, ("sex", "age"), "tpr_gap")
    frame.loc[(frame["treatment"] == "x") & (frame["attribute"] == "sex"), ["old", "new"]] = np.nan
    found = treatments_over_datasets(frame).set_index("treatment")
    x = frame[frame["treatment"] == "x"]
    expected = (x["new"].abs() - x["old"].abs()).groupby(x["dataset"]).mean().mean()
    assert found.loc["x", "difference"] == pytest.approx(expected)


def test_a_measure_without_a_value_is_counted_and_not_ranked():
    frame = comparison(6).assign(old=np.nan, new=np.nan, verdict="open")
    found = treatments_over_datasets(frame)
    assert found["open"].tolist() == [6, 6] and set(found["datasets"]) == {0}
    assert found[["difference", "rank", "friedman_p", "p_adjusted"]].isna().all(axis=None)


def test_what_differs_by_rounding_alone_is_tied():
    frame = comparison(6)
    frame["new"] = frame["old"] * (1 + 2**-52)
    found = treatments_over_datasets(frame)
    assert set(found["rank"]) == {2} and set(found["friedman_p"]) == {1}
    assert set(found["p_adjusted"]) == {1}


def test_a_treatment_may_have_any_name():
    frame = comparison(6)
    named = treatments_over_datasets(frame.replace({"treatment": {"x": "old", "y": "new"}}))
    columns = ["rank", "difference", "p_adjusted"]
    pd.testing.assert_frame_equal(named[columns], treatments_over_datasets(frame)[columns])
