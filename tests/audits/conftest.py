"""One audit that many tests read."""

import pytest

import fairpairs as fp

from .synthetic import people


@pytest.fixture(scope="module")
def data():
    return people()


@pytest.fixture(scope="module")
def full(data):
    return fp.audit(
        data["y"], data["yhat"], y_score=data["score"], sensitive_features=data[["race", "sex"]],
        intersections=True,
    )  # fmt: skip
