"""fairpairs new: a folder of a study; fairpairs run: the command of Snakemake there."""

import importlib
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from fairpairs.base.errors import InputError
from fairpairs.base.shipped import LINK, from_here, shipped
from fairpairs.papers.commands.run import snakemake_command

pytestmark = pytest.mark.usefixtures("folder")

#: `fairpairs.papers.commands.run` is the command.
RUN = importlib.import_module("fairpairs.papers.commands.run")


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in Path(folder).rglob("*")
        if path.is_file() and not {".git", "__pycache__"} & set(path.parts)
    }


@pytest.mark.parametrize("name", ["my study", "deep/er", "br{a}ce", "."])
def test_a_study_is_what_the_templates_have(ran, root, name):
    Path(name, ".git").mkdir(parents=True)  # a repository may have been begun
    said = ran("new", name)
    assert contents(name) == contents(root / "templates")
    assert ("cd" in said) == (name != ".")
    card = f"{name}/config/datasets/loans.yaml"
    checked = ran("card", f"{name}/config/datasets/loans/loans.csv", "--check", card)
    assert checked.startswith("loans: 600 rows, 4 features\n")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("full", "full: this folder is not empty: name a new one."),
        ("full/file", "/full/file: there is a file of this name: name another folder."),
        ("full/file/study", "/full/file: there is a file of this name: name another folder."),
        ("a\nb", r"'a\nb': has line breaks, control or invisible characters: name another."),
        ("x" * 300, "File name too long"),
    ],
)
def test_where_no_study_can_be_there_is_one_sentence(refused, folder, name, words):
    Path("full").mkdir()
    Path("full/file").touch()
    assert words in refused("new", name)
    assert contents(folder) == {"full/file": b""}


def test_a_folder_that_cannot_be_written_to_is_named(refused, folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refused("new", "a/b") == (
        f"fairpairs: {folder}: you may not write to this folder: choose another.\n"
    )
    assert not Path("a").exists()
    Path("config").mkdir()
    Path("config/config.yaml").touch()
    assert refused("run") == (
        f"fairpairs: {folder}: you may not write to this folder: copy it elsewhere.\n"
    )


def test_without_a_study_there_is_one_sentence(refused, folder, ran, monkeypatch):
    assert refused("run", "-n") == (
        f"fairpairs: {folder}: there is no config/config.yaml: run the command in the folder of a "
        "study, which `fairpairs new my_study` makes.\n"
    )
    ran("new", "study")
    monkeypatch.chdir("study/config/datasets")
    words = "/study/config/datasets: there is no config/config.yaml: run the command in "
    assert f"{words}{folder}/study.\n" in refused("run")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--configfile", "a.yaml"], "a.yaml: there is no such file: correct --configfile."),
        (["--workflow-profile", "slurn"], "slurn: there is no such profile: name one of "
         "cluster-generic, default, slurm, or a folder with a config.yaml."),
    ],
)  # fmt: skip
def test_what_snakemake_would_not_explain_is_explained(refused, ran, arguments, words):
    ran("new", ".")
    assert words in refused("run", *arguments)


def test_without_snakemake_the_extra_is_named(refused, ran, monkeypatch):
    ran("new", ".")
    monkeypatch.setattr(RUN, "find_spec", lambda _: None)
    words = "snakemake is not installed: run pip install 'fairpairs[workflow]'."
    assert refused("run") == f"fairpairs: {words}\n"


def test_snakemake_gets_the_workflow_the_profile_and_all_arguments(ran, monkeypatch):
    ran("new", "study")
    started = []
    monkeypatch.setattr(signal, "pthread_sigmask", lambda *_: None)
    monkeypatch.setattr(os, "execve", lambda *command: started.append(command))
    ours, slurm = (str(shipped("profiles") / name) for name in ("default", "slurm"))
    own = ["--snakefile", "study/Snakefile"]
    given = ["-d", "study", "-n", "--config", "repeats=2"]
    ran("run", *given)
    ((program, command, _),) = started
    assert [program, "-c"] == command[:2] == [sys.executable, "-c"]
    assert command[3:] == [*own, *given, "--workflow-profile", ours]
    monkeypatch.chdir("study")
    assert snakemake_command(["--workflow-profile", "slurm"])[-2:] == ["--workflow-profile", slurm]
    assert snakemake_command(["--workflow-profile", "none"])[-1] == "none"
    assert snakemake_command(["-s", "mine.smk"])[3:5] == ["-s", "mine.smk"]
    Path("Snakefile").unlink()  # as of a folder with a config alone
    assert snakemake_command([])[3:5] == ["--snakefile", str(shipped("Snakefile"))]
    shutil.copytree(ours, "profiles/default")
    assert "--workflow-profile" not in snakemake_command([])
    with pytest.raises(InputError, match="no such file"):
        snakemake_command(["--configfile", "config/config.yaml", "none.yaml"])


def test_a_file_is_named_from_here_only_in_the_working_folder(folder, monkeypatch):
    assert from_here("config/../data.csv") == from_here(folder / "data.csv") == "data.csv"
    outside = str(folder / "data.csv")
    Path("study").mkdir()
    monkeypatch.chdir("study")
    assert from_here("../data.csv") == outside
    assert from_here(shipped("Snakefile")) == f"{LINK}/Snakefile"
