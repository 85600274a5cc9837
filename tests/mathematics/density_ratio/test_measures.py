"""Independence, separation and sufficiency as ratios of densities, against known answers."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from fairpairs import InputError
from fairpairs.mathematics.density_ratio.logistic import LogisticRatio, SeparableGroupsError
from fairpairs.mathematics.density_ratio.measures import (
    MEASURES,
    density_ratio_fairness,
    mean_ratios,
    permuted_mean_ratios,
    standardised,
)
from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.estimates.cell_measures import shuffling_pvalue
from fairpairs.mathematics.inference.conditional_shuffles import shuffles_within
from fairpairs.papers.ratio_estimators.estimators import ESTIMATORS
from fairpairs.papers.ratio_estimators.kernel_logistic import KernelLogisticRatio
from fairpairs.papers.ratio_estimators.least_squares import RuLSIFRatio


def made(n=300, seed=0, bias=0.6, k=2):
    rng = np.random.default_rng(seed)
    group, y = rng.integers(0, k, n), rng.normal(size=n)
    return y, 0.7 * y + bias * group + rng.normal(size=n), group


def means(y, prediction, group, cap=None, **keywords):
    """A plain re-implementation with scikit-learn."""
    y, s = ((v - v.mean()) / v.std() for v in (y, prediction))

    def ratio(*columns):
        x = np.column_stack(columns)
        p = LogisticRegression(**keywords, tol=1e-9, max_iter=5000).fit(x, group)
        p = p.predict_proba(x)[:, 1]
        p = p if cap is None else np.minimum(p, cap)
        return p / (1 - p) * (group == 0).sum() / (group == 1).sum()

    both = ratio(y, s)
    return [ratio(s).mean(), (both / ratio(y)).mean(), (both / ratio(s)).mean()]


@pytest.mark.parametrize("cap", [None, 0.6])
@pytest.mark.parametrize(("name", "c"), [("logistic", np.inf), ("ridge", 1.0)])
def test_the_measures_are_those_of_plain_regressions(name, c, cap):
    y, prediction, group = made()
    result = density_ratio_fairness(
        y, prediction, sensitive_features=group, estimator=name, cap=cap
    )
    assert_allclose(result.difference.estimate, means(y, prediction, group, cap, C=c), rtol=1e-4)
    assert result.hypotheses == tuple(f"{measure}(1 / 0)" for measure in MEASURES)
    assert np.isnan(result.difference.pvalue).all()


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_ratios_that_are_matched_are_divided(alpha):
    y, prediction, group = made()
    estimator = RuLSIFRatio(alpha, centres=20, widths=(2.0,), penalties=(0.1,))
    y_, s_ = ((v - v.mean()) / v.std() for v in (y, prediction))

    def ratio(*columns):
        x = np.column_stack(columns)
        return estimator.fit(x[group == 1], x[group == 0])(x)

    both, label, score = (ratio(*columns) for columns in ((y_, s_), (y_,), (s_,)))
    expected = [score.mean(), (both / label).mean(), (both / score).mean()]
    result = density_ratio_fairness(y, prediction, sensitive_features=group, estimator=estimator)
    assert_allclose(result.difference.estimate, expected)


def test_at_alpha_1_there_is_no_value():
    y, prediction, group = made(80)
    right = density_ratio_fairness(
        y, prediction, sensitive_features=group, estimator=ESTIMATORS["rulsif_1"]
    )
    assert np.isnan(right.difference.estimate).all()
    assert right.to_frame()["note"].str.contains("no finite ratio").all()


def test_several_groups_are_their_pairs():
    y, prediction, group = made(400, k=3)
    result = density_ratio_fairness(y, prediction, sensitive_features=np.array([*"xyz"])[group])
    expected, names = [], []
    for a, b in combinations(range(3), 2):
        own = np.isin(group, [a, b])
        pair = density_ratio_fairness(y[own], prediction[own], sensitive_features=group[own])
        expected += list(pair.difference.estimate)
        names += [f"{measure}({'xyz'[b]} / {'xyz'[a]})" for measure in MEASURES]
        assert result.difference.n[len(names) - 1] == own.sum()
    assert_allclose(result.difference.estimate, expected)
    assert list(result.hypotheses) == names


@pytest.mark.parametrize("prediction", ["constant", "label"])
@pytest.mark.parametrize("estimator", ["logistic", "ridge", "lasso", "kernel_gaussian"])
def test_predictions_that_say_nothing_or_all(prediction, estimator):
    y, _, group = made(200)
    result = density_ratio_fairness(
        y, np.full(200, 0.1) if prediction == "constant" else y, sensitive_features=group,
        estimator=ESTIMATORS[estimator],
    )  # fmt: skip
    estimate = result.difference.estimate
    assert estimate[1] == pytest.approx(1, abs=1e-3)  # nothing beyond the label
    assert estimate[0 if prediction == "constant" else 2] == pytest.approx(1, abs=1e-3)


def test_violations_are_found():
    y, prediction, group = made(150, bias=1.5)
    result = density_ratio_fairness(
        y, prediction, sensitive_features=group, n_permutations=39, random_state=0, cap=0.999
    )
    assert_allclose(result.difference.pvalue[:2], 1 / 40)
    again = density_ratio_fairness(
        y, prediction, sensitive_features=group, n_permutations=39, random_state=0, cap=0.999
    )
    assert_allclose(again.difference.pvalue, result.difference.pvalue, rtol=0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cap": 0.4}, "cap must lie between 0.5 and 1; it is 0.4"),
        ({"cap": 1}, "cap must lie between 0.5 and 1, without these; it is 1"),
        ({"cap": 0.99, "estimator": ESTIMATORS["ulsif"]}, "cap bounds a probability"),
        (
            {"estimator": "nearest"},
            "estimator must be one of 'logistic', 'ridge', 'lasso'; it is 'nearest'",
        ),
        ({"sensitive_features": [0, 1] * 9 + [0, 2]}, "The group 2 has one row: a density needs"),
        ({"y_pred": np.arange(20) % 2}, "separated perfectly"),
    ],
)
def test_bad_input_is_told_in_one_sentence(change, words):
    y, prediction, _ = made(20)
    keywords = {"y_true": y, "y_pred": prediction, "sensitive_features": [0, 1] * 10, **change}
    with pytest.raises(InputError, match=words):
        density_ratio_fairness(**keywords)


def test_groups_that_cannot_be_told_apart_have_ratio_1():
    x = np.tile(np.arange(10.0), 2)
    result = density_ratio_fairness(
        x, x[::-1], sensitive_features=np.repeat([0, 1], 10), estimator=LogisticRatio()
    )
    assert_allclose(result.difference.estimate, 1, rtol=1e-6)


def test_shuffles_that_can_be_separated_count_as_larger():
    rng = np.random.default_rng(3)
    y, prediction = rng.normal(size=6), rng.normal(size=6)
    group = np.array([0, 1, 0, 1, 0, 1])
    shuffled = permuted_mean_ratios(
        y, prediction, group, LogisticRatio(), size=40, rng=rng, measures=("independence",)
    )[:, 0]
    assert np.isinf(shuffled).any()
    known = np.sort(shuffled)[5]
    assert shuffling_pvalue(known, shuffled) == ((shuffled >= known).sum() + 1) / 41


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cap": "0.9"}, "cap must lie between 0.5 and 1"),
        ({"estimator": 3}, "estimator must be a name"),
        ({"estimator": LogisticRatio("l2", strength=0)}, "strength must be above 0"),
        ({"estimator": KernelLogisticRatio(width=0)}, "width must be above 0"),
        ({"estimator": KernelLogisticRatio(strength=-1)}, "strength must be above 0"),
    ],
)
def test_settings_of_a_wrong_kind_are_told(change, words):
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=words):
        density_ratio_fairness(
            rng.normal(size=20), rng.normal(size=20), sensitive_features=[0, 1] * 10, **change
        )


@pytest.mark.slow
@pytest.mark.parametrize("cap", [None, 0.7])
@pytest.mark.parametrize("penalty", ["none", "l2", "l1"])
def test_many_shuffled_groups_are_measured_as_each_alone(penalty, cap):
    """Of 12 items some shuffled groups can be separated."""
    for n in (12, 150):
        y, prediction, group = made(n, bias=2.5)
        y, score = standardised(y), standardised(prediction)
        estimator = LogisticRatio(penalty)
        for measure, given in (("independence", np.zeros(n)), ("separation", y)):
            found = permuted_mean_ratios(
                y, score, group, estimator, size=25, rng=np.random.default_rng(3), cap=cap,
                measures=(measure,),
            )[:, 0]  # fmt: skip
            shuffle = shuffles_within(
                group, label_strata(given), np.random.default_rng(3), labels=given
            )
            expected = []
            for groups in shuffle(25):
                with_groups = (y, score, groups, estimator)
                try:
                    mean = mean_ratios(*with_groups, cap=cap, measures=(measure,))[0]
                except SeparableGroupsError:
                    mean = np.inf
                expected.append(mean)
            assert_allclose(found, expected, rtol=1e-9)
            if n == 12 and penalty == "none" and cap is None:
                assert 0 < np.isinf(found).sum() < 25
