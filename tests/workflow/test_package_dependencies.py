"""A rule runs again when a module that its script imports changes, and not when another does."""

import ast
import base64
import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from fairpairs.base.files import write_text
from fairpairs.papers.registry import known
from tests.workflow.runs import Project

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
#: What it fetches is verified by sha256, so no result depends on its code; another version of it
#: must not ask the network again.
WITHOUT_PACKAGE = {"fetch"}
#: From which others inherit their script.
BASES = {"study_table", "study_step"}
#: An audit of what lies in every project.
AUDIT = {
    "file": "mirror/loans/loans.csv",
    "label": "repaid",
    "prediction": "purpose",
    "sensitive": ["sex"],
}
#: A comparison of two columns of it.
COMPARISON = {
    "old": AUDIT["file"], "new": AUDIT["file"], "item": "id", "label": "repaid",
    "prediction": "purpose", "new_prediction": "repaid", "sensitive": ["sex"],
}  # fmt: skip
JUDGMENTS = {"mine": {"judgments": "mirror/loans/loans.csv", "sensitive": ["sex"]}}
AUDITS = {
    "loans": AUDIT,
    "shards": AUDIT | {"file": [AUDIT["file"]]},
    "models": COMPARISON,
}
#: Only hands names on.
HANDS_ON = SOURCE / "fairpairs/__init__.py"
#: What the scripts of a rule load by the name in the config.
LOADED = {
    "train": ("treatments", "models"),
    "held_out": ("treatments", "models"),
    "test": ("tests",),
}
#: What they load of the studies.
OF_STUDIES = {"table": "cells", "claims": "claims", "report": "section"}


def scripts():
    """The script of each rule, and the module whose function its param names, if any."""
    files = (ROOT / "workflow").glob("[rs]*/*.smk")
    rules = [
        rule
        for file in files
        for rule in re.split(r"^(?:use )?rule ", file.read_text(), flags=re.M)
    ]
    own = {
        rule.partition(":")[0]: (ROOT / "workflow/scripts" / script[1], None)
        for rule in rules
        if (script := re.search(r'script:\s+"\.\./scripts/([\w./]+)"', rule))
    }
    inherited = {
        name[2]: (
            own[name[1]][0],
            module_file(*["fairpairs", "papers", "studies"], *function[1].split(".")),
        )
        for rule in rules
        if (name := re.match(r"(\w+) as (\w+) with:", rule))
        and (function := re.search(r'function="([\w.]+)\.\w+"', rule))
    }
    return {rule: of for rule, of in (own | inherited).items() if rule not in BASES}


def needed_by(rule):
    """The files of the package that a script imports, and the function that it calls."""
    script, module = scripts()[rule]
    return closure(script) | ({module, *closure(module)} if module else set())


def module_file(*names):
    """The file of a module, or None where there is no such module."""
    path = SOURCE.joinpath(*names)
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.exists():
            return file
    return None


@cache
def imported(file):
    """The files of the package that a file imports by name, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            module = node.module.split(".")
            names = [
                [*module, alias.name] if module_file(*module, alias.name) else module
                for alias in node.names
            ]
        found |= {module_file(*name) for name in names if name[0] == "fairpairs"}
    assert None not in found, file
    return frozenset(found - {HANDS_ON})


def closure(file):
    """The files of the package that a file imports, and all that these import."""
    found, todo = set(), [file]
    while todo:
        new = imported(todo.pop()) - found
        found |= new
        todo += new
    return found


def jobs(project):
    """The jobs of what a script loads by name: rule, an output, and inputs from the package."""
    found = []
    for record in sorted((project / ".snakemake/metadata").iterdir()):
        about = json.loads(record.read_text("utf-8"))
        if about["rule"] in LOADED or about["rule"] in OF_STUDIES:
            output = base64.b64decode(record.name).decode()
            paths = [(project / name).resolve() for name in about["input"]]
            files = {path for path in paths if path.is_relative_to(SOURCE) and path.suffix == ".py"}
            found.append((about["rule"], Path(output), files))
    return found


@pytest.fixture(scope="module")
def declared(done, ranked, new_project):
    """The files of the package that each rule of the shipped config has as inputs."""
    project = new_project("shipped")
    shutil.copytree(ROOT / "config", project / "config", dirs_exist_ok=True)
    project.configure(
        lambda config: (
            config.update(audits=AUDITS, judgments=JUDGMENTS),
            config["experiments"]["classification"].update(measures=["accuracy"]),
        )
    )
    graph = project.snakemake("--filegraph").check().stdout
    found = {}
    for rule, files in re.findall(r'point-size="18">(\w+)<(.*?)</table>', graph, re.S):
        inputs = found.setdefault(rule, set())
        inputs |= {
            path.resolve()
            for name in re.findall(r'face="monospace">([^<]+)</font>', files)
            if (path := project / name).resolve().is_relative_to(SOURCE) and path.suffix == ".py"
        }
    for finished in (done, ranked):  # functions of wildcards are not in the graph
        for rule, _, files in jobs(finished):
            found[rule] |= files
    return found


def test_every_rule_with_a_script_is_looked_at(declared):
    assert set(scripts()) <= set(declared)  # which has rules without a script too
    assert {script for script, _ in scripts().values()} == set(
        (ROOT / "workflow/scripts").rglob("*.py")
    )


def sections_and_cells(rule):
    """The files of the studies that the script of a rule loads by name, and what they import."""
    files = (SOURCE / "fairpairs/papers/studies").glob(f"*/{OF_STUDIES.get(rule, 'none')}.py")
    return {path for file in files for path in (file, *closure(file))}


def names(files):
    return sorted(file.relative_to(SOURCE).as_posix() for file in files)


@pytest.mark.parametrize("rule", sorted(set(scripts()) - WITHOUT_PACKAGE))
def test_the_inputs_cover_what_the_script_imports(declared, rule):
    needed = needed_by(rule)
    assert needed, "the script imports nothing of the package"
    if rule == "report":  # of all studies; a table is of one
        needed |= sections_and_cells(rule)
    assert names(needed - declared[rule]) == []


@pytest.mark.parametrize("rule", sorted(set(scripts())))
def test_the_inputs_name_nothing_that_the_script_does_not_import(declared, rule):
    needed = needed_by(rule) | sections_and_cells(rule)
    for kind in LOADED.get(rule, ()):
        for file in known(kind).values():
            needed |= {file, *closure(file)}
    assert names(declared[rule] - needed) == []


def loaded(kind, files):
    """The names of what files of the package register."""
    return {name for name, file in known(kind).items() if file in files}


def test_a_job_has_the_files_of_its_treatment_its_model_and_its_tests_alone(done, ranked):
    seen = set()
    runs = (
        (done, "logistic_regression", {"separation", "comparative_separation"}),
        (ranked, "rankboost", {"xauc", "ranking", "xauc_adjustment"}),
    )
    for project, model, tests in runs:
        for rule, output, files in jobs(project):
            if rule in OF_STUDIES:
                continue
            if rule == "train":
                seen.add(output.parent.name)
                assert loaded("treatments", files) == {output.parent.name}
                assert loaded("models", files) == {model}
                assert loaded("tests", files) == set()
            elif rule == "held_out":
                assert loaded("treatments", files) == {"none"}
                assert loaded("models", files) == {model}
                assert loaded("tests", files) == set()
            else:
                assert loaded("tests", files) == tests
                assert loaded("treatments", files) | loaded("models", files) == set()
            for kind in LOADED[rule]:
                for part in loaded(kind, files):
                    assert names(closure(known(kind)[part]) - files) == []
    assert seen == {"none", "fairbalance"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what runs."""
    folder = tmp_path_factory.mktemp("checkout") / "checkout"
    folder.mkdir()
    for file in ("environment.yml", "Snakefile"):
        shutil.copy(ROOT / file, folder)
    for tree in ("workflow", "profiles", "src", "config/published"):
        shutil.copytree(ROOT / tree, folder / tree, ignore=shutil.ignore_patterns("*.egg-info"))
    return folder


TARGET = "results/tables/loans.csv"


@pytest.fixture(scope="module")
def project(new_project, checkout):
    project = new_project("dependencies", checkout=checkout)
    project.snakemake(TARGET).check()
    return project


@pytest.mark.slow
@pytest.mark.parametrize(
    ("modules", "jobs"),
    [
        (["mathematics/inference/proportions"], {"test": 1, "summarise": 1}),
        (["papers/treatments/none"], {"train": 1, "test": 1, "summarise": 1}),
        # on the first, nothing rests
        (["papers/treatments/fairbalance", "papers/run/provenance"], {"summarise": 1}),
    ],
)
def test_a_changed_module_runs_again_what_rests_on_it(project, checkout, modules, jobs):
    files = [checkout / f"src/fairpairs/{module}.py" for module in modules]
    contents = {file: file.read_text("utf-8") for file in files}
    for file, content in contents.items():
        file.write_text(content + "\n# changed\n", "utf-8")
    try:
        planned = project.snakemake(TARGET, "--dry-run").check().jobs
    finally:
        for file, content in contents.items():
            file.write_text(content, "utf-8")
    assert planned == jobs


@pytest.mark.slow
def test_a_moved_project_and_a_moved_clone_with_touched_scripts_have_nothing_to_do(
    project, checkout, tmp_path
):
    moved, clone = tmp_path / "deeper/project", tmp_path / "clone/of/it"
    shutil.copytree(project.folder, moved, symlinks=True)
    shutil.copytree(checkout, clone)
    for path in [*clone.rglob("*.py"), *clone.rglob("*.yaml")]:
        path.touch()
    assert Project(moved, clone).snakemake(TARGET, "--dry-run").check().jobs == {}


def test_a_file_in_a_folder_of_the_package_is_registered(new_project, checkout):
    file = checkout / "src/fairpairs/papers/treatments/ours.py"
    write_text(
        file, "from fairpairs.papers.treatments.none import no_weights\n\nTREATMENT = no_weights\n"
    )
    loans = {"datasets": ["loans"], "model": "logistic_regression", "tests": ["accuracy"]}
    project = new_project(
        "registered", checkout=checkout, experiments={"loans": {**loans, "treatments": ["ours"]}}
    )
    run = project.snakemake(TARGET, "--dry-run", "--verbose")
    file.unlink()
    assert run.check().jobs["train"] == 1
