"""FairPairs: tests of group fairness, from labels or from comparative judgments.

The functions follow the convention of Fairlearn and scikit-learn:
`f(y_true, y_pred, *, sensitive_features)`.
"""

from importlib.metadata import PackageNotFoundError, version

from fairpairs.errors import InputError
from fairpairs.fairness.comparative import (
    ComparativeSeparationResult,
    comparative_separation_test,
)
from fairpairs.fairness.density_ratio import information_separation
from fairpairs.fairness.separation import SeparationResult, separation_test
from fairpairs.treatments import (
    fair_reweighing_weights,
    fairbalance_weights,
    reweighing_weights,
)

try:
    __version__ = version("fairpairs")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "unknown"

__all__ = [
    "ComparativeSeparationResult",
    "InputError",
    "SeparationResult",
    "comparative_separation_test",
    "fair_reweighing_weights",
    "fairbalance_weights",
    "information_separation",
    "reweighing_weights",
    "separation_test",
]
