"""Synthetic results of both parts of the study."""

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.studies.density_ratio.synthetic import AS_PUBLISHED, STUDIED


@pytest.fixture(scope="module")
def results():
    """Made results of six repeats, eight means in two intervals, and a cap of 0.99."""
    rng = np.random.default_rng(1)
    rows = []
    for repeat in range(6):
        for mean in (0.0, 0.3, 0.6, 0.9, 3.0, 3.3, 3.6, 3.9):
            for k, name in enumerate([*STUDIED, *AS_PUBLISHED]):
                for cap in (0.0, 0.99):
                    for measure in ("independence", "separation"):
                        value = mean + (0.2 + 0.2 * k) * rng.normal() + 5
                        rows.append((repeat, mean, name, cap, measure, value, ""))
            population = (1 + np.exp(mean**2)) / 2
            rows.append((repeat, mean, "population", 0.0, "independence", population, ""))
            rows.append((repeat, mean, "sample", 0.0, "independence", mean + rng.normal(), ""))
    columns = ["repeat", "mean", "estimator", "cap", "measure", "value", "note"]
    return pd.DataFrame(rows, columns=columns)


@pytest.fixture
def by_hand():
    """A function that correlates two estimators, one coefficient per repeat."""

    def by_hand(results, low, cap, measure, names, function):
        found = []
        for repeat in range(6):
            own = results[(results["repeat"] == repeat) & (results["measure"] == measure)]
            own = own[own["mean"].between(low, low + 0.95)].sort_values("mean")
            x, y = (
                own[(own["estimator"] == n) & (own["cap"] == (0 if n == "population" else cap))]
                for n in names
            )
            found.append(function(x["value"], y["value"])[0])
        return np.array(found)

    return by_hand


@pytest.fixture
def measures():
    """Measures of six regressors on one data set, by two classifiers."""
    value = {"logistic": [9, 8, 7, 6, 5, 4], "ridge": [9, 8, 7, 6, 4, 5]}
    names = [f"r{i}" for i in range(6)]
    rows = [
        (regressor, name, "quotient", cap, "independence", v * (1 if cap == 0 else 0.1), "")
        for name, values in value.items()
        for cap in (0.0, 0.9)
        for regressor, v in zip(names, values, strict=True)
    ]
    columns = ["regressor", "estimator", "form", "cap", "measure", "value", "note"]
    return {"communities": pd.DataFrame(rows, columns=columns)}
