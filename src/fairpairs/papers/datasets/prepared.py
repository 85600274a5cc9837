"""A prepared data set: one row per item, everything coded, read from its files."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Array, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.files import read_parquet
from fairpairs.base.plain_values import Record
from fairpairs.base.sealed import read_json

#: Columns that a prepared data set has besides its features.
RESERVED = ("item", "label", "test")
#: Kinds of features that an encoder turns into vectors.
EMBEDDED = ("text", "image")


@dataclass(frozen=True)
class Levels:
    """The groups of an attribute: their names, in the order of their codes, and the reference."""

    names: tuple[str, ...] = ("0", "1")
    reference: int = 1


@dataclass(frozen=True)
class Contrast:
    """A group against the reference group: of two groups the attribute itself."""

    #: The attribute, and of more than two groups also the group, as `race: black`.
    name: str
    #: 1 for the reference, 0 for the other group, −1 for other items, shape (n,).
    group: NDArray[np.int64]
    #: Of groups 0 and 1.
    names: tuple[str, str]


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
    #: Groups of each attribute, if they are not 0 and 1 with the reference 1.
    levels: Mapping[str, Levels] = field(default_factory=dict)
    #: Attributes whose combinations are compared, too.
    intersections: tuple[tuple[str, ...], ...] = ()

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
        """Code of the group of each item on each attribute, shape (n, attributes)."""
        return self.groups.to_numpy(np.int64)

    @property
    def groups(self) -> pd.DataFrame:
        """Code of the group of each item, a column for each sensitive attribute."""
        columns = self.frame[[f"sensitive_{name}" for name in self.attributes]]
        return columns.set_axis(list(self.attributes), axis=1)

    @cached_property
    def contrasts(self) -> list[Contrast]:
        """Each group of each attribute and of each intersection against the reference."""
        found: list[Contrast] = []
        for attributes in (*((name,) for name in self.attributes), *self.intersections):
            levels = [self.levels.get(name, Levels()) for name in attributes]
            shape = [len(level.names) for level in levels]
            codes = np.ravel_multi_index(self.groups[list(attributes)].to_numpy(int).T, shape)
            reference = np.ravel_multi_index([level.reference for level in levels], shape)
            names = list(map(", ".join, itertools.product(*(level.names for level in levels))))
            found += _against(" × ".join(attributes), codes, names, int(reference))
        return found


def _against(
    attribute: str, codes: NDArray[np.int64], names: Sequence[str], reference: int
) -> Iterator[Contrast]:
    """Yield the contrast of each group that occurs with the reference."""
    for code in np.unique(codes):
        if code != reference:
            group = np.select([codes == reference, codes == code], [1, 0], -1).astype(np.int64)
            name = f"{attribute}: {names[code]}" if len(names) > 2 else attribute
            yield Contrast(name, group, (names[code], names[reference]))


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
        tuple(metadata.get("levels") or metadata["sensitive"]),
        tuple(metadata["consensus"]),
        {
            name: Levels(tuple(of["names"]), of["reference"])
            for name, of in metadata.get("levels", {}).items()
        },
        tuple(map(tuple, metadata.get("intersections", []))),
    )


def is_reserved(name: str) -> bool:
    """Whether a prepared data set may have a column of this name besides its features."""
    return name in RESERVED or name.startswith(("sensitive_", "decision_"))


def read_roles(roles: str | Path) -> Record:
    """Read what is known of a prepared data set: roles, names of groups, counts, raw files."""
    metadata: Record = read_json(roles)
    return metadata


def positions(predictions: pd.DataFrame, dataset: PreparedDataset) -> Integers:
    """Return the row of each prediction's item in the data set; InputError for an unknown item."""
    rows = pd.Index(dataset.frame["item"]).get_indexer(pd.Index(predictions["item"]))
    if (rows < 0).any():
        unknown = predictions["item"].to_numpy()[rows < 0][0]
        raise InputError(
            f"The predictions contain item {unknown}, which is not in the data set {dataset.name}: "
            "rerun the predictions."
        )
    return np.asarray(rows)
