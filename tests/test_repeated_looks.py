"""Streams of many items at once, mistakes at any look, the figure, and the command."""

import sys
from itertools import islice

import numpy as np
import pandas as pd
import pytest

import fairpairs as fp
from benchmarks.repeated_looks import __main__ as command, changes, estimates, levels, life, weeks
from benchmarks.repeated_looks.bets import largest, wealth
from benchmarks.repeated_looks.repeated import Design, weekly_counts, weekly_violated
from benchmarks.repeated_looks.streams import NEVER, Independent, Rows
from fairpairs.mathematics.sequential.difference_looks import MeanLooks, RankingLooks
from fairpairs.mathematics.sequential.rate_bets import RateBets

DIFFERENCES = np.array([-0.1, 0, 0.1])


@pytest.mark.slow
def test_wealth_of_many_streams_is_that_of_each():
    rng = np.random.default_rng(0)
    shape = (15, 3000)
    in_group, hit, counts = (
        rng.random(shape) < 0.2,
        rng.random(shape) < 0.3,
        rng.random(shape) < 0.9,
    )
    found = [[] for _ in in_group]
    for at, log_wealth in wealth(Rows(in_group, hit, counts), DIFFERENCES, shape[1]):
        for i in np.flatnonzero(at <= shape[1]):
            found[i].append(log_wealth[i])
    for group, outcome, mask, of_stream in zip(in_group, hit, counts, found, strict=True):
        ended = RateBets.new(DIFFERENCES).append(group[mask], outcome[mask])
        np.testing.assert_array_equal(np.array(ended), np.array(of_stream))


def test_a_block_ends_at_the_row_that_completes_it():
    in_group = np.tile([True, True, False, False], 100)[None]
    hit = np.ones_like(in_group)
    rows = [at[0] for at, _ in wealth(Rows(in_group, hit), DIFFERENCES, 400)]
    bets = RateBets.new(DIFFERENCES)
    ends = [i + 1 for i in range(400) if bets.append(in_group[0, i : i + 1], hit[0, i : i + 1])]
    assert rows == ends


@pytest.mark.slow
def test_blocks_of_independent_rows_are_distributed_as_rows_are():
    """Items of both groups, hits and rows of the tenth block of five items."""
    number, share, rates = 8000, 0.3, (0.6, 0.2)
    rng = np.random.default_rng(1)
    in_group = rng.random((number, 300)) < share
    hit = rng.random(in_group.shape) < np.where(in_group, *rates)
    for size in (1, 5):
        found = []
        for streams in (Rows(in_group, hit), Independent(rng, number, share, rates)):
            for _ in range(5):
                block = streams.block(np.full(number, size))
            found.append(np.column_stack(block))
        assert found[0].max() < NEVER
        for moment in (1, 2):
            ours, theirs = ((each.astype(float) ** moment) for each in found)
            error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / number)
            assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4.5 * error).all()


def test_the_largest_evidence_leaves_out_later_rows():
    rng = np.random.default_rng(2)
    in_group = rng.random((20, 2000)) < 0.5
    hit = rng.random(in_group.shape) < np.where(in_group, 0.7, 0.4)

    def of_zero(log_wealth):
        return log_wealth[..., 1].sum(axis=-1)

    early, late = (largest(Rows(in_group, hit), DIFFERENCES, rows, of_zero) for rows in (100, 2000))
    first = largest(Rows(in_group[:, :100], hit[:, :100]), DIFFERENCES, 100, of_zero)
    np.testing.assert_array_equal(early, first)
    assert (late >= early).all() and late.mean() > early.mean() + 5


class Copy:
    """A generator that gives what another one gave."""

    def __init__(self, *arrays):
        self.arrays = list(arrays)

    def random(self, shape):
        return self.arrays.pop(0)

    def normal(self, size):
        return self.arrays.pop(0)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["AUC", "xAUC"])
def test_looks_at_scores_are_those_of_each_stream(measure):
    rng = np.random.default_rng(0)
    shape = (3, 900)
    drawn = rng.random(shape), rng.random(shape), rng.normal(size=shape)
    looks = list(estimates.ranked(
        measure, (0.7, 0.8), (1.0, 2.0), 0.4, 0.5, 50, Copy(*drawn), *shape,
    ))  # fmt: skip
    group, label = (
        (each < chance).astype(int) for each, chance in zip(drawn[:2], (0.4, 0.5), strict=True)
    )
    bins = estimates.scores((0.7, 0.8), (1.0, 2.0), group, label, Copy(drawn[2]), 50)
    for stream in range(3):
        found = RankingLooks.new(2, 0, 50).append(group[stream], label[stream], bins[stream])
        column = ["AUC", "xAUC"].index(measure)
        wanted = np.array([[each[0, column] for each in look] for look in found])
        ours = np.array([(estimate[stream], variance[stream]) for _, estimate, variance in looks])
        np.testing.assert_allclose(ours, wanted[-len(ours) :], rtol=1e-9)
        assert np.isnan(wanted[: -len(ours)]).all()


def test_looks_at_means_are_those_of_each_stream():
    rng = np.random.default_rng(1)
    shape = (3, 700)
    drawn, numbers = rng.random(shape), rng.exponential(size=shape)
    looks = list(estimates.averaged(lambda rng, group: numbers, 0.2, Copy(drawn), *shape))
    for stream in range(3):
        found = MeanLooks.new(2, 0).append((drawn[stream] < 0.2).astype(int), numbers[stream])
        ours = [(estimate[stream], variance[stream]) for _, estimate, variance in looks]
        np.testing.assert_allclose(ours, np.array(found)[:, :, 0], rtol=1e-7)


def test_batches_are_what_a_design_says():
    design = life.DESIGNS["all three"]
    batches = list(design.batches(np.random.default_rng(0)))
    made = [batch for batch in batches if "p" in batch]
    came = [batch for batch in batches if "p" not in batch]
    assert len(made) == life.BATCHES and {len(batch) for batch in made} == {life.ROWS}
    assert [batch["g"].nunique() for batch in made[:2]] == [2, 3]
    first, second = (set(batch["person"]) for batch in made[:2])
    assert 100 < len(first & second) < 200
    of_persons = pd.concat(made).groupby("person")["g"].nunique()
    assert set(of_persons) == {1} and len(of_persons) < 0.75 * 2000
    ids = [i for batch in came for i in batch["id"]]
    assert len(ids) == len(set(ids)) > 0.5 * life.ROWS * life.BATCHES


@pytest.mark.slow
def test_a_week_is_tested_as_by_separation_test():
    items, hits = weekly_counts(Design(300, share=0.2, gap=0.15), np.random.default_rng(4), 1)
    found = weekly_violated(items, hits, 0.05)[0]
    assert 5 < found.sum() < 47
    for week in range(8):
        rows = [
            (label, group, i < hits[0, week, place, group])
            for place, label in enumerate((1, 0))
            for group in (0, 1)
            for i in range(items[0, week, place, group])
        ]
        table = pd.DataFrame(rows, columns=["label", "group", "hit"])
        result = fp.separation_test(
            table["label"], table["hit"].astype(int), sensitive_features=table["group"]
        )
        assert found[week] == result.violated


def test_holm_rejects_step_by_step():
    evidence = np.log([[100, 30, 70], [59, 39, 1], [1, 39, 61]]).astype(float)
    rejected = levels.holm(evidence, 0.05)
    assert rejected.T.tolist() == [
        [True, True, False], [False, False, False], [True, False, True],
    ]  # fmt: skip


@pytest.mark.slow
def test_the_figure_is_the_same_for_the_same_seed(tmp_path):
    numbers = [weeks.weeks_figure(tmp_path / name, seed=0, alpha=0.05) for name in ("a", "b")]
    assert numbers[0] == numbers[1]
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.slow
def test_the_command_prints_a_table(monkeypatch, capsys):
    call = ["sequential", "repeated", "--streams", "20", "--processes", "1"]
    monkeypatch.setattr(sys, "argv", call)
    command.main()
    assert "| 1,000 rows a week | 0." in capsys.readouterr().out


@pytest.mark.slow
def test_bets_of_a_stream_are_those_of_the_monitor(tmp_path):
    rng = np.random.default_rng(4)
    y, in_group, chance = rng.integers(0, 2, 3000), rng.random(3000) < 0.3, rng.random(3000)
    rows = pd.DataFrame({"y": y, "p": (chance < np.where(y == 1, 0.8, 0.2)).astype(int)})
    rows["g"] = np.where(in_group, "a", "b")
    for batch in np.array_split(np.arange(3000), 30):
        result = fp.monitor(
            tmp_path / "s", rows.iloc[batch], y_true="y", y_pred="p", sensitive_features="g"
        )
    for measure, label in (("TPR", 1), ("FPR", 0)):
        streams = Rows(in_group[None], (rows["p"] == 1).to_numpy()[None], (y == label)[None])
        evidence = levels.largest_evidence(streams, 3000)
        found = result.lines.set_index("measure").loc[measure, "pvalue"]
        assert found == pytest.approx(np.exp(-evidence[0]), rel=1e-9)


def test_detectors_of_groups_that_join_keep_the_run_length_together():
    design = changes.Design(share=0.3, joins=(3, 5))
    sizes = [counts.shape for counts in islice(design.batches(np.random.default_rng(0)), 5)]
    assert sizes == [(1, 2, 2, 2)] * 2 + [(1, 4, 2, 2)] * 2 + [(1, 6, 2, 2)]
    lines = [*changes.detectors(design, 50)]
    changes.first(design, lines, lambda: False, np.random.default_rng(0), 6, 50)
    assert [line.changes.threshold for line in lines] == [50 * 6] * 6
    assert all(line.counts.sum() > 0 for line in lines)
