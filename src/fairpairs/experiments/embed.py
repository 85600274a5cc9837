"""From the texts of a data set to vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fairpairs.datasets.prepare import PreparedDataset
from fairpairs.models.encoders import encode, locate


def embed(
    dataset: PreparedDataset, name: str, encoder: Mapping[str, Any]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Embed the texts of a data set.

    Parameters
    ----------
    dataset
        The data set.
    name, encoder
        Name of the encoder and its entry in the config (see `fairpairs.models.encoders.locate`).

    Returns
    -------
    vectors
        One row an item: `item`, and `embedding_0`, `embedding_1`, …
    identity
        Name, hub, revision and sha256 of the encoder.

    Raises
    ------
    InputError
        When the model is not to be had.
    """
    vectors = encode(dataset.texts, locate(name, encoder))
    frame = pd.DataFrame(vectors).add_prefix("embedding_")
    frame.insert(0, "item", dataset.frame["item"].to_numpy())
    identity = {"encoder": name, **{key: encoder[key] for key in ("hub", "revision", "sha256")}}
    return frame, identity
