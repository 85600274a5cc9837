import gc
import math
import re
import weakref

import numpy as np
import pandas as pd
import pytest

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_parquet
from fairpairs.papers.experiments import summaries
from fairpairs.papers.experiments.summaries import KEYS, remark


def results(seed, repeats=40):
    """Made results of tests, as if of two data sets, with p-values missing here and there."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, attributes in (("b", ("sex", "race")), ("a", ("age",))):
        for treatment in ("none", "fairbalance"):
            for test, hypotheses in (("t2", ("H0t", "H0f")), ("t1", ("H0c", "H0w"))):
                for attribute in attributes:
                    for repeat in range(repeats):
                        for hypothesis in hypotheses:
                            p = float(rng.choice([0.01, 0.2, 0.8, np.nan]))
                            n = int(rng.integers(0, 400))
                            rows.append(
                                (dataset, treatment, test, repeat, attribute, hypothesis, p,
                                 p < 0.05, 2 * n, n)
                            )  # fmt: skip
    columns = ["dataset", "treatment", "test", "repeat", "attribute", "hypothesis"]
    return completed(
        pd.DataFrame(rows, columns=[*columns, "p_value", "rejected", "n", "smallest_cell"])
    )


def completed(frame):
    """Add what a summary of violations does not look at, or only to see what is a test."""
    untested = frame["p_value"].isna()
    return frame.assign(
        draw=0,
        estimate=0.1,
        standard_error=np.nan,
        statistic=np.where(untested, np.nan, 1.0),
        note=np.where(untested, "empty cell", ""),
    )


def summarise(frames):
    """The summary of the violations."""
    return summaries.summarise(frames)[0].drop(columns="run_sd")


def plainly(frame):
    """The same summary by a loop over rows."""
    seen = {}
    for row in frame.itertuples():
        key = tuple(getattr(row, name) for name in KEYS)
        seen.setdefault(key, {}).setdefault(row.repeat, []).append((row.p_value, row.smallest_cell))
    rows = []
    for key, repeats in seen.items():
        tested = violated = incomplete = small = 0
        smallest = math.inf
        for found in repeats.values():
            known = [p for p, _ in found if not math.isnan(p)]
            cell = min(cell for _, cell in found)
            tested += len(known) > 0
            violated += any(p < 0.05 for p in known)
            incomplete += len(known) < len(found)
            small += cell < 30
            smallest = min(smallest, cell)
        share = violated / tested if tested else math.nan
        error = math.sqrt(share * (1 - share) / tested) if tested else math.nan
        rows.append((*key, len(repeats), tested, share, error, incomplete, small, smallest))
    columns = ["repeats", "tested", "violated", "standard_error", "incomplete", "small_cells"]
    return pd.DataFrame(rows, columns=[*KEYS, *columns, "smallest_cell"])


@pytest.mark.parametrize("seed", range(2))
def test_the_summary_is_that_of_a_plain_loop(seed):
    frame = results(seed)
    # nothing of one test can be tested
    frame.loc[frame["test"].eq("t1") & frame["attribute"].eq("age"), "p_value"] = np.nan
    copy = frame.copy()
    summary = summarise([frame])
    pd.testing.assert_frame_equal(frame, copy)
    pd.testing.assert_frame_equal(summary, plainly(frame))
    assert len(summary) == 12
    assert (summary["tested"] == 0).sum() == 2


def in_memory(frame):
    """The summary of the estimates by pandas, from all results at once."""
    keys = [*KEYS, "hypothesis"]
    repeats = (
        frame.groupby([*keys, "repeat"], sort=False)
        .agg(
            estimate=("estimate", "mean"),
            error=("standard_error", "mean"),
            rejected=("rejected", "mean"),
        )
        .groupby(keys, sort=False)
    )
    return repeats.agg(
        repeats=("estimate", "count"),
        mean=("estimate", "mean"),
        standard_error=("estimate", "sem"),
        run_sd=("estimate", "std"),
        own_error=("error", "mean"),
        rejected=("rejected", "mean"),
    ).reset_index()


def of_draws(seed, draws):
    """Made results with estimates of all sizes, in draws."""
    rng = np.random.default_rng(seed)
    frame = pd.concat([results(seed, 12).assign(draw=d) for d in range(draws)], ignore_index=True)
    n = len(frame)
    estimate = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n)
    frame["estimate"] = np.where(rng.random(n) < 0.1, np.nan, estimate)
    errors = np.where(rng.random(n) < 0.1, np.nan, rng.random(n))
    return frame.assign(standard_error=errors, rejected=rng.random(n) < 0.4)


@pytest.mark.parametrize("draws", [1, 3])
def test_the_estimates_are_those_of_all_results_at_once(draws):
    frame = of_draws(3, draws)
    found = summaries.summarise([frame])[1]
    pd.testing.assert_frame_equal(found, in_memory(frame), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("draws", [1, 3])
@pytest.mark.parametrize("size", [1, 5])
def test_neither_chunks_nor_the_order_of_rows_change_a_bit(draws, size):
    frame = of_draws(4, draws)
    chunks = [part for _, part in frame.groupby(frame["repeat"] // size)]
    shuffled = [part.sample(frac=1, random_state=0) for part in reversed(chunks)]
    expected = summaries.summarise([frame])
    for found, summary, keys in zip(
        summaries.summarise(shuffled), expected, (KEYS, [*KEYS, "hypothesis"]), strict=True
    ):
        one, other = (s.set_index(keys).sort_index() for s in (found, summary))
        pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.slow
def test_one_chunk_is_held_beside_the_next():
    frame, held = results(1), []

    def chunks():
        for _, part in frame.groupby(frame["repeat"] // 8):
            gc.collect(2)
            assert sum(chunk() is not None for chunk in held) <= 1
            chunk = part.copy()
            held.append(weakref.ref(chunk))
            yield chunk
            del chunk

    summaries.summarise(chunks())
    assert len(held) == 5


def cut_off(path):
    write_parquet(path, results(1))
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (cut_off, "cannot be read (cut off, or no results of tests): remove it and run the same "
                  "command again, which makes it anew."),
        (lambda path: write_parquet(path, pd.DataFrame({"a": [1]})), "cannot be read (cut off, or"),
        (lambda path: None, "is missing: run the same command again"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named(tmp_path, write, words):
    write(path := tmp_path / "results.parquet")
    with pytest.raises(InputError, match=re.escape(f"{path} {words}")):
        summaries.summarise(summaries.read_results([path]))


def test_a_test_that_knows_no_cells_has_none_in_the_summary():
    frame = results(1).astype({"smallest_cell": float})
    frame.loc[frame["test"] == "t1", "smallest_cell"] = np.nan
    summary = summarise([frame]).set_index("test")
    assert summary.loc["t1", "smallest_cell"].isna().all()
    assert (summary.loc["t2", "smallest_cell"] >= 0).all()


@pytest.mark.parametrize(
    ("incomplete", "small", "text"),
    [
        (0, 0, ""),
        (1200, 0, "a hypothesis could not be tested in 1,200 repeats"),
        (0, 7, "a cell below 30 in 7 of 2,000 repeats (smallest 4)"),
        (
            3,
            7,
            "a hypothesis could not be tested in 3 repeats; a cell below 30 in 7 of 2,000 repeats "
            "(smallest 4)",
        ),
    ],
)
def test_a_remark_says_what_a_reader_must_know(incomplete, small, text):
    row = {"repeats": 2000, "incomplete": incomplete, "small_cells": small, "smallest_cell": 4}
    assert remark(row) == text


def test_with_many_draws_the_error_comes_from_the_spread_of_the_repeats():
    shares = [0.2, 0.3, 0.7]
    frame = pd.DataFrame(
        [
            ("d", "a", "none", "t", "H0c", repeat, draw, 0.01 if draw < 10 * share else 0.9)
            for repeat, share in enumerate(shares)
            for draw in range(10)
        ],
        columns=[*KEYS, "hypothesis", "repeat", "draw", "p_value"],
    )
    frame = completed(frame.assign(smallest_cell=50)).assign(rejected=frame["p_value"] < 0.05)
    frame["draw"] = list(range(10)) * 3
    (row,) = summaries.summarise([frame])[0].itertuples()
    assert row.violated == pytest.approx(np.mean(shares))
    assert row.run_sd == pytest.approx(np.std(shares, ddof=1))
    assert row.standard_error == pytest.approx(np.std(shares, ddof=1) / np.sqrt(3))


def test_what_is_estimated_and_not_tested_has_a_mean_and_no_violation():
    frame = pd.DataFrame(
        {"repeat": [0, 1, 2], "estimate": [1.0, 2.0, 6.0], "p_value": np.nan, "statistic": np.nan}
    ).assign(
        dataset="d", attribute="a", treatment="none", test="accuracy", hypothesis="MAE", draw=0,
        rejected=False, smallest_cell=65, note="", standard_error=0.5,
    )  # fmt: skip
    violations, estimates = summaries.summarise([frame])
    assert violations.empty
    (row,) = estimates.itertuples()
    assert (row.hypothesis, row.repeats, row.mean) == ("MAE", 3, 3)
    assert row.own_error == 0.5
    assert row.run_sd == pytest.approx(np.sqrt(7))
    assert row.standard_error == pytest.approx(np.sqrt(7 / 3))
