"""What "agrees" is worth, against enumeration and plain loops."""

import zipfile
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairpairs.papers.published import power
from fairpairs.papers.published.cells import distance_from_printed, reproduced_mean
from fairpairs.papers.published.comparison import compare
from fairpairs.papers.published.planted_bugs import judge
from fairpairs.papers.published.power import (
    SimulatedCells,
    identity,
    in_words,
    permuted_agree,
    power_rows,
    summarised,
    vacuous,
)

ROOT = Path(__file__).parents[3]
SYNTHETIC = (3, 4, 5, 6, 7, 10, 11, 12, 13, 14)


def with_numbers(table, numbers):
    """The same table with other printed numbers."""
    return replace(table, cells=table.cells.assign(published=np.array(numbers, dtype=float)))


@pytest.fixture
def shares(make_published, make_reproduced):
    """A table of four shares of 1,000 runs, and ours."""
    printed = [0.30, 0.33, 0.34, 0.80]
    table = make_published([(f"r{i}", "simulated", 3, [p]) for i, p in enumerate(printed)])
    ours = [0.31, 0.32, 0.35, 0.79]
    return table, make_reproduced(*((f"r{i}", "ours", value) for i, value in enumerate(ours)))


def verdicts(table, ours, numbers):
    return (compare(with_numbers(table, numbers), ours)["verdict"] == "agrees").to_numpy()


@pytest.mark.slow
def test_the_share_after_a_permutation_is_that_of_all_permutations(shares, monkeypatch):
    table, ours = shares
    printed = table.cells["published"].to_numpy()
    changed = agree = 0
    for order in permutations(printed):
        other = np.array(order) != printed
        changed += other.sum()
        agree += (verdicts(table, ours, order) & other).sum()
    monkeypatch.setattr(power, "PERMUTATIONS", 5000)
    found = permuted_agree(SimulatedCells.of(table, compare(table, ours)), seed=1)
    assert 0.3 < agree / changed < 0.6
    assert found == pytest.approx(agree / changed, abs=0.02)


def test_the_same_seed_gives_the_same_permutations(shares):
    table, ours = shares
    cells = SimulatedCells.of(table, compare(table, ours))
    found = [permuted_agree(cells, seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_only_numbers_of_one_kind_change_places(make_published, make_reproduced):
    columns = [{"name": name, "key": {"measure": name}} for name in ("AUC", "Brier")]
    rows = [(f"r{i}", "simulated", 3, [0.7, 0.2]) for i in range(3)]
    table = make_published(rows, columns)
    ours = make_reproduced(
        *(
            (f"r{i}", name, value)
            for i in range(3)
            for name, value in (("AUC", 0.7), ("Brier", 0.2))
        )
    )
    cells = SimulatedCells.of(table, compare(table, ours))
    assert sorted(map(len, cells.kinds)) == [3, 3]
    assert np.isnan(permuted_agree(cells, seed=1))  # all numbers of a kind are the same
    assert vacuous(cells) == 0


@pytest.mark.slow
def test_a_cell_is_vacuous_if_any_number_of_the_table_would_agree(make_published, make_reproduced):
    table = make_published([(f"r{i}", "simulated", 2, [p]) for i, p in enumerate((0.2, 0.5, 0.9))])
    errors = (0.01, 0.4, 0.01)
    ours = make_reproduced(
        *((f"r{i}", "ours", p, e, 0.01) for i, (p, e) in enumerate(zip((0.2, 0.5, 0.9), errors,
                                                                       strict=True)))
    )  # fmt: skip
    cells = SimulatedCells.of(table, compare(table, ours))
    expected = [
        all(verdicts(table, ours, np.where(np.arange(3) == i, number, (0.2, 0.5, 0.9)))[i]
            for number in (0.2, 0.5, 0.9))
        for i in range(3)
    ]  # fmt: skip
    assert expected == [False, True, False]
    assert vacuous(cells) == 1


@pytest.fixture
def of_one_run(make_published):
    """A table of three numbers of one run, our twelve runs, and its simulated cells."""
    runs = np.random.default_rng(5).normal([0.2, 0.5, 0.4], [0.05, 0.1, 0.2], (12, 3))
    runs[3, 1] = np.nan

    def make(printed):
        table = make_published(
            [(f"r{i}", "simulated", 2, [p]) for i, p in enumerate(printed)], runs=1
        )
        rows = []
        for i, number in enumerate(printed):
            values = runs[~np.isnan(runs[:, i]), i]
            z = distance_from_printed(values, number - 0.005, number + 0.005)
            cell = reproduced_mean(values, z=z, single_runs=runs[:, i])
            rows.append({"row": f"r{i}", "column": "ours", **cell})
        return SimulatedCells.of(table, compare(table, pd.DataFrame(rows)))

    return runs, make


def test_the_omnibus_takes_each_run_against_all_others(of_one_run):
    runs, make = of_one_run
    cells = make([0.21, 0.9, 0.44])
    printed, means = cells.mean_z(cells.numbers), cells.run_means
    assert printed == pytest.approx(cells.cells["z"].abs().mean())
    expected = []
    for run in range(12):
        z = []
        for column in range(3):
            others = np.delete(runs[:, column], run)
            number = round(runs[run, column], 2)
            if not np.isnan(number):
                others = others[~np.isnan(others)]
                z.append(abs(distance_from_printed(others, number - 0.005, number + 0.005)))
        expected.append(np.mean(z))
    np.testing.assert_allclose(means, expected, rtol=1e-10)
    (row,) = power_rows([cells], judge([], {}, seed=1)[1], seed=1).to_dict("records")
    far = sum(mean >= printed for mean in expected)
    assert (row["single_runs"], row["as_far"]) == (12, far)
    assert row["omnibus_p"] == pytest.approx((far + 1) / 13)
    assert row["expected_z"] == pytest.approx(np.mean(expected))


@pytest.mark.slow
def test_a_vector_far_from_all_runs_has_the_smallest_p(of_one_run):
    _, make = of_one_run
    found = []
    for printed in ([0.2, 0.5, 0.4], [0.9, -0.5, 1.4]):
        cells = make(printed)
        found.append(power_rows([cells], judge([], {}, seed=1)[1], seed=1)["omnibus_p"].item())
    assert found[0] > 0.8
    assert found[1] == pytest.approx(1 / 13)


def test_mirror_images_and_repeats_are_one_number():
    key = {"first": "ridge", "second": "lasso", "cap": 0}
    mirrored = {"second": "ridge", "first": "lasso", "cap": 0}
    assert identity(key, 0.5, 0.51) == identity(mirrored, 0.5, 0.51)
    assert identity(key, 0.5, 0.51) == identity(mirrored, -0.5, -0.51)  # antisymmetric
    assert identity(key, 0.5, 0.51) != identity(mirrored, 0.5, 0.52)  # no mirror image in the run
    assert identity(key, 0.5, 0.51) != identity({**key, "cap": 0.99}, 0.5, 0.51)


@pytest.fixture
def met(shipped):
    """A function that compares a shipped table with a run that gives the printed numbers."""

    def make(name):
        table = shipped(name)
        ours = table.cells[["row", "column"]].assign(
            reproduced=table.cells["published"], standard_error=0.1, run_sd=0.2, runs=np.nan,
            note="",
        )  # fmt: skip
        return table, compare(table, ours)

    return make


@pytest.mark.slow
def test_the_520_cells_of_the_density_ratio_tables_are_240_distinct_numbers(met):
    tables = [met(f"density_ratio/table_{number}") for number in SYNTHETIC]
    rows, _ = judge(tables, {}, seed=1)
    assert list(rows["table"]) == [f"table_{number}" for number in SYNTHETIC]
    assert rows["cells"].sum() + 1 == 520  # and the number that no data can give
    assert list(rows["distinct"]) == [40, 20, 40, 20, 20, 40, 40, 20, 20, 20]
    # the first halves of Tables 6, 7, 13 and 14 repeat Tables 3, 5, 10 and 11
    assert list(rows["new"]) == [40, 20, 40, 10, 10, 40, 40, 20, 10, 10]
    assert rows["new"].sum() == 240


def test_a_table_of_formulas_has_no_row(met):
    rows, planted = judge([met("rejected_dialects/table_1")], {}, seed=1)
    assert rows.empty
    assert list(rows) == list(power.COLUMNS)
    assert planted.empty


def test_a_cell_above_half_of_the_range_is_not_told(make_published, make_reproduced):
    table = make_published([(f"r{i}", "simulated", 2, [p]) for i, p in enumerate((0.4, 0.6))])
    ours = make_reproduced(("r0", "ours", 0.4, 0.02, 0.01), ("r1", "ours", 0.6, 0.2, 0.01))
    comparison = compare(table, ours)
    within = comparison["agrees_within"]
    assert within[0] < 0.1 < within[1]
    (row,) = judge([(table, comparison)], {}, seed=1)[0].to_dict("records")
    assert row["not_told"] == row["vacuous"] == 1
    assert row["within_median"] == pytest.approx(within.mean())
    assert row["relative_max"] == pytest.approx(within[1] / 0.2)
    words = in_words(row)
    assert f"agrees within ± {within.mean():.2g} (median; largest {within[1]:.2g})" in words
    assert "2 simulated cells are 2 distinct numbers; not told, as ± is above half of " in words
    assert "the range: 1 of the 2 that agree; " in words
    assert "by chance 0.80" in words
    assert "nan" not in words


def test_the_summary_adds_tables_up(met):
    rows, _ = judge([met("density_ratio/table_3"), met("density_ratio/table_6")], {}, seed=1)
    assert summarised(rows).startswith(
        "what agrees is worth: 120 simulated cells are 50 distinct numbers; "
    )
    assert summarised(rows).endswith("0 of 0 planted bugs would be noticed")


def test_the_pages_say_what_the_counts_of_density_ratios_are_worth():
    """The notes on the reproduction, against the committed run."""
    with zipfile.ZipFile(ROOT / "expected/tables.zip") as kept:
        rows, bugs = (
            pd.read_csv(kept.open(f"results/{name}.csv")).query("paper == 'density_ratio'")
            for name in ("comparison_power", "planted_bugs")
        )
    rows, bugs = (frame[frame["table"].str.startswith("table_")] for frame in (rows, bugs))
    low, high = rows["within_median"].min(), rows["within_median"].max()
    own = bugs[bugs["bug"] == "independence and separation are exchanged"]
    agree = (own["changed"] - own["differs"]).sum()
    assert own.set_index("table")["differs"]["table_3"] == 0
    shares = [f"{100 * share:.0f}" for share in sorted(rows["permuted_agree"])]
    permuted = f"{shares[0]} to {shares[-1]} % of the changed"
    text = " ".join((ROOT / "docs/explanation/reproduction.md").read_text("utf-8").split())
    for words in (
        f"are {rows['new'].sum()} distinct numbers",
        f"± {low:.2f} to {high:.2f} (medians of the tables)",
        f"{agree} of the {own['changed'].sum()} changed cells would",
        permuted,
    ):
        assert words in text, words
