"""The verdicts on the claims of a run, and of a user's study."""

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.plan.judged_claims import COLUMNS, judge_claims
from fairpairs.papers.plan.report import (
    claims_inputs,
    claims_params,
    first_inputs,
    first_plan,
    report_inputs,
)
from fairpairs.papers.plan.study_files import study_folders

STUDY = """\
from fairpairs.papers.plan.study import Outputs, Study

STUDY = Study("Loans", "A paper on loans", outputs=lambda run: Outputs(csv=("rates",)))
"""
CLAIMS = """\
from fairpairs.papers.plan.claims import Claims, Finding, row, table
from fairpairs.papers.published.verdicts import FAILS, HOLDS

CLAIMS = Claims()


@CLAIMS.add("Few loans are granted.", "abstract")
def few_loans(results):
    rates = table(results, "tables/loans/rates.csv")
    share = row(rates, year=2020)["share"]
    return Finding(HOLDS if share < 0.5 else FAILS, {"share": share, "limit": 0.5})
"""


@pytest.fixture
def verdict_of(write_study, tmp_path):
    """A function from the text of claims.py to the table of verdicts."""

    def of(claims, rates=None):
        if rates is not None:
            file = tmp_path / "run/results/tables/loans/rates.csv"
            file.parent.mkdir(parents=True)
            file.write_text(rates, "utf-8")
        folder = study_folders([write_study(study=STUDY, claims=claims)])["loans"]
        return judge_claims({"loans": folder}, config={}, folder=tmp_path / "run")

    return of


def test_a_claim_of_a_users_study_is_judged(verdict_of):
    found = verdict_of(CLAIMS, "year,share\n2020,0.75\n")
    assert list(found.columns) == list(COLUMNS)
    assert found.to_numpy().tolist() == [
        ["loans", "few-loans", "", "Few loans are granted.", "abstract", "does not hold",
         "share: 0.75; limit: 0.5", "", "tables/loans/rates.csv"],
    ]  # fmt: skip


@pytest.mark.parametrize(("share", "verdict"), [(0.25, "holds, redone"), (0.75, "cannot be told")])
def test_choices_of_our_own_neither_confirm_nor_refute(verdict_of, share, verdict):
    parts = 'quote="few loans", redone="the year", note="Ours."'
    claims = CLAIMS.replace('"abstract"', f'"abstract", {parts}')
    (found,) = verdict_of(claims, f"year,share\n2020,{share}\n").itertuples()
    assert (found.verdict, found.quote) == (verdict, "few loans")
    assert found.numbers == f"share: {share}; limit: 0.5"
    assert found.note == "Ours. Redone with choices of our own: the year."


def test_what_the_run_did_not_make_cannot_be_told(verdict_of):
    (found,) = verdict_of(CLAIMS, "year,share\n2019,0.75\n").itertuples()
    reason = "results/tables/loans/rates.csv has no rows with year 2020."
    assert (found.verdict, found.note) == ("cannot be told", reason)
    assert found.evidence == "tables/loans/rates.csv"


def test_a_claim_that_reads_no_table_of_the_run_is_left_out(verdict_of):
    assert verdict_of(CLAIMS, None).empty


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ("", "has no claims"),
        ("CLAIMS = ['a']\n", "has no claims"),
        (CLAIMS + "CLAIMS *= 2\n", "there are two claims `few-loans`"),
        (CLAIMS.replace("return Finding", "return share, "), "the check of `few-loans` returns ("),
        (CLAIMS.replace('["share"]', '["shares"]'), "the check of `few-loans` fails (KeyError"),
    ],
)
def test_claims_that_cannot_be_judged_are_one_sentence(verdict_of, claims, words):
    with pytest.raises(InputError) as error:
        verdict_of(claims, "year,share\n2020,0.75\n")
    assert words in str(error.value)
    assert "claims.py: " in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_the_claims_rest_on_all_other_tables_and_the_report_on_them(plan_of, experiments):
    plan = plan_of(experiments=experiments)
    assert "results/claims.csv" in plan.all_tables
    assert "results/claims.provenance.json" in plan.all_sidecars
    files = claims_inputs(plan)
    assert "results/tables/risk.csv" in files
    assert "results/claims.csv" not in files
    assert report_inputs(plan)["claims"] == ["results/claims.csv"]
    assert "claims" not in first_inputs(first_plan(plan))


@pytest.mark.slow
def test_only_studies_that_the_run_asks_for_are_judged(plan_of, write_study):
    assert claims_params(plan_of())["studies"] == {}
    mine = write_study(study=STUDY, claims=CLAIMS)
    assert list(claims_params(plan_of(extensions=[mine]))["studies"]) == ["loans"]
