"""Pictures of faces: encoders to vectors, and models that predict people's decisions from them.

Every encoder has one form, from files and weights to vectors, and every model of decisions another,
`fit_predict(inputs, decisions, fitting, rng)`, so that any of them can stand for another.

See Yu and Xi, *Differential Parity*, section 3.1 (VGG-16); Howard et al. (2017), *MobileNets*;
Liang et al. (2018), *SCUT-FBP5500* (86 landmarks).
"""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from fairpairs.base.arrays import Array, Floats, Mask
from fairpairs.base.errors import InputError
from fairpairs.papers.models.pictures import EXTRA, Files, Vectors, picture
from fairpairs.papers.models.ridge import fit_ridge

logger = logging.getLogger(__name__)

#: Landmarks of a face, and the bytes of a file of them: their number and x, y of each.
POINTS = 86
POINTS_BYTES = 4 + 8 * POINTS
#: The share of empty landmark files up to which the mean shape replaces them.
MOST_EMPTY = 0.01


#: Fits on some items, and predicts the decisions on all, shape (n, people): of a vector or picture
#: of each, the decisions, the items that are fitted, shape (n,), and a source of randomness. Other
#: items have no influence.
DecisionModel = Callable[[Array, Floats, Mask, np.random.Generator], Floats]


def _mobilenet(files: Files, weights: Path | None) -> Vectors:
    """Return the features of each picture by an 8-bit MobileNet without its last layer."""
    try:
        from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415  (an optional extra)
    except ImportError as error:
        raise InputError(
            f"The encoder mobilenet needs the package ai-edge-litert ({error}): {EXTRA}."
        ) from error
    network = Interpreter(str(weights), num_threads=1)  # its file is that of the card's digest
    network.allocate_tensors()
    (source,), (output,) = network.get_input_details(), network.get_output_details()
    scale, zero = output["quantization"]
    vectors = []
    for path, content in files:
        network.set_tensor(source["index"], picture(path, content, source["shape"][1])[None])
        network.invoke()
        vectors.append(network.get_tensor(output["index"]).ravel())
    return (np.array(vectors, dtype=np.float32) - np.float32(zero)) * np.float32(scale)


def _vgg16(files: Files, weights: Path | None) -> Vectors:
    """Return the second dense layer of VGG-16 for each picture."""
    from fairpairs.papers.models.vgg16 import encode  # noqa: PLC0415  (torch is slow and optional)

    return encode(files, weights)


def _landmarks(files: Files, weights: Path | None) -> Vectors:
    """Return the points of each face, centred and of size 1, and the logarithm of its size."""
    shapes, empty = [], []
    for path, content in files:
        if content == bytes(4):
            empty.append(path)
            shapes.append(np.full((POINTS, 2), np.nan))
            continue
        if len(content) != POINTS_BYTES or int.from_bytes(content[:4], "little") != POINTS:
            raise InputError(
                f"{path}: not a file of {POINTS} landmarks: it has {len(content)} bytes, but "
                f"{POINTS_BYTES} are needed: delete the archive, and it is fetched again."
            )
        points = np.frombuffer(content, dtype="<f4", offset=4).reshape(POINTS, 2)
        if not np.isfinite(points).all() or np.ptp(points, axis=0).max() == 0:
            raise InputError(f"{path}: its landmarks are not points of a face: correct the file.")
        shapes.append(points.astype(np.float64))
    if len(empty) > MOST_EMPTY * len(shapes):
        raise InputError(
            f"{empty[0]}: it has no landmarks, like {len(empty)} of {len(shapes)} files: "
            "leave these items out, or choose an encoder of images."
        )
    points = np.array(shapes)
    points -= points.mean(axis=1, keepdims=True)
    size = np.sqrt((points**2).sum(axis=(1, 2)))
    shape = (points / size[:, None, None]).reshape(-1, 2 * POINTS)
    vectors = np.column_stack([shape, np.log(size)])
    if empty:
        logger.warning("no landmarks in %s: the mean shape replaces them", ", ".join(empty))
    return np.where(np.isnan(vectors), np.nanmean(vectors, axis=0), vectors).astype(np.float32)


#: Kind of an encoder of the config → function from files and weights (or None) to vectors;
#: `fairpairs.papers.datasets.card.READS` names the files.
ENCODERS: dict[str, Callable[[Files, Path | None], Vectors]] = {
    "mobilenet": _mobilenet,
    "vgg16": _vgg16,
    "landmarks": _landmarks,
}


def _ridge(inputs: Array, decisions: Floats, fitting: Mask, _: np.random.Generator) -> Floats:
    """Fit ridge regression of the vectors, with a separate penalty for each person."""
    return fit_ridge(inputs[fitting], decisions[fitting]).predict(inputs)


def _dense(inputs: Array, decisions: Floats, fitting: Mask, rng: np.random.Generator) -> Floats:
    """Train the paper's last layers on vectors that stay as they are."""
    from fairpairs.papers.models.vgg16 import fit_predict_dense  # noqa: PLC0415

    return fit_predict_dense(inputs, decisions, fitting, rng)


#: Name of a model of decisions in the config → function that fits and predicts from vectors.
DECISION_MODELS: dict[str, DecisionModel] = {"ridge": _ridge, "dense": _dense}


def fine_tuned(weights: Path) -> DecisionModel:
    """Return the model that trains all of VGG-16 on pictures, from the weights in a file."""
    from fairpairs.papers.models.vgg16 import fit_predict_fine_tuned  # noqa: PLC0415

    return partial(fit_predict_fine_tuned, weights)
