"""A folder in which the real workflow runs, and what a run of it leaves behind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.base.kernels import KERNELS
from fairpairs.base.schemas import read_yaml
from fairpairs.papers.plan.read import read_plan
from tests.workflow import forks
from tests.workflow.synthetic_data import seal

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Run:
    """What a process left behind."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def sentences(self) -> list[str]:
        """What the run said of bad input: by a script, or before anything ran."""
        lines = (self.stderr + self.stdout).splitlines()  # a dry run says it on standard output
        said = [line for line in lines if line.startswith("fairpairs: ")]
        before = [
            lines[i + 1]
            for i, line in enumerate(lines[:-1])
            if line.startswith("WorkflowError in file")
        ]
        return said + before

    @property
    def jobs(self) -> dict[str, int]:
        """How many jobs of each rule the run had or, when dry, would have had."""
        output = self.stdout + self.stderr
        table = re.search(r"^Job stats:\njob +count\n[- ]+\n(.*?)^total ", output, re.M | re.S)
        if table is None:
            assert "Nothing to be done" in output, output
            return {}
        words = table[1].split()
        return dict(zip(words[::2], map(int, words[1::2]), strict=True))

    def check(self) -> Run:
        assert self.returncode == 0, self.stderr
        return self


def copied_checkout(folder: Path) -> Path:
    """Copy what runs into a new folder, to be changed there."""
    folder.mkdir()
    for file in ("environment.yml", "Snakefile"):
        shutil.copy(ROOT / file, folder)
    for tree in ("workflow", "profiles", "src", "config/published"):
        unneeded = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / tree, folder / tree, ignore=unneeded)
    return folder


@dataclass(frozen=True)
class Project:
    """A folder in which the workflow of `checkout` runs."""

    folder: Path
    checkout: Path = ROOT

    def __truediv__(self, path: str) -> Path:
        return self.folder / path

    def arguments(self, *arguments: str, cores: int = 2) -> list[str]:
        snakefile = str(self.checkout / "Snakefile")
        where = ["--snakefile", snakefile, "--directory", str(self.folder)]
        return [*where, "--cores", str(cores), *arguments]

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        """The command of a run in a process of its own, to be stopped or killed."""
        # jobs are shown, which the profile hides
        run = ["-m", "snakemake", "--quiet", "host"]
        return [sys.executable, *run, *self.arguments(*arguments, cores=cores)]

    @staticmethod
    def environment(**more: str) -> dict[str, str]:
        """The environment without what would change the run."""
        ours = ("FAIRPAIRS_MIRROR", "SNAKEMAKE_PROFILE", "SNAKEMAKE_OUTPUT_CACHE")
        # the workflow fixes its kernels by itself
        kept = {k: v for k, v in os.environ.items() if k not in ours and KERNELS.get(k) != v}
        return {**kept, **more}

    def snakemake(self, *arguments: str, cores: int = 2, **environment: str) -> Run:
        own = ["--quiet", "host", *self.arguments(*arguments, cores=cores)]
        return Run(*forks.run("snakemake", self.checkout, own, self.environment(**environment)))

    def started(self, *arguments: str, cores: int = 2, what: str = "snakemake") -> Any:
        """Start a run: a context with its `pid` and that of its group, which ends by `wait()`.

        What it says is in started.txt.
        """
        own = self.arguments(*arguments, cores=cores)
        own = ["--quiet", "host", *own] if what == "snakemake" else own
        said = self / "started.txt"
        return forks.start(what, self.checkout, own, self.environment(), said)

    def reproduce(
        self, *arguments: str, cores: int = 2, fresh: bool = False, **environment: str
    ) -> Run:
        """Run what `make reproduce` runs; with `fresh`, in interpreters as a user has them."""
        command = self.arguments(*arguments, cores=cores)
        environment = self.environment(**environment)
        if not fresh:
            return Run(*forks.run("reproduce", self.checkout, command, environment))
        process = subprocess.run(
            [sys.executable, self.checkout / "workflow/reproduce.py", *command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(process.returncode, process.stdout, process.stderr)

    def refusal(self) -> str:
        """What a plan says of bad input; that a run says just this: `test_bad_input.py`."""
        with chdir(self.folder), pytest.raises(InputError) as error:
            read_plan(read_yaml("config/config.yaml"), self.checkout)
        sentence = str(error.value)
        assert "\n" not in sentence
        return sentence

    def files(self, *folders: str) -> list[str]:
        """All files below folders, or below data/ and results/."""
        return sorted(
            path.relative_to(self.folder).as_posix()
            for folder in folders or ("data", "results")
            for path in (self / folder).rglob("*")
            if path.is_file()
        )

    def bytes(self, *patterns: str) -> dict[str, bytes]:
        """The content of files, by path, but for sidecars: these say when they were made."""
        found = {}
        for pattern in patterns:
            paths = sorted(path for path in self.folder.glob(pattern) if path.is_file())
            assert paths, f"no file is called {pattern}"
            for path in paths:
                if not path.name.endswith(".provenance.json"):
                    found[path.relative_to(self.folder).as_posix()] = path.read_bytes()
        return found

    def frame(self, path: str) -> pd.DataFrame:
        read = pd.read_csv if path.endswith(".csv") else pd.read_parquet
        return read(self / path)

    def text(self, path: str) -> str:
        return (self / path).read_text("utf-8")

    def configure(self, change: Callable[[dict[str, Any]], object]) -> None:
        self._change("config/config.yaml", change)

    def change_card(
        self,
        change: Callable[[dict[str, Any]], object],
        name: str = "loans",
        folder: str = "config/datasets",
    ) -> None:
        self._change(f"{folder}/{name}.yaml", change)

    def change_raw(self, change: Callable[[str], str]) -> None:
        """Change the raw file, and its size and sha256 on the card."""
        path = self / "mirror/loans/loans.csv"
        path.write_text(change(path.read_text("utf-8")), "utf-8")
        self.sign("loans", path)

    def sign(self, dataset: str, path: Path, folder: str = "config/datasets") -> None:
        """Put the size and the sha256 of a file on a card."""

        def change(card: dict[str, Any]) -> None:
            entry = next((e for e in card["files"] if e["name"] == path.name), card["files"][0])
            entry.update(seal(path))

        self.change_card(change, dataset, folder)

    def copy_card(self, name: str, region: str = "region") -> None:
        """Give the loans, and the attribute `region`, a second name, as if they were other data."""
        card = yaml.safe_load(self.text("config/datasets/loans.yaml"))
        card["files"][0]["mirror"] = "loans/loans.csv"
        for part in ("features", "sensitive"):
            card[part][region] = card[part].pop("region")
        write_yaml(self / f"config/datasets/{name}.yaml", card)

    def _change(self, path: str, change: Callable[[dict[str, Any]], object]) -> None:
        content = yaml.safe_load(self.text(path))
        change(content)
        write_yaml(self / path, content)


def write_yaml(path: Path, content: dict[str, Any]) -> None:
    write_text(path, yaml.safe_dump(content, sort_keys=False))
