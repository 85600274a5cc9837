"""FairPairs: tests of group fairness, from labels or from comparative judgments.

The functions follow the convention of Fairlearn and scikit-learn:
`f(y_true, y_pred, *, sensitive_features)`.
"""

from importlib.metadata import PackageNotFoundError, version

import lazy_loader

try:
    __version__ = version("fairpairs")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "unknown"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
