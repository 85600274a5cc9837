import sys

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.plan.dependencies import SOURCE, Dependencies


@pytest.fixture(scope="module")
def dependencies():
    return Dependencies()


def names(files):
    return {file.removeprefix("fairpairs/") for file in files}


def test_a_script_rests_on_what_it_imports_at_first_and_second_hand(dependencies, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "from fairpairs.papers.experiments import seeds\n"
        "from fairpairs.base.errors import X\n"
    )
    files = dependencies.files([script])
    assert all((SOURCE / file).exists() for file in files)
    assert {
        "base/errors.py",
        "papers/experiments/seeds.py",
        "papers/experiments/__init__.py",
    } <= names(files)
    assert "papers/experiments/train.py" not in names(files)
    assert "__init__.py" not in names(files)


def test_a_module_that_is_loaded_by_name_counts_too(dependencies, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import json\n")
    assert dependencies.files([script]) == []
    files = names(dependencies.files([script], ["fairpairs.papers.treatments.fairbalance"]))
    assert "papers/treatments/fairbalance.py" in files
    assert "papers/treatments/reweighing.py" not in files


def test_the_graph_is_that_of_the_package_in_use(dependencies):
    assert "fairpairs" in sys.modules
    assert names(dependencies.files([], ["fairpairs.base.errors"])) == {"base/errors.py"}


def test_a_file_that_is_no_python_is_named(dependencies, tmp_path):
    script = tmp_path / "cells.py"
    script.write_text("def (:\n")
    with pytest.raises(InputError, match=r"cells\.py: not valid Python \(.*line 1\)\): correct"):
        dependencies.files([script])


@pytest.mark.parametrize(
    ("script", "module"),
    [
        ("test", "papers.fairness_tests.separation"),
        ("table", "papers.studies.comparative_separation.cells"),
    ],
)
def test_rules_of_the_papers_rest_on_a_small_part_of_the_package(
    dependencies, root, script, module
):
    files = dependencies.files([root / f"workflow/scripts/{script}.py"], [f"fairpairs.{module}"])
    assert len(files) <= 48
    assert not [name for name in names(files) if "audits/" in name or "sampling/" in name]
