"""FairPairs: tests of group fairness, from labels or from comparative judgments.

The functions follow the convention of Fairlearn and scikit-learn:
`f(y_true, y_pred, *, sensitive_features)`.
"""

from functools import cache
from typing import Any

import lazy_loader

_lazy, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    return _version() if name == "__version__" else _lazy(name)


@cache
def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  (slow)

    try:
        return version("fairpairs")
    except PackageNotFoundError:  # run from a checkout that was not installed
        return "unknown"
