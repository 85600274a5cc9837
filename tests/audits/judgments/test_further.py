"""What an audit says of judges, strata, ties and the first place: as their tests say it."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests

import fairpairs as fp
from fairpairs.audits.judgments.audit import audit_judged
from fairpairs.audits.judgments.settings import JudgmentSettings
from tests.audits.judgments.synthetic import synthetic
from tests.page import Page

pytestmark = pytest.mark.slow

M = 900
RNG = np.random.default_rng(2)
JUDGES = pd.Series(np.array(["ann", "bob", "cem", "dan", "eva"])[RNG.integers(5, size=M)])
STRATA = pd.Series(np.array(["chat", "code"])[RNG.integers(2, size=M)])


def judged(favours, **more):
    given = synthetic(favours, m=M, judge=JUDGES, stratum=STRATA, **more)
    tied = np.where(np.arange(M) % 8, given.outcome, 0)
    return replace(given, outcome=tied, attributes=["area"])


@pytest.fixture(scope="module")
def one():
    return judged({"only": 0.9})


@pytest.fixture(scope="module")
def audited(one):
    return audit_judged(one, JudgmentSettings(order=True, judges="sample"))


def test_the_gaps_of_each_part_are_those_of_its_judgments_alone(one, audited):
    tests = audited.to_frame()
    for part, values, related in (("stratum", STRATA, JUDGES), ("judge", JUDGES, None)):
        own = tests[tests["part"] == part]
        assert own["pvalue_gate"].isna().all()
        assert_allclose(own["pvalue_adjusted"], multipletests(own["pvalue"], method="holm")[1])
        for value, rows in own.groupby("value"):
            kept = (values == value).to_numpy()
            strata = {} if part == "stratum" else {"strata": STRATA[kept]}
            judges = {} if related is None else {"judges": related[kept], "judges_as": "sample"}
            alone = fp.comparative_separation_from_judgments(
                one.left[kept], one.right[kept], one.outcome[kept], one.items["only"],
                sensitive_features=one.items["area"], **strata, **judges,
            )  # fmt: skip
            assert_allclose(rows["estimate"], alone.difference.estimate)
            assert_allclose(rows["pvalue"], alone.difference.pvalue)


def test_only_lines_on_all_judgments_count(audited):
    assert len(audited.main) == 2
    assert audited.about["hypotheses"] == 2
    assert audited.pvalue == multipletests(audited.main["pvalue"], method="holm")[1].min()


def test_questions_on_the_judgments_are_answered_as_their_tests_do(one, audited):
    shared = {"sensitive_features": one.items["area"], "judges": JUDGES}
    sides = one.left, one.right, one.outcome
    tests = audited.to_frame()
    for criterion, result in (
        ("ties", fp.outcome_ties_test(*sides, **shared)),
        ("first place", fp.first_place_test(*sides, **shared)),
        ("lean of the judges", fp.judge_lean_test(*sides, **shared, judges_as="sample")),
    ):
        rows = tests[tests["criterion"] == criterion]
        assert list(rows["hypothesis"]) == list(result.hypotheses)
        assert_allclose(rows["estimate"], result.difference.estimate)
        assert_allclose(rows["pvalue_adjusted"], result.pvalues)
        assert rows["pvalue_gate"].isna().all()
        shares = audited.shares[audited.shares["criterion"] == criterion]
        assert_allclose(shares["share"], result.shares()["share"])
    agreement = fp.judge_agreement(*sides, judges=JUDGES)
    assert audited.about["agreement"]["kappa"] == pytest.approx(agreement.kappa)
    assert list(audited.judges["judge"]) == ["ann", "bob", "cem", "dan", "eva"]


def test_the_report_and_the_page_have_every_answer(audited):
    text = audited.to_text()
    page = Page(audited.to_html())
    for words in (
        "By stratum", "By judge", "The judgments themselves", "Agreement: two judges of one pair",
        "Ties", "First place", "Lean of the judges", "P(first) = 1/2", "kappa",
        "Whether a difference is the same in all strata: TPR(south,north) = TPR(north,south): p",
        "whether all judges prefer south over north equally often: p",
    ):  # fmt: skip
        assert words in text
        assert words in page.text


def test_several_models_have_a_column_for_each_part(one):
    result = audit_judged(judged({"one": 0.9, "two": 0.0}), JudgmentSettings())
    header = next(line for line in result.to_text().splitlines() if "chat" in line).split()
    assert header[:3] == ["model", "chat", "code"]
    first = result.to_frame().query("model == 'one' and value == 'chat'").iloc[0]
    sign = {"violated": "●", "not shown": "○"}[first["verdict"]]
    assert f"{first['estimate']:+.3f} {sign}" in result.to_text()


def test_what_is_not_named_is_not_asked():
    result = audit_judged(synthetic(), JudgmentSettings())
    assert set(result.to_frame()["criterion"]) == {"across", "within"}
    assert "The judgments themselves" not in result.to_text()
    assert result.about["agreement"] is None
    assert len(result.shares) == len(result.judges) == len(result.differ) == 0


def test_a_verdict_is_asked_for_its_first_place_too():
    result = audit_judged(judged({"llm": 0.0}, verdicts=["llm"]), JudgmentSettings(order=True))
    rows = result.to_frame().query("criterion == 'first place'")
    assert list(dict.fromkeys(rows["model"])) == ["", "llm"]


def test_gaps_of_many_judges_are_left_out():
    many = pd.Series(np.arange(1200) % 60).astype(str)
    result = audit_judged(synthetic({"only": 0.5}, judge=many), JudgmentSettings())
    assert set(result.to_frame()["part"]) == {"all"}
    assert len(result.judges) == 2 * 60
    assert "judgments.json has the lean of each of the 60 judges." in result.to_text()


def test_a_report_leaves_long_tables_of_judges_to_the_files():
    judges = pd.Series(np.arange(1200) % 15).astype(str)
    text = audit_judged(
        synthetic({"only": 0.9}, judge=judges), JudgmentSettings(intersections=True)
    ).to_text()
    assert text.count("By judge:\n") == 2  # not of the 12 hypotheses on the intersections
    assert "By judge: hypotheses.csv has the gaps of each of the 15 of them." in text
    assert "judgments.json has the lean of each of the 15 judges." in text


@pytest.mark.parametrize("seed", [1, 2])
def test_small_and_odd_judgments_give_every_output_or_one_sentence(seed):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(5, 120)), int(rng.integers(4, 30))

    def kinds(most):
        return pd.Series(rng.integers(most, size=m)).astype(str)

    more = {"judge": kinds(4), "cluster": kinds(6), "stratum": kinds(3)}
    more = {name: values for name, values in more.items() if rng.random() < 0.7}
    given = synthetic({"one": 0.0, "two": 0.9}, n=n, m=m, seed=seed, verdicts=["one"], **more)
    given = replace(given, outcome=np.where(rng.random(m) < 0.3, 0, given.outcome))
    settings = JudgmentSettings(
        intersections=seed % 2 == 0, order=seed % 3 == 0, ties_in_outcome=("drop", "half")[seed % 2]
    )
    try:
        result = audit_judged(given, settings)
    except fp.InputError as error:
        assert str(error).endswith(".")
        return
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    jsonschema.validate(content, fp.JudgmentsResult.SCHEMA)
    assert Page(result.to_html()).headings[0].startswith(result.answer.headline)
    assert result.to_text().startswith("judgments.csv: ")
