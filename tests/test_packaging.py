"""What is declared in several places is the same everywhere, and what is imported is declared."""

import ast
import inspect
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from contextlib import suppress
from pathlib import Path

import grimp
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
CONDA = {
    "duckdb": "python-duckdb",
    "matplotlib": "matplotlib-base",
    "snakemake": "snakemake-minimal",
    "torch": "pytorch",
}
#: What only conda-forge has as a package of its own: it is part of numpy's wheel on PyPI.
ONLY_CONDA = {"libopenblas"}
#: Names of modules that differ from those on PyPI.
MODULES = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}


def requirements(*texts):
    """Requirements by their normal name."""
    return {canonicalize_name(r.name): r for r in map(Requirement, texts)}


EXTRAS = PROJECT["optional-dependencies"]
OPTIONAL = [
    requirement
    for extra in ("cluster", "text", "faces", "crate", "fairlearn")
    for requirement in EXTRAS[extra]
]
RUN = requirements(*PROJECT["dependencies"], *EXTRAS["workflow"], *OPTIONAL)
#: What runs the tests, which the conda environment has, too.
TESTS = requirements(*(text for text in EXTRAS["dev"] if text.startswith(("pytest", "hypoth"))))
#: No pin by hash: the wheel of torch for a GPU has other contents than that for the CPU.
(LEFT_OUT,) = {text for name in ("text", "faces") for text in EXTRAS[name] if text[:5] == "torch"}
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
    """Pins of requirements.lock, and of what it leaves out: by name, a version for each marker."""
    found = {}
    lines = [LEFT_OUT, *(ROOT / "requirements.lock").read_text("utf-8").splitlines()]
    for line in lines:
        if not line or line[0] in " #":
            continue
        requirement = Requirement(line.removesuffix(" \\"))
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        pins = found.setdefault(canonicalize_name(requirement.name), [])
        pins.append((Version(pin.version), requirement.marker))
    return found


@pytest.mark.parametrize("name", RUN | TESTS)
def test_what_runs_stands_in_the_conda_environment(conda, name):
    assert conda.get(CONDA.get(name, name)) == (RUN | TESTS)[name].specifier


def test_the_conda_environment_has_nothing_else(conda):
    assert set(conda) == {CONDA.get(name, name) for name in RUN | TESTS} | ONLY_CONDA | {"python"}
    assert str(conda["python"]) == PROJECT["requires-python"]


@pytest.mark.parametrize("name", DIRECT)
def test_what_is_needed_is_pinned_within_its_bounds(locked, name):
    assert name in locked
    for version, _ in locked[name]:
        assert version in DIRECT[name].specifier


def test_actions_are_pinned_to_a_commit():
    for file in (ROOT / ".github/workflows").iterdir():
        used = re.findall(r"uses: *(\S.*)", file.read_text("utf-8"))
        assert used
        assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", line) for line in used)


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


def distributions(modules):
    """The names on PyPI of imported modules."""
    return {canonicalize_name(MODULES.get(module, module)) for module in modules}


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["src/fairpairs", "workflow"])
def test_what_is_imported_is_declared(folder):
    names = distributions(imports(folder))
    assert names and names <= {*RUN}


@pytest.mark.slow
def test_the_package_depends_on_what_its_commands_and_functions_import():
    """What only the workflow imports is in its extra."""
    graph = grimp.build_graph("fairpairs", include_external_packages=True, cache_dir=None)
    folders = ("fairpairs.cli", "fairpairs.audits.commands", "fairpairs.papers.commands")
    called = {name for name in graph.modules if name.startswith(folders)}
    things = [getattr(fairpairs, name) for name in fairpairs.__all__]
    called |= {getattr(thing, "__module__", None) or thing.__name__ for thing in things}
    used = {module for name in called for module in graph.find_upstream_modules(name)}
    outside = {name for name in used if name.partition(".")[0] != "fairpairs"}
    names = distributions(outside - set(sys.stdlib_module_names))
    assert names == {*requirements(*PROJECT["dependencies"])}


def test_what_the_snakefiles_import_is_declared():
    text = "".join(
        file.read_text("utf-8")
        for file in [ROOT / "workflow/Snakefile", *(ROOT / "workflow").glob("*/*.smk")]
    )
    modules = set(re.findall(r"^(?:import|from) (\w+)", text, re.M))
    modules -= {*sys.stdlib_module_names, "fairpairs"}
    assert modules == {"snakemake"} <= {*requirements(*EXTRAS["workflow"])}


def test_the_smallest_snakemake_is_that_of_the_snakefile():
    text = (ROOT / "Snakefile").read_text("utf-8")
    (smallest,) = re.findall(r'^min_version\("([\d.]+)"\)', text, re.M)
    assert str(RUN["snakemake"].specifier) == f">={smallest}"


def test_the_changelog_begins_with_what_is_unreleased_and_the_version():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    first, second, *_ = re.findall(r"^## (.*)$", text, re.M)
    assert first == "[Unreleased]"
    assert second == f"[{PROJECT['version']}] - {citation['date-released']}"


def test_every_python_that_is_declared_is_tested():
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))
    versions, audits = (
        workflow["jobs"][job]["strategy"]["matrix"]["python"] for job in ("tests", "systems")
    )
    declared = re.findall(r":: Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert declared == [*versions, audits[-1]]
    assert PROJECT["requires-python"] == f">={versions[0]}"
    readme = (ROOT / "README.md").read_text("utf-8")
    tested = f"(tested with {versions[0]} to {versions[-1]}, the audits with {audits[-1]})"
    assert tested in " ".join(readme.split())


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


def test_every_script_of_the_workflow_runs_in_the_frame_of_scripting():
    for path in (ROOT / "workflow/scripts").rglob("*.py"):
        text = path.read_text("utf-8")
        assert "from fairpairs.base.scripting import run" in text, path
        assert re.search(r"^run\(", text, re.M), path


#: Stands for Python, in `make environment`: it notes how it is called, and pip does as it is told.
STAND_IN = """#!/bin/sh
echo "$*" >> calls
case "$*" in
    "-c "*) exec "$REAL" "$@" ;;
    "-m venv "*) for folder; do :; done; mkdir -p "$folder/bin"; cp "$0" "$folder/bin/python" ;;
    "-m pip "*) echo "WARNING: Location is ignored"; eval "$PIP" ;;
esac
"""

#: What Python is asked for: the pins by their hashes come first, then torch and the project.
MADE = ["venv", "pip", "pip"]

#: Runs a command that Ctrl-C reaches, also where the tests themselves run in the background.
INTERRUPTIBLE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def environment(tmp_path):
    """A function that starts `make environment`, with a Python whose pip runs a command."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / "python"
    python.write_text(STAND_IN, "utf-8")
    python.chmod(0o755)

    made = []
    # a make around the tests must not show
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}

    def started(pip, real=sys.executable):
        (tmp_path / "calls").write_text("", "utf-8")
        make = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTIBLE, "make", "environment", f"PYTHON={python}"],
            cwd=tmp_path, text=True,
            env={**inherited, "PIP": pip, "REAL": str(real)}, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        made.append(make)
        return make

    yield started
    for make in made:  # also those of a test that failed
        with make, suppress(ProcessLookupError):
            os.killpg(make.pid, signal.SIGKILL)


def ended(make):
    """The exit status of a process, and what it printed."""
    out, err = make.communicate()
    return make.returncode, out, err


def calls(folder):
    """The modules that Python was asked for."""
    return re.findall(r"^-m (\w+)", (folder / "calls").read_text("utf-8"), re.M)


@pytest.mark.slow
def test_an_environment_is_made_without_a_word_of_pip(environment, tmp_path):
    words = "Installing the packages of requirements.lock into .venv: this takes a few minutes.\n"
    assert ended(environment("exit 0")) == (0, words, "")
    assert calls(tmp_path) == MADE
    assert "-m pip install --quiet --disable-pip-version-check --no-user --require-hashes" in (
        (tmp_path / "calls").read_text("utf-8")
    )
    status, _, err = ended(environment("exit 1"))  # it is there, so nothing is done
    assert (status, err) == (0, "")
    assert calls(tmp_path) == []
    os.utime(tmp_path / ".venv/.ready", (0, 0))  # other versions are installed over the old ones
    for pip, status in (("exit 1", 2), ("exit 0", 0)):  # without internet the old ones stay
        assert ended(environment(pip))[0] == status
        assert calls(tmp_path) == ["pip"] * (1 if status else 2)


def test_what_pip_says_of_a_failure_is_shown_with_the_remedy(environment, tmp_path):
    status, _, err = ended(environment("echo 'ERROR: no network' >&2; exit 1"))
    assert status == 2
    first, second, sentence, _ = err.splitlines()  # make itself has the last line
    assert (first, second) == ("WARNING: Location is ignored", "ERROR: no network")
    assert sentence == (
        "FairPairs: pip could not make the environment (its reason is above): check the internet "
        "connection and `pip config list`, and run the same command again."
    )
    assert not (tmp_path / ".venv/.ready").exists()
    assert ended(environment("exit 0"))[0] == 0
    assert calls(tmp_path) == MADE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("update", "how"), [(False, signal.SIGINT), (True, signal.SIGKILL)], ids=["first", "update"]
)
def test_an_interrupted_environment_is_made_anew(environment, tmp_path, update, how):
    if update:
        assert ended(environment("exit 0"))[0] == 0
        os.utime(tmp_path / ".venv/.ready", (0, 0))
    # pip ends so at Ctrl-C, for which it must be asleep
    make = environment("trap 'exit 1' INT; { sleep 0.2; touch begun; } & sleep 600")
    while make.poll() is None and not (tmp_path / "begun").exists():
        time.sleep(0.05)
    os.killpg(make.pid, how)
    assert ended(make)[0] != 0
    assert ended(environment("exit 0"))[0] == 0
    assert calls(tmp_path) == MADE
    assert "-m venv --clear .venv\n" in (tmp_path / "calls").read_text("utf-8")
    assert (tmp_path / ".venv/.ready").exists()


def test_an_old_python_is_refused_in_one_sentence(environment, tmp_path):
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    old.chmod(0o755)
    status, _, err = ended(environment("exit 0", real=old))
    assert status == 2
    assert err.startswith("FairPairs needs Python 3.11 or later: run make with PYTHON=/path/to/")
    assert calls(tmp_path) == []


def test_the_installed_version_the_citation_and_zenodo_say_the_same():
    assert fairpairs.__version__ == PROJECT["version"], "run `make environment`"
    told = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert told["version"] == cited["version"] == PROJECT["version"]
    assert (cited["license"], cited["title"].lower()) == (PROJECT["license"], PROJECT["name"])
    assert told["publication_date"] == str(cited["date-released"])
    assert told["description"] == cited["abstract"].strip()
    assert (told["license"], told["keywords"]) == (cited["license"], cited["keywords"])
    assert [person["name"] for person in told["creators"]] == [a["name"] for a in cited["authors"]]
    papers = [paper["url"] for paper in cited["references"] if "url" in paper]
    assert [one["identifier"] for one in told["related_identifiers"]] == papers
