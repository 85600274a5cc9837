"""Embed the texts or the images of a data set."""

from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets import archive
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.models.encoders import encode, locate
from fairpairs.papers.models.faces import ENCODERS


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

    `encoder` is its entry in the config, with `hub` for texts (see
    `fairpairs.papers.models.encoders.locate`) or `kind` for images (see
    `fairpairs.papers.models.faces.ENCODERS`). `pictures` is the archive with one file per item,
    `entry` the template of the paths in it.
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
