"""Runs of the real workflow in small project folders, on data that FairPairs makes itself."""

from __future__ import annotations

import copy as copying
import hashlib
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from fairpairs.datasets.synthetic import write_synthetic_dataset
from fairpairs.kernels import KERNELS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHIPPED = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
#: A run of one treatment and one chunk, without simulations: what is enough for most tests.
SMALL = {
    "seed": 7,
    "alpha": 0.05,
    "repeats": 4,
    "chunk_size": 4,
    "mirrors": ["mirror"],
    "experiments": {
        "loans": {
            "title": "Synthetic loans",
            "datasets": ["loans"],
            "treatments": ["none"],
            "model": "logistic_regression",
            "tests": ["separation", "comparative_separation"],
        }
    },
}
#: Three chunks, a treatment and the simulations: what `done` has.
FULL = {
    **SMALL,
    "repeats": 12,
    "experiments": {"loans": {**SMALL["experiments"]["loans"], "treatments": ["fairbalance"]}},
    "simulation": {**SHIPPED["simulation"], "repeats": 200},
}
#: A ranking by boosting in two chunks, with its tests and curves.
RANKING = {
    **SMALL,
    "repeats": 3,
    "chunk_size": 2,
    "experiments": {
        "loans": {
            **SMALL["experiments"]["loans"],
            "model": "rankboost",
            "rounds": 10,
            "tests": ["xauc", "ranking", "xauc_adjustment"],
            "test_fraction": 0.3,
            "curves": True,
        }
    },
}
#: A study of two designs, one of which needs the classifiers of the simulation.
CALIBRATION = {
    "size": "tiny",
    "sizes": {
        "tiny": {"repeats": 50, "permutation_repeats": 3, "permutations": 19, "level_repeats": 2},
        "more": {"repeats": 100, "permutation_repeats": 3, "permutations": 19, "level_repeats": 2},
    },
    "levels": ["separation_test", "biased_bridge"],
    "designs": {
        "f0": {
            "title": "f0 of Table I",
            "kind": "classifier",
            "classifier": "f0",
            "items": [100, 200],
            "pairs_per_item": [1, 4],
        },
        "points": {
            "kind": "regression",
            "noise": [1, 1],
            "score_shift": 0.4,
            "items": [60],
            "pairs_per_item": [2],
            "permuted_items": [60],
        },
    },
}
#: A study of bridges with the name of the experiment, other repeats and other chunks.
DECISIONS = {
    **SMALL,
    "experiments": {
        "loans": {
            **SMALL["experiments"]["loans"],
            "tests": ["separation", "differential_parity", "differential_parity_effect_size"],
        }
    },
    "bridges": {
        "loans": {
            "title": "Made judges",
            "dataset": "loans",
            "decisions": ["P1", "P2", "P3", "Average"],
            "model": "ridge",
            "test_fraction": 0.2,
            "held_out": 0.25,
            "repeats": 5,
            "cross_fitted": 2,
            "chunk_size": 3,
        }
    },
    "raters": ["loans"],
}

#: People who decide on portraits, compared as they are, by vectors, and on the pictures.
STUDY = {
    "dataset": "portraits",
    "decisions": ["P1", "P2"],
    "test_fraction": 0.3,
    "held_out": 0.25,
    "repeats": 2,
}
PORTRAITS = {
    **SMALL,
    "repeats": 2,
    "experiments": {
        "beauty": {
            "datasets": ["portraits"],
            "treatments": ["none"],
            "model": "ridge",
            "encoder": "points",
            "tests": ["differential_parity", "differential_parity_effect_size"],
        }
    },
    "bridges": {
        "by_points": {**STUDY, "encoder": "points", "model": "ridge", "cross_fitted": 1},
        "on_pictures": {**STUDY, "encoder": "network", "model": "fine_tuned"},
    },
    "raters": ["portraits"],
}


#: Synthetic data sets in two chunks, and a few regressors of incomes.
RATIOS = {
    **SMALL,
    "density_ratio": {
        "repeats": 3,
        "items": 60,
        "means": [0.0, 1.0, 1.5, 1.9, 3.0, 3.5, 3.9],
        "caps": [0.9, 0.99],
        "chunk_size": 2,
        "matching_repeats": 1,
        "permutations": 19,
        "known_separation": {
            "repeats": 3,
            "designs": [{"gap": 0, "noise": 1}, {"gap": 1, "noise": 1.1}],
        },
        "datasets": ["loans"],
        "regressors": ["linear", "ridge", "nearest_neighbors", "decision_tree"],
        "test_fraction": 0.25,
    },
}

#: Fixtures that rest on a whole run.
WHOLE_RUNS = {
    "done",
    "papers",
    "finished",
    "calibrated",
    "ranked",
    "decided",
    "portrayed",
    "measured",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what rests on a whole run as slow, for such a run takes more than ten seconds."""
    for item in items:
        if item.path.is_relative_to(HERE) and WHOLE_RUNS & set(item.fixturenames):
            item.add_marker("slow")
            # one process has all tests of a run
            (run, *_) = sorted(WHOLE_RUNS & set(item.fixturenames))
            item.add_marker(pytest.mark.xdist_group(run))


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


@dataclass(frozen=True)
class Project:
    """A folder in which the workflow of `checkout` runs."""

    folder: Path
    checkout: Path = ROOT

    def __truediv__(self, path: str) -> Path:
        return self.folder / path

    def command(self, *arguments: str, cores: int = 2, program: str = "snakemake") -> list[str]:
        run = ["-m", "snakemake"]
        if program == "reproduce":
            run = [str(self.checkout / "workflow/reproduce.py")]
        else:
            run += ["--quiet", "host"]  # jobs are shown, which the profile hides
        snakefile = str(self.checkout / "Snakefile")
        where = ["--snakefile", snakefile, "--directory", str(self.folder)]
        return [sys.executable, *run, *where, "--cores", str(cores), *arguments]

    @staticmethod
    def environment(**more: str) -> dict[str, str]:
        """The environment without what would change the run."""
        ours = ("FAIRPAIRS_MIRROR", "SNAKEMAKE_PROFILE", "SNAKEMAKE_OUTPUT_CACHE")
        # the workflow fixes its kernels by itself
        kept = {k: v for k, v in os.environ.items() if k not in ours and KERNELS.get(k) != v}
        return {**kept, **more}

    def snakemake(self, *arguments: str, cores: int = 2, **environment: str) -> Run:
        return self._run(self.command(*arguments, cores=cores), environment)

    def reproduce(self, *arguments: str, cores: int = 2, **environment: str) -> Run:
        return self._run(self.command(*arguments, cores=cores, program="reproduce"), environment)

    def _run(self, command: list[str], environment: dict[str, str]) -> Run:
        process = subprocess.run(
            command,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(process.returncode, process.stdout, process.stderr)

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
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for pattern in patterns
            for path in sorted(self.folder.glob(pattern))
            if not path.name.endswith(".provenance.json")
        }

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

    def copy_card(self, name: str) -> None:
        """Give the loans a second name, as if they were another data set."""
        card = yaml.safe_load(self.text("config/datasets/loans.yaml"))
        card["files"][0]["mirror"] = "loans/loans.csv"
        (self / f"config/datasets/{name}.yaml").write_text(yaml.safe_dump(card, sort_keys=False))

    def _change(self, path: str, change: Callable[[dict[str, Any]], object]) -> None:
        content = yaml.safe_load(self.text(path))
        change(content)
        (self / path).write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")


def seal(path: Path) -> dict[str, Any]:
    """The size and the sha256 of a file, as a card has them."""
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def write_portraits(folder: Path, *, n: int = 48, side: int = 32) -> Project:
    """Write a project of small pictures of noise, their landmarks, two people and their mean.

    The network has the form of VGG-16 and random weights, so nothing is fetched from anywhere.
    """
    Image = pytest.importorskip("PIL.Image", reason="the extra `faces` is not installed")
    torch = pytest.importorskip("torch", reason="the extra `faces` is not installed")
    from fairpairs.models.vgg16 import VGG16

    rng = np.random.default_rng(0)
    # the letter that tells the group, in no order
    names = [f"{letter}{i}.jpg" for i, letter in enumerate(rng.permutation(list("FM") * (n // 2)))]
    bright = rng.integers(60, 256, n)
    mirror = folder / "mirror/portraits"
    mirror.mkdir(parents=True)
    with (
        zipfile.ZipFile(mirror / "pictures.zip", "w") as pictures,
        zipfile.ZipFile(mirror / "points.zip", "w") as points,
    ):
        for name, brightest in zip(names, bright, strict=True):
            buffer = io.BytesIO()
            pixels = rng.integers(0, brightest, (side, side, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(buffer, "JPEG")
            pictures.writestr(f"in/{name}", buffer.getvalue())
            shape = rng.normal(brightest, brightest, (86, 2)).astype("<f4")
            points.writestr(f"{Path(name).stem}.pts", struct.pack("<i", 86) + shape.tobytes())
    decisions = np.clip((bright / 50 + rng.normal(0, 0.5, (2, n))).round(), 1, 5)
    table = pd.DataFrame(dict(zip(("name", "P1", "P2"), (names, *decisions), strict=True)))
    table["mean"] = decisions.mean(axis=0)
    table.to_csv(mirror / "ratings.csv", index=False)
    torch.manual_seed(0)
    torch.save(VGG16(width=2, units=8, side=side // 32).state_dict(), mirror / "network.pth")
    card = {
        "title": "Made portraits",
        "citation": "Generated by FairPairs; not real.",
        "licence": "None needed: they show nobody.",
        "notice": "These show nobody.",
        "files": [
            {"name": name, **seal(mirror / name), "urls": []}
            for name in ("ratings.csv", "pictures.zip", "points.zip")
        ],
        "features": {"name": "image"},
        "archives": {
            "images": {"file": "pictures.zip", "entry": "in/{name}"},
            "landmarks": {"file": "points.zip", "entry": "{stem}.pts"},
        },
        "label": {"column": "mean", "numeric": True},
        "sensitive": {
            "sex": {
                "column": "name",
                "character": 1,
                "one": ["M"],
                "zero": ["F"],
                "names": {"one": "Male", "zero": "Female"},
            }
        },
        "decisions": {"columns": ["P1", "P2", "mean"], "consensus": ["mean"], "from": 1, "to": 5},
    }
    weights = {"name": "network.pth", **seal(mirror / "network.pth"), "urls": []}
    encoders = {
        "points": {"kind": "landmarks"},
        "network": {
            "kind": "vgg16",
            "files": [{**weights, "mirror": "portraits/network.pth"}],
        },
    }
    (folder / "config/datasets").mkdir(parents=True)
    for path, content in (
        ("config.yaml", {**PORTRAITS, "encoders": encoders}),
        ("datasets/portraits.yaml", card),
    ):
        text = yaml.safe_dump(content, sort_keys=False)
        (folder / "config" / path).write_text(text, "utf-8")
    return Project(folder)


def write_project(folder: Path, config: dict[str, Any], checkout: Path = ROOT) -> Project:
    write_synthetic_dataset(folder)
    (folder / "config/config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
    return Project(folder, checkout)


def write_decisions(project: Project) -> Project:
    """Let three people rate the loans from 1 to 5: P2 favours men, P4 has not seen all."""
    path = project / "mirror/loans/loans.csv"
    table = pd.read_csv(path)
    rng = np.random.default_rng(4)
    said = {}
    for name, favour in (("P1", 0), ("P2", 1), ("P3", 0)):
        noise = rng.integers(-1, 2, len(table))
        rated = table["income"] // 15 + favour * (table["sex"] == "male") + noise
        said[name] = rated.clip(1, 5)
    table = table.assign(**said, Average=sum(said.values()) / 3)
    table["P4"] = said["P1"].where(table.index % 3 > 0).astype("Int64")
    project.change_raw(lambda _: table.to_csv(index=False, lineterminator="\n"))
    rule = {"columns": [*said, "P4", "Average"], "consensus": ["Average"], "from": 1, "to": 5}
    project.change_card(lambda card: card.update(decisions=rule))
    return project


def write_incomes(project: Project) -> Project:
    """Make incomes the label of the loans; nobody asks whether they were repaid."""

    def change(card: dict[str, Any]) -> None:
        card["features"] = {"debt": "numeric", "purpose": "categorical", "sex": "sensitive"}
        card["label"] = {"column": "income", "numeric": True}

    project.change_card(change)
    config = yaml.safe_load(project.text("config/config.yaml"))
    config["experiments"]["loans"].update(model="ridge", tests=["accuracy"])
    (project / "config/config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    return project


# Where a project lies is part of the paths of its inputs, so all lie equally deep below /tmp: then
# a copy of a finished one has nothing to do.


@pytest.fixture
def small(tmp_path: Path) -> Project:
    """A project of one treatment, one chunk, two tests and no simulation; nothing has run."""
    return write_project(tmp_path / "project", SMALL)


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """The project of `done` before its run."""
    return write_project(tmp_path / "project", FULL)


@pytest.fixture(scope="session")
def done(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project after a full run, from fetch to report, on two cores; not to be changed."""
    project = write_project(tmp_path_factory.mktemp("done") / "project", FULL)
    run = project.snakemake().check()
    (project / "terminal.txt").write_text(run.stderr, "utf-8")
    return project


@pytest.fixture
def copy(done: Project, tmp_path: Path) -> Project:
    """A copy of the finished project, to be changed."""
    shutil.copytree(done.folder, tmp_path / "project")
    return Project(tmp_path / "project")


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """A function that makes a project for several tests: `new_project("name", **config)`."""

    def make(name: str, checkout: Path = ROOT, **config: Any) -> Project:
        return write_project(
            tmp_path_factory.mktemp(name) / "project", {**SMALL, **config}, checkout
        )

    return make


@pytest.fixture(scope="session")
def papers(new_project: Callable[..., Project]) -> Project:
    """A run with the names of Tables IV and V, though not their data; six repeats by --config."""
    experiment = {**SMALL["experiments"]["loans"], "datasets": ["compas"], "test_fraction": 0.25}
    project = new_project("papers", experiments={"classification": experiment})
    project.copy_card("compas")
    run = project.snakemake("--config", "repeats=6").check()
    (project / "terminal.txt").write_text(run.stderr, "utf-8")
    return project


@pytest.fixture(scope="session")
def finished(new_project: Callable[..., Project]) -> Project:
    """The project of `small` after a run; not to be changed."""
    project = new_project("finished")
    project.snakemake().check()
    return project


@pytest.fixture(scope="session")
def study_config() -> dict[str, Any]:
    """What a config has more for a small calibration study."""
    return copying.deepcopy({"calibration": CALIBRATION, "simulation": FULL["simulation"]})


@pytest.fixture(scope="session")
def calibrated(new_project: Callable[..., Project], study_config: dict[str, Any]) -> Project:
    """A project after a run of the target `calibration` on two cores; not to be changed."""
    project = new_project("calibrated", **study_config)
    run = project.snakemake("calibration").check()
    (project / "terminal.txt").write_text(run.stderr, "utf-8")
    return project


@pytest.fixture
def uncalibrated(tmp_path: Path, study_config: dict[str, Any]) -> Project:
    """The project of `calibrated` before its run."""
    return write_project(tmp_path / "project", {**SMALL, **study_config})


@pytest.fixture(scope="session")
def ranked(new_project: Callable[..., Project]) -> Project:
    """A project with a ranking after a full run; not to be changed."""
    project = new_project("ranked", **RANKING)
    project.snakemake().check()
    return project


@pytest.fixture(scope="session")
def measured(new_project: Callable[..., Project]) -> Project:
    """A project with measures by density ratios after a run of them; not to be changed."""
    project = write_incomes(new_project("measured", **RATIOS))
    project.snakemake("density_ratios", "results/report.html").check()
    return project


@pytest.fixture
def unmeasured(tmp_path: Path) -> Project:
    """The project of `measured` before its run."""
    return write_incomes(write_project(tmp_path / "project", RATIOS))


@pytest.fixture
def unranked(tmp_path: Path) -> Project:
    """The project of `ranked` before its run."""
    return write_project(tmp_path / "project", RANKING)


@pytest.fixture(scope="session")
def decided(new_project: Callable[..., Project]) -> Project:
    """A project with decisions of several people after a full run; not to be changed."""
    project = write_decisions(new_project("decided", **DECISIONS))
    run = project.snakemake().check()
    (project / "terminal.txt").write_text(run.stderr, "utf-8")
    return project


@pytest.fixture
def undecided(tmp_path: Path) -> Project:
    """The project of `decided` before its run."""
    return write_decisions(write_project(tmp_path / "project", DECISIONS))


@pytest.fixture(scope="session")
def unportrayed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of portraits in which nothing has run; not to be changed."""
    return write_portraits(tmp_path_factory.mktemp("unportrayed") / "project")


@pytest.fixture(scope="session")
def portrayed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of portraits after a run of its two studies of bridges; not to be changed."""
    project = write_portraits(tmp_path_factory.mktemp("portrayed") / "project")
    run = project.snakemake(
        *(f"results/bridges/{study}/0000000-0000001.parquet" for study in PORTRAITS["bridges"])
    ).check()
    (project / "terminal.txt").write_text(run.stderr, "utf-8")
    (project / "standard_output.txt").write_text(run.stdout, "utf-8")
    return project


@pytest.fixture(scope="session")
def full_config() -> dict[str, Any]:
    return FULL


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT
