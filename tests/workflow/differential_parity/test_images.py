"""Images and people's decisions on them, from fetch to the studies of bridges."""

import shutil
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from fairpairs.papers.datasets.archive import read
from fairpairs.papers.models.faces import ENCODERS

CHUNK = "0000000-0000001.parquet"
STUDIES = ("by_points", "on_pictures")


@pytest.fixture
def project(unportrayed, tmp_path):
    """The project before any run, to be changed."""
    shutil.copytree(unportrayed.folder, tmp_path / "project", symlinks=True)
    return replace(unportrayed, folder=tmp_path / "project")


def test_raw_files_and_weights_are_fetched_from_the_mirror(portrayed):
    raw = portrayed.files("data/raw")
    assert raw == [
        "data/raw/network/network.pth",
        *(f"data/raw/portraits/{name}" for name in ("pictures.zip", "points.zip", "ratings.csv")),
    ]
    for path in raw:
        assert (portrayed / path).read_bytes() == (
            portrayed / "mirror/portraits" / path.rpartition("/")[2]
        ).read_bytes()


def test_the_terms_are_on_the_terminal_once_for_each_file_of_the_data_set(portrayed):
    lines = portrayed.text("terminal.txt").splitlines()
    assert lines.count("fairpairs: portraits: These show nobody.") == 3
    assert not [line for line in lines if line.startswith("fairpairs: network")]


def test_the_vectors_are_those_of_the_encoder(portrayed):
    path = "data/embedded/portraits.points.parquet"
    names = portrayed.frame("data/prepared/portraits.parquet")["name"]
    files = read(portrayed / "mirror/portraits/points.zip", "{stem}.pts", list(names))
    frame = portrayed.frame(path)
    assert_array_equal(frame.pop("item"), np.arange(len(names)))
    assert_array_equal(frame, ENCODERS["landmarks"](files, None))
    metadata = pq.read_schema(portrayed / path).metadata
    assert (metadata[b"encoder"], metadata[b"kind"]) == (b"points", b"landmarks")


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_compares_both_people_in_each_repeat(portrayed, study):
    frame = portrayed.frame(f"results/differential_parity/bridges/{study}/{CHUNK}")
    rows = ["Label Train", "Label Test", "Model Train", "Model Test", "Biased Bridge"]
    rows += ["Biased Bridge, E0 from the fitting data"]
    most = frame[frame["row"] != "Biased Bridge, cross-fitted"]
    counts = most.groupby(["repeat", "attribute", "decisions", "reference", "row"]).size()
    assert (counts == 1).all()
    assert len(counts) == 2 * 1 * 2 * 2 * len(rows)
    assert set(most["row"]) == set(rows)
    # only one study cross-fits, and in its first repeat only
    crossed = frame[frame["row"] == "Biased Bridge, cross-fitted"]
    assert set(crossed["repeat"]) == ({0} if study == "by_points" else set())
    label = frame[frame["row"].str.startswith("Label")]
    self = label["decisions"] == label["reference"]
    assert (label.loc[self, "estimate"] == 0).all()
    model = frame[frame["row"] == "Model Test"]
    assert np.isfinite(model["estimate"]).all()


def test_studies_of_the_same_people_have_the_same_splits(portrayed):
    own = [
        portrayed.frame(f"results/differential_parity/bridges/{study}/{CHUNK}") for study in STUDIES
    ]
    labels = [frame[frame["row"].str.startswith("Label")].reset_index(drop=True) for frame in own]
    pd.testing.assert_frame_equal(*labels)
    models = [frame[frame["row"] == "Model Test"]["estimate"].to_numpy() for frame in own]
    assert np.abs(models[0] - models[1]).max() > 1e-3


def change_archive(project, name, change):
    """Rewrite an archive of the mirror without what becomes None, and sign it on the card."""
    path = project / f"mirror/portraits/{name}"
    with zipfile.ZipFile(path) as packed:
        content = {entry: packed.read(entry) for entry in packed.namelist()}
    with zipfile.ZipFile(path, "w") as packed:
        for entry, body in content.items():
            if (changed := change(entry, body)) is not None:
                packed.writestr(entry, changed)
    project.sign("portraits", path)


@pytest.mark.slow
def test_a_missing_file_and_a_damaged_picture_end_their_jobs_with_one_sentence_each(project):
    third, last = pd.read_csv(project / "mirror/portraits/ratings.csv")["name"].iloc[[2, -1]]
    stem = third.removesuffix(".jpg")
    change_archive(
        project, "points.zip", lambda entry, body: None if entry == f"{stem}.pts" else body
    )
    change_archive(
        project,
        "pictures.zip",
        lambda entry, body: body[: len(body) // 2] if entry == f"in/{last}" else body,
    )
    targets = [f"results/differential_parity/bridges/{study}/{CHUNK}" for study in STUDIES]
    run = project.snakemake("--keep-going", *targets)
    assert run.returncode != 0
    said = [line for line in run.sentences if "These show nobody" not in line]
    damaged, missing = sorted(said, key=lambda line: "has no file" in line)
    assert missing == (
        f"fairpairs: data/raw/portraits/points.zip has no file {stem}.pts for the item {third}: "
        "delete the archive, and it is fetched again, or correct `archives` of the card."
    )
    assert damaged.startswith(
        f"fairpairs: data/raw/portraits/pictures.zip, in/{last}: not a whole picture ("
    )
    assert damaged.endswith(
        "): delete the archive, and it is fetched again, or leave the item out."
    )
    assert "Traceback" not in run.stderr
    assert project.files("results", "data/embedded") == []
    assert not [path for path in project.files() if path.endswith(".part")]
    assert f"has no file {stem}.pts" in project.text("logs/embed/portraits.points.log")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda config: config["differential_parity"]["bridges"]["on_pictures"].update(
                encoder="points"
            ),
            ["bridges.on_pictures: the model fine_tuned starts from", "points is none"],
        ),
        (lambda config: config["encoders"]["network"].pop("files"), ["`files` is missing"]),
    ],
    ids=["fine_tuned", "weights"],
)
def test_a_study_that_does_not_go_together_stops_before_anything_runs(project, change, words):
    project.configure(change)
    sentence = project.refusal()
    for word in words:
        assert word in sentence
