"""The interval of a line and its p-value say the same, whatever the measure and the data."""

import warnings

import numpy as np
import pytest

import fairpairs as fp


def audited(kind, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([40, 80, 150, 400]))
    group = (np.arange(n) < rng.choice([0.5, 0.2]) * n).astype(int)
    label = rng.normal(size=n)
    score = label + 0.6 * rng.normal(size=n) + rng.choice([0, 0.3, 0.6]) * group
    options = {
        "sensitive_features": group,
        "margin": rng.choice([0.1, 0.2]) if kind == "decisions" else None,
        "clusters": rng.permutation(n) // 3 if seed % 3 == 0 else None,
        "sample_weight": rng.uniform(1, 3, n) if seed % 4 == 0 else None,
    }
    if kind == "decisions":
        scored = 1 / (1 + np.exp(-score))
        data = (label > 0).astype(int), (score > 0).astype(int)
        return fp.audit(*data, y_score=scored, **options)
    if kind == "ordinal":
        data = np.digitize(label, [-0.5, 0.5]), np.digitize(score, [-0.6, 0.6])
        return fp.audit(*data, label_kind="ordinal", **options)
    skewed = rng.exponential(size=n) ** 2 if seed % 2 else 0.0
    return fp.audit(label, score + skewed, **options)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["decisions", "numbers", "ordinal"])
def test_an_interval_leaves_out_0_where_p_is_below_the_level(kind):
    lines = 0
    for seed in range(5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = audited(kind, seed).to_frame()
        both = frame.dropna(subset=["ci_low", "pvalue"])
        below = both["pvalue"] < 0.05
        apart = (both["ci_low"] > 0) | (both["ci_high"] < 0)
        assert (apart == below).all(), both[apart != below]
        decided = frame.dropna(subset=["margin_low", "pvalue_within"])
        inside = decided[["margin_low", "margin_high"]].abs().max(axis=1) < decided["margin"]
        shown = decided["pvalue_within"] < 0.05
        near = (decided["pvalue_within"] - 0.05).abs() < 1e-3  # limits are known to 0.001
        assert (inside == shown)[~near].all()
        assert (decided["pvalue_beyond"] >= decided["pvalue"]).all()
        lines += len(both)
    assert lines > 20
