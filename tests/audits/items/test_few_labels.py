"""Audits of rows of which all have a cheap label and some a human one."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.audits.items.few_labels import DRAWN
from fairpairs.base.errors import InputError


def rows(n_rows=3_000, n=400, seed=0, tpr=(0.85, 0.6)):
    rng = np.random.default_rng(seed)
    group = (rng.random(n_rows) < 0.4).astype(int)
    label = (rng.random(n_rows) < 0.4).astype(int)
    approved = (rng.random(n_rows) < np.where(label, np.take(tpr, group), 0.2)).astype(int)
    right = rng.random(n_rows) < np.take([0.95, 0.85], group)
    human = np.full(n_rows, np.nan)
    drawn = rng.permutation(n_rows)[:n]
    human[drawn] = label[drawn]
    return pd.DataFrame({
        "human": human, "judge": np.where(right, label, 1 - label), "approved": approved,
        "score": label + 0.5 * approved + rng.normal(size=n_rows),
        "weight": rng.uniform(1, 2, n_rows), "person": np.arange(n_rows) // 2,
        "sex": np.where(group, "f", "m"), "truth": label,
    })  # fmt: skip


def audited(table, **options):
    named = {"cheap_label": table["judge"], "sensitive_features": table[["sex"]], **options}
    return fp.audit(table["human"], table["approved"], **named)


def lines(result, *measures):
    return result.tests.set_index("measure").loc[list(measures)]


@pytest.mark.slow
def test_answer_says_what_the_labels_are_worth():
    result = audited(rows())
    assert result.violated
    assert "400 human labels and 3,000 cheap ones are worth " in str(result)
    assert DRAWN in result.about["notes"]
    worth = lines(result, "TPR", "FPR")["worth"]
    assert (worth > 500).all()
    assert result.about["few_labels"]["human"] == 400
    assert "judge's TPR" in result.to_text()
    assert "judge&#39;s FPR" in result.to_html()
    jsonschema.validate(json.loads(json.dumps(result.to_dict())), result.SCHEMA)


def test_estimates_are_near_those_of_all_labels():
    table = rows(30_000, 6_000)
    result = audited(table, y_score=table["score"])
    full = fp.audit(
        table["truth"], table["approved"], y_score=table["score"], sensitive_features=table[["sex"]]
    )
    ours, all_labels = (one.tests.set_index("measure") for one in (result, full))
    measured = ["I_sep", "density ratio"]
    kept = ours.index.difference(measured)
    error = (ours["ci_high"] - ours["ci_low"])[kept] / 3.92
    assert (np.abs(ours["estimate"] - all_labels["estimate"])[kept] < 3 * error).all()


def test_what_needs_no_label_is_of_all_rows():
    table = rows()
    result = audited(table, favourable=1)
    full = fp.audit(
        table["truth"], table["approved"], sensitive_features=table[["sex"]], favourable=1
    )
    one, other = (lines(x, "selection rate").iloc[0] for x in (result, full))
    assert one["n"] == 3_000
    assert one.drop("worth").equals(other)
    assert result.about["four_fifths"] == full.about["four_fifths"]


def test_judge_errs_as_it_was_made_to():
    errors = pd.DataFrame(audited(rows(20_000, 4_000)).about["few_labels"]["errors"])
    tpr = errors[errors["measure"] == "judge's TPR"].set_index("group")
    assert_allclose(tpr["estimate"][["m", "f"]], [0.95, 0.85], atol=0.03)
    assert (tpr["ci_low"] < tpr["estimate"]).all()


def test_strata_are_chances():
    table = rows()
    rng = np.random.default_rng(5)
    share = np.where(table["sex"] == "f", 0.3, 0.1)
    table["human"] = table["truth"].where(rng.random(len(table)) < share)
    drawn = table["human"].notna().groupby(table["sex"]).transform("mean")
    one = audited(table, drawn_within=table["sex"])
    other = audited(table, chance=drawn)
    pd.testing.assert_frame_equal(one.tests, other.tests)
    with pytest.raises(InputError, match="name how they were drawn"):
        audited(table)


@pytest.mark.parametrize(
    "options",
    [
        {"margin": 0.3},
        {"clusters": "person"},
        {"sample_weight": "weight"},
        {"y_score": "score", "clusters": "person", "sample_weight": "weight", "margin": 0.3},
    ],
)
def test_goes_with_other_options(options):
    table = rows()
    named = {key: table[x] if isinstance(x, str) else x for key, x in options.items()}
    result = audited(table, **named)
    counted = result.deciding
    assert counted["pvalue"].notna().all()
    if "margin" in options:
        assert counted["pvalue_within"].notna().all()


def test_numbers():
    rng = np.random.default_rng(2)
    group = rng.permutation(np.repeat(["m", "f"], 2_000))
    label = rng.normal(size=4_000)
    predicted = label + rng.normal(size=4_000)
    human = np.where(np.arange(4_000) < 500, label, np.nan)
    cheap = label + 0.3 * rng.normal(size=4_000) + 0.5 * (group == "f")
    result = fp.audit(human, predicted, sensitive_features=group, cheap_label=cheap)
    tests = result.tests.set_index("measure")
    assert tests["worth"]["mean error"] > 2_000
    assert tests["ci_low"]["mean error"] < 0 < tests["ci_high"]["mean error"]
    assert tests["n"]["mean prediction"] == 4_000
    wrong = fp.audit(cheap, predicted, sensitive_features=group).tests.set_index("measure")
    assert wrong["pvalue"]["mean error"] < 1e-6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chance": 0.0}, "chance holds 0 in row 1: a chance to get a human label is above 0"),
        ({"chance": 1.5}, "chance holds 1.5 in row 1"),
        ({"chance": -0.1}, "chance holds -0.1 in row 1"),
        ({"chance": np.nan}, "chance has 3000 missing value"),
        ({"chance": 0.9}, "all rows have 400 human labels, and by their chances about 2,700"),
        ({"chance": "a"}, "chance must hold the chance of each row"),
        ({"chance": 0.1, "drawn_within": 1}, "leave out one of the two"),
        ({"judge": np.nan}, "cheap_label has 3000 missing value"),
        ({"judge": 2}, "cheap_label holds '2', and y_true only 0, 1"),
        ({"judge": "no"}, "cheap_label holds 'no', and y_true only 0, 1"),
        ({"human": np.nan}, "y_true has 3000 missing value"),
        ({"human": 1}, "y_true has a value in every row, so cheap labels add nothing"),
        ({"weight_kind": "frequency"}, "does not go with frequencies"),
    ],
)
def test_refusals(change, message):
    table = rows()
    options = {}
    for name, value in change.items():
        if name in table:
            table[name] = value
        else:
            options[name] = value if name == "weight_kind" else [value] * len(table)
    with pytest.raises(InputError, match=message):
        audited(table, **options)


def test_labels_in_one_group_or_decision_or_class_only():
    table = rows()
    one_group = table.assign(human=table["human"].where(table["sex"] == "m"))
    with pytest.raises(InputError, match="sex f have 0 human labels, and by their chances"):
        audited(one_group)
    approved = table.assign(human=table["human"].where(table["approved"] == 1))
    with pytest.raises(InputError, match="decision 0 have 0 human labels"):
        audited(approved)
    first, second = table["sex"] == "m", table["approved"] == 1
    for cell in (first & second, first == second):  # one cell, and two that have all of each
        one_cell = table.assign(human=table["truth"].where(cell & (np.arange(3_000) % 4 == 0)))
        with pytest.raises(InputError, match="by their chances about"):
            audited(one_cell)
    positive = table.assign(human=table["human"].where(table["human"] == 1))
    with pytest.raises(InputError, match="y_true is '1' in every row that has a value"):
        audited(positive)
    few = rows(40, 3)
    few["human"] = few["truth"].where((few["sex"] == "m") & (np.arange(40) < 12))
    with pytest.raises(InputError, match="'f' of sex has no human label"):
        audited(few)


def test_several_classes_are_refused():
    table = rows()
    words = np.array(["a", "b", "c"])[np.arange(3_000) % 3]
    human = pd.Series(words).where(table["human"].notna())
    with pytest.raises(InputError, match="several classes: name one"):
        fp.audit(human, words, sensitive_features=table["sex"], cheap_label=words)


def test_chances_without_a_cheap_label():
    table = rows()
    with pytest.raises(InputError, match="name that one too, cheap_label='judge'"):
        fp.audit(
            table["truth"], table["approved"], sensitive_features=table["sex"], chance=[0.1] * 3000
        )


def test_very_few_labels_are_audited_alone():
    table = rows(n=40, seed=4)
    known = table[table["human"].notna()]
    assert known.groupby("sex")["human"].sum().min() < 8
    alone = fp.audit(known["human"], known["approved"], sensitive_features=known[["sex"]])
    ours, theirs = (lines(one, "TPR").iloc[0] for one in (audited(table), alone))
    assert "of the human labels alone" in ours["note"]
    names = ["estimate", "ci_low", "ci_high", "pvalue", "n"]
    assert_allclose(ours[names].astype(float), theirs[names].astype(float))
    chances = audited(table, chance=np.where(table["sex"] == "m", 0.0133, 0.0134))
    assert "alone" not in lines(chances, "TPR").iloc[0]["note"]
