"""codecheck.yml, which tells a codechecker what a run makes."""

import pytest
import yaml

from fairpairs.papers.plan.read import read_plan


@pytest.fixture(scope="module")
def codecheck(root):
    text = (root / "codecheck.yml").read_text("utf-8")
    assert "\n---\n" in text  # an explicit document
    return yaml.safe_load(text)


def test_it_names_the_paper_and_the_version(root, codecheck):
    assert codecheck["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    paper = citation["references"][0]
    assert codecheck["paper"]["title"] == paper["title"]
    names = [f"{author['given-names']} {author['family-names']}" for author in paper["authors"]]
    assert [author["name"] for author in codecheck["paper"]["authors"]] == names


@pytest.mark.slow
def test_a_run_makes_every_file_of_its_manifest(root, codecheck):
    config = yaml.safe_load((root / "config/config.yaml").read_text("utf-8"))
    for file in sorted((root / "config/studies").glob("*.yaml")):
        config |= yaml.safe_load(file.read_text("utf-8"))
    plan = read_plan(config, root, load_extensions=False)
    made = {*plan.all_tables, *plan.all_figures, "results/checksums.txt", "results/report.html"}
    files = [entry["file"] for entry in codecheck["manifest"]]
    assert set(files) <= made
    assert len(files) == len(set(files))
    assert all(entry["comment"] for entry in codecheck["manifest"])
    # all that the paper prints
    printed = [file for file in plan.all_tables if "/comparative_separation/" in file]
    assert {file for file in printed if file.endswith(".csv")} <= set(files)
