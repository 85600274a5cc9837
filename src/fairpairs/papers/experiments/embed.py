"""Embed the texts or the images of a data set; sentence encoders are pinned by their sha256."""

import importlib.util
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from fairpairs.base.errors import InputError
from fairpairs.base.files import file_sha256
from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets import archive
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.models.faces import ENCODERS

logger = logging.getLogger(__name__)

WEIGHTS = "model.safetensors"
#: Vectors are whole multiples of one over this: far above the error of double precision, which
#: depends on the processor, and far below what the weights, in single precision, can tell.
GRID = 2**20
#: Texts encoded at once: few, because all are padded to the length of the longest.
BATCH = 4


def embed(
    dataset: PreparedDataset,
    name: str,
    encoder: Content,
    *,
    pictures: str | Path | None = None,
    entry: str = "",
    weights: str | Path | None = None,
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the vectors of the texts or images, a row per item, and what identifies the encoder.

    `encoder` is its entry in the config, with `hub` for texts (see `locate`) or `kind` for images
    (see `fairpairs.papers.models.faces.ENCODERS`). `pictures` is the archive with one file per
    item, `entry` the template of the paths in it.
    """
    if "hub" in encoder:
        vectors = encode(dataset.texts, locate(name, encoder))
        identity = {key: encoder[key] for key in ("hub", "revision", "sha256")}
    else:
        assert pictures is not None
        images: Any = tqdm(dataset.images, desc="Embedding", unit=" images", mininterval=1)
        files = archive.read(pictures, entry, images)
        vectors = ENCODERS[encoder["kind"]](files, Path(weights) if weights else None)
        digests = {file["name"]: file["sha256"] for file in encoder.get("files", [])}
        identity = {"kind": encoder["kind"], **digests}
    frame = pd.DataFrame(vectors).add_prefix("embedding_")
    frame.insert(0, "item", dataset.frame["item"].to_numpy())
    return frame, {"encoder": name, **identity}


def locate(name: str, encoder: Content) -> Path:
    """Return the verified folder of an encoder: in an installed package, else from its hub.

    `encoder` is its entry in the config: `hub` and `revision` on the Hugging Face hub, `sha256` of
    its model.safetensors, and, optionally, `package` (a Python package that carries the files; it
    is not imported) and `folder` (where in the package).
    """
    folder = _in_package(encoder) or _on_hub(name, encoder)
    digest = file_sha256(folder / WEIGHTS)
    if digest != encoder["sha256"]:
        raise InputError(
            f"{folder / WEIGHTS}: its sha256 is {digest}, and encoders.{name} of the config lists "
            f"{encoder['sha256']}: delete the file, or correct the config."
        )
    logger.info("encoder %s from %s", name, folder)
    return folder


def encode(texts: Sequence[str], folder: str | Path) -> NDArray[np.float32]:
    """Encode texts with the sentence-transformers model in a folder, shape (n, dimensions).

    The network runs in double precision and its vectors are rounded to `GRID`, so that they do not
    depend on the processor, the number of threads or the size of a batch.
    """
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (an optional extra)
    except ImportError as error:
        raise InputError(
            f"Embedding a text needs the package sentence-transformers ({error}): install it with "
            "pip install 'fairpairs[text]'."
        ) from error
    model = SentenceTransformer(str(folder), device="cpu").double()
    vectors = model.encode(list(texts), batch_size=BATCH, show_progress_bar=False)
    return np.asarray(np.round(vectors * GRID) / GRID, dtype=np.float32)


def _in_package(encoder: Content) -> Path | None:
    if "package" not in encoder:
        return None
    spec = importlib.util.find_spec(encoder["package"])
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0], encoder.get("folder", ""))
    return folder if (folder / WEIGHTS).exists() else None


def _on_hub(name: str, encoder: Content) -> Path:
    try:
        from huggingface_hub import snapshot_download  # noqa: PLC0415  (an optional extra)

        return Path(snapshot_download(encoder["hub"], revision=encoder["revision"]))
    except (ImportError, OSError) as error:  # what the hub raises without a connection is one too
        package = encoder.get("package", "").replace("_", "-")
        offline = f", or install the package {package} (pip install 'fairpairs[offline]')" * bool(
            package
        )
        raise InputError(
            f"The encoder `{name}` could not be downloaded ({type(error).__name__}): connect to "
            f"the internet, so that {encoder['hub']} comes from the Hugging Face hub{offline}."
        ) from error
