import re
from pathlib import Path

import pytest
import yaml

from fairpairs.papers.display.labels import TESTS as TEST_LABELS, TREATMENTS as TREATMENT_LABELS
from fairpairs.papers.plan.study import find_studies
from fairpairs.papers.published.table import check_keys, read_published
from fairpairs.papers.registry import known, load

ROOT = Path(__file__).parents[2]


def test_only_treatments_of_the_package_have_a_name_for_tables():
    assert set(TREATMENT_LABELS) <= set(known("treatments"))


@pytest.mark.slow
def test_the_keys_of_published_tables_name_what_there_is_and_what_the_config_runs():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    files = (ROOT / "config/datasets").glob("*.yaml")
    cards = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in files}
    studies = find_studies()
    for path in sorted((ROOT / "config/published").glob("*/*.yaml")):
        table = read_published(path, ROOT / "workflow/schemas/published.schema.yaml")
        if any("measures" in config["experiments"][name] for name in table.source.experiments):
            continue  # its keys are checked with the names of the config
        check_keys(
            table,
            cards=cards,
            treatments=known("treatments"),
            tests=known("tests"),
            vocabulary=studies[table.study].vocabulary,
        )
        for name in table.source.experiments:
            experiment = config["experiments"][name]
            for key in table.cells["key"]:
                assert key.get("dataset", experiment["datasets"][0]) in experiment["datasets"]
                assert key.get("test", experiment["tests"][0]) in experiment["tests"]
                assert key.get("treatment", "none") in experiment["treatments"]
            assert table.study != "xauc" or "ranking" in experiment["tests"]


def test_only_tests_of_the_package_have_a_name_for_tables():
    assert set(TEST_LABELS) <= set(known("tests"))


def test_the_rules_of_the_workflow_and_its_scripts_have_the_same_names():
    folder = ROOT / "workflow/scripts"
    scripts = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}
    used = {
        name
        for path in (ROOT / "workflow").glob("*/*.smk")
        for name in re.findall(r'"\.\./scripts/([\w/]+\.py)"', path.read_text("utf-8"))
    }
    assert scripts == used


@pytest.mark.parametrize("name", known("tests"))
def test_the_function_of_a_fairness_test_has_the_name_of_its_file(name):
    # one with an argument that is set has no name
    assert getattr(load("tests", name), "__name__", name) == name
