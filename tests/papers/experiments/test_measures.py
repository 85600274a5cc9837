import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics as fairlearn
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import metrics

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_parquet
from fairpairs.papers.experiments.measures import (
    COLUMNS,
    MEASURES,
    measure_files,
    measure_of,
    measure_predictions,
)
from fairpairs.papers.experiments.train import train_repeats


@pytest.fixture
def predictions(small_dataset):
    return train_repeats(
        small_dataset, model="logistic_regression", treatment="none", repeats=[0, 1], seed=1,
        test_fraction=0.4,
    )  # fmt: skip


def values(predictions, dataset, named, attribute="", repeat=1):
    rows = measure_predictions(predictions, dataset, [measure_of(named)], model="m", treatment="t")
    row = rows[(rows["repeat"] == repeat) & (rows["attribute"] == attribute)]
    return row["value"].item()


def parts(predictions, dataset, repeat=1):
    part = predictions[predictions["repeat"] == repeat]
    items = dataset.frame.iloc[part["item"]]
    return items["label"].to_numpy(), part["prediction"].to_numpy(), part["score"].to_numpy(), items


def rate(rows, y, d, what):
    """A rate of some rows by its definition."""
    y, d = y[rows], d[rows]
    with np.errstate(invalid="ignore"):
        return {
            "selection_rate": d.mean(), "tpr": d[y == 1].mean(), "fpr": d[y == 0].mean(),
            "tnr": 1 - d[y == 0].mean(), "fnr": 1 - d[y == 1].mean(), "ppv": y[d == 1].mean(),
            "npv": 1 - y[d == 0].mean(), "accuracy": (y == d).mean(),
            "average_odds": (d[y == 1].mean() + d[y == 0].mean()) / 2,
            "mean_error": (d - y).mean(), "mae": np.abs(d - y).mean(),
        }[what]  # fmt: skip


def test_performance_is_that_of_the_libraries(predictions, small_dataset):
    y, d, s, _ = parts(predictions, small_dataset)
    expected = {
        "accuracy": metrics.accuracy_score(y, d),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, d),
        "f1": metrics.f1_score(y, d),
        "auc": metrics.roc_auc_score(y, s),
        "brier": np.mean((s - y) ** 2),
        "log_loss": -np.mean(np.log(np.where(y == 1, s, 1 - s))),
        "mae": np.abs(d - y).mean(),
        "rmse": np.sqrt(np.mean((d - y) ** 2.0)),
        "r2": 1 - np.mean((d - y) ** 2.0) / y.var(),
        "pearson": stats.pearsonr(y, d).statistic,
        "spearman": stats.spearmanr(y, d).statistic,
    }
    assert set(expected) == {name for name in MEASURES if not name.endswith(("gap", "ratio"))}
    for name, value in expected.items():
        assert_allclose(values(predictions, small_dataset, name), value, err_msg=name)


def test_gaps_and_ratios_are_those_of_the_definitions(predictions, small_dataset):
    y, d, s, items = parts(predictions, small_dataset)
    sex, race = items["sensitive_sex"].to_numpy(), items["sensitive_race"].to_numpy()
    rates = {name.removesuffix("_gap") for name in MEASURES if name.endswith("_gap")}
    for what in sorted(rates - {"auc"}):
        one, zero = (rate(sex == group, y, d, what) for group in (1, 0))
        gap, ratio = (
            values(predictions, small_dataset, f"{what}_{form}", "sex") for form in ("gap", "ratio")
        )
        assert_allclose(gap, one - zero, err_msg=what)
        assert_allclose(ratio, min(one, zero) / max(one, zero) if max(one, zero) > 0 else np.nan)
        by_cell = [rate((sex == a) & (race == b), y, d, what) for a in (0, 1) for b in (0, 1)]
        named = {f"{what}_gap": {"groups": "intersections"}}
        assert_allclose(values(predictions, small_dataset, named, "sex × race"), np.ptp(by_cell))
    soft = {"tpr_gap": {"of": "scores"}}
    one, zero = (s[(sex == group) & (y == 1)].mean() for group in (1, 0))
    assert_allclose(values(predictions, small_dataset, soft, "sex"), one - zero)
    one, zero = (metrics.roc_auc_score(y[sex == group], s[sex == group]) for group in (1, 0))
    assert_allclose(values(predictions, small_dataset, "auc_gap", "sex"), one - zero)


def test_a_function_of_a_library_gets_what_it_takes(predictions, small_dataset):
    y, d, s, items = parts(predictions, small_dataset)
    beta = {"call": "sklearn.metrics.fbeta_score", "with": {"beta": 2}}
    assert_allclose(values(predictions, small_dataset, beta), metrics.fbeta_score(y, d, beta=2))
    precision = values(predictions, small_dataset, "sklearn.metrics.average_precision_score")
    assert_allclose(precision, metrics.average_precision_score(y, s))
    odds = values(predictions, small_dataset, "fairlearn.metrics.equalized_odds_difference", "race")
    groups = items["sensitive_race"]
    expected = fairlearn.equalized_odds_difference(y, d, sensitive_features=groups)
    assert_allclose(odds, expected)


def test_what_has_no_scores_and_no_rows_has_no_value(predictions, small_dataset):
    decisions = predictions.assign(score=np.nan)
    assert np.isnan(values(decisions, small_dataset, "auc"))
    assert np.isnan(values(decisions, small_dataset, {"tpr_gap": {"of": "scores"}}, "sex"))
    assert not np.isnan(values(decisions, small_dataset, "tpr_gap", "sex"))
    never = predictions.assign(prediction=np.int8(0))
    assert np.isnan(values(never, small_dataset, "ppv_gap", "sex"))
    assert np.isnan(values(never, small_dataset, "selection_rate_ratio", "sex"))


def test_the_table_of_files_does_not_depend_on_chunks(predictions, small_dataset, tmp_path):
    measures, arms = ["accuracy", "fpr_gap"], {"a+b": ("a", "b")}
    whole, split = (tmp_path / part / "small/a+b" for part in ("whole", "split"))
    write_parquet(whole / "0-1.parquet", predictions)
    for repeat in (0, 1):
        part = predictions[predictions["repeat"] == repeat]
        write_parquet(split / f"{repeat}-{repeat}.parquet", part)
    one, two = (
        measure_files(sorted(folder.iterdir()), [small_dataset], measures=measures, arms=arms)
        for folder in (whole, split)
    )
    pd.testing.assert_frame_equal(one, two)
    assert list(one) == list(COLUMNS)
    assert len(one) == 2 * (1 + 2)
    assert set(zip(one["model"], one["treatment"], strict=True)) == {("a", "b")}


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("acuracy", r"there is no measure `acuracy` \(did you mean `accuracy`\?\): name one of ac"),
        ({"accuracy": {"of": "scores"}}, "the measure `accuracy` takes no `of`: drop it"),
        ({"auc_gap": {"of": "scores"}}, "the measure `auc_gap` takes no `of`"),
        ("sklearn.metrics.acuracy_score", "sklearn.metrics has no `acuracy_score`"),
        (
            {"call": "sklearn.metrics.fbeta_score", "with": {"bta": 2}},
            r"`sklearn.metrics.fbeta_score` has no parameter `bta` \(did you mean `beta`\?\)",
        ),
    ],
)
def test_what_there_is_not_is_refused(named, words):
    with pytest.raises(InputError, match=words):
        measure_of(named)
