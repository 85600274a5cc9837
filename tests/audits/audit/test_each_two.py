"""What is said of all groups against each two of them alone, whatever their names."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp

pytestmark = pytest.mark.slow

MARGIN = 0.15
#: Of the tables, one is within the margins and one is not.
SEEDS = (1, 3)
#: Columns of a line that a change of the sign, or of the names, leaves as they are.
UNSIGNED = ["pvalue", "pvalue_within", "pvalue_not_worse", "pvalue_gate", "n", "smallest_cell"]


def table(seed, *, models=1):
    """A table of three to six groups, some of one size, with decisions that differ a little."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([400, 800, 800, 1500], rng.integers(3, 7)) * (1 + seed % 3)
    group = np.repeat(np.arange(len(sizes)), sizes)
    spread = rng.choice([0.0, 0.02, 0.06])
    tpr, fpr = 0.7 + rng.normal(0, spread, len(sizes)), 0.3 + rng.normal(0, spread, len(sizes))
    y = rng.integers(0, 2, len(group))
    frame = pd.DataFrame({"y": y, "group": np.array(list("abcdef"))[group]})
    draws = rng.random(len(group))
    for i in range(models):
        # a later model moves the rates of some groups, of the same rows
        moved = rng.normal(0, spread, len(sizes)) if i else np.zeros(len(sizes))
        frame[f"p{i}"] = (draws < np.where(y, tpr[group], fpr[group]) + moved[group]).astype(int)
    return frame


def audited(frame, **options):
    options = {"margin": MARGIN, **options}
    return fp.audit(frame["y"], frame["p0"], sensitive_features=frame[["group"]], **options)


def compared(frame, **options):
    options = {"margin": 0.08, **options}
    return fp.compare(
        frame["y"], frame["p0"], frame["p1"], sensitive_features=frame[["group"]], **options
    )


def changed(frame, seed):
    """The same people in another order, whose groups have other names."""
    names = np.random.default_rng(seed).permutation(sorted(frame["group"].unique()))
    other = dict(zip(sorted(frame["group"].unique()), names, strict=True))
    return frame.assign(group=frame["group"].map(other)).sample(frac=1, random_state=seed), other


def lines(result, other=None):
    """The numbers of the lines that decide, by two groups and measure, whatever their order."""
    found = result.deciding
    two = [
        "-".join(sorted((other or {}).get(name, name) for name in pair))
        for pair in zip(found["group"], found["reference"], strict=True)
    ]
    kept = [name for name in UNSIGNED if name in found]
    return found[kept].set_index([pd.Index(two), found["measure"]]).sort_index()


def apart(frame, prediction="p0"):
    """The largest gap of TPR or FPR between two groups, as estimated."""
    rates = frame.groupby(["y", "group"])[prediction].mean().unstack()
    return (rates.max(axis=1) - rates.min(axis=1)).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_groups_are_alike_just_where_each_two_of_them_are(seed):
    frame = table(seed)
    result, plain = audited(frame), audited(frame, margin=None)
    pairs = list(combinations(sorted(frame["group"].unique()), 2))
    alone = [audited(frame[frame["group"].isin(two)]) for two in pairs]
    assert result.about["gate"]["lines"] == 2 * len(pairs)
    assert result.shown is all(one.shown for one in alone) is (seed == 1)
    if result.shown:
        assert apart(frame) < MARGIN
    pvalues = np.concatenate([one.deciding["pvalue"] for one in alone])
    assert_allclose(plain.pvalue, min(1, len(pvalues) * pvalues.min()), rtol=1e-9)
    worst = max(one.about["gate"]["pvalue_within"] for one in alone)
    assert_allclose(result.about["gate"]["pvalue_within"], worst, rtol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_names_and_order_change_no_answer(seed):
    frame = table(seed, models=2)
    another, other = changed(frame, seed)
    back = {new: old for old, new in other.items()}
    for command in (audited, compared):
        one, two = command(frame), command(another)
        assert two.answer.verdict == one.answer.verdict
        assert re.findall(r"\d+", two.answer.sentence) == re.findall(r"\d+", one.answer.sentence)
        assert_allclose(two.pvalue, one.pvalue, rtol=1e-9)
        assert_allclose(lines(two, back), lines(one), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_new_model_is_not_worse_just_where_it_is_not_between_each_two(seed):
    frame = table(seed, models=2)
    result = compared(frame)
    pairs = list(combinations(sorted(frame["group"].unique()), 2))
    alone = [compared(frame[frame["group"].isin(two)], correction="none") for two in pairs]
    assert result.about["gate"]["lines"] == 2 * len(pairs)
    assert result.shown is all(one.shown for one in alone) is (seed == 1)
    together = pd.concat([lines(one) for one in alone]).sort_index()
    kept = ["pvalue", "pvalue_not_worse", "n", "smallest_cell"]
    assert_allclose(lines(result)[kept], together[kept], rtol=1e-7, atol=1e-12)
    beyond = np.concatenate([one.deciding["pvalue_worse_beyond"] for one in alone])
    assert_allclose(result.pvalue, min(1, len(beyond) * beyond.min()), rtol=1e-9)


@pytest.mark.parametrize("command", [audited, compared])
def test_with_a_reference_each_group_is_compared_with_it_alone(command):
    frame = table(1, models=2)
    groups = sorted(frame["group"].unique())
    every = command(frame)
    largest = every.about["attributes"]["group"]["reference"]
    for reference in groups:
        result = command(frame, reference={"group": reference})
        others = [name for name in groups if name != reference]
        assert list(result.deciding["group"].unique()) == others
        assert set(result.tests["reference"]) == {reference}
        assert result.about["gate"]["lines"] == 2 * len(others)
        assert f"group={reference}" in result.answer.sentence
        assert "so far" not in result.answer.question
    named = command(frame, reference={"group": largest}).tests
    same = every.tests[every.tests["reference"] == largest].reset_index(drop=True)
    numbers = [name for name in ("estimate", "change", "pvalue", "ci_low", "n") if name in named]
    assert_allclose(same[numbers], named[numbers], rtol=1e-9, atol=1e-15)
    assert f"group={largest}" not in every.answer.sentence


def test_intersections_that_are_called_the_same_are_refused():
    """The groups a & b, c and a, b & c: sentences and tables told them apart by their names."""
    y = [1, 0, 1] * 40
    for mark, function in (
        (" & ", lambda **groups: fp.audit(y, y[::-1], intersections=True, **groups)),
        (", ", lambda **groups: fp.table(y, form="nyc-ll144", **groups)),
    ):
        groups = {"r": [f"a{mark}b", "a"] * 60, "x": [*["c"] * 60, *[f"b{mark}c"] * 60]}
        with pytest.raises(fp.InputError, match=f"two groups that are called a{mark}b{mark}c: "):
            function(sensitive_features=groups)


def test_intersections_are_compared_with_each_other_even_if_a_reference_is_named():
    frame = table(1).assign(sex=lambda frame: np.arange(len(frame)) % 2)
    result = fp.audit(
        frame["y"], frame["p0"], sensitive_features=frame[["group", "sex"]], intersections=True,
        reference={"group": "a"},
    )  # fmt: skip
    k = frame["group"].nunique()
    counts = result.deciding.groupby("attribute").size().to_dict()
    every = k * (2 * k - 1)
    assert counts == {"group": 2 * (k - 1), "sex": 2, "group & sex": 2 * every}
    assert "no group was shown to differ from group=a; " in result.answer.sentence


def test_labels_of_few_rows_are_of_the_same_two_groups_as_those_of_all():
    """Among the labelled rows the groups are of another order than among all."""
    rng, frame = np.random.default_rng(0), table(4)
    right = rng.random(len(frame)) < 0.8
    sizes = frame["group"].value_counts()
    chance = frame["group"].map(200 * (1 + sizes.rank(ascending=False)) / sizes).clip(upper=1)
    known = rng.random(len(frame)) < chance
    labelled = frame["group"][known].value_counts()
    assert list(labelled.sort_index().argsort()) != list(sizes.sort_index().argsort())

    def of_few(**options):
        return fp.audit(
            frame["y"].where(known), frame["p0"], sensitive_features=frame[["group"]],
            cheap_label=np.where(right, frame["y"], 1 - frame["y"]), chance=chance, **options,
        ).deciding  # fmt: skip

    every, k = of_few(), len(sizes)
    assert len(every) == k * (k - 1)
    for reference in sizes.index:
        key, numbers = ["group", "reference", "measure"], ["estimate", "ci_low", "pvalue", "n"]
        both = every.merge(of_few(reference={"group": reference}), on=key)
        assert len(both) == (every["reference"] == reference).sum()
        ours, theirs = (both[[f"{name}_{side}" for name in numbers]] for side in "xy")
        assert_allclose(ours, theirs, rtol=1e-9)
