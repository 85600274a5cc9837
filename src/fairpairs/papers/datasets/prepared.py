"""A prepared data set: one row per item, everything coded, read from its files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Array
from fairpairs.base.files import read_parquet
from fairpairs.base.plain_values import Record
from fairpairs.base.sealed import read_json

#: Kinds of features that an encoder turns into vectors.
EMBEDDED = ("text", "image")


@dataclass(frozen=True)
class PreparedDataset:
    """A prepared data set."""

    name: str
    #: One row per item, as `prepare` returns it.
    frame: pd.DataFrame
    #: Kind ("numeric", "categorical", "text" or "image") of each feature column.
    kinds: dict[str, str]
    #: Names of the sensitive attributes.
    attributes: tuple[str, ...]
    #: Names of the decisions that are a mean or consensus of the others.
    consensus: tuple[str, ...] = ()

    @property
    def label(self) -> Array:
        """Labels, shape (n,): whole numbers 0 or 1, or floats."""
        label = self.frame["label"]
        return label.to_numpy(np.int64 if label.dtype.kind == "i" else np.float64)

    @property
    def is_binary(self) -> bool:
        """Whether the label is 0 or 1."""
        return self.label.dtype.kind == "i"

    @property
    def texts(self) -> list[str]:
        """Text of each item: its text columns, one per line; empty without such a column."""
        columns = [name for name, kind in self.kinds.items() if kind == "text"]
        return ["\n".join(row) for row in self.frame[columns].to_numpy()] if columns else []

    @property
    def images(self) -> list[str]:
        """Name of the image of each item; empty without such a column."""
        columns = [name for name, kind in self.kinds.items() if kind == "image"]
        return list(self.frame[columns[0]]) if columns else []

    @property
    def decisions(self) -> pd.DataFrame:
        """Decisions on each item, one column per person; NaN for items not seen."""
        columns = self.frame.filter(regex="^decision_")
        return columns.rename(columns=lambda name: name.removeprefix("decision_"))

    @property
    def sensitive(self) -> NDArray[np.int64]:
        """Group of each item on each attribute, 0 or 1, shape (n, attributes)."""
        return self.groups.to_numpy(np.int64)

    @property
    def groups(self) -> pd.DataFrame:
        """Group of each item, 0 or 1, a column for each sensitive attribute."""
        columns = self.frame[[f"sensitive_{name}" for name in self.attributes]]
        return columns.set_axis(list(self.attributes), axis=1)


def read_prepared(
    table: str | Path, roles: str | Path, embedded: str | Path | None = None
) -> PreparedDataset:
    """Read the result of `prepare`: the Parquet table and the JSON of its roles.

    With the vectors that `embed` made, these replace texts and images as numeric features.
    """
    metadata = read_roles(roles)
    frame, kinds = read_parquet(table), metadata["features"]
    if embedded is not None:
        vectors = read_parquet(embedded).drop(columns="item")
        frame = pd.concat([frame, vectors], axis=1)
        kept = {name: kind for name, kind in kinds.items() if kind not in EMBEDDED}
        kinds = kept | dict.fromkeys(vectors, "numeric")
    return PreparedDataset(
        metadata["dataset"],
        frame,
        kinds,
        tuple(metadata["sensitive"]),
        tuple(metadata["consensus"]),
    )


def read_roles(roles: str | Path) -> Record:
    """Read the description of a prepared data set: its title, roles, counts, licence, warning."""
    metadata: Record = read_json(roles)
    return metadata
