"""The sidecars of tables: who made them, of what, by which code."""

import hashlib
import os
import subprocess
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from fairpairs.base.files import write_json, write_text
from fairpairs.base.sealed import read_json
from fairpairs.papers.run.provenance import (
    git_commit,
    stamps,
    versions,
    write_provenance,
)


class Inputs(list):
    """Named inputs, as a script of Snakemake has them."""

    def __init__(self, **names):
        super().__init__(path for paths in names.values() for path in paths)
        self.get = names.get


def git(folder, *arguments):
    identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"]
    # as a hook would, the environment may name another repository
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    command = ["git", *identity, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A checkout with one file in a folder."""
    folder = tmp_path / "checkout"
    write_text(folder / "src/code.py", "1\n")
    write_text(folder / ".gitignore", "results\n")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_the_commit_of_a_checkout(repository):
    head = git(repository, "rev-parse", "HEAD")
    assert len(head) == 40
    assert git_commit(repository / "src") == head
    write_text(repository / "results/table.csv", "ignored\n")
    assert git_commit(repository / "src") == head


@pytest.mark.parametrize("changed", ["src/code.py", "src/new.py", "elsewhere.txt"])
def test_a_changed_checkout_is_dirty(repository, changed):
    write_text(repository / changed, "2\n")
    assert git_commit(repository / "src") == git(repository, "rev-parse", "HEAD") + "-dirty"


def test_outside_of_a_checkout_the_commit_is_unknown(tmp_path, repository, monkeypatch):
    assert git_commit(tmp_path) == "unknown"
    # installed inside of a checkout that knows nothing of it
    write_text(repository / "results/site-packages/code.py", "1\n")
    assert git_commit(repository / "results/site-packages") == "unknown"
    monkeypatch.setenv("PATH", "")
    assert git_commit(repository / "src") == "unknown"


def test_a_hook_of_another_repository_does_not_matter(repository, monkeypatch):
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert git_commit(repository / "src") == git(repository, "rev-parse", "HEAD")


def test_the_versions_are_those_installed():
    found = versions()
    assert found["numpy"] == version("numpy")
    assert found["scikit-learn"] == version("scikit-learn")
    assert "blas" in found["blas"] or "mkl" in found["blas"] or "Accelerate" in found["blas"]


@pytest.fixture
def job(folder):
    """A finished job that has made two tables of a data set."""
    about = {"dataset": "loans", "raw_sha256": {"loans.csv": "1" * 64}}
    write_json("data/prepared/loans.json", about)
    for name in ("a", "b"):
        write_text(f"results/tables/{name}.csv", f"{name}\n1\n")
    return SimpleNamespace(
        rule="table",
        config={"seed": 7, "repeats": 12},
        input=Inputs(
            source=["results/x.parquet"],
            roles=["data/prepared/loans.json"],
            package=["../src/fairpairs/base/files.py"],
        ),
        output=SimpleNamespace(
            provenance=[f"results/tables/{name}.provenance.json" for name in ("a", "b")]
        ),
    )


def test_each_table_has_a_sidecar(job):
    write_provenance(job)
    for name, sidecar in zip(("a", "b"), map(read_json, job.output.provenance), strict=True):
        assert sidecar["table"] == f"results/tables/{name}.csv"
        assert sidecar["sha256"] == hashlib.sha256(f"{name}\n1\n".encode()).hexdigest()
        assert sidecar["rule"] == "table"
        assert sidecar["seed"] == 7
        assert sidecar["config"] == {"seed": 7, "repeats": 12}
        assert sidecar["data"] == {"loans": {"loans.csv": "1" * 64}}
        assert sidecar["inputs"] == ["results/x.parquet", "data/prepared/loans.json"]
        assert sidecar["versions"] == versions()
        assert sidecar["made"].endswith("+00:00")
        assert sidecar["git_commit"] == "unknown" or len(sidecar["git_commit"]) in (40, 46)


def test_the_roles_of_one_data_set_are_no_list(job):
    job.input.get = {"roles": "data/prepared/loans.json"}.get
    write_provenance(job)
    assert set(read_json(job.output.provenance[0])["data"]) == {"loans"}


def test_the_kernels_that_a_user_chose_are_named(job, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    write_provenance(job)
    for sidecar in map(read_json, job.output.provenance):
        assert sidecar["kernels"]["OPENBLAS_CORETYPE"] == "Zen"


def test_a_table_without_data_says_so(job):
    job.input = Inputs(source=["results/comparative_separation/simulation.parquet"])
    write_provenance(job)
    assert [sidecar["data"] for sidecar in map(read_json, job.output.provenance)] == [{}, {}]


def test_what_made_the_tables_is_said_once():
    common = {"versions": {"numpy": "2.4"}, "platform": "Linux", "kernels": {"MKL_CBWR": "AVX2"}}
    sidecars = [
        {"table": name, "git_commit": commit, **common}
        for name, commit in (("a", "1"), ("b", "2"), ("c", "1"))
    ]
    assert stamps(sidecars) == [
        {"git_commit": "1", **common, "tables": 2},
        {"git_commit": "2", **common, "tables": 1},
    ]
    assert stamps([]) == []
