"""Cells that follow from the measures of an experiment by their keys alone."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import listed
from fairpairs.papers.experiments.comparison import BETTER, WORSE, compare_treatments
from fairpairs.papers.experiments.measures import COLUMNS, HIGHER
from fairpairs.papers.published.cells import Cell, Filled, reproduced, values_of
from fairpairs.papers.published.source import SourceData
from fairpairs.papers.published.table import Key

#: `statistic` of a key → what it is of the repeats of a treatment.
OF_REPEATS: Mapping[str, Callable[..., Any]] = {
    "mean": np.mean,
    "standard_deviation": partial(np.std, ddof=1),
    "median": np.median,
    "quartile_distance": lambda x, axis=-1: np.diff(np.quantile(x, (0.25, 0.75), axis), axis=0)[0],
}
#: The statistic that is of all treatments (see `ranks`).
RANK = "rank"
STATISTICS = (*OF_REPEATS, RANK)
#: Columns that a key may name besides the experiment.
NAMES = [name for name in COLUMNS if name not in ("groups", "repeat", "value", "n_train", "n_test")]
#: Samples of the repeats, with replacement, behind a standard error.
SAMPLES, SAMPLES_OF_RANKS = 1000, 100
#: Of fewer repeats a bootstrap error is too small, and Mann–Whitney's test cannot show anything.
FEWEST = 5
#: Level of Mann–Whitney's test, and the least Cliff's delta, of a new rank.
LEVEL, MEDIUM = 0.05, 0.33
#: What is better and worse than the baseline by the corrected resampled t, behind a rank.
MARKS = {BETTER: "▲", WORSE: "▼"}


def measured(data: SourceData) -> Filled:
    """Fill a table with statistics of measures over repeats, with bootstrap standard errors.

    The key of a cell has `statistic`, `measure`, `treatment`, and what else tells one series of
    repeats: `experiment`, `dataset`, `attribute`, `model`.
    """
    frame = pd.concat(
        [part.assign(experiment=name) for name, part in data.measures.items()], ignore_index=True
    )
    ranked = cache(lambda key: _ranked(_selected(frame, dict(key)), data.compare))

    def cell(key: Key) -> Cell | None:
        values_of(key, ("statistic", "measure", "treatment"))
        names = {name: value for name, value in key.items() if name != "statistic"}
        part = _selected(frame, names)
        if part.empty:
            return None
        if key["statistic"] == RANK:
            treatment = names.pop("treatment")
            found: Cell = ranked(frozenset(names.items()))[treatment]
            return found
        values = part.sort_values("repeat")["value"].to_numpy(np.float64)
        return _with_error(values, OF_REPEATS[key["statistic"]])

    return cell


def _selected(frame: pd.DataFrame, names: Key) -> pd.DataFrame:
    """Return the rows of a key; InputError if they are of several series of repeats."""
    part = frame[(frame[[*names]] == pd.Series(names)).all(axis=1)]
    several = {"treatment"} - {*names}
    others = [n for n in ("experiment", *NAMES) if len(set(part[n])) > 1 and n not in several]
    if others:
        raise InputError(f"the key fits several series of repeats: add {listed(others)} to it.")
    return part


def _with_error(values: Floats, statistic: Callable[..., Any]) -> Cell:
    """Return a statistic of repeats, with its standard error and that of one repeat."""
    from scipy.stats import bootstrap  # noqa: PLC0415  (slow)

    if note := _too_few(values):
        return reproduced(np.nan, note=note)
    rng = np.random.default_rng(0)
    found = bootstrap((values,), statistic, n_resamples=SAMPLES, method="percentile", rng=rng)
    error = float(found.standard_error)
    return reproduced(statistic(values), error, run_sd=error * np.sqrt(len(values)))


def _too_few(values: Floats) -> str:
    """Say why a statistic of repeats, the last axis, cannot be computed; "" if it can be."""
    if np.isnan(values).any():
        return f"cannot be computed: empty in {np.isnan(values).sum()} of {values.size} repeats"
    n = values.shape[-1]
    return f"cannot be computed: of {n} of at least {FEWEST} repeats" if n < FEWEST else ""


def _ranked(part: pd.DataFrame, compare: Mapping[str, Content]) -> dict[str, Cell]:
    """Return the rank of each treatment, marked if it is shown to differ from the baseline."""
    wide = part.pivot(index="treatment", columns="repeat", values="value")
    if note := _too_few(wide.to_numpy()):
        return dict.fromkeys(wide.index, reproduced(np.nan, note=note))
    options = dict(compare.get(part["experiment"].iloc[0]) or {})
    measure = part["measure"].iloc[0]
    for name in ("margin", "better"):  # of this measure alone
        options[name] = {k: v for k, v in options.get(name, {}).items() if k == measure}
    compared = compare_treatments(part, **options)
    n, higher = wide.shape[1], compared["preferred"].iloc[0] == HIGHER
    costs = wide.to_numpy() * (-1 if higher else 1)
    samples = np.random.default_rng(0).integers(n, size=(SAMPLES_OF_RANKS, n))
    sd = np.std([ranks(costs[:, sample]) for sample in samples], axis=0, ddof=1)
    verdicts = compared.set_index("treatment")["verdict"].to_dict()
    return {
        name: reproduced(
            rank, error, run_sd=error * np.sqrt(n), mark=MARKS.get(verdicts.get(name, ""), "")
        )
        for name, rank, error in zip(wide.index, ranks(costs), sd, strict=True)
    }


def ranks(costs: Floats) -> Integers:
    """Rank treatments, 0 is best, by their costs in each repeat, shape (treatments, repeats).

    In the order of medians, a treatment opens a new rank if Mann–Whitney's test (one-sided) and
    Cliff's delta say that it is worse than the last that did; see Yu, Chakraborty and Menzies
    (2024), *FairBalance*. Repeats overlap, so the test does not hold its level.

    >>> ranks(np.array([[0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.5, 0.6], [0.8, 0.9, 0.9, 0.8]])).tolist()
    [0, 0, 1]
    """
    from scipy.stats import mannwhitneyu  # noqa: PLC0415  (slow)

    order, found = np.argsort(np.median(costs, axis=1), kind="stable"), np.zeros(len(costs), int)
    rank, last = 0, costs[order[0]]
    for one in order:
        worse = np.sign(costs[one][:, None] - last).mean() >= MEDIUM  # Cliff's delta
        if worse and mannwhitneyu(costs[one], last, alternative="greater").pvalue <= LEVEL:
            rank, last = rank + 1, costs[one]
        found[one] = rank
    return found
