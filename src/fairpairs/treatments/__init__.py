"""Treatments: what is done to the training data, as sample weights."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from fairpairs.fairness.proportions import Floats
from fairpairs.treatments.fair_reweighing import fair_reweighing_weights
from fairpairs.treatments.fairbalance import fairbalance_weights
from fairpairs.treatments.none import no_weights
from fairpairs.treatments.reweighing import reweighing_weights

#: Name of a treatment in the config → function of labels and sensitive attributes.
TREATMENTS: dict[str, Callable[[ArrayLike, ArrayLike], Floats]] = {
    "none": no_weights,
    "reweighing": reweighing_weights,
    "fairbalance": fairbalance_weights,
    "fair_reweighing": fair_reweighing_weights,
}

__all__ = [
    "TREATMENTS",
    "fair_reweighing_weights",
    "fairbalance_weights",
    "no_weights",
    "reweighing_weights",
]
