"""The audit of models by judgments: its tables are those of the test of each model."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests
from typer.testing import CliRunner

import fairpairs as fp
from fairpairs import comparative_separation_from_judgments
from fairpairs.audits.judgments.audit import audit_judged
from fairpairs.audits.judgments.fields import RATES, TESTS
from fairpairs.audits.judgments.settings import JudgmentSettings
from fairpairs.audits.lines.files import FILES
from fairpairs.cli import app
from tests.audits.judgments.synthetic import FAVOURS, synthetic


@pytest.fixture(scope="module")
def judged():
    return synthetic()


@pytest.fixture(scope="module")
def audited(judged):
    return audit_judged(judged, JudgmentSettings(intersections=True))


def of_one(judged, model, groups, **more):
    return comparative_separation_from_judgments(
        judged.left, judged.right, judged.outcome, judged.items[model],
        sensitive_features=groups, **more,
    )  # fmt: skip


@pytest.mark.parametrize("model", FAVOURS)
@pytest.mark.parametrize("attribute", ["area", "sex", "area & sex"])
def test_each_line_is_that_of_the_test_of_its_model(judged, audited, model, attribute):
    expected = of_one(judged, model, judged.items[attribute.split(" & ")], correction="none")
    for frame, of_test, columns in (
        (audited.to_frame(), expected.to_frame(), TESTS),
        (audited.rates(), expected.rates(), RATES),
    ):
        assert list(frame) == list(columns)
        own = frame[(frame["model"] == model) & (frame["attribute"] == attribute)]
        for column in of_test:
            if of_test[column].dtype.kind in "fi":
                assert_allclose(own[column], of_test[column], rtol=1e-12)
            else:
                assert list(own[column]) == list(of_test[column])


@pytest.mark.parametrize("correction", ["holm", "sidak", "none"])
def test_p_values_are_adjusted_over_an_attribute_of_all_models(judged, correction):
    tests = audit_judged(judged, JudgmentSettings(correction=correction)).to_frame()
    assert len(tests) == len(FAVOURS) * 2 * 2
    for _, rows in tests.groupby("attribute"):
        expected = rows["pvalue"]
        if correction != "none":
            # statsmodels steps down with Holm, and takes Šidák in one step
            expected = multipletests(rows["pvalue"], method=correction)[1]
        assert_allclose(rows["pvalue_adjusted"], expected, rtol=1e-9)
        assert list(rows["verdict"] == "violated") == list(rows["pvalue_adjusted"] < 0.05)
    assert_allclose(
        tests["pvalue_gate"], multipletests(tests["pvalue"], method="holm")[1], rtol=1e-9
    )


def test_the_lines_name_the_groups_that_they_compare(audited):
    for row in audited.to_frame().itertuples():
        high, low = row.group, row.reference
        assert row.hypothesis == (
            f"TPR({high},{low}) = TPR({low},{high})" if row.criterion == "across"
            else f"TPR({high},{high}) = TPR({low},{low})"
        )  # fmt: skip
        assert (row.part, row.value) == ("all", "")


def test_the_verdict_is_that_of_the_smallest_p_of_all(audited, judged):
    tests = audited.to_frame()
    assert audited.violated is True
    assert audited.pvalue == tests["pvalue_gate"].min()
    assert sum(audited.counts.values()) == len(tests)
    fair = synthetic({"fair": 0.0})
    assert audit_judged(fair, JudgmentSettings()).violated is False
    one_way = judged.outcome > 0
    north = (judged.items["area"] == "north").to_numpy()
    kept = one_way & north[judged.left] & ~north[judged.right]
    few = replace(
        judged, attributes=["area"], left=judged.left[kept], right=judged.right[kept],
        outcome=judged.outcome[kept],
    )  # fmt: skip
    none = audit_judged(few, JudgmentSettings())
    assert none.violated is None and np.isnan(none.pvalue)
    assert set(none.to_frame()["verdict"]) == {"cannot be estimated"}
    assert none.answer.verdict == "UNDECIDED"


def test_verdicts_are_audited_like_the_scores_that_they_follow(judged, audited):
    """A score without ties gives the verdicts of a judge who goes by it."""
    result = audit_judged(synthetic(verdicts=["reverse"]), JudgmentSettings(intersections=True))
    order = ["attribute", "model", "hypothesis"]
    one, two = (
        frame.sort_values(order, ignore_index=True)
        for frame in (result.to_frame(), audited.to_frame())
    )
    pd.testing.assert_frame_equal(one, two, rtol=1e-9)
    assert {name: of["kind"] for name, of in result.about["models"].items()} == {
        "fair": "score", "partial": "score", "reverse": "preference",
    }  # fmt: skip


def test_the_answer_counts_the_models_that_lean(audited):
    assert audited.answer.sentence.startswith("2 of 3 models agree more often with judgments for")
    leaning = {one.heading.split(",")[0] for one in audited.answer.findings if one.state != "open"}
    assert leaning == {"partial", "reverse"}


@pytest.mark.slow
def test_judges_and_clusters_widen_what_they_share():
    judges = pd.Series(np.arange(1200) % 25).astype(str)
    alone = audit_judged(synthetic(), JudgmentSettings()).to_frame()
    result = audit_judged(synthetic(judge=judges, cluster=judges), JudgmentSettings())
    assert_allclose(result.main["estimate"], alone["estimate"])
    assert not np.allclose(result.main["ci_low"], alone["ci_low"])
    assert (result.about["judges"], result.about["clusters"]) == (25, 25)
    assert "1,200 judgments; 25 judges, 25 clusters" in result.to_text()
    assert "items, judges and clusters is allowed for." in " ".join(result.to_text().split())
    few = synthetic(judge=pd.Series(judges.astype(int) % 5))
    like_them = audit_judged(few, JudgmentSettings(judges="sample"))
    assert "There are 5 judges; with fewer than 20 " in like_them.to_text()
    of_these = audit_judged(few, JudgmentSettings())
    assert_allclose(of_these.main["ci_low"], alone["ci_low"])
    assert of_these.about["judges_as"] == "fixed" and "about these 5 judges" in of_these.to_text()
    assert "of these 5 judges" in of_these.answer.basis


def test_ties_of_the_outcome_are_left_out_or_count_half():
    judged = synthetic()
    tied = np.where(np.arange(1200) % 10, judged.outcome, 0)
    with_ties = replace(judged, outcome=tied)
    for how, words in (("drop", "are left out"), ("half", "count half for each side")):
        result = audit_judged(with_ties, JudgmentSettings(ties_in_outcome=how))
        assert f"1,200 judgments, 120 of them ties, which {words}" in result.to_text()
        pairs = result.rates().query("model == 'fair' and attribute == 'sex'")["pairs"].sum()
        assert pairs == (1200 if how == "half" else 1080)


def sides(groups, n=400):
    """Judgments of the sides of some pairs of groups, which agree with the scores in 70 %."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["score_a", "score_b"])
    frame["group_a"], frame["group_b"] = np.array(groups)[np.arange(n) % len(groups)].T
    right = rng.random(n) < 0.7
    first = (frame["score_a"] > frame["score_b"]) == right
    return frame.assign(winner=np.where(first, "left", "right"))


@pytest.mark.parametrize(
    ("groups", "lines", "lacking"),
    [
        (["fm"], 1, "no judgment is within group=m, and no judgment is within group=f."),
        (["fm", "mm"], 1, "no judgment is within group=f."),
        (["fm", "mm", "ff"], 2, ""),
    ],
)
def test_a_measure_without_a_judgment_does_not_count(groups, lines, lacking, tmp_path):
    frame = sides([tuple(pair) for pair in groups])
    columns = {"y_score": "score_a,score_b", "sensitive_features": "group_a,group_b"}
    answer = fp.audit_judgments(frame, outcome="winner", **columns).answer
    assert (len(answer.findings), answer.verdict) == (lines, "NO LEAN FOUND")
    assert answer.open == (lacking and f"Cannot be tested: {lacking}")
    frame.to_csv(tmp_path / "j.csv", index=False)
    command = ["audit-judgments", str(tmp_path / "j.csv"), "--outcome", "winner"]
    command += ["--score", "score_a,score_b", "--sensitive", "group_a,group_b"]
    told = " ".join(CliRunner().invoke(app, command).output.split())
    assert f"Based on {lines} comparison" in told
    assert lacking in told


def test_groups_that_are_only_compared_within_are_not_compared():
    frame = sides([("f", "f"), ("m", "m")])
    answer = fp.audit_judgments(
        frame, y_score="score_a,score_b", sensitive_features="group_a,group_b"
    ).answer
    assert "no judgment prefers group=m over group=f" in answer.open
    assert [one.measure for one in answer.findings] == ["within"]


STRATA = pd.Series(np.arange(400) % 3).astype(str)
JUDGES = pd.Series(np.arange(400) % 20).astype(str)


TWO = {"fair": 0.0, "partial": 0.9}


@pytest.fixture(scope="module")
def validator():
    validator = jsonschema.Draft202012Validator(fp.JudgmentsResult.SCHEMA)
    validator.check_schema(validator.schema)
    return validator


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "settings"),
    [
        ({}, {}),
        ({"favours": {"only": 0.5}}, {"correction": "none", "alpha": 0.1}),
        ({"favours": TWO, "verdicts": ["fair"]}, {"intersections": True, "ties": "half"}),
        ({"favours": {"only": 0.5}, "judge": JUDGES, "cluster": JUDGES},
         {"ties_in_outcome": "half", "correction": "sidak"}),
        ({"favours": TWO, "judge": JUDGES, "stratum": STRATA, "verdicts": ["fair"]},
         {"order": True}),
        ({"m": 30}, {}),
    ],
)  # fmt: skip
def test_the_json_keeps_its_schema(validator, more, settings):
    content = audit_judged(synthetic(**{"m": 400, **more}), JudgmentSettings(**settings)).to_dict()
    text = json.dumps(content, allow_nan=False)
    validator.validate(json.loads(text))


def test_a_folder_holds_all_files_always(tmp_path):
    result = audit_judged(synthetic(), JudgmentSettings())
    result.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES["audit-judgments"])
    read = pd.read_csv(tmp_path / "hypotheses.csv", keep_default_na=False)
    assert list(read["verdict"]) == list(result.to_frame()["verdict"])
    assert len(pd.read_csv(tmp_path / "rates.csv")) == len(result.rates())
    assert (tmp_path / "report.txt").read_text("utf-8") == (f"{result}\n\n{result.to_text()}\n")
    content = json.loads((tmp_path / "judgments.json").read_text("utf-8"))
    assert content == json.loads(json.dumps(result.to_dict()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"winner_by": "id"}, "winner_by id: no ids are named"),
        ({"intersections": True}, "`g & h` has two groups that are called a & b & c: rename one"),
    ],
)
def test_what_would_be_read_otherwise_is_refused(options, message):
    """An option that sides in a row have no use for, and combinations with one name."""
    groups = {"g_1": "a & b", "g_2": "a", "h_1": "c", "h_2": "b & c", "s_1": range(40), "s_2": 20.5}
    frame = pd.DataFrame({**groups, "won": ["left", "right"] * 20})
    columns = {"y_score": "s_1,s_2", "sensitive_features": ["g_1,g_2", "h_1,h_2"]}
    with pytest.raises(fp.InputError, match=message):
        fp.audit_judgments(frame, outcome="won", **columns, **options)
