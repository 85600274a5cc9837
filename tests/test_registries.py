import re
from pathlib import Path

import pytest
import yaml

from fairpairs.output.tables import TESTS as TEST_LABELS, TREATMENTS as TREATMENT_LABELS
from fairpairs.registry import known, load
from fairpairs.studies.calibration.designs.figures import CURVES, LABEL_CURVES
from fairpairs.studies.calibration.designs.tables import COLUMNS
from fairpairs.studies.reproduce import TABLES
from fairpairs.studies.xauc import cells as xauc

ROOT = Path(__file__).parent.parent


def test_only_treatments_of_the_package_have_a_name_for_tables():
    assert set(TREATMENT_LABELS) <= set(known("treatments"))


def test_every_published_table_can_be_reproduced():
    published = {path.stem for path in (ROOT / "config/published").glob("*.yaml")}
    assert published == set(TABLES)


def test_the_table_of_the_paper_on_xauc_is_made_of_what_the_config_runs():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    for name in xauc.EXPERIMENTS.values():
        experiment = config["experiments"][name]
        assert "ranking" in experiment["tests"]
        assert {dataset for dataset, _, _ in xauc.COLUMNS.values()} <= set(experiment["datasets"])
    for dataset, attribute, _ in xauc.COLUMNS.values():
        card = yaml.safe_load((ROOT / f"config/datasets/{dataset}.yaml").read_text("utf-8"))
        assert attribute in card["sensitive"]


def test_only_tests_of_the_package_have_a_name_for_tables():
    assert set(TEST_LABELS) <= set(known("tests"))


def test_what_is_drawn_of_the_study_is_in_its_tables():
    columns = {key for headings in COLUMNS.values() for key in headings}
    assert set(CURVES) | set(LABEL_CURVES) <= columns


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
    assert load("tests", name).__name__ == name
