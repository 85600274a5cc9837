"""What the labels' mix explains of a gap: definitions, and simulations of fixed seeds."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from fairpairs import InputError, comparative_separation_test
from fairpairs.mathematics.fairness.label_mix import label_mix_decomposition
from tests.mathematics.synthetic import labelled_by_group

CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]
#: H0c, then H0w: the cells whose TPR is compared, equations (21) and (22)
CONTRASTS = [((1, 0), (0, 1)), ((1, 1), (0, 0))]

GOOD = {
    "y_true": [0, 1, 0, 1],
    "y_score": [0.1, 0.9, 0.8, 0.3],
    "sensitive_features": list("aabb"),
}


@pytest.mark.parametrize("labels", ["binary", "few", "real"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("ties", ["wrong", "half"])
def test_each_gap_is_what_the_label_mix_explains_and_the_rest(labels, k, ties):
    y, s, group = labelled_by_group(21, 240, k, labels, shift=0.3)
    s = np.round(s)
    frame = label_mix_decomposition(y, s, sensitive_features=group, ties=ties)
    assert list(frame.columns) == [
        "hypothesis", "part", "estimate", "standard_error", "ci_low", "ci_high", "note",
    ]  # fmt: skip
    frame["estimate"] = frame["estimate"].astype(float)  # the type has a test of its own
    raw, mix, rest = (
        frame[frame["part"] == part].reset_index() for part in ("raw", "label mix", "rest")
    )
    assert_allclose(raw["estimate"], mix["estimate"] + rest["estimate"], rtol=1e-12)
    for part, balance in ((raw, False), (rest, "auto")):
        result = comparative_separation_test(
            y, s, sensitive_features=group, ties=ties, balance_labels=balance
        )
        assert tuple(part["hypothesis"]) == result.hypotheses
        assert_allclose(part["estimate"], result.difference.estimate, rtol=1e-9, atol=1e-12)
        assert_allclose(part["ci_low"], result.difference.ci_low, rtol=1e-12)
        assert_allclose(part["ci_high"], result.difference.ci_high, rtol=1e-12)
        assert tuple(part["note"]) == tuple(result.to_frame()["note"])
    margin = norm.ppf(0.975) * mix["standard_error"] * (1 - 1e-9)
    assert (mix["ci_high"] - mix["estimate"] >= margin).all()
    assert (mix["estimate"] - mix["ci_low"] >= margin).all()
    if labels == "binary":
        assert_allclose(mix["estimate"], 0, atol=1e-12)
        assert (mix["standard_error"] < 0.05 * raw["standard_error"]).all()
    else:
        assert (np.abs(mix["estimate"]) > 1e-4).any()


def test_the_error_of_the_raw_gap_is_that_of_what_each_item_adds():
    """Hájek's projection in a double loop; n is small, so that the factor n / (n − 1) counts."""
    y, s, group = labelled_by_group(22, 14, 2, "real")
    n = len(y)
    rate, added = {}, {}
    for a, b in CELLS:
        pairs = [
            (i, j) for i, j in product(range(n), repeat=2)
            if group[i] == a and group[j] == b and y[i] > y[j]
        ]  # fmt: skip
        right = np.array([float(s[i] > s[j]) for i, j in pairs])
        rate[a, b] = right.mean()
        added[a, b] = np.zeros(n)
        for (i, j), hit in zip(pairs, right, strict=True):
            added[a, b][[i, j]] += (hit - rate[a, b]) / len(pairs)
    frame = label_mix_decomposition(y, s, sensitive_features=group).query("part == 'raw'")
    for (one, two), row in zip(CONTRASTS, frame.itertuples(), strict=True):
        assert_allclose(row.estimate, rate[one] - rate[two], atol=1e-12)
        error = np.sqrt(((added[one] - added[two]) ** 2).sum() * n / (n - 1))
        assert_allclose(row.standard_error, error, rtol=1e-9)


def test_the_columns_of_the_decomposition_are_numbers():
    y, s, group = labelled_by_group(21, 240, 2, "few")
    frame = label_mix_decomposition(y, s, sensitive_features=group)
    assert list(frame.columns[2:6]) == ["estimate", "standard_error", "ci_low", "ci_high"]
    assert [str(kind) for kind in frame.dtypes[2:6]] == ["float64"] * 4


def test_the_label_mix_explains_the_gap_of_a_separated_model():
    # labels of the groups differ, and high ones are harder to tell apart
    rng = np.random.default_rng(22)
    group = rng.integers(2, size=4000)
    y = rng.binomial(4, 0.3 + 0.4 * group).astype(float)
    s = y + rng.normal(size=4000) * (0.2 + y)
    frame = label_mix_decomposition(y, s, sensitive_features=group).set_index(
        ["hypothesis", "part"]
    )
    within = frame.loc["TPR(1,1) = TPR(0,0)"]
    assert within.loc["raw", "ci_high"] < -0.05
    assert within.loc["label mix", "ci_high"] < -0.05
    rest = frame.xs("rest", level="part")
    assert (np.abs(rest["estimate"]) < 4 * rest["standard_error"]).all()
    assert (rest["standard_error"] < 0.03).all()


@pytest.mark.slow
def test_the_standard_errors_of_the_parts_are_true():
    # 100 data sets: the Monte Carlo error of a standard deviation is 7 %. With 400 items the
    # error of a label mix that explains almost nothing is said to be 30 % larger than it is.
    rng = np.random.default_rng(23)
    frames = []
    for _ in range(100):
        group = rng.integers(2, size=1500)
        y = rng.binomial(3, 0.35 + 0.3 * group)
        s = y + rng.normal(size=1500) * (1 + 0.5 * y) + 0.3 * group
        frames.append(label_mix_decomposition(y, s, sensitive_features=group))
    estimates = np.array([frame["estimate"].astype(float) for frame in frames])
    errors = np.array([frame["standard_error"] for frame in frames])
    assert_allclose(errors.mean(axis=0), estimates.std(axis=0), rtol=0.2)


def test_limits_of_the_label_mix_are_those_of_a_difference_of_correlated_gaps():
    by_mover = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        group = rng.integers(0, 2, 60)
        y = rng.binomial(3, 0.35 + 0.3 * group)
        frame = label_mix_decomposition(y, y + rng.normal(size=60), sensitive_features=group)
        for _, parts in frame.groupby("hypothesis"):
            rows = parts.set_index("part")
            raw, rest, mix = (rows.loc[part] for part in ("raw", "rest", "label mix"))
            errors = raw.standard_error, rest.standard_error
            correlation = (sum(np.square(errors)) - mix.standard_error**2) / (2 * np.prod(errors))
            for sign, one, other, found in (
                (-1, raw.estimate - raw.ci_low, rest.ci_high - rest.estimate, mix.ci_low),
                (1, raw.ci_high - raw.estimate, rest.estimate - rest.ci_low, mix.ci_high),
            ):
                reach = np.sqrt(one**2 + other**2 - 2 * correlation * one * other)
                margin = norm.isf(0.025) * mix.standard_error
                by_mover.add(bool(reach > margin))
                assert_allclose(found, mix.estimate + sign * max(reach, margin), rtol=1e-6)
    assert by_mover == {True, False}


@pytest.mark.slow
def test_parts_of_the_gaps_of_few_items_of_an_accurate_model_are_covered():
    # AUC 0.99, 500 items of each label against 30 and 40. With the standard error alone 0.88 of the
    # intervals cover, of 80 sets.
    rng = np.random.default_rng(24)
    y, group = np.repeat([1.0, 0, 1, 0], [500, 500, 30, 40]), np.repeat([0, 1], [1000, 70])
    covered = []
    for _ in range(80):
        s = 3.29 * y + rng.normal(size=len(y))
        frame = label_mix_decomposition(y, s, sensitive_features=group)
        frame = frame[frame["part"] != "label mix"]
        covered.append((frame["ci_low"] <= 0) & (frame["ci_high"] >= 0))
    assert np.mean(covered) > 0.93


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_true": [0, 1, np.nan, 1]}, "y_true has 1 missing"),
        ({"y_true": [0, 1]}, "y_true has 2"),
        ({"sensitive_features": list("aaaa")}, "one group only"),
        ({"ties": "right"}, "ties must be one of"),
        ({"alpha": 2}, "alpha must lie between 0 and 1"),
        ({"y_true": [1, 1, 1, 1]}, "y_true has only one value"),
    ],
)
def test_bad_input_of_the_decomposition_is_explained(change, message):
    with pytest.raises(InputError, match=message):
        label_mix_decomposition(**{**GOOD, **change})
