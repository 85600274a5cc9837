import io
import logging
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fairpairs import InputError
from fairpairs.papers.models import faces
from fairpairs.papers.models.faces import DECISION_MODELS, ENCODERS, POINTS

landmarks, mobilenet = ENCODERS["landmarks"], ENCODERS["mobilenet"]


def points_file(points):
    """The bytes of a file of landmarks."""
    return struct.pack("<i", len(points)) + np.asarray(points, dtype="<f4").tobytes()


def random_faces(n, seed=0):
    return np.random.default_rng(seed).normal(100, 30, (n, POINTS, 2))


def files_of(shapes):
    return [(f"a.zip, {i}.pts", points_file(points)) for i, points in enumerate(shapes)]


def test_landmarks_are_a_centred_shape_of_size_1_and_its_size():
    shapes = random_faces(5).astype(np.float32)
    vectors = landmarks(files_of(shapes), None)
    assert vectors.shape == (5, 2 * POINTS + 1)
    assert vectors.dtype == np.float32
    shape = vectors[:, :-1].reshape(5, POINTS, 2).astype(float)
    assert_allclose(shape.mean(axis=1), 0, atol=1e-8)
    assert_allclose(np.linalg.norm(shape, axis=(1, 2)), 1, rtol=1e-6)
    for own, points, size in zip(shape, shapes, np.exp(vectors[:, -1]), strict=True):
        assert_allclose(own * size + points.mean(axis=0), points, rtol=1e-4)


def test_where_a_face_stands_does_not_matter_and_its_size_in_one_number_only():
    shapes = random_faces(3)
    vectors = landmarks(files_of(shapes), None)
    moved = landmarks(files_of(shapes + np.array([40.0, -17.5])), None)
    assert_allclose(moved, vectors, rtol=1e-4, atol=1e-6)
    doubled = landmarks(files_of(2 * shapes), None)
    assert_allclose(doubled[:, :-1], vectors[:, :-1], rtol=1e-4, atol=1e-6)
    assert_allclose(doubled[:, -1] - vectors[:, -1], np.log(2), rtol=1e-4)
    turned = landmarks(files_of(shapes[..., ::-1]), None)
    assert np.abs(turned - vectors).max() > 0.01


def test_the_mean_shape_replaces_an_empty_file_and_it_is_logged(caplog):
    files = files_of(random_faces(120))
    files[7] = ("a.zip, CM152.pts", bytes(4))
    with caplog.at_level(logging.WARNING):
        vectors = landmarks(files, None)
    others = landmarks(files[:7] + files[8:], None)
    assert_array_equal(np.delete(vectors, 7, axis=0), others)
    assert_allclose(vectors[7], others.mean(axis=0, dtype=np.float64), rtol=1e-4, atol=1e-7)
    assert caplog.messages == ["no landmarks in a.zip, CM152.pts: the mean shape replaces them"]


@pytest.mark.parametrize(("n", "empty"), [(120, [3, 90]), (60, [7])])
def test_many_empty_files_are_refused(n, empty):
    files = files_of(random_faces(n))
    for i in empty:
        files[i] = (f"a.zip, {i}.pts", bytes(4))
    with pytest.raises(
        InputError,
        match=rf"^a\.zip, {empty[0]}\.pts: it has no landmarks, like {len(empty)} of {n} "
        "files: leave these items out, or choose an encoder of images",
    ):
        landmarks(files, None)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (points_file(np.ones((85, 2))), "not a file of 86 landmarks: it has 684 bytes, but 692"),
        (points_file(random_faces(1)[0])[:-1], "it has 691 bytes, but 692 are needed"),
        (b"", "it has 0 bytes, but 692 are needed"),
        (struct.pack("<i", POINTS), "it has 4 bytes, but 692 are needed"),
        (struct.pack("<i", 85) + bytes(8 * POINTS), "not a file of 86 landmarks"),
        (points_file(np.full((POINTS, 2), 3.0)), "its landmarks are not points of a face"),
        (points_file([[np.nan, 1], *random_faces(1)[0][1:]]), "its landmarks are not points of"),
        (points_file([[1, np.inf], *random_faces(1)[0][1:]]), "its landmarks are not points of"),
    ],
)
def test_a_bad_file_of_landmarks_is_named(content, words):
    files = [*files_of(random_faces(2)), ("a.zip, bad.pts", content)]
    with pytest.raises(InputError, match=rf"^a\.zip, bad\.pts: .*{words}"):
        landmarks(files, None)


# MobileNet


@pytest.fixture
def network(mirror):
    pytest.importorskip("ai_edge_litert", reason="the extra `faces` is not installed")
    pytest.importorskip("PIL", reason="the extra `faces` is not installed")
    path = mirror / "weights/mobilenet_v1_1.0_224_quant_embedding_extractor.tflite"
    if not path.exists():
        pytest.skip("the mirror has no weights of MobileNet")
    return path


@pytest.fixture(scope="module")
def noise():
    """Pictures of noise of different brightness."""
    Image = pytest.importorskip("PIL.Image")
    rng, files = np.random.default_rng(0), []
    for i, brightest in enumerate((60, 255, 140)):
        buffer = io.BytesIO()
        pixels = rng.integers(0, brightest, (48, 48, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(buffer, "JPEG")
        files.append((f"a.zip, {i}.jpg", buffer.getvalue()))
    return files


def test_mobilenet_says_1024_numbers_of_each_picture_always_the_same(network, noise):
    vectors = mobilenet(noise, network)
    assert vectors.shape == (3, 1024)
    assert vectors.dtype == np.float32
    assert vectors.min() == 0  # its last layer is a mean of what a ReLU lets through
    assert mobilenet(iter(noise), network).tobytes() == vectors.tobytes()
    for other in range(1, 3):
        assert np.abs(vectors[0] - vectors[other]).max() > 0.1


def test_mobilenet_keeps_the_order_and_looks_at_each_picture_alone(network, noise):
    vectors = mobilenet(noise, network)
    assert_array_equal(mobilenet(noise[::-1], network), vectors[::-1])
    assert_array_equal(mobilenet(noise[1:2], network), vectors[1:2])


def test_without_the_library_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ai_edge_litert.interpreter", None)
    with pytest.raises(InputError, match=r"ai-edge-litert .*pip install 'fairpairs\[faces\]'"):
        mobilenet([], Path("w"))


@pytest.mark.parametrize(
    "use",
    [
        lambda: ENCODERS["vgg16"]([], Path("w")),
        lambda: DECISION_MODELS["dense"](np.ones((2, 2)), np.ones((2, 1)), np.ones(2, bool), None),
        lambda: faces.fine_tuned(Path("w")),
    ],
    ids=["vgg16", "dense", "fine_tuned"],
)
def test_without_torch_the_message_says_how_to_install_it(monkeypatch, use):
    monkeypatch.delitem(sys.modules, "fairpairs.papers.models.vgg16", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r"torch .*pip install 'fairpairs\[faces\]'"):
        use()


# Models of decisions, one for each person


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DECISION_MODELS))
def test_a_model_predicts_every_item_from_those_that_it_is_fitted_on_alone(name):
    if name == "dense":
        pytest.importorskip("torch", reason="the extra `faces` is not installed")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4))
    fitting = rng.permutation(60) < 40
    decisions = np.column_stack([x @ [1, 2, 0, 0], x @ [0, 0, -1, 1]]) + 3
    with threadpool_limits(limits=1):  # as in a study
        check_model(DECISION_MODELS[name], x, decisions, fitting)


def check_model(model, x, decisions, fitting):
    predicted = model(x, decisions, fitting, np.random.default_rng(5))
    assert predicted.shape == (60, 2)
    assert predicted.dtype == np.float64
    # nobody knows what was decided on the others, and their vectors change nothing elsewhere
    unknown = np.where(fitting[:, None], decisions, np.nan)
    other = np.where(fitting[:, None], x, 1000.0)
    assert_array_equal(model(x, unknown, fitting, np.random.default_rng(5)), predicted)
    changed = model(other, unknown, fitting, np.random.default_rng(5))
    assert_array_equal(changed[fitting], predicted[fitting])
    assert np.abs(changed[~fitting] - predicted[~fitting]).min() > 0.01
    error = np.mean((predicted - decisions)[~fitting] ** 2, axis=0)
    of_mean = np.mean((decisions[fitting].mean(axis=0) - decisions[~fitting]) ** 2, axis=0)
    assert (error < of_mean / 3).all()
