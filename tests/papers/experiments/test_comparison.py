import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairpairs as fp
from fairpairs.papers.experiments.measures import direction


def tidy(values, measure="accuracy", **columns):
    """Values of each treatment, one for each repeat, as a frame."""
    rows = [
        {"treatment": name, "repeat": r, "measure": measure, "value": v, **columns}
        for name, of in values.items()
        for r, v in enumerate(of)
    ]
    return pd.DataFrame(rows)


def test_it_is_the_t_test_with_the_corrected_variance():
    rng = np.random.default_rng(1)
    old, new = rng.normal(0.7, 0.02, 30), rng.normal(0.69, 0.02, 30)
    (row,) = fp.compare_treatments(tidy({"none": old, "fair": new}), test_train_ratio=0.4).to_dict(
        "records"
    )
    d = new - old
    error = np.sqrt(d.var(ddof=1) * (1 / 30 + 0.4))
    assert row["difference"] == pytest.approx(d.mean())
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(d.mean()) / error, 29))
    assert (row["low"], row["high"]) == pytest.approx(stats.t.interval(0.95, 29, d.mean(), error))
    # without the correction it is the paired t
    plain = fp.compare_treatments(tidy({"none": old, "fair": new}), test_train_ratio=1e-12)
    assert plain["p"].item() == pytest.approx(stats.ttest_rel(new, old).pvalue)


def test_holm_is_over_the_treatments_of_a_measure():
    rng = np.random.default_rng(2)
    values = {name: rng.normal(0.7 - 0.01 * i, 0.02, 20) for i, name in enumerate("nabc")}
    found = fp.compare_treatments(tidy(values), "n", test_train_ratio=0.25)
    p = found["p"].to_numpy()
    order = np.argsort(p)
    expected = np.empty(3)
    expected[order] = np.minimum(1, np.maximum.accumulate(p[order] * [3, 2, 1]))
    np.testing.assert_allclose(found["p_adjusted"], expected)
    both = pd.concat([tidy(values), tidy(values, "f1")])
    pd.testing.assert_series_equal(
        fp.compare_treatments(both, "n", test_train_ratio=0.25)["p_adjusted"][:3],
        found["p_adjusted"],
    )


@pytest.mark.parametrize(
    ("old", "new", "verdict", "size"),
    [
        (0.024, -0.141, "worse", 0.117),  # it turned its sign and grew
        (0.20, -0.02, "better", -0.18),
        (-0.20, 0.02, "better", -0.18),
        (-0.05, -0.20, "worse", 0.15),
        (0.10, -0.10, "open", 0.0),
        (0.10, 0.101, "open", 0.001),
    ],
)
def test_a_gap_is_better_when_it_is_nearer_0(old, new, verdict, size):
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.005, (2, 30))
    noise -= noise.mean(axis=1, keepdims=True)
    frame = tidy({"none": old + noise[0], "fair": new + noise[1]}, "tpr_gap")
    (row,) = fp.compare_treatments(frame, test_train_ratio=0.4).to_dict("records")
    assert row["verdict"] == verdict
    assert row["difference"] == pytest.approx(size)
    assert row["low"] <= row["difference"] <= row["high"]
    assert (row["low"] > 0 or row["high"] < 0) == (row["p"] < 0.05)


def test_a_margin_says_what_is_no_worse():
    rng = np.random.default_rng(5)
    values = {"none": rng.normal(0.70, 0.002, 30), "fair": rng.normal(0.698, 0.002, 30)}
    frame = tidy(values)
    for margin, verdict in ((None, "worse"), (0.02, "no worse"), (0.0001, "worse")):
        given = {} if margin is None else {"accuracy": margin}
        found = fp.compare_treatments(frame, margin=given, test_train_ratio=0.01)
        assert found["verdict"].item() == verdict
    loss = fp.compare_treatments(
        tidy(values, "log_loss"), margin={"log_loss": 0.02}, test_train_ratio=0.4
    )
    assert loss["verdict"].item() == "no worse"


def test_holm_is_over_what_a_margin_shows_too():
    """Alone each is shown to be no worse; of ten at the border of the margin one is by chance."""
    rng = np.random.default_rng(7)
    old = rng.normal(0.7, 0.01, 20)
    noise = rng.normal(0, 0.01, 20)
    noise -= noise.mean()
    error = np.sqrt(noise.var(ddof=1) * (1 / 20 + 0.4))
    values = {"none": old, **{f"t{i}": old - 0.01 + 2.4 * error + noise for i in range(10)}}
    for measure, sign in (("accuracy", 1), ("log_loss", -1), ("tpr_gap", -1)):
        frame = tidy({name: sign * of + (sign < 0) * 2 for name, of in values.items()}, measure)
        given = {"margin": {measure: 0.01}, "test_train_ratio": 0.4}
        alone = fp.compare_treatments(frame[frame["treatment"].isin(["none", "t1"])], **given)
        assert alone["verdict"].tolist() == ["no worse"]
        assert set(fp.compare_treatments(frame, **given)["verdict"]) == {"open"}


def test_missing_values_drop_their_repeat_and_each_line_has_its_own_names():
    values = {"none": [0.7, 0.8, np.nan, 0.6], "fair": [0.6, 0.7, 0.5, np.nan]}
    a = tidy(values, dataset="a", model="m", n_train=70, n_test=30)
    b = tidy(values, "auc", dataset="b", model="m", n_train=70, n_test=30)
    found = fp.compare_treatments(pd.concat([a, b]))
    assert found["repeats"].tolist() == [2, 2]
    assert found[["dataset", "measure"]].to_numpy().tolist() == [["a", "accuracy"], ["b", "auc"]]
    assert found["difference"].tolist() == pytest.approx([-0.1, -0.1])
    nothing = tidy({"none": [np.nan] * 3, "fair": [0.1, 0.2, 0.3]})
    row = fp.compare_treatments(nothing, test_train_ratio=0.4).iloc[0]
    assert row["verdict"] == "open" and np.isnan(row["p"]) and row["repeats"] == 0


def test_without_a_spread_nothing_is_shown():
    same = tidy({"none": [0.7, 0.8, 0.6], "fair": [0.7, 0.8, 0.6]})
    row = fp.compare_treatments(same, test_train_ratio=0.4).iloc[0]
    assert (row["p"], row["verdict"]) == (1, "open")
    for step in (0.25, 1e-17, 8e-17):  # the last two are rounding
        old = [0.1025641] * 5 if step < 0.1 else [0.5, 0.75, 0.25]
        shifted = tidy({"none": old, "fair": [value + step for value in old]}, "tpr_gap")
        row = fp.compare_treatments(shifted, test_train_ratio=0.4).iloc[0]
        assert row["verdict"] == "open", step
        assert row["p"] == 1 if step < 0.1 else np.isnan(row["p"])


def test_intersections_are_never_below_0():
    rng = np.random.default_rng(6)
    values = {"none": rng.uniform(0.1, 0.3, 20), "fair": rng.uniform(0.1, 0.3, 20)}
    found = [
        fp.compare_treatments(tidy(values, measure, groups=groups), test_train_ratio=0.4)
        for measure, groups in (("tpr_gap", "intersections"), ("log_loss", ""))
    ]
    assert found[0]["preferred"].item() == "lower"
    columns = ["difference", "low", "high", "p", "verdict"]
    pd.testing.assert_frame_equal(found[0][columns], found[1][columns])


def test_what_is_better_and_the_margin_are_of_measures_that_there_are():
    frame = tidy({"none": [0.7, 0.8], "fair": [0.6, 0.7]}, "matthews_corrcoef")
    given = {"better": {"matthews_corrcoef": "higher"}, "test_train_ratio": 0.4}
    assert fp.compare_treatments(frame, **given)["preferred"].item() == "higher"
    with pytest.raises(fp.InputError, match=r"no measure `matthews_corcoef` \(did you mean"):
        fp.compare_treatments(frame, **given, margin={"matthews_corcoef": 0.1})


@pytest.mark.parametrize(
    ("measure", "better"),
    [
        ("accuracy", "higher"), ("auc", "higher"), ("brier", "lower"), ("mae", "lower"),
        ("log_loss", "lower"), ("tpr_gap", "nearer 0"), ("mean_error_gap", "nearer 0"),
        ("mae_gap", "nearer 0"), ("tpr_gap_intersections_scores", "nearer 0"), ("r2", "higher"),
        ("tpr_ratio", "higher"), ("brier_score_loss", "lower"), ("fbeta_score_beta=2", "higher"),
        ("equalized_odds_difference", "nearer 0"), ("median_absolute_error", "lower"),
        ("demographic_parity_ratio", "higher"), ("auc_gap", "nearer 0"), ("rmse", "lower"),
        ("mean_error_ratio", "higher"), ("zero_one_loss_ratio", "higher"),
        ("d2_absolute_error_score", "higher"), ("d2_log_loss_score", "higher"),
    ],
)  # fmt: skip
def test_what_is_better_is_told_by_the_name(measure, better):
    assert direction(measure) == better


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"against": "nome"}, r"no treatment `nome` \(did you mean `none`\?\)"),
        ({"test_train_ratio": None}, "no columns `n_train` and `n_test`: give `test_train_ratio`"),
        ({"alpha": 2}, "alpha"),
        ({"against": 0}, "against is 0: give the name of a treatment"),
    ],
)
def test_bad_arguments_are_one_sentence(change, words):
    frame = tidy({"none": [0.7, 0.8], "fair": [0.6, 0.7]})
    with pytest.raises(fp.InputError, match=words):
        fp.compare_treatments(frame, **{"test_train_ratio": 0.4, **change})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.drop(columns="value"), "the frame has no column `value`"),
        (lambda f: pd.concat([f, f[:1]]), "accuracy of none stands twice in repeat 0"),
        (lambda f: f[f["repeat"] == 0], "one repeat, and a comparison needs two"),
        (lambda f: f.assign(measure="zeta"), "more or less of the measure `zeta` is better"),
        (lambda f: f.assign(measure="tpr_gap_ratio"), "`tpr_gap_ratio` is better is not known"),
        (lambda f: f.assign(value="0.7"), "`value` holds text"),
        (lambda f: f.assign(value=[0.7, np.inf, 0.6, 0.7]), "accuracy of none is infinite in rep"),
        (lambda f: f.assign(value=f["value"] * 1e200), "divide all by a large number"),
        (lambda f: f.assign(value=f["value"].astype(complex)), "value must hold numbers"),
        (lambda f: f.assign(treatment=[0, 0, 1, 1]), "`treatment` holds 0: give names as text"),
        (lambda f: f.replace("fair", None), "`treatment` holds .*: give names as text .`read_csv`"),
        (lambda f: f.assign(measure=None), "`measure` holds None: give names as text"),
        (lambda f: f.assign(repeat=[0, None, 0, None]), "`repeat` has missing values"),
        (lambda f: f.assign(n_train="many", n_test=30), "n_train must hold numbers"),
        (lambda f: f[:0], "the frame has no rows"),
        (lambda f: f.assign(model=[["a"]] * 4), "`model` holds .'a'.: give text or numbers"),
        (lambda f: f[:2], "none is the only treatment"),
        (lambda f: pd.concat([f, f["value"]], axis=1), "two columns `value`"),
        (
            lambda f: pd.concat([f.assign(dataset="a"), f[2:].assign(dataset="b")]),
            "there is no treatment none for b, accuracy: add its rows, or leave out those of the",
        ),
        (lambda f: f.assign(n_train=0, n_test=30), "n_train and n_test must be above 0"),
        (
            lambda f: f.assign(dataset="d", n_train=70 + 60 * f["repeat"], n_test=30),
            "the repeats of d have 100 to 160 rows, so they are no splits of one data set",
        ),
    ],
)
def test_a_bad_frame_is_one_sentence(change, words):
    frame = tidy({"none": [0.7, 0.8], "fair": [0.6, 0.7]})
    with pytest.raises(fp.InputError, match=words):
        fp.compare_treatments(change(frame), test_train_ratio=0.4)


def test_the_page_judges_the_files_of_another_pipeline(root, folder):
    """Friedler's have these columns, among 200 others."""
    columns = ["algorithm", "run-id", "accuracy", "male-TPR", "female-TPR"]
    rows = {
        "SVM": [("SVM", r, 0.80 + r / 1000, 0.9, 0.7 + r / 1000) for r in range(10)],
        "Feldman-SVM": [("Feldman-SVM", r, 0.75, 0.8, 0.79 + r % 3 / 1000) for r in range(10)],
    }
    for name, values in rows.items():
        pd.DataFrame(values, columns=columns).to_csv(f"{name}_german_sex.csv", index=False)
    page = (root / "docs/how-to/experiment.md").read_text("utf-8")
    code = page[page.index("wide = pd.concat") : page.index("fp.compare_treatments(tidy")]
    found: dict[str, object] = {"pd": pd}
    exec(code, found)
    result = fp.compare_treatments(found["tidy"], against="SVM", test_train_ratio=1 / 2)
    verdicts = dict(zip(result["measure"], result["verdict"], strict=True))
    assert verdicts == {"accuracy": "worse", "tpr_gap": "better"}


def test_a_frame_may_have_any_kind_of_columns_and_index():
    values = {"none": [0.7, 0.8, 0.75, np.nan], "fair": [0.6, 0.7, 0.68, 0.66]}
    frame = tidy(values, dataset="d", model="m")
    expected = fp.compare_treatments(frame, test_train_ratio=0.4)
    names = ["dataset", "model", "treatment", "measure"]
    others = (
        frame.convert_dtypes(),
        frame.astype(dict.fromkeys(names, "category")),
        frame.astype({"value": object}).replace({np.nan: None}),
        frame.set_index("dataset", drop=False),
        frame.set_axis([0] * len(frame)).astype({"repeat": str}),
    )
    for other in others:
        found = fp.compare_treatments(other, test_train_ratio=0.4)
        pd.testing.assert_frame_equal(found.astype(expected.dtypes), expected)
