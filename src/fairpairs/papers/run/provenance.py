"""The origin of each table, in a sidecar beside it: the rule, the data, the code, the versions."""

import datetime as dt
import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from fairpairs.base.files import file_sha256, json_text, write_json
from fairpairs.base.kernels import kernels
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.sealed import SIDECAR
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.experiments.parts import named_versions

#: Packages that can change numbers.
PACKAGES = (
    *("fairpairs", "numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "statsmodels"),
    *("matplotlib", "threadpoolctl", "torch", "sentence-transformers", "ai-edge-litert"),
    "snakemake",
)
#: What `git_commit` says outside of a git checkout.
UNKNOWN = "unknown"


def write_provenance(job: Any) -> None:
    """Write the sidecars of the tables that a job of the workflow has made.

    Its output `provenance` names the sidecars, one beside each CSV table; its input `roles`, if it
    has one, the descriptions of the prepared data sets that the tables rest on.
    """
    roles = job.input.get("roles", [])
    roles = [roles] if isinstance(roles, str) else roles
    origin = {
        "rule": job.rule,
        "made": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "seed": job.config["seed"],
        "git_commit": git_commit(Path(__file__).parent),
        "versions": versions() | named_versions(job.config),
        "platform": platform.platform(),
        "kernels": kernels(os.environ),
        "data": {known["dataset"]: known["raw_sha256"] for known in map(read_roles, roles)},
        "inputs": [path for path in job.input if Path(path).suffix != ".py"],
        "config": job.config,
    }
    for sidecar in job.output.provenance:
        table = sidecar.removesuffix(SIDECAR) + ".csv"
        digest = file_sha256(table)
        write_json(sidecar, {"table": table, "sha256": digest, **origin})


def git_commit(folder: Path) -> str:
    """Return the commit of the checkout that a folder is part of, or `unknown`.

    It ends in `-dirty` if any file of the checkout that git does not ignore is not as in the
    commit.
    """
    if not _git(folder, "ls-files", "."):  # so also for a package installed inside of a checkout
        return UNKNOWN
    commit = _git(folder, "rev-parse", "HEAD")
    changed = _git(folder, "status", "--porcelain")
    if commit is None or changed is None:
        return UNKNOWN
    return commit + "-dirty" * bool(changed)


def versions() -> dict[str, str]:
    """Return the versions of Python, of PACKAGES and of the library of linear algebra."""
    # numpy and scipy bring one each, loaded in any order
    algebra = {
        " ".join(str(library.get(key)) for key in ("internal_api", "version", "architecture"))
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return {
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
        "blas": ", ".join(sorted(algebra)) or "none loaded",
    }


def stamps(sidecars: Sequence[Content]) -> list[Record]:
    """Return each distinct origin of tables, as commit, versions and machine, and their number."""
    keys = ("git_commit", "versions", "platform", "kernels")
    counted: dict[str, Record] = {}
    for sidecar in sidecars:
        stamp = {key: sidecar[key] for key in keys}
        counted.setdefault(json_text(stamp), {**stamp, "tables": 0})["tables"] += 1
    return [*counted.values()]


def _git(folder: Path, *arguments: str) -> str | None:
    """Return the output of git, or None if it fails."""
    # in a hook git would look at the repository of the hook
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        process = subprocess.run(
            ["git", "--no-optional-locks", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:  # there is no git
        return None
    return process.stdout.strip() if process.returncode == 0 else None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
