"""codecheck.yml and codecheck/, which tell a codechecker what a run makes of each paper."""

import pytest
import yaml

from fairpairs.papers.plan.read import read_plan

#: Study → the file of its paper.
FILES = {
    "comparative_separation": "codecheck.yml",
    **{
        name: f"codecheck/{name}.yml"
        for name in ("xauc", "differential_parity", "density_ratio", "rejected_dialects")
    },
}
#: What a run makes of all papers together.
OF_ALL = {
    "results/comparison.csv",
    "results/claims.csv",
    "results/checksums.txt",
    "results/report.html",
}


def read(root, study):
    text = (root / FILES[study]).read_text("utf-8")
    assert "\n---\n" in text  # an explicit document
    return yaml.safe_load(text)


@pytest.fixture(scope="module")
def plan(root):
    config = yaml.safe_load((root / "config/config.yaml").read_text("utf-8"))
    for file in sorted((root / "config/studies").glob("*.yaml")):
        config |= yaml.safe_load(file.read_text("utf-8"))
    return read_plan(config, root, load_extensions=False)


def test_each_paper_has_a_file(root):
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    titles = [read(root, study)["paper"]["title"] for study in FILES]
    assert sorted(titles) == sorted(paper["title"] for paper in citation["references"])
    found = {path.name for path in (root / "codecheck").iterdir()}
    assert found == {file.split("/")[1] for file in FILES.values() if "/" in file}


@pytest.mark.parametrize("study", FILES)
def test_it_names_the_paper_and_the_version(root, study):
    codecheck = read(root, study)
    assert codecheck["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    (paper,) = [
        paper for paper in citation["references"] if paper["title"] == codecheck["paper"]["title"]
    ]
    names = [f"{author['given-names']} {author['family-names']}" for author in paper["authors"]]
    assert [author["name"] for author in codecheck["paper"]["authors"]] == names
    assert codecheck["paper"]["reference"] == paper.get("url", codecheck["paper"]["reference"])


@pytest.mark.slow
@pytest.mark.parametrize("study", FILES)
def test_a_run_makes_every_file_of_its_manifest(root, plan, study):
    manifest = read(root, study)["manifest"]
    files = [entry["file"] for entry in manifest]
    made = {*plan.all_tables, *plan.all_figures, *OF_ALL}
    assert set(files) <= made
    assert len(files) == len(set(files))
    assert all(entry["comment"] for entry in manifest)
    # all that the paper prints, by the command that the file names
    printed = {file for file in plan.study_files(study) if file.endswith(".csv")}
    assert printed <= set(files)
    if study != "comparative_separation":  # whose file names `make reproduce`
        assert set(files) <= set(plan.study_files(study))
        text = (root / FILES[study]).read_text("utf-8")
        assert f"`make reproduce ARGS={study}`" in text
        assert f'`make verify ARGS="--only {study}"`' in text
