"""docs/tutorials/your-own-study.md, run as it is written."""

import re
import shlex
import shutil
from textwrap import dedent

import pytest
import yaml
from typer.testing import CliRunner

from fairpairs.cli import app


@pytest.mark.slow
def test_the_tutorial_runs_as_it_is_written(root, mirror, new_project, monkeypatch):
    page = (root / "docs/tutorials/your-own-study.md").read_text("utf-8")
    drafted, folder, copied = re.findall("^       (fairpairs.*|mkdir.*|cp.*)$", page, re.MULTILINE)
    project = new_project("own")
    shutil.copytree(root / "config", project.folder / "config", dirs_exist_ok=True)  # a clone
    monkeypatch.chdir(project.folder)
    shutil.copy(mirror / "student/student-mat.csv", "student-mat.csv")
    result = CliRunner().invoke(app, shlex.split(drafted)[1:])
    assert result.exit_code == 0 and "pupils: 395 rows, 32 features" in result.stdout
    assert [folder, copied] == ["mkdir -p mirror/pupils", "cp student-mat.csv mirror/pupils/"]
    (project.folder / "mirror/pupils").mkdir(parents=True)
    shutil.copy("student-mat.csv", "mirror/pupils/")
    config = dedent(re.search("```yaml\n(.*?)```", page, re.DOTALL)[1])
    (project.folder / "mine.yaml").write_text(config, "utf-8")
    assert yaml.safe_load(config)["experiments"]["passing"]["datasets"] == ["pupils"]
    project.snakemake("--configfile", "mine.yaml").check()
    for file in re.findall(r"`((?:results/)[^`]*passing[^`]*)`", page):
        assert (project.folder / file).exists(), file
    report = project.text("results/report.html")
    assert report.index("FairBalance, Logistic regression") < report.index("Means of all measures")
    assert "The papers' conclusions" not in report
