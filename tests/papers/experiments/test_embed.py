import io
import struct
import zipfile

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.base.files import write_parquet
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments import embed as module
from fairpairs.papers.experiments.embed import embed
from fairpairs.papers.models.faces import ENCODERS, POINTS

NAMES = ["c.jpg", "a.jpg", "b.jpg", "d.jpg"]


@pytest.fixture
def faces():
    """Four images, whose items are not numbered from 0 on."""
    frame = pd.DataFrame({"item": [2, 5, 6, 9], "file": NAMES, "label": 1.0, "sensitive_a": 0})
    return PreparedDataset("faces", frame, {"file": "image"}, ("a",))


@pytest.fixture
def landmarks():
    """The content of a file of landmarks for each name."""
    rng = np.random.default_rng(0)
    points = {name: rng.normal(size=2 * POINTS).astype("<f4") for name in sorted(NAMES)}
    return {name: struct.pack("<i", POINTS) + own.tobytes() for name, own in points.items()}


@pytest.fixture
def archive(tmp_path, landmarks):
    path = tmp_path / "points.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in landmarks.items():
            packed.writestr(f"p/{name[0]}.pts", content)
    return path


def test_items_of_images_get_vectors_in_their_order(faces, archive, landmarks, capsys):
    encoder = {"kind": "landmarks"}
    frame, identity = embed(faces, "points", encoder, pictures=archive, entry="p/{stem}.pts")
    assert list(frame) == ["item", *(f"embedding_{i}" for i in range(2 * POINTS + 1))]
    assert list(frame["item"]) == [2, 5, 6, 9]
    expected = ENCODERS["landmarks"]([(name, landmarks[name]) for name in NAMES], None)
    assert_array_equal(frame.drop(columns="item"), expected)
    assert (frame.dtypes[1:] == np.float32).all()
    assert identity == {"encoder": "points", "kind": "landmarks"}
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Embedding" in shown.err


def test_the_identity_has_the_sha256_of_the_weights_and_is_kept_in_the_file(
    faces, archive, tmp_path, monkeypatch
):
    seen = []

    def encode(files, weights):
        seen.append(weights)
        return np.array([[len(content)] for _, content in files], dtype=np.float32)

    monkeypatch.setitem(module.ENCODERS, "vgg16", encode)
    encoder = {"kind": "vgg16", "files": [{"name": "vgg16.pth", "sha256": "a" * 64}]}
    frame, identity = embed(
        faces, "net", encoder, pictures=archive, entry="p/{stem}.pts", weights=str(tmp_path / "w")
    )
    assert seen == [tmp_path / "w"]
    assert list(frame["embedding_0"]) == [4 + 8 * POINTS] * 4
    assert identity == {"encoder": "net", "kind": "vgg16", "vgg16.pth": "a" * 64}
    write_parquet(tmp_path / "vectors.parquet", frame, metadata=identity)
    metadata = pq.read_schema(tmp_path / "vectors.parquet").metadata
    assert {key: metadata[key.encode()].decode() for key in identity} == identity


def test_texts_are_embedded_by_their_own_encoder(monkeypatch):
    frame = pd.DataFrame({"item": [0, 1], "words": ["a", "b"]})
    dataset = PreparedDataset("items", frame, {"words": "text"}, ())
    encoder = {"hub": "a/b", "revision": "c", "sha256": "d" * 64, "package": "e"}
    monkeypatch.setattr(module, "locate", lambda name, encoder: f"folder of {name}")
    monkeypatch.setattr(
        module, "encode", lambda texts, folder: np.array([[len(t), len(folder)] for t in texts])
    )
    vectors, identity = embed(dataset, "words", encoder)
    assert vectors.to_dict("list") == {
        "item": [0, 1], "embedding_0": [1, 1], "embedding_1": [15, 15],
    }  # fmt: skip
    assert identity == {"encoder": "words", "hub": "a/b", "revision": "c", "sha256": "d" * 64}


def test_a_missing_picture_is_named(faces, archive):
    with pytest.raises(InputError, match=r"points\.zip has no file c\.jpg for the item c\.jpg"):
        embed(faces, "points", {"kind": "landmarks"}, pictures=archive, entry="{name}")


def test_a_damaged_file_is_named(faces, tmp_path):
    path = tmp_path / "points.zip"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("c.jpg", b"no points")
    path.write_bytes(buffer.getvalue())
    with pytest.raises(InputError, match=r"points\.zip, c\.jpg: not a file of 86 landmarks"):
        embed(faces, "points", {"kind": "landmarks"}, pictures=path, entry="{name}")
