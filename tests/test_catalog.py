"""What the Snakemake workflow catalog, the citation and the issue forms ask for."""

import re
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parent.parent


def read(path):
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def test_the_catalog_finds_the_workflow():
    """The files and keys of its page on standardised usage."""
    assert (ROOT / "workflow/Snakefile").is_file()
    assert (ROOT / "Snakefile").is_file()  # which Snakemake takes first, as users of a clone do
    usage = read(".snakemake-workflow-catalog.yml")["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert usage["software-stack-deployment"] == {"conda": True}
    assert usage["report"] is True


def test_every_rule_with_a_script_declares_the_environment_that_the_catalog_promises():
    for file in (ROOT / "workflow/rules").glob("*.smk"):
        rules = re.split(r"^rule ", file.read_text("utf-8"), flags=re.M)[1:]
        for rule in rules:
            assert ("script:" in rule) == ('"../../environment.yml"' in rule), rule


def test_the_readme_of_the_config_names_every_key():
    keys = set(read("workflow/schemas/config.schema.yaml")["properties"])
    studies = (ROOT / "src/fairpairs/papers/studies").glob("*/settings.schema.yaml")
    keys |= {file.parent.name for file in studies}
    text = (ROOT / "config/README.md").read_text("utf-8")
    table = re.findall(r"^\| (`.*?) \|", text, re.M)
    assert {key for row in table for key in re.findall(r"`(\w+)[.\w]*`", row)} == keys


@pytest.mark.parametrize("page", ["config/README.md", "CONTRIBUTING.md", "README.md"])
def test_what_a_page_links_to_is_there(page):
    links = re.findall(r"\]\((?!http|#)([^)#]+)", (ROOT / page).read_text("utf-8"))
    assert links
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


PERSON = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"enum": ["family-names", "given-names", "name", "orcid", "affiliation"]},
}
#: Of the schema of the Citation File Format 1.2.0 what the file makes use of.
CITATION = {
    "type": "object",
    "required": ["authors", "cff-version", "message", "title"],
    "additionalProperties": False,
    "properties": {
        **{key: {"type": "string", "minLength": 1} for key in ("message", "title", "abstract")},
        "cff-version": {"const": "1.2.0"},
        "type": {"enum": ["software", "dataset"]},
        "version": {"type": "string"},
        "license": {"const": "MIT"},
        "date-released": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "keywords": {"type": "array", "minItems": 1, "uniqueItems": True},
        "authors": {"type": "array", "minItems": 1, "items": PERSON},
        "references": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {
                "type": "object",
                "required": ["authors", "title", "type"],
                "additionalProperties": False,
                "properties": {
                    "type": {"enum": ["article", "conference-paper"]},
                    "title": {"type": "string"},
                    "year": {"type": "integer"},
                    "url": {"type": "string", "pattern": "^https://"},
                    "authors": {"type": "array", "minItems": 1, "items": PERSON},
                    "conference": PERSON,
                },
            },
        },
    },
}


def test_the_citation_is_valid():
    citation = yaml.load((ROOT / "CITATION.cff").read_text("utf-8"), Loader=yaml.BaseLoader)
    for reference in citation["references"]:
        if "year" in reference:
            reference["year"] = int(reference["year"])
    jsonschema.validate(citation, CITATION)


ELEMENTS = {"textarea": {"label"}, "input": {"label"}, "dropdown": {"label", "options"}}


@pytest.mark.parametrize("form", ["addition", "bug", "wrong_number"])
def test_an_issue_form_has_what_github_asks_for(form):
    content = read(f".github/ISSUE_TEMPLATE/{form}.yml")
    assert set(content) == {"name", "description", "labels", "body"}
    names = [element["id"] for element in content["body"]]
    assert len(set(names)) == len(names)
    for element in content["body"]:
        assert ELEMENTS[element["type"]] <= set(element["attributes"])
        assert set(element) <= {"type", "id", "attributes", "validations"}
    assert any(element.get("validations", {}).get("required") for element in content["body"])
