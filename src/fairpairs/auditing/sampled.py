"""How the items of an audit were sampled: their clusters and weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.arrays import Floats
from fairpairs.auditing import messages
from fairpairs.auditing.messages import Wording
from fairpairs.auditing.settings import AuditColumns, Settings
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.columns import Column, column
from fairpairs.fairness.sampling.design import SamplingDesign

#: Frequencies are repeated rows, as many as fit in memory.
MAX_ROWS = 50_000_000


def read_design(
    columns: AuditColumns, settings: Settings, wording: Wording
) -> tuple[NDArray[np.int64] | None, SamplingDesign | None]:
    """Return which items are repeated how often, and how the items that this gives were sampled.

    Returns
    -------
    repeated
        Position of each item of the design among those of the columns, which are repeated by their
        frequencies; None where each stands for itself.
    design
        None for independent items of equal weight.

    Raises
    ------
    InputError
        Missing, infinite or negative weights, frequencies that are not whole, weights that are all
        0, one cluster only.
    """
    given = {
        name: values
        for name, values in (
            (wording.clusters, columns.clusters), (wording.weight, columns.sample_weight)
        )
        if values is not None
    }  # fmt: skip
    inputs.same_items(**{wording.label: columns.y_true}, **given)
    cluster = None
    if columns.clusters is not None:
        values = column(columns.clusters, wording.clusters)
        code = values.code if values.code is not None else pd.factorize(values.kinds)[0]
        cluster = np.asarray(code, dtype=np.int64)
        if cluster.max() == 0:
            raise InputError(messages.one_cluster(wording))
    weight, repeated = None, None
    if columns.sample_weight is not None:
        weight = _weights(columns.sample_weight, wording)
        if settings.weight_kind == "frequency":
            repeated, weight = _repeated(weight, wording), None
            cluster = None if cluster is None else cluster[repeated]
    if cluster is None and weight is None:
        return repeated, None
    n_items = len(columns.y_true) if repeated is None else len(repeated)  # type: ignore[arg-type]
    kind = "sampling" if settings.weight_kind == "frequency" else settings.weight_kind
    return repeated, SamplingDesign(n_items, cluster, weight, kind)


def _weights(values: object, wording: Wording) -> Floats:
    if isinstance(values, Column):
        values = values.of_items(values.kinds)
    weight = inputs.moderate(values, wording.weight)  # type: ignore[arg-type]  # checked there
    if (weight < 0).any():
        place = int((weight < 0).argmax())
        raise InputError(messages.negative_weight(float(weight[place]), place, wording))
    if not weight.any():
        raise InputError(messages.no_weight(wording))
    return weight


def _repeated(weight: Floats, wording: Wording) -> NDArray[np.int64]:
    whole = np.round(weight)
    if (whole != weight).any():
        place = int((whole != weight).argmax())
        raise InputError(messages.frequency_not_whole(float(weight[place]), place, wording))
    if whole.sum() > MAX_ROWS:
        raise InputError(messages.too_many_frequencies(float(whole.sum()), MAX_ROWS, wording))
    return np.repeat(np.arange(len(weight)), whole.astype(np.int64))
