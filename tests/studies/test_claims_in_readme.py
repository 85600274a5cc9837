"""The table of conclusions in the README is that of the committed results."""

from pathlib import Path

import pytest

from fairpairs.errors import InputError
from fairpairs.plan.claims_markdown import BEGIN, END, main, markdown, with_claims
from fairpairs.plan.judged_claims import judge_claims
from fairpairs.plan.studies import find_studies
from fairpairs.plan.study_files import study_folders

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def claims(committed, shipped_config):
    folders = study_folders()
    studies = {n: folders[n] for n in find_studies() if (folders[n] / "claims.py").exists()}
    return judge_claims(studies, config=shipped_config, folder=committed)


def test_the_readme_has_the_verdicts_on_the_committed_results(claims):
    titles = {name: study.title for name, study in find_studies().items()}
    text = README.read_text("utf-8")
    remedy = "run `make checksums`, or `python -m fairpairs.plan.claims_markdown README.md`"
    assert with_claims(text, markdown(claims, titles)) == text, remedy


def test_every_paper_has_claims_with_names_of_their_own(claims):
    assert (claims.groupby("study").size() >= 3).all()
    assert len(claims[claims["study"] == "comparative_separation"]) >= 5
    assert claims["study"].nunique() == 5
    assert not claims["claim"].duplicated().any()
    assert claims["statement"].str.endswith(".").all()
    assert not claims["reason"].str.contains(r"\bnan\b").any()


def test_the_evidence_is_there(claims, committed):
    for paths in claims["evidence"]:
        assert paths
        for path in paths.split("; "):
            assert (committed / "results" / path).is_file(), path


def test_the_table_counts_and_names_each_paper_once(claims):
    titles = dict.fromkeys(claims["study"], "A | paper")
    some = claims[claims["study"] == "comparative_separation"].assign(
        verdict=["holds", "holds", "does not hold", *["cannot be told"] * 8]
    )
    text = markdown(some, titles)
    assert text.startswith("Of 11 conclusions, 2 hold, 1 do not hold, 8 cannot be told.\n")
    assert text.count("A | paper") == 1


def test_a_text_without_marks_is_refused():
    assert with_claims(f"a\n{BEGIN}\nold\n{END}\nb", "new\n") == f"a\n{BEGIN}\nnew\n{END}\nb"
    with pytest.raises(InputError, match="no place for the claims"):
        with_claims("a", "new\n")


def test_the_command_writes_those_of_the_run(claims, tmp_path, monkeypatch):
    (tmp_path / "results").mkdir()
    claims.to_csv(tmp_path / "results/claims.csv", index=False)
    (tmp_path / "page.md").write_text(f"{BEGIN}\n{END}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    main("page.md")
    assert f"Of {len(claims)} conclusions" in (tmp_path / "page.md").read_text("utf-8")
