"""Measure level, coverage and power of a tool in the worlds to which it applies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.promises.check import ROUNDING
from fairpairs.mathematics.promises.promise import COVERAGE, Kind, Measured, share
from fairpairs.papers.studies.register.tools import (
    NotInstalledError,
    Tool,
    answers,
    command,
    versions,
    write_sets,
)
from fairpairs.papers.studies.register.worlds import REGISTER_WORLDS, RegisterWorld

#: The level of all tests.
ALPHA = 0.05
#: Columns of text.
TEXT = ("tool", "version", "world", "question", "promise", "best_tool", "call", "note")
COLUMNS = ["tool", "version", "world", "question", "promise", "promised", "measured",
           "standard_error", "low", "high", "sets", "refused", "seconds", "call",
           "note"]  # fmt: skip


def measure_tool(
    tool: Tool, worlds: Sequence[str] | None, *, sets: int, seed: int, environments: Path
) -> pd.DataFrame:
    """Return a row for each world, all if None, and promise; one with the reason if it cannot run.

    All tools get the same data sets.
    """
    mine = {
        name: REGISTER_WORLDS[name]
        for name in worlds or REGISTER_WORLDS
        if REGISTER_WORLDS[name].question in tool.calls
    }
    rows: list[Record] = []
    try:
        run = command(tool, environments.resolve())
        common: Record = {"tool": tool.name, "version": versions(tool)}
        with tempfile.TemporaryDirectory() as folder:
            ending = ".csv" if tool.path.suffix == ".R" else ".npz"
            drawn: dict[Path, tuple[str, int]] = {}
            for number, name in enumerate(REGISTER_WORLDS):
                if name not in mine:
                    continue
                for key, draw in enumerate((mine[name].null, mine[name].alternative)):
                    path = Path(folder, f"{number}-{key}{ending}")
                    streams = (np.random.default_rng([seed, number, key, i]) for i in range(sets))
                    write_sets(path, [draw(stream) for stream in streams])
                    drawn[path] = (name, key)
            asked = {path: mine[name].question for path, (name, _) in drawn.items()}
            for path, said in answers(tool, run, asked):
                name, key = drawn[path]
                world = mine[name]
                more = {
                    "world": name,
                    "question": world.question,
                    "call": tool.calls[world.question],
                }
                rows += [{**common, **more, **row} for row in _counted(world, key, said)]
    except NotInstalledError as error:
        return not_measured(tool, str(error))
    return pd.DataFrame(rows, columns=COLUMNS)


def not_measured(tool: Tool, reason: str) -> pd.DataFrame:
    """Return the one row of a tool that cannot run."""
    row = {"tool": tool.name, "note": f"not measured: {reason}"}
    return pd.DataFrame([row], columns=COLUMNS)


def _counted(world: RegisterWorld, key: int, said: Sequence[Content]) -> Iterator[Record]:
    """Yield the level under the null, the power under the alternative, and the coverage."""
    refused = [one.get("refused", "") for one in said]
    note = next(filter(None, refused), "")
    common = {
        "refused": sum(map(bool, refused)),
        # the first call of a tool is slow
        "seconds": float(np.median([one["seconds"] for one in said])),
    }
    kinds: tuple[Kind, Kind] = ("level", "power")
    found = np.array([_found(one) for one in said])
    covered = np.array([_covers(one, world.truths[key]) for one in said])
    for kind, values in ((kinds[key], found), ("coverage", covered)):
        row = _row(kind, values)
        if row is not None:
            name = kind if kind != "coverage" else f"coverage ({'no ' * (not key)}difference)"
            yield {"promise": name, **row, **common, "note": note}
    if np.isnan(found).all() and np.isnan(covered).all():
        yield {"promise": kinds[key], **common, "sets": 0, "note": note}


def _row(kind: Kind, values: Floats) -> Mapping[str, float | int] | None:
    if np.isnan(values).all():
        return None
    promised = {"level": ALPHA, "coverage": COVERAGE[0]}.get(kind, np.nan)
    row: Measured = share(kind, kind, values, promised)
    return {
        "promised": promised,
        "measured": row.rate,
        "standard_error": row.error,
        "low": row.low,
        "high": row.high,
        "sets": row.sets,
    }


def _found(said: Content) -> float:
    """Return whether a tool finds something; NaN where it does not say.

    Without a p-value, an interval without 0 does, unless the interval is of a size, which has none.
    """
    if "found" in said:
        return float(said["found"])
    if "p" in said:
        return float(said["p"] < ALPHA) if np.isfinite(said["p"]) else np.nan
    if "absolute" in said or not np.isfinite(said.get("low", np.nan) + said.get("high", np.nan)):
        return np.nan
    return float(said["low"] > 0 or said["high"] < 0)


def _covers(said: Content, truth: float) -> float:
    low, high = said.get("low", np.nan), said.get("high", np.nan)
    if not np.isfinite([low, high, truth]).all():
        return np.nan
    true = abs(truth) if "absolute" in said else truth
    return float(low - ROUNDING <= true <= high + ROUNDING)
