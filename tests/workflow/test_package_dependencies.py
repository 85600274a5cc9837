"""A rule runs again when a module that its script imports changes, and not when another does."""

import ast
import base64
import json
import re
import shutil
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from fairpairs.base.files import write_text
from fairpairs.papers.registry import known
from tests.workflow.runs import Project, copied_checkout

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
AUDITS = {"loans": AUDIT, "shards": AUDIT | {"file": [AUDIT["file"]]}, "models": COMPARISON}
#: Only hands names on.
HANDS_ON = SOURCE / "fairpairs/__init__.py"
#: What loads parts of an experiment by the name in the config.
LOADED = {"train", "held_out", "test"}
#: What loads files of the studies.
OF_STUDIES = {"table", "claims", "report"}


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
            module_file("fairpairs", "papers", *function[1].split(".")),
        )
        for rule in rules
        if (name := re.match(r"(\w+) as (\w+) with:", rule))
        and (function := re.search(r'(?:function=|step\()"([\w.]+)\.\w+"', rule))
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
    """The jobs of a finished run: rule, an output and the digest of its code."""
    found = []
    for record in sorted((project / ".snakemake/metadata").iterdir()):
        about = json.loads(record.read_text("utf-8"))
        digests = [param for param in about["params"] if re.fullmatch(r"'[0-9a-f]{16}'", param)]
        if digests:
            found.append((about["rule"], Path(base64.b64decode(record.name).decode()), *digests))
    return found


def digest(*files):
    """The digest of files that are there."""
    lines = [
        f"{file.name} {sha256(file.read_bytes()).hexdigest()}\n" for file in files if file.exists()
    ]
    return f"'{sha256(''.join(sorted(lines)).encode()).hexdigest()[:16]}'"


@pytest.fixture(scope="module")
def planned(new_project):
    """The digests of each rule of the shipped config, without those of an experiment."""
    project = new_project("shipped")
    shutil.copytree(ROOT / "config", project / "config", dirs_exist_ok=True)
    project.configure(
        lambda config: (
            config.update(audits=AUDITS, judgments=JUDGMENTS),
            config["experiments"]["classification"].update(measures=["accuracy"]),
        )
    )
    write_text(project / "Snakefile", PRINTING.format(checkout=ROOT))
    said = project.snakemake("--dry-run", "--snakefile", str(project / "Snakefile")).check()
    return dict(re.findall(r"^CODE (\w+) (\S+)$", said.stdout, re.MULTILINE))


#: Prints the digest that each rule has whatever its wildcards.
PRINTING = """
include: "{checkout}/Snakefile"


for rule in workflow.rules:
    code = rule.params.get("code")
    if isinstance(code, str):
        print("CODE", rule.name, repr(code))


rule everything:
    default_target: True
    input:
        rules.all.input,
"""


@pytest.fixture(scope="module")
def digests(planned, done, ranked):
    """The digests of each rule, of the shipped config and of two runs."""
    found = {rule: {code} for rule, code in planned.items()}
    for finished in (done, ranked):
        for rule, _, code in jobs(finished):
            found.setdefault(rule, set()).add(code)
    return found


def test_every_rule_with_a_script_is_looked_at(digests):
    assert set(scripts()) - WITHOUT_PACKAGE - {"held_out"} <= set(digests)
    assert {script for script, _ in scripts().values()} == set(
        (ROOT / "workflow/scripts").rglob("*.py")
    )


@pytest.mark.parametrize("rule", sorted(set(scripts()) - WITHOUT_PACKAGE - {"held_out"}))
def test_a_rule_has_the_digest_of_what_its_script_imports(digests, rule):
    """That of all files that it rests on, and of no other; some load more by name."""
    if rule in LOADED or rule in OF_STUDIES:
        return
    script, module = scripts()[rule]
    tables = [module.parent / "tables.yaml"] if script.stem == "study_table" else []
    assert digests[rule] == {digest(script, *needed_by(rule), *tables)}


def loaded(kind, name):
    """The file of a part of an experiment, and what it imports."""
    file = known(kind)[name]
    return {file, *closure(file)}


def test_a_job_has_the_digest_of_its_treatment_its_model_and_its_tests_alone(done, ranked):
    seen = set()
    for project, model, tests in (
        (done, "logistic_regression", ("separation", "comparative_separation")),
        (ranked, "rankboost", ("xauc", "ranking", "xauc_adjustment")),
    ):
        for rule, output, code in jobs(project):
            parts = {
                "train": [("treatments", output.parent.name), ("models", model)],
                "test": [("tests", test) for test in tests],
            }.get(rule)
            if parts:
                seen.add((rule, output.parent.name))
                files = needed_by(rule).union(*(loaded(*part) for part in parts))
                assert code == digest(scripts()[rule][0], *files), output
    assert {("train", "none"), ("train", "fairbalance"), ("test", "none")} <= seen


def test_a_table_the_claims_and_the_report_have_the_digests_of_their_studies(planned, done):
    studies = SOURCE / "fairpairs/papers/studies"

    def of(rule, module, text, folder):
        files = [folder / text] if text else []
        file = folder / module
        return {*files, file, *closure(file)} if file.exists() else set(files)

    for rule, module, text in (
        ("table", "cells.py", None),
        ("claims", "claims.py", "claims.yaml"),
        ("report", "section.py", "tables.yaml"),
    ):
        one = rule == "table"
        folders = [studies / "comparative_separation"] if one else list(studies.glob("*/"))
        codes = {code for name, _, code in jobs(done) if name == rule} if one else {planned[rule]}
        files = needed_by(rule).union(*(of(rule, module, text, folder) for folder in folders))
        assert digest(scripts()[rule][0], *files) in codes


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what runs."""
    return copied_checkout(tmp_path_factory.mktemp("checkout") / "checkout")


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
        (["mathematics/inference/rates"], {"test": 1, "summarise": 1}),
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
def test_a_moved_project_and_clone_with_touched_scripts_and_other_addresses_have_nothing_to_do(
    project, checkout, tmp_path
):
    moved, clone = tmp_path / "deeper/project", tmp_path / "clone/of/it"
    shutil.copytree(project.folder, moved, symlinks=True)
    shutil.copytree(checkout, clone)
    for path in [*clone.rglob("*.py"), *clone.rglob("*.yaml")]:
        path.touch()
    source = {"notice": "Cite it.", "homepage": "https://example.org/new"}
    Project(moved).change_card(
        lambda card: (card.update(source), card["files"][0].update(urls=["https://example.org/x"]))
    )
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
