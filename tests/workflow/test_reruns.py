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
        ("papers/datasets/raw_table.py", {"prepare"}),
        ("papers/datasets/coding.py", {"prepare"}),
        ("papers/datasets/card.py", {"describe", "prepare"}),
        ("papers/plan/plan.py", set()),
        ("papers/datasets/fetch.py", {"fetch"}),
        ("papers/datasets/archive_builder.py", {"fetch"}),
        ("papers/datasets/synthetic.py", set()),
        ("papers/treatments/none.py", set()),  # loaded by its name
    ],
)
def test_these_scripts_and_no_others_import_it(resting_on, file, scripts):
    assert resting_on(file) == scripts


@pytest.mark.parametrize(
    ("file", "untouched"),
    [
        ("papers/datasets/prepared.py", {"fetch", "figure_experiment", "audit"}),
        ("papers/datasets/archive.py", {"train", "test", "summarise"}),
        ("mathematics/inference/proportions.py", {"fetch", "prepare", "embed", "train"}),
        (
            "mathematics/fairness/comparative.py",
            {"prepare", "embed", "train", "test", "summarise", "report"},
        ),
        ("papers/models/faces.py", {"prepare", "train", "test", "summarise"}),
        ("papers/display/tables.py", {"prepare", "embed", "train", "test"}),
        ("base/schemas.py", {"embed", "train", "test"}),
    ],
)
def test_an_edit_does_not_rerun_these_rules(resting_on, file, untouched):
    scripts = resting_on(file)
    assert scripts
    assert scripts & untouched == set()
