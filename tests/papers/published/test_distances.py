"""How far a printed number could be from ours, against the verdict of `compare` itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t as student

from fairpairs.papers.published.cells import distance_from_printed, printed_bounds, reproduced_mean
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.distances import Distances

RUNS = np.array([0.31, 0.42, 0.55, 0.47, 0.38, 0.6, 0.29])


def compared(published, ours, number, row="r"):
    """Compare a table whose cell `row` prints another number."""
    cells = published.cells.assign(
        published=published.cells["published"].where(published.cells["row"] != row, number)
    )
    return compare(replace(published, cells=cells), ours(number)).set_index("row").loc[row]


def agreement(published, ours, centre, distance, low=-np.inf, high=np.inf):
    """Whether numbers at a distance from another agree, below and above, but within limits."""
    numbers = [number for number in (centre - distance, centre + distance) if low <= number <= high]
    return [compared(published, ours, number)["verdict"] == "agrees" for number in numbers]


@pytest.mark.slow
@pytest.mark.parametrize("others", [0, 12])
@pytest.mark.parametrize("ours", [0.3, 0.02, 1.0])
def test_a_share_agrees_as_far_as_compare_says(make_published, make_reproduced, ours, others):
    rows = [
        ("r", "simulated", 3, [0.3]),
        *((f"s{i}", "simulated", 3, [0.5]) for i in range(others)),
    ]
    table = make_published(rows)
    made = make_reproduced(("r", "ours", ours), *((f"s{i}", "ours", 0.5) for i in range(others)))
    found = compared(table, lambda _: made, ours)["agrees_within"]
    # on the side where it may be farther
    assert any(agreement(table, lambda _: made, ours, found - 1e-6, 0, 1))
    assert not any(agreement(table, lambda _: made, ours, found + 1e-6, 0, 1))


def test_a_mean_agrees_as_far_as_its_errors_allow(make_published, make_reproduced):
    table = make_published([("r", "simulated", 2, [58.2]), ("s", "simulated", 2, [1.0])], runs=100)
    made = make_reproduced(("r", "ours", 57.9, 0.4, 40.0), ("s", "ours", 1.0, 0.1, 1.0))
    within = compare(table, made)["agrees_within"]
    error = np.sqrt(0.4**2 + 40**2 / 100 + 0.01**2 / 12)
    assert within[0] == pytest.approx(norm.isf(0.05 / 2 / 2) * error, abs=1e-8)
    assert compared(table, lambda _: made, 57.9 + within[0] - 1e-6)["verdict"] == "agrees"
    assert compared(table, lambda _: made, 57.9 + within[0] + 1e-6)["verdict"] == "differs"


def of_one_run(make_reproduced, values, *, tail=0, scores=None):
    """A function that makes our cell for a printed number of a single run."""
    runs = values if scores is None else scores

    def make(number):
        bounds = printed_bounds(number, 0.005, tail)
        z = distance_from_printed(runs, *bounds)
        cell = reproduced_mean(values, z=z, single_runs=runs, tail=tail)
        return pd.DataFrame([{"row": "r", "column": "ours", **cell}])

    return make


@pytest.mark.slow
def test_a_number_of_one_run_agrees_as_far_as_students_t_allows(make_published, make_reproduced):
    table = make_published([("r", "simulated", 2, [0.4])], runs=1)
    ours = of_one_run(make_reproduced, RUNS)
    found = compared(table, ours, 0.4)["agrees_within"]
    spread = RUNS.std(ddof=1) * np.sqrt(1 + 1 / 7)
    assert found == pytest.approx(student.isf(0.025, 6) * spread + 0.005, abs=1e-8)
    assert agreement(table, ours, RUNS.mean(), found - 1e-6) == [True, True]
    assert agreement(table, ours, RUNS.mean(), found + 1e-6) == [False, False]


@pytest.mark.slow
@pytest.mark.parametrize("tail", [1, -1])
def test_a_p_value_agrees_as_far_as_its_normal_score_allows(make_published, make_reproduced, tail):
    table = make_published([("r", "simulated", 2, [0.1])], runs=1)
    scores = tail * np.array([1.0, 1.5, 0.8, 1.2, 1.9])
    values = norm.sf(abs(scores))
    ours = of_one_run(make_reproduced, values, tail=tail, scores=scores)
    found = compared(table, ours, 0.1)["agrees_within"]
    assert 0 < found < 0.5
    assert any(agreement(table, ours, values.mean(), found - 1e-6, 0, 0.5))
    assert not any(agreement(table, ours, values.mean(), found + 1e-6, 0, 0.5))


@pytest.mark.slow
def test_z_of_other_numbers_is_that_of_a_table_that_prints_them(make_published, make_reproduced):
    table = make_published([("r", "simulated", 2, [0.4])], runs=1)
    ours = of_one_run(make_reproduced, RUNS)
    distances = Distances.of(compare(table, ours(0.4)), 1)
    numbers = np.linspace(-2, 2, 9)
    z = [compared(table, ours, number)["z"] for number in numbers]
    np.testing.assert_allclose(distances.z(numbers[:, None])[:, 0], z, rtol=1e-12)


def test_a_computed_number_agrees_within_half_a_unit(make_published, make_reproduced):
    table = make_published([("r", "computed", 2, [0.4]), ("s", "computed", 0, [7])])
    made = make_reproduced(("r", "ours", 0.4))
    within = compare(table, made)["agrees_within"]
    assert within[0] == 0.005
    assert np.isnan(within[1])  # not part of the run


def test_the_half_width_of_a_z_of_its_own_is_unknown(make_published, make_reproduced):
    table = make_published([("r", "simulated", 2, [0.4])], runs=1)
    made = make_reproduced(("r", "ours", 0.4, 0.01, 0.1)).assign(z=0.3)
    assert np.isnan(compare(table, made)["agrees_within"][0])


@pytest.mark.slow
def test_the_shipped_studies_give_the_z_of_their_single_runs(shipped, reproduced_from):
    """Table 3 of differential parity, with its p-values, from made splits."""
    rng = np.random.default_rng(1)
    table = shipped("differential_parity/table_3")
    keys = {tuple(key[name] for name in ("attribute", "decisions", "reference", "row"))
            for key in table.cells["key"]}  # fmt: skip
    frames = []
    for attribute, decisions, reference, row in sorted(keys):
        score = rng.normal(rng.normal(), 1, 6)
        frame = pd.DataFrame({"repeat": range(6), "dpd": score / 4})
        frame["pvalue_one_sided"] = norm.sf(abs(score))
        frames.append(frame.assign(attribute=attribute, decisions=decisions, reference=reference,
                                   row=row))  # fmt: skip
    ours = reproduced_from(table.name, results=pd.concat(frames))
    cells = compare(table, ours)
    simulated = cells["kind"] == "simulated"
    z = Distances.of(cells, 1).z(cells["published"].to_numpy())
    np.testing.assert_allclose(z[simulated], cells["z"][simulated], rtol=1e-12)
    assert set(cells["tail"]) == {-1, 0, 1}
    assert cells["agrees_within"].notna().all()
