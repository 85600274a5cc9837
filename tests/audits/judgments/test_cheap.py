"""Audits of judgments of which all have a cheap outcome and some a human one."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpairs as fp
from fairpairs.base.errors import InputError
from tests.audits.judgments.synthetic import half_judged

ROLES = {
    "left": "i", "right": "j", "outcome": "winner", "item": "id", "y_score": "partial",
    "sensitive_features": "area", "cheap_outcome": "gpt",
}  # fmt: skip


def audited(judgments, items, **options):
    return fp.audit_judgments(judgments, items, **{**ROLES, **options})


def test_both_tell_more_and_agree_with_all_judgments():
    judgments, items = half_judged()
    both = audited(judgments, items)
    people = audited(judgments[judgments["winner"].notna()], items, cheap_outcome=None)
    every = audited(judgments.assign(winner=judgments["truth"]), items, cheap_outcome=None)
    assert both.violated
    assert "judgments: 1,500 judgments, 300 of them by people" in str(both)
    assert "300 human judgments and 1,500 cheap ones are worth " in str(both)
    few = both.about["few_labels"]
    assert few["human"] == 300 < few["worth"][0]
    shares = pd.DataFrame(few["errors"])
    assert_allclose(shares["share"], 0.9, atol=0.1)
    assert ((shares["ci_low"] < shares["share"]) & (shares["ci_high"] > shares["share"])).all()
    ends = [(x.tests["ci_high"] - x.tests["ci_low"]).to_numpy()[:2] for x in (both, people)]
    assert (ends[0] < 0.8 * ends[1]).all()
    error = ends[0] / 3.92
    assert (np.abs(both.tests["estimate"] - every.tests["estimate"])[:2] < 3 * error).all()
    assert "so does the judge" in both.to_text()
    jsonschema.validate(json.loads(json.dumps(both.to_dict())), both.SCHEMA)


@pytest.mark.parametrize("ties", [False, True])
def test_rates_are_those_of_the_cells(ties):
    """TPR(a, b) is Σ N p over the judgments where the model agrees, by Σ N p over all."""
    judgments, items = half_judged(600, 0.3)
    if ties:  # by people, which do not count, and of the cheap outcome
        tied = judgments["winner"].notna() & (judgments.index % 9 == 0)
        judgments["winner"] = judgments["winner"].mask(tied, "tie")
        judgments["gpt"] = judgments["gpt"].mask(judgments.index % 4 == 0, "tie")
    area, score = (items.set_index("id")[name] for name in ("area", "partial"))
    rows = judgments.assign(
        a=judgments["i"].map(area), b=judgments["j"].map(area), south=0.0, over=0.0, cheap=0
    )
    rows = rows[rows["a"] != rows["b"]]
    south = np.where(rows["a"] == "south", rows["i"], rows["j"])
    north = np.where(rows["a"] == "south", rows["j"], rows["i"])
    rows["over"] = score[south].to_numpy() > score[north].to_numpy()
    rows["cheap"] = np.select([rows["gpt"] == south, rows["gpt"] == north], [1, -1])
    rows["south"] = (rows["winner"] == south).where(rows["winner"].notna())
    cells = rows.groupby(["over", "cheap"])["south"].agg(["size", "mean"]).reset_index()
    positives = cells["size"] * cells["mean"]
    expected = positives[cells["over"]].sum() / positives.sum()
    rates = audited(judgments, items).rates().set_index(["winner", "loser"])["tpr"]
    assert_allclose(rates["south", "north"], expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"clusters": "prompt"}, {"judges": "who", "judges_as": "sample"}, {"judges": "who"},
        {"chance": "chance"}, {"drawn_within": "half"}, {"ties": "half"},
        {"y_score": ["partial", "fair"], "sensitive_features": ["area", "sex"]},
        {"y_score": (), "verdict": "gpt2"}, {"item_clusters": "family"},
    ],
)  # fmt: skip
def test_goes_with_other_options(options):
    judgments, items = half_judged()
    items["family"] = np.arange(len(items)) // 4
    judgments["gpt2"] = judgments["truth"].where(np.arange(1_500) % 5 > 0, judgments["i"])
    result = audited(judgments, items, **options)
    assert result.main["pvalue"].notna().all()
    assert result.about["few_labels"]["human"] == 300


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"winner": "truth"}, {}, "so cheap outcomes add nothing: leave out cheap_outcome"),
        ({"winner": None}, {}, "column `winner` has no value in any row"),
        ({"gpt": "winner"}, {}, "column `gpt` has 1200 missing"),
        ({"gpt": "who"}, {}, "column `gpt`"),
        ({}, {"cheap_outcome": None, "chance": "chance"}, "name that one too, cheap_outcome"),
        ({}, {"cheap_outcome": "winner"}, "`winner` is the column of outcome too"),
        ({"chance": 0.0}, {"chance": "chance"}, "holds 0 in row 1: a chance to get a human label"),
        ({"chance": 1.5}, {"chance": "chance"}, "holds 1.5 in row 1"),
        ({"chance": 0.9}, {"chance": "chance"}, "name how they were drawn"),
        ({"who": "north"}, {"drawn_within": "who"}, "a stratum has no human label"),
        ({}, {"chance": "chance", "drawn_within": "half"}, "leave out one of the two"),
        ({"winner": "north"}, {}, "rows with groups north and north have"),
        ({}, {"strata": "half"}, "strata does not go with cheap_outcome"),
        ({}, {"order": True}, "order does not go with cheap_outcome"),
        ({}, {"ties_in_outcome": "half"}, "ties_in_outcome half does not go with cheap_outcome"),
    ],
)  # fmt: skip
def test_refusals(change, options, message):
    judgments, items = half_judged()
    north = judgments["i"].map(items.set_index("id")["area"]) == "north"
    judgments["who"] = judgments["who"].fillna("nobody")
    for name, value in change.items():
        judgments[name] = judgments.get(value, value)
        if value == "north":
            judgments[name] = north if name == "who" else judgments["truth"].where(north)
            if name == "who":
                judgments["winner"] = judgments["truth"].where(north & (judgments.index % 3 == 0))
    with pytest.raises(InputError, match=message):
        audited(judgments, items, **options)


def test_a_human_outcome_has_a_judge():
    judgments, items = half_judged()
    judgments["who"] = judgments["who"].where(judgments.index % 2 == 0)
    with pytest.raises(InputError, match="which has a human outcome: name who judged"):
        audited(judgments, items, judges="who", judges_as="sample")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"clusters": "prompt"}, {"y_score": (), "verdict": "gpt"}])
def test_very_few_judgments_are_audited_alone(options):
    judgments, items = half_judged(40)
    both = audited(judgments, items, **options)
    people = judgments[judgments["winner"].notna()].reset_index(drop=True)
    alone = audited(people, items, cheap_outcome=None, **options)
    few = both.tests["smallest_cell"] < 12
    assert few.any()
    assert both.tests["note"][few].str.contains("of the human judgments alone").all()
    for name in ("estimate", "ci_low", "ci_high", "pvalue", "n"):
        assert_allclose(both.tests[name][few], alone.tests[name][few])
    # a draw with other chances has no such form
    chance = np.where(judgments.index % 2, 0.026, 0.027)
    other = audited(judgments.assign(chance=chance), items, chance="chance", **options)
    assert not other.tests["note"].str.contains("alone").any()
