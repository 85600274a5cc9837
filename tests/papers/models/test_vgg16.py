import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from fairpairs import InputError
from fairpairs.papers.models.faces import ENCODERS, fine_tuned

Image = pytest.importorskip("PIL.Image", reason="the extra `faces` is not installed")

pytestmark = pytest.mark.slow
torch: Any
vgg16: Any


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """Torch takes a second: only the process that runs these tests loads it."""
    global torch, vgg16  # noqa: PLW0603
    torch = pytest.importorskip("torch", reason="the extra `faces` is not installed")
    from fairpairs.papers.models import vgg16


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(limits=1):  # as in a study
        yield


@pytest.fixture
def state():
    """Weights of a small network, with the names that torchvision gives them."""
    torch.manual_seed(0)
    own = vgg16.VGG16(width=3, units=16, side=1).state_dict()
    # lively, for the default is so small that nothing is left after 13 layers
    return {name: 2.5 * torch.randn_like(w) / w[0].numel() ** 0.5 for name, w in own.items()}


@pytest.fixture
def weights(tmp_path, state):
    path = tmp_path / "vgg16.pth"
    last = {"classifier.6.weight": torch.zeros(1000, 16), "classifier.6.bias": torch.zeros(1000)}
    torch.save({**state, **last}, path)  # the published file has a last layer more
    return path


@pytest.fixture
def pictures():
    """Noise, some darker, shape (n, 32, 32, 3)."""
    rng = np.random.default_rng(0)
    bright = rng.integers(40, 256, (30, 1, 1, 1))
    return (rng.random((30, 32, 32, 3)) * bright).astype(np.uint8)


def files_of(pictures):
    files = []
    for i, pixels in enumerate(pictures):
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "PNG")
        files.append((f"a.zip, {i}.png", buffer.getvalue()))
    return files


def plain_network(state, pictures):
    """The published network by plain functions: configuration D of Simonyan and Zisserman."""
    x = torch.from_numpy(pictures.transpose(0, 3, 1, 2) / 255).double()
    x -= torch.tensor([0.485, 0.456, 0.406], dtype=torch.float64)[:, None, None]
    x /= torch.tensor([0.229, 0.224, 0.225], dtype=torch.float64)[:, None, None]
    # where torchvision's convolutions are, block by block
    for block in ((0, 2), (5, 7), (10, 12, 14), (17, 19, 21), (24, 26, 28)):
        for i in block:
            w, b = (state[f"features.{i}.{kind}"].double() for kind in ("weight", "bias"))
            x = torch.nn.functional.conv2d(x, w, b, stride=1, padding=1).clamp(min=0)
        x = torch.nn.functional.max_pool2d(x, kernel_size=2, stride=2)
    x = x.reshape(len(x), -1)
    for i in (0, 3):
        w, b = (state[f"classifier.{i}.{kind}"].double() for kind in ("weight", "bias"))
        x = (x @ w.T + b).clamp(min=0)
    return x.numpy()


def test_the_published_network_has_the_published_number_of_weights():
    with torch.device("meta"):
        network = vgg16.VGG16()
    # of the 138,357,544 of VGG-16, all but the last layer's
    assert sum(p.numel() for p in network.parameters()) == 138_357_544 - 4097 * 1000
    assert network.side == 224


def test_the_sizes_are_those_of_the_file(weights, tmp_path):
    network = vgg16.load(weights)
    assert (network.side, network.units) == (32, 16)
    assert network.features[0].out_channels == 3
    torch.save(vgg16.VGG16(width=2, units=5, side=2).state_dict(), tmp_path / "other.pth")
    network = vgg16.load(tmp_path / "other.pth")
    assert (network.side, network.units, network.features[0].out_channels) == (64, 5, 2)


def test_an_encoding_is_what_plain_functions_say_of_each_picture_alone(weights, state, pictures):
    vectors = ENCODERS["vgg16"](files_of(pictures), weights)
    assert vectors.shape == (30, 16)
    assert vectors.dtype == np.float32
    expected = plain_network(state, pictures)
    assert expected.std(axis=0).max() > 0.1
    assert_allclose(vectors, expected, rtol=1e-4, atol=1e-5)
    few = vgg16.encode(files_of(pictures)[4:1:-1], weights)
    assert few.tobytes() == vectors[4:1:-1].tobytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda state: {},
        lambda state: {k: v for k, v in state.items() if k != "features.28.bias"},
        lambda state: {**state, "classifier.0.weight": torch.zeros(16, 5)},
    ],
)
def test_weights_of_another_network_are_refused(tmp_path, state, change):
    path = tmp_path / "other.pth"
    torch.save(change(state), path)
    with pytest.raises(InputError) as caught:
        vgg16.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: not the weights of VGG-16 (")
    assert message.endswith("): name a file with the weights of torchvision's vgg16.")
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"weights", None])
def test_a_file_that_holds_no_weights_is_refused(tmp_path, content):
    path = tmp_path / "no.pth"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"no\.pth: not the weights of VGG-16 \(.+\): name a file"):
        vgg16.load(path)


# Training


@pytest.fixture
def linear():
    """80 items whose decisions are linear in their vectors, and which are fitted on."""
    rng = np.random.default_rng(1)
    x = rng.normal(5, 2, (80, 6)).astype(np.float32)
    decisions = np.column_stack([3 + x @ rng.normal(size=6), 1 - x[:, 0]])
    return x, decisions, rng.permutation(80) < 60


def dense(x, decisions, fitting, seed=3, epochs=40):
    return vgg16.fit_predict_dense(
        x, decisions, fitting, np.random.default_rng(seed), epochs=epochs
    )


def test_the_last_layers_learn_what_the_mean_does_not_say(linear):
    _, decisions, fitting = linear
    first = dense(*linear, epochs=1)
    assert_array_equal(dense(*linear, epochs=1), first)
    assert np.abs(dense(*linear, seed=4, epochs=1) - first).max() > 1e-4
    predicted = dense(*linear)
    assert predicted.shape == (80, 2)
    for own, truth in zip(predicted.T, decisions.T, strict=True):
        of_mean = np.mean((truth[fitting].mean() - truth[~fitting]) ** 2)
        assert np.mean((own - truth)[~fitting] ** 2) < 0.2 * of_mean


def test_a_column_that_never_varies_is_no_trouble(linear):
    x, decisions, fitting = linear
    x[:, 2] = 7
    assert np.isfinite(dense(x, decisions, fitting, epochs=2)).all()


def test_the_kept_epoch_is_the_best_on_the_validation_part(linear, monkeypatch):
    """More epochs never make the error on the part that chooses larger."""
    x, decisions, fitting = linear
    errors = []
    for epochs in (1, 5, 20, 60):
        rng = np.random.default_rng(3)
        predicted = vgg16.fit_predict_dense(x, decisions[:, :1], fitting, rng, epochs=epochs)
        again = np.random.default_rng(3)
        again.integers(2**31)
        chosen = again.permutation(np.flatnonzero(fitting))[:6]
        loss = torch.nn.HuberLoss()(
            torch.from_numpy(predicted[chosen, 0]), torch.from_numpy(decisions[chosen, 0])
        )
        errors.append(float(loss))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0]


@pytest.fixture
def seen(pictures):
    """Decisions on how bright a picture is, and which pictures are fitted on."""
    decisions = pictures.mean(axis=(1, 2, 3))[:, None] / 50
    return pictures, np.hstack([decisions, 5 - decisions]), np.arange(30) % 3 > 0


def tuned(weights, pictures, decisions, fitting, seed=3):
    rng = np.random.default_rng(seed)
    return vgg16.fit_predict_fine_tuned(weights, pictures, decisions, fitting, rng, epochs=1)


def test_fine_tuning_runs_and_is_the_same_for_one_seed(weights, seen):
    predicted = tuned(weights, *seen)
    assert predicted.shape == (30, 2)
    assert np.isfinite(predicted).all()
    assert_array_equal(tuned(weights, *seen), predicted)
    assert np.abs(tuned(weights, *seen, seed=4) - predicted).max() > 1e-6


def test_fine_tuning_trains_the_body_too_and_leaves_the_file(weights, seen, monkeypatch):
    before = weights.read_bytes()
    trained = []
    plain = vgg16._predict

    def spy(model, inputs, device):
        trained.append([p.detach().clone() for p in model.parameters()])
        return plain(model, inputs, device)

    monkeypatch.setattr(vgg16, "_predict", spy)
    tuned(weights, *seen)
    start = list(vgg16.load(weights).parameters())
    changed = [not torch.equal(a, b) for a, b in zip(trained[0], start, strict=False)]
    assert len(changed) == 2 * 13 + 2 * 2
    assert all(changed)
    assert weights.read_bytes() == before


def test_pictures_that_are_not_fitted_on_have_no_influence(weights, seen):
    pictures, decisions, fitting = seen
    predicted = tuned(weights, *seen)
    other = np.where(fitting[:, None, None, None], pictures, 255 - pictures)
    unknown = np.where(fitting[:, None], decisions, np.nan)
    changed = tuned(weights, other, unknown, fitting)
    assert_array_equal(changed[fitting], predicted[fitting])
    assert np.abs(changed[~fitting] - predicted[~fitting]).max() > 1e-4


def test_pictures_of_another_size_are_refused(weights, seen):
    pictures, decisions, fitting = seen
    with pytest.raises(InputError, match=r"vgg16\.pth: it needs pictures of 32 pixels, not 16"):
        tuned(weights, pictures[:, :16, :16], decisions, fitting)


def test_the_model_of_the_config_trains_from_the_file(weights, seen, monkeypatch):
    asked = []
    monkeypatch.setattr(
        vgg16, "fit_predict_fine_tuned", lambda *given: asked.append(given) or "predicted"
    )
    model = fine_tuned(Path(weights))
    rng = np.random.default_rng(0)
    assert model(*seen, rng) == "predicted"
    assert asked == [(Path(weights), *seen, rng)]
