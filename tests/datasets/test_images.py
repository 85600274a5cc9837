"""Data sets of images with people's decisions: their cards, how they are prepared, SCUT-FBP5500."""

import csv
import zipfile

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from fairpairs import InputError, files
from fairpairs.datasets.card import READS, read_card
from fairpairs.datasets.prepare import prepare
from fairpairs.datasets.prepared import read_prepared
from fairpairs.models.faces import ENCODERS

FACES = """\
Filename,P1,P2,Mean,Score
AF1.jpg,1,2,1.5,1.5
AM2.jpg,5,,5,5
CF3.jpg,3,3,3,3
CM10.jpg,,4.5,4.5,4.5
"""


@pytest.fixture
def faces(card):
    """A card of images; a test may change it."""
    file = {"bytes": 100, "sha256": "0" * 64, "urls": []}
    listed = {"listed": "faces.csv", "column": "Filename"}
    return {
        **card,
        "files": [
            {"name": "faces.csv", **file},
            {
                "name": "faces.zip",
                **file,
                "members": {**listed, "entry": "in/{name}", "url": "https://example.org/{name}"},
            },
        ],
        "features": {"Filename": "image"},
        "archives": {"images": {"file": "faces.zip", "entry": "in/{name}"}},
        "label": {"column": "Score", "numeric": True},
        "sensitive": {
            "sex": {
                "column": "Filename",
                "character": 2,
                "one": ["M"],
                "zero": ["F"],
                "names": {"one": "Male", "zero": "Female"},
            }
        },
        "decisions": {"columns": ["P1", "P2", "Mean"], "consensus": ["Mean"], "from": 1, "to": 5},
        "notice": "Do not pass them on.",
    }


@pytest.fixture
def checked(tmp_path, faces, dataset_schema):
    """A function that changes the card and reads it."""

    def read(change=lambda card: None):
        change(faces)
        path = tmp_path / "faces.yaml"
        path.write_text(yaml.safe_dump(faces), "utf-8")
        return read_card(path, dataset_schema)

    return read


@pytest.fixture
def run(tmp_path, faces):
    """A function that prepares a text by the card, with changes."""

    def prepared(text=FACES, **changes):
        raw = tmp_path / "faces.csv"
        raw.write_text(text, "utf-8")
        return prepare(raw, {**faces, **changes}, name="faces")

    return prepared


def test_a_card_of_images_is_read_as_it_is(checked, faces):
    assert checked() == faces


def test_what_an_encoder_reads_is_known_of_each_kind():
    assert set(READS) == set(ENCODERS)
    assert set(READS.values()) == {"images", "landmarks"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda card: card["features"].update(essay="text"),
            "an item has one image, or texts, not both: drop one of `features`",
        ),
        (
            lambda card: card["features"].update(other="image"),
            "an item has one image, or texts, not both: drop one of `features`",
        ),
        (
            lambda card: card.pop("archives"),
            "a feature of the kind `image` and `archives` go together: give both or neither",
        ),
        (
            lambda card: card.update(features={"Score2": "numeric"}),
            "a feature of the kind `image` and `archives` go together: give both or neither",
        ),
        (
            lambda card: card["archives"]["images"].update(file="face.zip"),
            r"archives\.images names the file face\.zip, which is not among `files`: name one of "
            r"faces\.csv, faces\.zip",
        ),
        (
            lambda card: card["files"][1]["members"].update(listed="list.csv"),
            r"the `members` of faces\.zip names the file list\.csv, which is not among `files`",
        ),
        (
            lambda card: card["archives"]["images"].update(entry="{nam}/{name}"),
            r"archives\.images has the template \{nam\}/\{name\}, .* \{name\} or \{stem\} and no "
            "other braces: correct it",
        ),
        (
            lambda card: card["files"][1]["members"].update(url="https://e.org/{name}/{"),
            r"the `members` of faces\.zip has the template https://e\.org/\{name\}/\{, which",
        ),
        (
            lambda card: card["files"][1]["members"].update(entry="images"),
            r"key `files\.1\.members\.entry`: .*with \{name\}, or \{stem\}",
        ),
        (lambda card: card["archives"]["images"].update(entry="x"), r"`archives\.images\.entry`"),
        (lambda card: card.update(archives={}), "key `archives`"),
        (lambda card: card["archives"].update(pictures={}), r"unknown key `archives\.pictures`"),
        (
            lambda card: card["decisions"].update(consensus=["Average"]),
            r"decisions\.consensus names `Average`, which is none of its `columns`: name one of "
            "P1, P2, Mean",
        ),
        (
            lambda card: card["decisions"].update({"from": 5, "to": 1}),
            "`decisions` go from 5 to 1, which is no range: exchange the two",
        ),
        (lambda card: card["decisions"].pop("from"), "`from` is missing .the lowest decision"),
        (lambda card: card["decisions"].update(columns=["P1"]), r"key `decisions\.columns`"),
        (lambda card: card["sensitive"]["sex"].update(character=0), r"sensitive\.sex"),
        (
            lambda card: card["features"].update(decision_P1="numeric"),
            "a feature may not be called `decision_P1`, a name that the prepared data set uses",
        ),
        (
            lambda card: card.update(counts={"features": 3}),
            "`counts.features` goes with no `image` feature",
        ),
    ],
)
def test_a_card_of_images_that_contradicts_itself_is_refused(checked, change, words):
    with pytest.raises(InputError, match=rf"faces\.yaml: .*{words}"):
        checked(change)


def test_images_decisions_and_a_group_from_a_letter(run, tmp_path):
    frame, about = run()
    assert list(frame) == [
        "item", "Filename", "label", "sensitive_sex", "decision_P1", "decision_P2", "decision_Mean",
    ]  # fmt: skip
    assert_array_equal(frame["sensitive_sex"], [0, 1, 0, 1])
    assert about["features"] == {"Filename": "image"}
    assert about["consensus"] == ["Mean"]
    assert about["counts"] == {"rows": 4, "sensitive.sex": 2}
    files.write_parquet(tmp_path / "table.parquet", frame)
    files.write_json(tmp_path / "roles.json", about)
    dataset = read_prepared(tmp_path / "table.parquet", tmp_path / "roles.json")
    assert dataset.images == ["AF1.jpg", "AM2.jpg", "CF3.jpg", "CM10.jpg"]
    assert dataset.texts == []
    assert dataset.consensus == ("Mean",)
    expected = pd.DataFrame(
        {"P1": [1, 5, 3, np.nan], "P2": [2, np.nan, 3, 4.5], "Mean": [1.5, 5, 3, 4.5]}
    )
    pd.testing.assert_frame_equal(dataset.decisions, expected, check_dtype=False)
    vectors = pd.DataFrame({"item": range(4), "embedding_0": [1.0, 2, 3, 4]})
    files.write_parquet(tmp_path / "vectors.parquet", vectors)
    dataset = read_prepared(
        tmp_path / "table.parquet", tmp_path / "roles.json", tmp_path / "vectors.parquet"
    )
    assert dataset.kinds == {"embedding_0": "numeric"}
    assert_array_equal(dataset.frame["embedding_0"], [1, 2, 3, 4])


def test_a_data_set_without_images_or_decisions_has_none(small_dataset):
    assert small_dataset.images == []
    assert small_dataset.decisions.shape == (500, 0)
    assert small_dataset.consensus == ()


def test_another_letter_gives_another_group(run, faces):
    rule = {**faces["sensitive"]["sex"], "character": 1, "one": ["A"], "zero": ["C"]}
    frame, _ = run(sensitive={"race": rule, "sex": faces["sensitive"]["sex"]})
    assert_array_equal(frame["sensitive_race"], [1, 1, 0, 0])
    assert_array_equal(frame["sensitive_sex"], [0, 1, 0, 1])
    assert list(frame["Filename"]) == ["AF1.jpg", "AM2.jpg", "CF3.jpg", "CM10.jpg"]


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (
            FACES.replace("CF3.jpg", "C"),
            {},
            "column `Filename` holds 'C' in row 3 below the header, which has no character 2: "
            "correct the file or `character` of the card",
        ),
        (FACES.replace("CF3.jpg", "CX3.jpg"), {}, "column `Filename` holds 'X' in row 3"),
        (FACES.replace("CF3.jpg", ""), {}, "column `Filename` has 1 missing value.* in row 3"),
        (FACES.replace("CF3.jpg", '"  "'), {}, "column `Filename` has an empty image in row 3"),
        (
            FACES.replace("AM2.jpg,5,", "AM2.jpg,6,"),
            {},
            "column `P1` holds '6' in row 2 below the header, and `decisions` of the card go "
            "from 1 to 5: "
            "correct the file, leave the cell empty, or correct the card",
        ),
        (FACES.replace("AM2.jpg,5,", "AM2.jpg,0.999,"), {}, "column `P1` holds '0.999' in row 2"),
        (FACES.replace("AM2.jpg,5,", "AM2.jpg,much,"), {}, "column `P1` holds 'much' in row 2"),
        (FACES.replace("AM2.jpg,5,", "AM2.jpg,inf,"), {}, "column `P1` holds 'inf' in row 2"),
        (
            FACES.replace("1,2,", "1,,").replace("3,3,", "3,,").replace("4.5,4.5,4.5", ",4.5,4.5"),
            {},
            "column `P2` has no decisions: remove it from `decisions`",
        ),
        (
            FACES,
            {"decisions": {"columns": ["P1", "P9"], "from": 1, "to": 5}},
            "there is no column `P9`; it has Filename, P1, P2, Mean, Score",
        ),
    ],
)
def test_bad_decisions_and_images_are_explained(run, text, changes, message):
    with pytest.raises(InputError, match=rf"faces\.csv: .*{message}"):
        run(text, **changes)


def test_both_ends_of_the_range_are_decisions(run):
    frame, _ = run(decisions={"columns": ["P1", "P2"], "from": 1, "to": 5})
    assert frame["decision_P1"].min() == 1
    assert frame["decision_P1"].max() == 5


# The published data set


def test_scut_fbp5500_is_that_of_its_raw_file(mirror, root, dataset_schema):
    raw = mirror / "scut_fbp5500/Ratings.csv"
    if not raw.exists():
        pytest.skip("the mirror has no SCUT-FBP5500")
    card = read_card(root / "config/datasets/scut_fbp5500.yaml", dataset_schema)
    frame, about = prepare(raw, card, name="scut_fbp5500")
    with raw.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert about["counts"] == {
        "rows": len(rows),
        "sensitive.sex": sum(row["Filename"][1] == "M" for row in rows),
        "sensitive.race": sum(row["Filename"][0] == "A" for row in rows),
    }
    assert tuple(about["counts"].values()) == (5500, 2750, 4000)
    assert list(frame["Filename"]) == [row["Filename"] for row in rows]
    decisions = frame.filter(regex="^decision_")
    assert decisions.shape == (5500, 61)
    assert decisions.notna().all(axis=None)
    people = decisions.drop(columns="decision_Average")
    assert_array_equal(people, [[float(row[f"P{i}"]) for i in range(1, 61)] for row in rows])
    assert np.isin(people, [1, 2, 3, 4, 5]).all()
    assert_allclose(decisions["decision_Average"], people.mean(axis=1), rtol=1e-12)
    assert_allclose(frame["label"], people.mean(axis=1), rtol=1e-12)
    assert about["consensus"] == ["Average"]
    assert (people.shape[1], people.nunique().max()) == (60, 5)
    assert "can be only used for non-commercial research" in card["notice"]


def test_every_image_of_scut_fbp5500_has_the_published_size(mirror):
    archive = mirror / "scut_fbp5500/scut_fbp5500_images.zip"
    if not archive.exists():
        pytest.skip("the mirror has no images of SCUT-FBP5500")
    with zipfile.ZipFile(archive) as images:
        sizes = [Image.open(images.open(name)).size for name in images.namelist()]
    assert len(sizes) == 5500
    assert set(sizes) == {(350, 350)}
