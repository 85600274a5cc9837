"""Which scripts import a file of the package: an edit of it reruns their rules."""

import ast
from functools import cache
from pathlib import Path

import grimp
import pytest

SCRIPTS = Path(__file__).parents[2] / "workflow/scripts"


@pytest.fixture(scope="module")
def imports():
    return grimp.build_graph("fairpairs", cache_dir=None)


@pytest.fixture(scope="module")
def resting_on(imports):
    """A function that returns the scripts that import a file, or import what imports it."""

    @cache
    def modules(script):
        names = set()
        for node in ast.walk(ast.parse(script.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        names = names & imports.modules - {"fairpairs"}
        return names.union(*(imports.find_upstream_modules(name) for name in names))

    def find(file):
        module = "fairpairs." + file.removesuffix(".py").replace("/", ".")
        assert module in imports.modules
        scripts = SCRIPTS.rglob("*.py")
        return {
            script.relative_to(SCRIPTS).with_suffix("").as_posix()
            for script in scripts
            if module in modules(script)
        }

    return find


@pytest.mark.parametrize(
    ("file", "scripts"),
    [
        ("datasets/raw_table.py", {"prepare"}),
        ("datasets/coding.py", {"prepare"}),
        ("datasets/card.py", {"describe", "prepare"}),
        ("plan/plan.py", set()),
        ("datasets/fetch.py", {"fetch"}),
        ("datasets/archive_builder.py", {"fetch"}),
        ("datasets/synthetic.py", set()),
        ("treatments/none.py", set()),  # loaded by its name
    ],
)
def test_these_scripts_and_no_others_import_it(resting_on, file, scripts):
    assert resting_on(file) == scripts


@pytest.mark.parametrize(
    ("file", "untouched"),
    [
        ("datasets/prepared.py", {"fetch", "figure_experiment", "audit"}),
        ("datasets/archive.py", {"train", "test", "summarise"}),
        ("fairness/proportions.py", {"fetch", "prepare", "embed", "train"}),
        ("fairness/comparative.py", {"prepare", "embed", "train", "test", "summarise", "report"}),
        ("models/faces.py", {"prepare", "train", "test", "summarise"}),
        ("output/tables.py", {"prepare", "embed", "train", "test"}),
        ("schemas.py", {"embed", "train", "test"}),
    ],
)
def test_an_edit_does_not_rerun_these_rules(resting_on, file, untouched):
    scripts = resting_on(file)
    assert scripts
    assert scripts & untouched == set()
