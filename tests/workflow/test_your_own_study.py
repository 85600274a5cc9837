"""docs/tutorials/your-own-study.md, run as it is written; `fairpairs new` and `fairpairs run`."""

import re
import shlex
import shutil
from textwrap import dedent

import pytest
import yaml
from typer.testing import CliRunner

from fairpairs.base.files import write_text
from fairpairs.cli import app
from fairpairs.papers.commands.run import snakemake_command
from fairpairs.papers.run.launch import SNAKEMAKE
from tests.workflow import forks
from tests.workflow.runs import ROOT, Project, Run


def fairpairs(*arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def run(*arguments):
    """What `fairpairs run` does, whose Snakemake is a fork."""
    command = snakemake_command([*arguments])[len(SNAKEMAKE) :]
    assert command[:2] == ["--snakefile", "Snakefile"]
    return Run(*forks.run("snakemake", ROOT, command, Project.environment())).check()


@pytest.mark.slow
def test_the_tutorial_runs_as_it_is_written(root, mirror, tmp_path, monkeypatch):
    page = (root / "docs/tutorials/your-own-study.md").read_text("utf-8")
    commands = re.findall("^       ((?:pip|fairpairs|cd) .*)$", page, re.MULTILINE)
    install, new, enter, first, card = commands
    assert (install, enter, first) == (
        "pip install 'fairpairs[workflow]'", "cd my_study", "fairpairs run",
    )  # fmt: skip
    shutil.copy(mirror / "student/student-mat.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    fairpairs(*shlex.split(new)[1:])
    monkeypatch.chdir(tmp_path / "my_study")
    assert "pupils: 395 rows, 32 features" in fairpairs(*shlex.split(card)[1:])
    project = Project(tmp_path / "my_study")
    config = dedent(re.search("```yaml\n(.*?)```", page, re.DOTALL)[1])
    before = project.text("config/config.yaml").partition("experiments:")[0]
    write_text(project / "config/config.yaml", before + config)
    assert yaml.safe_load(config)["experiments"]["passing"]["datasets"] == ["pupils"]
    assert "loans" not in run("-n").stdout
    said = run().stderr
    assert "  table: results/treatments/passing.csv\n" in said
    assert said.index("- FairBalance, Logistic regression") < said.index("\nFairPairs\n")
    for file in re.findall(r"`((?:results/)[^`]*passing[^`]*)`", page):
        assert (project / file).exists(), file
    report = project.text("results/report.html")
    assert report.index("FairBalance, Logistic regression") < report.index("Means of all measures")
    assert "The papers' conclusions" not in report
    assert run().jobs == {}
    (tmp_path / "moved/far away").mkdir(parents=True)
    shutil.move(project.folder, tmp_path / "moved/far away")
    monkeypatch.chdir(tmp_path / "moved/far away/my_study")
    assert run().jobs == {}
