"""Statistics and ranks of measures, beside loops by their definitions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from fairpairs.base.errors import InputError
from fairpairs.papers.published.measured import measured, ranks
from fairpairs.papers.published.source import SourceData

ARMS = {"none": 0.20, "weights": 0.10, "rows": 0.19}
KEY = {"dataset": "loans", "measure": "tpr_gap", "treatment": "weights"}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    rows = [
        ("loans", attribute, "attributes", "logistic", arm, repeat, "tpr_gap", value, 70, 30)
        for attribute in ("sex", "race")
        for arm, mean in ARMS.items()
        for repeat, value in enumerate(rng.normal(mean, 0.02, 30))
    ]
    names = ["dataset", "attribute", "groups", "model", "treatment", "repeat", "measure", "value"]
    return pd.DataFrame(rows, columns=[*names, "n_train", "n_test"])


@pytest.fixture(scope="module")
def fill(frame):
    return measured(SourceData(pd.DataFrame(), measures={"one": frame}))


def values_of(frame, attribute="sex", arm="weights"):
    part = frame[(frame["attribute"] == attribute) & (frame["treatment"] == arm)]
    return part["value"].to_numpy()


@pytest.mark.parametrize(
    ("statistic", "by_hand", "error"),
    [
        ("mean", np.mean, 0.02 / np.sqrt(30)),
        ("standard_deviation", lambda x: x.std(ddof=1), 0.02 / np.sqrt(60)),
        ("median", np.median, 0.02 * np.sqrt(np.pi / 2 / 30)),
        # of the quartiles of a normal sample, n Var = 2 · (3 − 1) / 16 / f²
        ("quartile_distance", lambda x: np.diff(np.quantile(x, [0.25, 0.75]))[0],
         0.02 * np.sqrt(4 / 16 / norm.pdf(norm.ppf(0.75)) ** 2 / 30)),
    ],
)  # fmt: skip
def test_a_statistic_has_its_large_sample_error(frame, fill, statistic, by_hand, error):
    cell = fill({**KEY, "attribute": "sex", "statistic": statistic})
    assert cell["reproduced"] == pytest.approx(by_hand(values_of(frame)), abs=1e-11)
    assert cell["standard_error"] == pytest.approx(error, rel=0.4)  # of one sample of 30
    assert_allclose(cell["run_sd"], cell["standard_error"] * np.sqrt(30))


def test_a_rank_is_marked_where_the_corrected_test_shows_a_difference(fill):
    cells = {
        arm: fill({**KEY, "treatment": arm, "attribute": "sex", "statistic": "rank"})
        for arm in ARMS
    }
    assert {arm: cell["reproduced"] for arm, cell in cells.items()} == {
        "none": 1, "weights": 0, "rows": 1
    }  # fmt: skip
    assert {arm: cell["mark"] for arm, cell in cells.items()} == {
        "none": "", "weights": "▲", "rows": ""
    }  # fmt: skip
    assert cells["weights"]["standard_error"] == 0


def test_a_key_tells_one_series(fill):
    with pytest.raises(InputError, match="add attribute to it"):
        fill({**KEY, "statistic": "median"})
    with pytest.raises(InputError, match="add attribute to it"):
        fill({**KEY, "statistic": "rank"})
    assert fill({**KEY, "attribute": "age", "statistic": "median"}) is None
    with pytest.raises(InputError, match="the key lacks treatment"):  # pools no treatments
        fill({"dataset": "loans", "measure": "tpr_gap", "attribute": "sex", "statistic": "median"})


@pytest.mark.parametrize("statistic", ["mean", "rank"])
@pytest.mark.parametrize(
    ("kept", "note"), [(30, "empty in 1 of "), (4, "of 4 of at least 5 repeats")]
)
def test_what_cannot_be_computed_is_no_number(frame, statistic, kept, note):
    some = frame[frame["repeat"] < kept].copy()
    if kept > 4:
        some.loc[(some["treatment"] == "weights") & (some["repeat"] == 3), "value"] = np.nan
    fill = measured(SourceData(pd.DataFrame(), measures={"one": some}))
    cell = fill({**KEY, "attribute": "sex", "statistic": statistic})
    assert np.isnan(cell["reproduced"])
    assert note in cell["note"]


def test_marks_are_those_of_the_comparison_of_the_config(frame):
    renamed = frame.assign(measure="gain")
    compare = {"against": "weights", "alpha": 0.05, "better": {"gain": "lower", "tpr_gap": "lower"}}
    fill = measured(SourceData(pd.DataFrame(), measures={"a": renamed}, compare={"a": compare}))
    key = {**KEY, "measure": "gain", "attribute": "sex", "statistic": "rank"}
    assert fill(key)["mark"] == ""
    assert fill({**key, "treatment": "none"})["mark"] == "▼"


def by_rule(costs):
    """The ranks by loops: pairs are counted, and the p-value is that of a normal U with ties."""
    order = sorted(range(len(costs)), key=lambda i: np.median(costs[i]))
    found, rank, last = {order[0]: 0}, 0, costs[order[0]]
    for i in order[1:]:
        wins = sum((x > y) + 0.5 * (x == y) for x in costs[i] for y in last)
        m, n = len(costs[i]), len(last)
        _, ties = np.unique([*costs[i], *last], return_counts=True)
        spread = m * n / 12 * (m + n + 1 - sum(ties**3 - ties) / (m + n) / (m + n - 1))
        z = (wins - m * n / 2 - 0.5) / np.sqrt(spread) if spread else 0
        if norm.sf(z) <= 0.05 and 2 * wins / m / n - 1 >= 0.33:
            rank, last = rank + 1, costs[i]
        found[i] = rank
    return [found[i] for i in range(len(costs))]


@pytest.mark.parametrize("seed", range(20))
def test_ranks_are_those_of_the_rule(seed):
    rng = np.random.default_rng(seed)
    costs = np.round(rng.normal(rng.normal(0, 0.5, 8)[:, None], 1, (8, 30)), 1)  # with ties
    assert_array_equal(ranks(costs), by_rule(costs))
