"""Treatments of the training data, as sample weights."""

from fairpairs.treatments.contract import Treatment
from fairpairs.treatments.fair_reweighing import fair_reweighing_weights
from fairpairs.treatments.fairbalance import fairbalance_weights
from fairpairs.treatments.none import no_weights
from fairpairs.treatments.reweighing import reweighing_weights

__all__ = [
    "Treatment",
    "fair_reweighing_weights",
    "fairbalance_weights",
    "no_weights",
    "reweighing_weights",
]
