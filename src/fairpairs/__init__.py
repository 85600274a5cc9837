"""FairPairs: tests of group fairness, from labels or from comparative judgments.

The functions follow the convention of Fairlearn and scikit-learn:
`f(y_true, y_pred, *, sensitive_features)`.
"""

from functools import cache


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    load, _, names = _attached()
    if name == "__all__":
        return names
    try:
        return load(name)
    except AttributeError:
        from fairpairs.base.guesses import nearest_offered  # noqa: PLC0415  (only of a wrong name)

        if name.startswith("_") or not (nearest := nearest_offered(name, names)):
            raise
        raise AttributeError(f"fairpairs has no {name}: use fairpairs.{nearest}.") from None


def __dir__() -> list[str]:
    return _attached()[1]()


@cache
def _attached():
    import lazy_loader  # noqa: PLC0415  (slow: only `cli` can catch Ctrl-C)

    return lazy_loader.attach_stub(__name__, __file__)


@cache
def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  (slow)

    try:
        return version("fairpairs")
    except PackageNotFoundError:  # run from a checkout that was not installed
        return "unknown"
