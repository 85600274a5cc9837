"""The papers' conclusions: quoted as printed, and in the documentation as on committed results."""

import re
from pathlib import Path

import pandas as pd
import pytest

from docs.claims_markdown import COUNTS, TABLES, between, main, with_claims
from fairpairs.base.errors import InputError
from fairpairs.papers.plan.claims import judge_claims, study_claims
from fairpairs.papers.plan.study import find_studies
from fairpairs.papers.plan.study_files import study_folders
from fairpairs.papers.published.verdicts import FAILS, UNTOLD

ROOT = Path(__file__).parents[3]
#: Study → the text of its paper.
PAPERS = {
    "comparative_separation": "comparative_separation",
    "xauc": "xauc",
    "differential_parity": "differential_parity",
    "density_ratio": "density_ratio_sensitivity",
}


@pytest.fixture(scope="module")
def claims(committed, shipped_config):
    folders = study_folders()
    studies = {n: folders[n] for n in find_studies() if (folders[n] / "claims.py").exists()}
    return judge_claims(studies, config=shipped_config, folder=committed)


@pytest.fixture(scope="module")
def titles():
    return {name: study.title for name, study in find_studies().items()}


@pytest.mark.slow
@pytest.mark.parametrize("file", ["README.md", "docs/explanation/conclusions.md"])
def test_the_documentation_has_the_verdicts_on_the_committed_results(claims, titles, file):
    text = (ROOT / file).read_text("utf-8")
    assert with_claims(text, claims, titles) == text, "run `make checksums`"


@pytest.mark.slow
def test_every_paper_has_claims_with_names_of_their_own(claims):
    assert (claims.groupby("study").size() >= 3).all()
    assert len(claims[claims["study"] == "comparative_separation"]) >= 5
    assert claims["study"].nunique() == 6
    assert not claims["claim"].duplicated().any()
    assert claims["statement"].str.endswith(".").all()
    assert not claims["numbers"].str.contains("nan|–", regex=True).any()


@pytest.mark.parametrize("study", PAPERS)
def test_the_quotes_are_printed_in_the_paper(claims, study, paper):
    printed = _letters(paper(PAPERS[study]))
    own = claims[claims["study"] == study]
    assert own["quote"].ne("").all(), list(own.loc[own["quote"].eq(""), "claim"])
    for name, quote in own[["claim", "quote"]].itertuples(index=False):
        assert len(quote.replace("…", " ").split()) <= 25, name
        for part in quote.split("…"):
            assert _letters(part) in printed, f"{name}: {part.strip()}"


def _letters(text):
    without_commands = re.sub(r"\\[a-z]+", "", text)  # of LaTeX
    return re.sub(r"[\W_]+", "", without_commands).casefold()


def test_the_evidence_is_there(claims, committed):
    for paths in claims["evidence"]:
        assert paths
        for path in paths.split("; "):
            assert (committed / "results" / path).is_file(), path


def test_the_page_quotes_each_conclusion_and_counts_them(claims, titles):
    some = claims[claims["study"] == "comparative_separation"].head(3).assign(
        verdict=["holds", "does not hold", "cannot be told"], quote=["a | b", "", "c"]
    )  # fmt: skip
    text = with_claims("\n".join([*COUNTS, *TABLES]), some, titles)
    assert "Of 3 conclusions, 1 holds, 1 does not hold, 1 cannot be told.\n" in text
    assert text.count("## Comparative separation") == 1
    assert "“a \\| b” (" in text
    assert "| does not hold |" in text


def test_a_text_without_marks_is_refused():
    assert between("a\n<\nold\n>\nb", ("<", ">"), "new") == "a\n<\nnew\n>\nb"
    with pytest.raises(InputError, match="no place for the claims"):
        between("a", COUNTS, "new")


def test_the_command_writes_those_of_the_run(claims, folder):
    (folder / "results").mkdir()
    claims.to_csv(folder / "results/claims.csv", index=False)
    (folder / "page.md").write_text("\n".join(COUNTS), "utf-8")
    main("page.md")
    assert f"Of {len(claims)} conclusions" in (folder / "page.md").read_text("utf-8")


def test_files_are_all_written_or_none(folder):
    with pytest.raises(InputError, match=r"claims.csv: there is no such file"):
        main("a.md")
    Path("results").mkdir()
    header = "study,claim,quote,statement,where,verdict,numbers,note,evidence"
    Path("results/claims.csv").write_text(f'{header}\nmine,a,q,"s\nt",w,holds,a: 1; b: 2,r|s,e\n')
    marks = "\n".join([*COUNTS, *TABLES])
    Path("a.md").write_text(marks)
    Path("b.md").write_text("\n".join(reversed(COUNTS)))
    with pytest.raises(InputError, match=r"b.md: the text has no place"):
        main("a.md", "b.md")
    assert Path("a.md").read_text() == marks
    main("a.md")
    assert "## mine" in Path("a.md").read_text()
    assert "| **s t** “q” (w) | holds | a: 1<br>b: 2<br>r\\|s |" in Path("a.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paper", "words"),
    [
        ("comparative_separation", "All {comparable} comparable cells agree"),
        ("differential_parity", "{agreeing} of {comparable} cells of Table 3 agree"),
        ("xauc", "{agreeing} of {comparable} cells agree. Of the other {differing}, "),
        ("fairbalance", "{agreeing:,} of {comparable:,} cells agree ([the other {differing}]"),
        ("rejected_dialects", "All {comparable} cells agree"),
    ],
)
def test_the_notes_on_the_reproduction_count_the_committed_cells(committed, paper, words):
    tables = [pd.read_csv(committed / f"results/{name}.csv") for name in
              ("comparison", "comparison_of_text")]  # fmt: skip
    cells = pd.concat(tables if paper == "comparative_separation" else tables[:1])
    cells = cells[cells["paper"] == paper]
    if "Table 3" in words:
        cells = cells[cells["table"].astype(str) == "3"]
    agreeing, differing = ((cells["verdict"] == word).sum() for word in ("agrees", "differs"))
    counted = {"agreeing": agreeing, "differing": differing, "comparable": agreeing + differing}
    assert words.format(**counted) in (ROOT / "docs/explanation/reproduction.md").read_text("utf-8")


CLAIMS = [
    (study, claim.name)
    for study, folder in study_folders().items()
    if study in find_studies() and (folder / "claims.py").exists()
    for claim in study_claims(study, folder)
]
#: Columns that say how many repeats there are.
REPEATS = ("repeats", "tested", "used", "splits")


def without_numbers(frame):
    numbers = frame.select_dtypes("number").columns.difference(["cap", "n", "pairs_per_item"])
    return frame.assign(**dict.fromkeys(numbers, float("nan")))


def of_repeats(number):
    def edit(frame):
        return frame.assign(**{column: number for column in REPEATS if column in frame})

    return edit


def of_one_repeat(frame):
    """Errors of one repeat are missing."""
    errors = [c for c in frame if "standard error" in c or c in ("standard_error", "sd")]
    return of_repeats(1)(frame).assign(**dict.fromkeys(errors, float("nan")))


@pytest.mark.slow
@pytest.mark.parametrize(("study", "claim"), CLAIMS)
def test_a_run_with_less_gives_a_verdict(finding_of, study, claim):
    evidence = finding_of(study, claim).evidence
    for path in evidence:
        for edit in (lambda frame: frame.iloc[:0], lambda frame: None):
            finding = finding_of(study, claim, {path: edit})
            # what fails on one table needs no other one
            assert finding.verdict in (UNTOLD, FAILS), (path, finding)
            assert finding.evidence
    for edit in (without_numbers, of_repeats(0), of_one_repeat):
        finding = finding_of(study, claim, dict.fromkeys(evidence, edit))
        assert "nan" not in finding.note
        assert finding.evidence
    assert finding_of(study, claim, dict.fromkeys(evidence, without_numbers)).verdict == UNTOLD
