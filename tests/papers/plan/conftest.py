import shutil

import pytest

from fairpairs.papers.plan.read import read_plan

#: The least that a config must have.
LEAST = {"seed": 1, "alpha": 0.05, "repeats": 5, "chunk_size": 2, "experiments": {}}
EXPERIMENT = {
    "datasets": ["compas", "german"],
    "treatments": ["none", "fairbalance"],
    "model": "logistic_regression",
    "tests": ["separation", "xauc", "ranking"],
}


@pytest.fixture
def plan_of(folder, root):
    """Plan the run of a config that has these keys besides the least ones."""
    return lambda **keys: read_plan({**LEAST, **keys}, root)


@pytest.fixture
def experiments():
    """Two experiments, one of which has defaults only."""
    return {"risk": EXPERIMENT, "again": {**EXPERIMENT, "datasets": ["german"], "repeats": 3}}


@pytest.fixture
def write_study(folder):
    """Write a study of the user's own project; return the folder of extensions."""

    def write(name="loans", **files):
        path = folder / "mine/studies" / name
        path.mkdir(parents=True)
        for file, text in files.items():
            (path / (file if "." in file else f"{file}.py")).write_text(text, "utf-8")
        return str(folder / "mine")  # of this test alone, as imports are kept by their path

    yield write
    shutil.rmtree(folder / "mine", ignore_errors=True)
