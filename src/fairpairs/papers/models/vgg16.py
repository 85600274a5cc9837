"""VGG-16 with the paper's last layers: a dense layer of 256 and one linear unit.

The body has the names of torchvision's, so that its published weights, and any file of the same
form, can be loaded; its widths and the size of its pictures are read from the file.

See Simonyan and Zisserman (2014), *Very deep convolutional networks*; Yu and Xi, *Differential
Parity*, section 3.1: Huber loss, batches of 10, at most 50 epochs.
"""

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.base.errors import InputError
from fairpairs.papers.models.pictures import EXTRA, Files, Vectors, picture

try:
    import torch
    from torch import nn
except ImportError as missing:
    raise InputError(f"VGG-16 needs the package torch ({missing}): {EXTRA}.") from missing

#: Channels of each convolution, as multiples of the first; M halves the picture.
LAYERS = (1, 1, "M", 2, 2, "M", 4, 4, 4, "M", 8, 8, 8, "M", 8, 8, 8, "M")
#: Mean and standard deviation of the colours that the published weights were trained with.
COLOURS = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
EPOCHS, BATCH, UNITS = 50, 10, 256
#: Adam's rates for new layers and for a body that is already trained.
RATE, FINE_RATE = 1e-3, 1e-5
#: The share of the fitting data that chooses the epoch.
VALIDATION = 0.1


class VGG16(nn.Module):
    """The convolutions and the first two dense layers of VGG-16, with the published widths.

    `side` is that of the last map, a 32nd of the picture's.
    """

    def __init__(self, width: int = 64, units: int = 4096, side: int = 7) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for layer in LAYERS:
            if isinstance(layer, str):
                layers.append(nn.MaxPool2d(2))
                continue
            layers += [nn.Conv2d(channels, layer * width, 3, padding=1), nn.ReLU()]
            channels = layer * width
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(channels * side**2, units),
            nn.ReLU(),
            nn.Dropout(),
            nn.Linear(units, units),
            nn.ReLU(),
            nn.Dropout(),
        )
        self.side, self.units = 32 * side, units

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return the second dense layer, shape (n, units), of pictures (n, 3, side, side)."""
        maps: torch.Tensor = self.features(pictures)
        output: torch.Tensor = self.classifier(maps.flatten(1))
        return output


def load(weights: Path | None) -> VGG16:
    """Load the network of a file of weights, which has torchvision's names."""
    remedy = "name a file with the weights of torchvision's vgg16"
    try:
        state = torch.load(str(weights), map_location="cpu", weights_only=True)
        width, units = len(state["features.0.weight"]), len(state["classifier.0.weight"])
        side = math.isqrt(state["classifier.0.weight"].shape[1] // (8 * width))
        if side == 0:
            raise ValueError("its first dense layer is too small")
        network = VGG16(width, units, side)
        names = network.state_dict()
        network.load_state_dict({name: state[name] for name in names})
    except Exception as error:  # of a file that is damaged or holds something else
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise InputError(f"{weights}: not the weights of VGG-16 ({reason}): {remedy}.") from error
    return network


def encode(files: Files, weights: Path | None) -> Vectors:
    """Return the second dense layer of each picture, shape (n, units)."""
    device = _device()
    network = load(weights).to(device).eval()
    with torch.inference_mode():
        return np.array(
            [
                network(_scaled(picture(path, content, network.side)[None], device))[0].cpu()
                for path, content in files
            ],
            dtype=np.float32,
        )


def fit_predict_dense(
    inputs: Array,
    decisions: Floats,
    fitting: Mask,
    rng: np.random.Generator,
    *,
    epochs: int = EPOCHS,
) -> Floats:
    """Train the last layers for each person, on vectors (see `fairpairs.papers.models.faces`)."""
    mean, spread = inputs[fitting].mean(axis=0), inputs[fitting].std(axis=0)
    vectors = torch.tensor((inputs - mean) / np.where(spread > 0, spread, 1), dtype=torch.float32)
    return np.column_stack(
        [
            _train(
                lambda: _last_layers(vectors.shape[1]), vectors, rated, fitting, rng, epochs, RATE
            )
            for rated in decisions.T
        ]
    )


def fit_predict_fine_tuned(
    weights: Path,
    inputs: NDArray[np.uint8],
    decisions: Floats,
    fitting: Mask,
    rng: np.random.Generator,
    *,
    epochs: int = EPOCHS,
) -> Floats:
    """Train all layers for each person, on pictures of shape (n, side, side, 3)."""
    body = load(weights)
    if inputs.shape[1] != body.side:
        raise InputError(
            f"{weights}: it needs pictures of {body.side} pixels, not {inputs.shape[1]}."
        )

    def network() -> nn.Module:
        return nn.Sequential(copy.deepcopy(body), _last_layers(body.units))

    pictures = torch.from_numpy(inputs)
    return np.column_stack(
        [_train(network, pictures, rated, fitting, rng, epochs, FINE_RATE) for rated in decisions.T]
    )


def _last_layers(inputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, UNITS), nn.ReLU(), nn.Linear(UNITS, 1))


def _train(
    network: Any,
    inputs: torch.Tensor,
    target: Floats,
    fitting: Mask,
    rng: np.random.Generator,
    epochs: int,
    rate: float,
) -> Floats:
    """Train a new network on fitting items, keep its best epoch, and predict all items."""
    torch.manual_seed(int(rng.integers(2**31)))
    device = _device()
    items = rng.permutation(np.flatnonzero(fitting))
    n_validation = max(1, round(VALIDATION * len(items)))
    validation, training = items[:n_validation], items[n_validation:]
    y = torch.tensor(target, dtype=torch.float32, device=device)
    model: nn.Module = network().to(device)
    with torch.no_grad():  # start at the mean, which the first steps would have to learn
        next(reversed(list(model.parameters()))).fill_(float(target[training].mean()))
    optimizer, loss = torch.optim.Adam(model.parameters(), lr=rate), nn.HuberLoss()
    best, kept = math.inf, copy.deepcopy(model.state_dict())
    for _ in range(epochs):
        model.train()
        for batch in np.array_split(rng.permutation(training), -(-len(training) // BATCH)):
            optimizer.zero_grad()
            predicted = model(_scaled(inputs[batch], device))[:, 0]
            loss(predicted, y[batch]).backward()
            optimizer.step()
        error = float(loss(_predict(model, inputs[validation], device), y[validation]))
        if error < best:
            best, kept = error, copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    return np.asarray(_predict(model, inputs, device).cpu(), dtype=np.float64)


def _predict(model: nn.Module, inputs: torch.Tensor, device: torch.device) -> torch.Tensor:
    model.eval()
    with torch.inference_mode():
        return torch.cat([model(_scaled(part, device))[:, 0] for part in torch.split(inputs, 64)])


def _scaled(inputs: Any, device: torch.device) -> torch.Tensor:
    """Return pictures as the network takes them, (n, 3, side, side); vectors stay as they are."""
    tensor = torch.as_tensor(inputs, device=device)
    if tensor.dtype != torch.uint8:
        return tensor
    mean, spread = (torch.tensor(colours, device=device)[:, None, None] for colours in COLOURS)
    return (tensor.permute(0, 3, 1, 2) / 255 - mean) / spread


def _device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
