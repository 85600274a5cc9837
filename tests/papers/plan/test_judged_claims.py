"""The verdicts on the claims of a run, and of a user's study."""

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.plan import report
from fairpairs.papers.plan.claims import COLUMNS, judge_claims
from fairpairs.papers.plan.study_files import study_folders

STUDY = """\
from fairpairs.papers.plan.study import Outputs, Study

STUDY = Study("Loans", "A paper on loans", outputs=lambda run: Outputs(csv=("rates",)))
"""
TEXTS = """\
few-loans:
  statement: Few loans are granted.
  where: abstract
"""
CHECKS = """\
from fairpairs.papers.plan.claims import Finding, row, table
from fairpairs.papers.published.verdicts import FAILS, HOLDS


def few_loans(results, limit=0.5):
    share = row(table(results, "rates"), year=2020)["share"]
    return Finding(HOLDS if share < limit else FAILS, {"share": share, "limit": limit})
"""


@pytest.fixture
def verdict_of(write_study, tmp_path):
    """A function from the texts of claims.yaml and claims.py to the table of verdicts."""

    def of(texts=TEXTS, rates=None, checks=CHECKS):
        if rates is not None:
            file = tmp_path / "run/results/tables/loans/rates.csv"
            file.parent.mkdir(parents=True)
            file.write_text(rates, "utf-8")
        files = {"claims.yaml": texts, "claims": checks}
        folder = study_folders([write_study(study=STUDY, **files)])["loans"]
        return judge_claims({"loans": folder}, config={}, folder=tmp_path / "run")

    return of


def test_a_claim_of_a_users_study_is_judged(verdict_of):
    found = verdict_of(rates="year,share\n2020,0.75\n")
    assert list(found.columns) == list(COLUMNS)
    assert found.to_numpy().tolist() == [
        ["loans", "few-loans", "", "Few loans are granted.", "abstract", "does not hold",
         "share: 0.75; limit: 0.5", "", "tables/loans/rates.csv"],
    ]  # fmt: skip


@pytest.mark.parametrize(("share", "verdict"), [(0.25, "holds, redone"), (0.75, "cannot be told")])
def test_choices_of_our_own_neither_confirm_nor_refute(verdict_of, share, verdict):
    texts = TEXTS + "  quote: few loans\n  redone: the year\n  note: Ours.\n"
    (found,) = verdict_of(texts, f"year,share\n2020,{share}\n").itertuples()
    assert (found.verdict, found.quote) == (verdict, "few loans")
    assert found.numbers == f"share: {share}; limit: 0.5"
    assert found.note == "Ours. Redone with choices of our own: the year."


def test_what_the_run_did_not_make_cannot_be_told(verdict_of):
    (found,) = verdict_of(rates="year,share\n2019,0.75\n").itertuples()
    reason = "results/tables/loans/rates.csv has no rows with year 2020."
    assert (found.verdict, found.note) == ("cannot be told", reason)
    assert found.evidence == "tables/loans/rates.csv"


def test_a_claim_that_reads_no_table_of_the_run_is_left_out(verdict_of):
    assert verdict_of(rates=None).empty


def test_a_check_may_have_another_name_and_arguments(verdict_of):
    texts = TEXTS.replace("few-loans", "hardly-any") + "  check: few_loans\n  with: {limit: 0.9}\n"
    (found,) = verdict_of(texts, "year,share\n2020,0.75\n").itertuples()
    assert (found.claim, found.verdict, found.numbers) == (
        *("hardly-any", "holds", "share: 0.75; limit: 0.9"),
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda texts, checks: ("- a\n", checks), "claims.yaml: ['a'] is not of type 'object'"),
        (lambda texts, checks: (texts * 2, checks), "the key `few-loans` is a duplicate"),
        (lambda texts, checks: (texts, "x = 1\n"), "claims.py: has no function `few_loans`"),
        (lambda texts, checks: (texts, checks.replace("return Finding", "return share, ")),
         "claims.py: the check of `few-loans` returns ("),
        (lambda texts, checks: (texts, checks.replace('["share"]', '["shares"]')),
         "claims.py: the check of `few-loans` fails (KeyError"),
        (lambda texts, checks: (texts + "  quote: 5\n", checks), "key `few-loans.quote`: 5 is"),
        (lambda texts, checks: (texts + "  why: x\n", checks), "unknown key `few-loans.why`"),
        (lambda texts, checks: (texts + "  with: [1]\n", checks), "key `few-loans.with`: [1] is"),
        (lambda texts, checks: (texts.replace("abstract", "''"), checks), "key `few-loans.where`"),
    ],
)  # fmt: skip
def test_claims_that_cannot_be_judged_are_one_sentence(verdict_of, change, words):
    texts, checks = change(TEXTS, CHECKS)
    with pytest.raises(InputError) as error:
        verdict_of(texts, "year,share\n2020,0.75\n", checks)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_the_claims_rest_on_all_other_tables_and_the_report_on_them(plan_of, experiments):
    plan = plan_of(experiments=experiments)
    assert "results/claims.csv" in plan.all_tables
    assert "results/claims.provenance.json" in plan.all_sidecars
    files = report.claims_inputs(plan)
    assert "results/tables/risk.csv" in files
    assert "results/claims.csv" not in files
    assert report.report_inputs(plan)["claims"] == ["results/claims.csv"]
    assert "claims" not in report.first_inputs(report.first_plan(plan))


@pytest.mark.slow
def test_only_studies_that_the_run_asks_for_are_judged(plan_of, write_study):
    assert report.claims_params(plan_of())["studies"] == {}
    mine = write_study(study=STUDY, claims=CHECKS, **{"claims.yaml": TEXTS})
    assert list(report.claims_params(plan_of(extensions=[mine]))["studies"]) == ["loans"]
