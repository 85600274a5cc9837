"""Treatments that weigh rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import check_estimator

import fairpairs as fp
from fairpairs import InputError, fairbalance_weights, reweighing_weights
from fairpairs.papers.treatments.fair_reweighing import fair_reweighing_weights
from fairpairs.papers.treatments.groups import joint_groups
from fairpairs.papers.treatments.none import no_weights

# every joint group of two attributes has both labels, and any further items
CORNERS = [(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)]
items = st.lists(st.sampled_from(CORNERS), max_size=60).map(
    lambda more: pd.DataFrame(CORNERS + more, columns=["y", "a", "b"])
)


def test_weights_by_hand():
    # women: 3 of 4 favourable; men: 1 of 2. |A=a| |Y=y| / |A=a, Y=y|:
    # (f, 1): 4 * 4 / 3, (f, 0): 4 * 2 / 1, (m, 1): 2 * 4 / 1, (m, 0): 2 * 2 / 1
    y, sex = [1, 1, 1, 0, 1, 0], ["f", "f", "f", "f", "m", "m"]
    raw = np.array([16 / 3, 16 / 3, 16 / 3, 8, 8, 4])
    assert raw.sum() == 36
    assert_allclose(reweighing_weights(y, sex), raw / 6, rtol=1e-12)


@pytest.mark.slow
@given(items)
def test_weighted_class_shares_are_the_same_in_every_joint_group(frame):
    weight = reweighing_weights(frame["y"], frame[["a", "b"]])
    groups = frame.assign(w=weight, wy=weight * frame["y"]).groupby(["a", "b"])
    shares = groups["wy"].sum() / groups["w"].sum()
    assert len(shares) == 4
    assert_allclose(shares, frame["y"].mean(), rtol=1e-10)
    assert (weight > 0).all()
    assert_allclose(groups["w"].sum(), groups.size(), rtol=1e-10)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_joint_groups_are_numbered_by_the_distinct_rows(k):
    rng = np.random.default_rng(k)
    features = rng.choice(["x", "y", "zz"], size=(40, k))
    codes = joint_groups(features)
    expected = pd.DataFrame(features).groupby(list(range(k))).ngroup()
    assert_array_equal(codes, expected)


def test_an_attribute_of_many_levels_does_not_overflow_the_codes():
    # 50,000 levels in four columns: the product of the levels is beyond 2^62
    column = np.arange(50_000)
    codes = joint_groups(np.column_stack([column] * 4))
    assert_array_equal(codes, column)


def test_a_missing_value_is_refused():
    with pytest.raises(InputError, match=r"y has 1 missing value\(s\), the first at position 1"):
        reweighing_weights([1, None, 0], list("ffm"))
    frame = pd.DataFrame({"a": [1, 0, 1], "b": ["f", None, "m"]})
    with pytest.raises(InputError, match=r"column b has 1 missing .* position 1"):
        reweighing_weights([1, 0, 1], frame)
    with pytest.raises(InputError, match=r"sensitive_features has 1 missing .* position 2"):
        reweighing_weights([1, 0, 1], [0.0, 1.0, np.nan])


def test_no_items_are_refused():
    with pytest.raises(InputError, match="y is empty"):
        reweighing_weights([], [])


def test_no_treatment_weighs_all_alike():
    assert_array_equal(no_weights([1, 0, 1], list("ffm")), [1, 1, 1])


def test_fairbalance_weights_by_hand():
    # |A=a| / |A=a, Y=y| / 2; women: 3 favourable of 4; men: 1 of 2
    y, sex = [1, 1, 1, 0, 1, 0], ["f", "f", "f", "f", "m", "m"]
    assert_allclose(fairbalance_weights(y, sex), [2 / 3, 2 / 3, 2 / 3, 2, 1, 1], rtol=1e-12)


@pytest.mark.slow
@given(items)
def test_classes_weigh_one_to_one_and_every_group_as_many_as_its_items(frame):
    weight = fairbalance_weights(frame["y"], frame[["a", "b"]])
    by_class = frame.assign(w=weight).groupby(["y", "a", "b"])["w"].sum()
    assert_allclose(by_class.loc[1], by_class.loc[0], rtol=1e-10)
    groups = frame.assign(w=weight).groupby(["a", "b"])
    assert_allclose(groups["w"].sum(), groups.size(), rtol=1e-10)
    assert_allclose(weight.sum(), len(frame), rtol=1e-10)


def test_the_group_is_the_joint_one():
    # one woman of each label under and over 25, two men of one label each: every weight is 1
    # for the women; a man whose group has his label only has the weight 1/2
    y = [1, 0, 1, 0, 1, 0]
    features = np.array([["f", "<"], ["f", "<"], ["f", ">"], ["f", ">"], ["m", "<"], ["m", ">"]])
    assert_allclose(fairbalance_weights(y, features), [1, 1, 1, 1, 0.5, 0.5], rtol=1e-12)
    assert_allclose(fairbalance_weights(y, features[:, 0]), np.ones(6), rtol=1e-12)


def test_fairbalance_refuses_a_missing_value():
    frame = pd.DataFrame({"a": [1, 0, 1], "b": ["f", "m", None]})
    with pytest.raises(InputError, match=r"column b has 1 missing .* position 2"):
        fairbalance_weights([1, 0, 1], frame)
    with pytest.raises(InputError, match=r"y has 1 missing .* position 0"):
        fairbalance_weights([np.nan, 0, 1], list("ffm"))


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def by_double_loop(y, attributes, radius):
    """Count neighbours one by one."""
    a, b = standardised(np.asarray(attributes, float).reshape(len(y), -1)), standardised(y)

    def near(points):
        return [sum(np.linalg.norm(p - q) < radius for q in points) for p in points]

    joint = np.column_stack([a, b])
    weights = np.array(near(a)) * np.array(near(b[:, None])) / np.array(near(joint))
    return weights / weights.mean()


@pytest.mark.parametrize("radius", [0.5, 1.2])
@pytest.mark.parametrize("several", [False, True])
def test_neighbours_are_counted_as_by_a_double_loop(radius, several):
    rng = np.random.default_rng(0)
    y, a = rng.normal(size=60), rng.integers(0, 2, 60)
    a = np.column_stack([a, rng.normal(size=60)]) if several else a
    weights = fair_reweighing_weights(y, a, radius=radius)
    assert_allclose(weights, by_double_loop(y, a, radius), rtol=1e-12)
    assert_allclose(weights.mean(), 1)


def test_the_radius_itself_is_not_near():
    # standardised, 0 and 1 lie 2 apart
    y, a = np.array([0.0, 1.0] * 10), np.array([0] * 10 + [1] * 10)
    exact = fair_reweighing_weights(y, a, radius=2.0)
    assert_allclose(exact, reweighing_weights(y, a), rtol=1e-12)


def test_a_narrow_kernel_gives_reweighing_to_a_tolerance():
    rng = np.random.default_rng(3)
    y, a = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    # levels are ten bandwidths apart, where a Gaussian is e^-50
    weights = fair_reweighing_weights(y, a, density="kernel", bandwidth=0.2)
    assert_allclose(weights, reweighing_weights(y, a), rtol=1e-6)


@pytest.mark.parametrize(
    ("y", "a", "options", "message"),
    [
        ([1.0, 2.0], [0, 0], {}, "sensitive_features has only one value"),
        ([1.0, 1.0], [0, 1], {}, "y has only one value"),
        ([1.0, np.nan], [0, 1], {}, "y has 1 missing value"),
        ([1.0, 2.0], [0, 1, 1], {}, "one length"),
        ([1.0, 2.0], ["f", "m"], {}, "must hold numbers"),
        ([1.0, 2.0], [0, 1], {"density": "histogram"}, "density must be"),
    ],
)
def test_bad_input_is_refused(y, a, options, message):
    with pytest.raises(InputError, match=message):
        fair_reweighing_weights(y, a, **options)


ESTIMATORS = {
    "fairbalance": None,
    "reweighing": LogisticRegression(),
    "fairbalance_variant": RandomForestClassifier(5, random_state=0),
    "fair_reweighing": Ridge(),
}


@pytest.mark.slow
@pytest.mark.parametrize("weights", ESTIMATORS)
def test_it_is_an_estimator_of_scikit_learn(weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = check_estimator(
            fp.Reweighed(ESTIMATORS[weights], weights=weights), on_skip=None, on_fail=None
        )
    assert len(checks) > 40
    assert [check for check in checks if check["status"] == "failed"] == []


@pytest.mark.parametrize("weights", ["fairbalance", "reweighing"])
def test_it_is_the_estimator_with_the_weights(small_dataset, weights):
    X, y = small_dataset.frame[["amount"]], small_dataset.label
    groups = small_dataset.groups
    model = fp.Reweighed(weights=weights).fit(X, y, sensitive_features=groups)
    given = getattr(fp, f"{weights}_weights")(y, groups)
    by_hand = LogisticRegression().fit(X, y, sample_weight=given)
    assert_allclose(model.sample_weight_, given)
    assert_allclose(model.predict_proba(X), by_hand.predict_proba(X))
    assert model.score(X, y) == by_hand.score(X, y)


def test_what_it_cannot_use_is_said(small_dataset):
    X, y = small_dataset.frame[["amount"]], small_dataset.label
    with pytest.raises(fp.InputError, match="weights is 'magic': name one of fairbalance, "):
        fp.Reweighed(weights="magic").fit(X, y, sensitive_features=small_dataset.groups)
    with pytest.raises(fp.InputError, match="KNeighborsClassifier takes no `sample_weight`"):
        fp.Reweighed(KNeighborsClassifier()).fit(X, y, sensitive_features=small_dataset.groups)
    with pytest.raises(fp.InputError):
        fp.Reweighed().fit(X, y, sensitive_features=np.ones(3))
    with pytest.warns(UserWarning, match="fit got no sensitive_features: all rows are one group"):
        fp.Reweighed().fit(X, y)
