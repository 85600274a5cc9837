"""What is declared in several places is the same everywhere, and what is imported is declared."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import fairpairs

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
#: Names on conda-forge that differ from those on PyPI.
CONDA = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal", "torch": "pytorch"}
#: Names of modules that differ from those on PyPI.
MODULES = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}


def requirements(*texts):
    """Requirements by their normal name."""
    return {canonicalize_name(r.name): r for r in map(Requirement, texts)}


EXTRAS = PROJECT["optional-dependencies"]
OPTIONAL = [*EXTRAS["cluster"], *EXTRAS["text"], *EXTRAS["faces"]]
RUN = requirements(*PROJECT["dependencies"], *EXTRAS["workflow"], *OPTIONAL)
DIRECT = {**RUN, **requirements(*EXTRAS["dev"], *EXTRAS["offline"])}


@pytest.fixture(scope="module")
def conda():
    """Specifiers of environment.yml, by name."""
    content = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    *plain, (pip, others) = [
        text if isinstance(text, str) else ("pip", text["pip"]) for text in content["dependencies"]
    ]
    assert plain.pop() == pip  # what conda-forge has not comes by pip
    found = requirements(*plain, *others)
    assert len(found) == len(plain) + len(others)
    return {name: requirement.specifier for name, requirement in found.items()}


@pytest.fixture(scope="module")
def locked():
    """Pins of requirements.lock: by name, a version for each marker."""
    found = {}
    for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines():
        if not line or line[0] in " #":
            continue
        requirement = Requirement(line)
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        pins = found.setdefault(canonicalize_name(requirement.name), [])
        pins.append((Version(pin.version), requirement.marker))
    return found


@pytest.mark.parametrize("name", RUN)
def test_what_runs_stands_in_the_conda_environment(conda, name):
    assert conda.get(CONDA.get(name, name)) == RUN[name].specifier


def test_the_conda_environment_has_nothing_else(conda):
    assert set(conda) == {CONDA.get(name, name) for name in RUN} | {"python"}
    assert str(conda["python"]) == PROJECT["requires-python"]


def test_the_conda_environment_finds_snakemake():
    content = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    assert content["name"] == "fairpairs"
    assert content["channels"] == ["conda-forge", "bioconda"]


@pytest.mark.parametrize("name", DIRECT)
def test_what_is_needed_is_pinned_within_its_bounds(locked, name):
    assert name in locked
    for version, _ in locked[name]:
        assert version in DIRECT[name].specifier


@pytest.mark.parametrize("name", DIRECT)
def test_one_pin_holds_here(locked, name):
    here = [version for version, marker in locked[name] if marker is None or marker.evaluate()]
    assert len(here) == 1


def imports(folder):
    """The modules outside the project and the standard library that a folder imports."""
    found = set()
    for file in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"fairpairs"}


@pytest.mark.parametrize(
    ("folder", "more"), [("src/fairpairs", []), ("workflow", EXTRAS["workflow"])]
)
def test_what_is_imported_is_declared(folder, more):
    declared = requirements(*PROJECT["dependencies"], *OPTIONAL, *more)
    names = {canonicalize_name(MODULES.get(module, module)) for module in imports(folder)}
    assert len(names) >= 2
    assert names - set(declared) == set()


def test_what_the_snakefiles_import_is_declared():
    text = "".join(
        file.read_text("utf-8")
        for file in [ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    )
    modules = set(re.findall(r"^(?:import|from) (\w+)", text, re.M))
    modules -= {*sys.stdlib_module_names, "fairpairs"}
    assert modules == {"grimp", "snakemake"}
    assert modules <= set(requirements(*EXTRAS["workflow"]))


def test_every_marker_of_the_tests_is_declared():
    cluster, slow = PYPROJECT["tool"]["pytest"]["ini_options"]["markers"]
    assert cluster.startswith("cluster:")
    assert slow.startswith("slow:")


def test_the_smallest_snakemake_is_that_of_the_snakefile():
    text = (ROOT / "workflow/Snakefile").read_text("utf-8")
    (smallest,) = re.findall(r'^min_version\("([\d.]+)"\)', text, re.M)
    assert str(RUN["snakemake"].specifier) == f">={smallest}"


def test_the_citation_has_the_version_and_the_licence():
    path = ROOT / "CITATION.cff"
    if not path.exists():
        pytest.skip("there is no CITATION.cff")
    citation = yaml.safe_load(path.read_text("utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert citation["title"].lower() == PROJECT["name"]


def test_the_version_is_the_one_that_is_installed():
    assert fairpairs.__version__ == PROJECT["version"]


def test_the_layers_hold():
    program = Path(sys.executable).parent / "lint-imports"
    process = subprocess.run(
        [program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    contracts = len(PYPROJECT["tool"]["importlinter"]["contracts"])
    assert f"Contracts: {contracts} kept, 0 broken." in process.stdout


def test_the_public_names_are_sorted_and_there():
    assert fairpairs.__all__ == sorted(fairpairs.__all__)
    assert {"separation_test", "comparative_separation_test"} <= set(fairpairs.__all__)


@pytest.mark.parametrize("name", fairpairs.__all__)
def test_every_public_name_has_a_docstring(name):
    thing = getattr(fairpairs, name)
    text = inspect.getdoc(thing)
    assert text
    assert len(text.split()) >= 5
    if inspect.isfunction(thing):
        for parameter in inspect.signature(thing).parameters:
            assert re.search(rf"\b{parameter}\b", text), f"{name} does not describe {parameter}"


def test_what_the_package_needs_besides_code_is_packed():
    packed = PYPROJECT["tool"]["setuptools"]["package-data"]["fairpairs"]
    package = ROOT / "src/fairpairs"
    others = {
        path.relative_to(package)
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert others
    matched = {file.relative_to(package) for glob in packed for file in package.glob(glob)}
    assert others == matched


@pytest.mark.parametrize(
    "path", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=lambda p: p.name
)
def test_every_script_of_the_workflow_runs_in_the_frame_of_scripting(path):
    text = path.read_text("utf-8")
    assert "from fairpairs.scripting import run" in text
    assert re.search(r"^run\(", text, re.M)
    assert ast.get_docstring(ast.parse(text))
