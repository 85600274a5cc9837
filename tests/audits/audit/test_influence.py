"""What each item adds to a line, and where intervals and p agree."""

import warnings

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.audits.criteria.comparison import Comparison

N, SMALL = 160, 1e-4
#: Their influence is centred within strata of labels, whose number depends on the weights.
BALANCED = {"balanced, across", "balanced, within"}


def data(kind):
    rng = np.random.default_rng(38)
    group = (np.arange(N) % 3 == 0).astype(int)
    label = rng.normal(size=N)
    score = label + 0.8 * rng.normal(size=N) + 0.4 * group
    weight = rng.uniform(1, 3, N)
    if kind == "numbers":
        return {"y_true": label, "y_pred": score}, group, weight
    probability = np.round(1 / (1 + np.exp(-score)), 3)
    columns = {"y_true": (label > 0).astype(int), "y_pred": (score > 0).astype(int)}
    return columns | {"y_score": probability}, group, weight


def estimates(columns, group, weight):
    frame = fp.audit(**columns, sensitive_features=group, sample_weight=weight).to_frame()
    rows = frame[frame["estimate"].notna()]
    return {(row.criterion, row.measure): row.estimate for row in rows.itertuples()}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "fewest", "weighed"), [("decisions", 18, 6), ("numbers", 5, 25)])
def test_an_influence_is_what_weighing_an_item_more_adds_and_deleting_it_takes(
    kind, fewest, weighed, monkeypatch
):
    gaps, row_of_gap = {}, Comparison.row_of_gap

    def recorded(self, measure, gap):
        gaps[measure.name] = gap
        return row_of_gap(self, measure, gap)

    columns, group, weight = data(kind)
    with monkeypatch.context() as patched:
        patched.setattr(Comparison, "row_of_gap", recorded)
        whole = estimates(columns, group, weight)
    chosen = np.random.default_rng(1).choice(N, weighed, replace=False)
    added, taken = {}, {}
    for item in chosen:
        more = np.where(np.arange(N) == item, 1 + SMALL, 1) * weight
        after = estimates(columns, group, more)
        kept = np.arange(N) != item
        without = estimates({k: v[kept] for k, v in columns.items()}, group[kept], weight[kept])
        for name, estimate in whole.items():
            added.setdefault(name, []).append((after[name] - estimate) / SMALL)
            taken.setdefault(name, []).append(estimate - without[name])
    tested = [name for name in whole if name[1] in gaps]
    assert len(tested) >= fewest
    for name in tested:
        influence = gaps[name[1]].difference.influence[chosen]
        if name[1] in BALANCED:
            assert np.corrcoef(influence, added[name])[0, 1] > 0.95, name
            continue
        assert np.abs(influence - added[name]).max() < SMALL * np.abs(influence).max(), name
        assert np.corrcoef(influence, taken[name])[0, 1] > 0.998, name
        assert np.polyfit(influence, taken[name], 1)[0] == pytest.approx(1, abs=0.1), name


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
