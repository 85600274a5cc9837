"""The wheel works alone: without the clone and, but for the workflow, what only that needs."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from packaging.requirements import Requirement

from tests.test_systems import run_commands

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
#: A program may not see what the tests see.
HIDDEN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "FAIRPAIRS_MIRROR")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in HIDDEN}
ENVIRONMENT["PYTHONWARNINGS"] = "error"

pytestmark = pytest.mark.slow


def run(*command, cwd):
    """Run a command that succeeds, and return what it prints."""
    process = subprocess.run(
        command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def tracked():
    """The files of the repository, by their paths in it."""
    if not (ROOT / ".git").exists():
        pytest.skip("git does not know which files belong to the repository")
    names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return [name for name in names.split("\0") if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def built(tracked, tmp_path_factory):
    """The source distribution and the wheel, as `make dist` builds them, but offline."""
    folder = tmp_path_factory.mktemp("built")
    for name in tracked:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    uv = [sys.executable, "-m", "uv", "build", "--quiet", "--offline"]
    run(*uv, "--no-build-isolation", "--python", sys.executable, cwd=folder)
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    (wheel,) = (folder / "dist").glob("*.whl")
    return sdist, wheel


def dependencies(names):
    """The names of distributions, and of all that they need here."""
    found, new = set(), list(names)
    while new:
        requirement = Requirement(new.pop())
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        if requirement.name not in found:
            found.add(requirement.name)
            new += distribution(requirement.name).requires or []
    return found


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """An environment with the wheel and what it depends on, and its folder of packages."""
    return environment(built[1], tmp_path_factory.mktemp("alone"), PROJECT["dependencies"])


def environment(wheel, folder, requirements):
    """Make an environment with the wheel and libraries, as `pip install` does with internet.

    The libraries are links to those of this environment; the clone is on no path of it.
    """
    folder = folder / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-deps"]
    run(*uv, "--python", folder / "bin/python", wheel, cwd=folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in dependencies(requirements):
        library = distribution(name)
        tops = {path.parts[0] for path in library.files or ()} - {"..", "__pycache__"}
        for top in tops:
            if not (packages / top).exists():
                (packages / top).symlink_to(library.locate_file(top))
    return folder, packages


@pytest.fixture
def alone(installed, tmp_path):
    """A function that runs `fairpairs` in that environment, in a folder with a table."""
    rng = np.random.default_rng(0)
    sex, label = rng.choice(["female", "male"], 400), rng.integers(0, 2, 400)
    wrong = rng.random(400) < np.where(sex == "male", 0.1, 0.3)
    table = pd.DataFrame({"sex": sex, "y": label, "old": np.abs(label - wrong)})
    table.to_csv(tmp_path / "rows.csv", index=False)

    def alone(*arguments, program="fairpairs"):
        return run(installed[0] / "bin" / program, *arguments, cwd=tmp_path)

    return alone


def test_the_source_distribution_is_the_repository(built, tracked):
    with tarfile.open(built[0]) as files:
        names = {
            name.partition("/")[2] for name in files.getnames() if not files.getmember(name).isdir()
        }
    made = {name for name in names if name.startswith("src/fairpairs.egg-info/")}
    assert names - made - {"PKG-INFO", "setup.cfg"} == set(tracked)


def test_the_wheel_has_every_file_of_the_package(built, tracked):
    with ZipFile(built[1]) as wheel:
        names = wheel.namelist()
    packed = {name for name in names if ".dist-info/" not in name}
    modules = {name.removeprefix("src/") for name in tracked if name.startswith("src/")}
    parts = ("Snakefile", "workflow/", "profiles/", "config/", "templates/", "environment.yml")
    others = {f"fairpairs/_shipped/{name}" for name in tracked if name.startswith(parts)}
    assert packed == modules | others
    assert {"fairpairs/py.typed", "fairpairs/_shipped/templates/.gitignore"} <= packed
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_what_pypi_shows_has_no_link_into_the_repository():
    text = (ROOT / PROJECT["readme"]).read_text("utf-8")
    assert "](" not in text
    assert "<img" not in text


def test_the_package_is_that_of_the_wheel(installed, alone):
    code = (
        "import fairpairs, importlib.util as u\n"
        "print(fairpairs.__file__, fairpairs.__version__,\n"
        "      *map(u.find_spec, ('grimp', 'pooch', 'snakemake')))"
    )
    path, version, *others = alone("-c", code, program="python").split()
    assert Path(path).is_relative_to(installed[1])
    assert version == PROJECT["version"]
    assert others == ["None"] * 3
    assert alone("--version") == f"fairpairs {version}\n"


def test_commands_write_text_page_and_json(installed, tmp_path):
    said = run_commands(installed[0] / "bin/python", tmp_path, ENVIRONMENT)
    for words in ("DIFFERENCE FOUND", "reweighing"):
        assert words in said


def test_the_data_sets_come_with_the_package_and_snakemake_with_its_extra(
    installed, alone, tmp_path
):
    assert "Statlog (German Credit Data)" in alone("list")
    assert alone("datasets", "german").startswith(f"# {installed[1]}/fairpairs/_shipped/config/")
    alone("new", "study")
    process = subprocess.run(
        [installed[0] / "bin/fairpairs", "run"], cwd=tmp_path / "study", env=ENVIRONMENT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 2
    sentence = "fairpairs: snakemake is not installed: run pip install 'fairpairs[workflow]'.\n"
    assert process.stderr == sentence


def test_a_new_study_runs_offline_to_its_report(built, tmp_path):
    """As after `pip install 'fairpairs[workflow]'`, in a folder with a space; then it is moved."""
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["workflow"]]
    folder, _ = environment(built[1], tmp_path, needed)
    variables = {name: text for name, text in ENVIRONMENT.items() if name != "PYTHONWARNINGS"}

    def said(*arguments, cwd):
        process = subprocess.run(
            [folder / "bin/fairpairs", *arguments], cwd=cwd, env=variables,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert process.returncode == 0, process.stderr
        return process.stdout + process.stderr

    said("new", "my study", cwd=tmp_path)
    study = tmp_path / "my study"
    assert f"report: {study}/results/report.html" in said("run", cwd=study)
    assert "My treatment" in (study / "results/report.html").read_text("utf-8")
    (tmp_path / "deeper").mkdir()
    moved = shutil.move(study, tmp_path / "deeper")
    assert "Nothing to be done" in said("run", cwd=moved)


def test_the_functions_run(alone):
    code = (
        "import fairpairs as fp, pandas as pd\n"
        "rows = pd.read_csv('rows.csv')\n"
        "print(fp.audit(rows.y, rows.old, sensitive_features=rows.sex))\n"
        "for name in fp.__all__:\n"
        "    getattr(fp, name)"
    )
    assert "DIFFERENCE FOUND" in alone("-W", "error", "-c", code, program="python")
