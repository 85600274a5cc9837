"""The table of the register: every number with its error, worlds where ours is worse first."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from fairpairs.base.texts import MISSING, decimals
from fairpairs.mathematics.promises.check import ROUNDING
from fairpairs.mathematics.promises.promise import POWER_MARGIN
from fairpairs.papers.display.tables import Display, write_table
from fairpairs.papers.studies.register.measure import ALPHA, TEXT
from fairpairs.papers.studies.register.tools import OURS
from fairpairs.papers.studies.register.worlds import REGISTER_WORLDS

#: Share of the most data sets of a world that a tool must have answered to be the best there.
ALMOST_ALL = 0.9
KEYS = ["tool", "world", "promise"]
NUMBERS = ["measured", "standard_error", "sets", "seconds"]
#: How a number of the full size is named beside one of a small size.
FULL = "full_"
PROMISES = {
    "level": "Level",
    "power": "Power",
    "coverage (no difference)": "Coverage, no difference",
    "coverage (difference)": "Coverage, difference",
}
NOTE = (
    "Level: share of data sets without a difference in which a tool finds one at 0.05. Power: "
    "share of data sets with a difference in which it finds one. Coverage: share of 95 % intervals "
    "that hold the true difference. ± Monte Carlo standard error. † The level is above 0.05 by "
    "more than chance explains (one-sided, 1 %), so the power is no merit. Best: the largest power "
    "of a tool without † that has all data sets. ms: the median time of a "
    "data set. A tool is measured in the worlds for which its documentation has a call; –: it has "
    "no test or no interval there. First come the worlds where FairPairs finds less than the best, "
    "by more than 0.03."
)
HERE = " The numbers are those of the committed full size; here: those of this run."


def gather(studies: Iterable[pd.DataFrame], full: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the rows of all tools in the order of the table, with the best power of each world.

    With `full`, the committed rows of the full size, their numbers are beside, in columns whose
    names begin with `FULL`, and the best is that of the full size.
    """
    rows = pd.concat(studies, ignore_index=True)
    if full is None:
        return _ordered(_with_best(rows.fillna({name: "" for name in TEXT if name in rows})))
    beside = full.drop(columns=["low", "high", "refused"])
    beside = beside.rename(columns={name: FULL + name for name in NUMBERS})
    here = rows[[*KEYS, *NUMBERS, "low", "high", "refused"]].drop(columns="seconds")
    same = [name for name in rows if name not in {*here, "seconds"}]
    unknown = rows.merge(full[KEYS], on=KEYS, how="left", indicator=True)
    unknown = unknown.loc[(unknown["_merge"] == "left_only").to_numpy(), [*KEYS, *same]]
    joined = pd.concat([beside, unknown], ignore_index=True).merge(here, on=KEYS, how="left")
    return joined[[*KEYS, *(name for name in joined if name not in KEYS)]]


def of_full_size(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of the full size of `gather`, or those of the run without them."""
    if FULL + NUMBERS[0] not in rows:
        return rows
    replaced = rows.drop(columns=[name for name in NUMBERS if name in rows])
    return replaced.rename(columns={FULL + name: name for name in NUMBERS})


def _ordered(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort by world, those where ours finds less than the best first; ours before other tools."""
    order = {world: place for place, world in enumerate(_worlds_by_loss(rows))}
    promise = rows["promise"].map({name: number for number, name in enumerate(PROMISES)})
    keys = pd.DataFrame({
        "world": rows["world"].map(order).fillna(len(order)), "other": rows["tool"] != OURS,
        "tool": rows["tool"], "promise": promise,
    })  # fmt: skip
    return rows.loc[keys.sort_values([*keys.columns]).index].reset_index(drop=True)


def _with_best(rows: pd.DataFrame) -> pd.DataFrame:
    """Add to the rows of power the best power of a tool whose level is not broken, and the tool."""
    levels = rows[rows["promise"] == "level"]
    broken = levels.loc[levels["low"] > ALPHA, ["tool", "world"]].apply(tuple, axis=1)
    power = (rows["promise"] == "power") & rows["measured"].notna()
    keeps = ~rows[["tool", "world"]].apply(tuple, axis=1).isin(set(broken))
    # a tool on the first of the data sets would be compared with others on all
    many = rows["sets"] >= ALMOST_ALL * rows.groupby("world")["sets"].transform("max")
    fit = rows[power & keeps & many].sort_values(["measured", "tool"], ascending=[False, True])
    best = fit.drop_duplicates("world").set_index("world")
    return rows.assign(
        keeps=np.where(rows["promise"].isin(["level", "power"]), keeps, True),
        best=rows["world"].map(best["measured"]).where(power),
        best_tool=rows["world"].map(best["tool"]).where(power).fillna(""),
    )


def lost(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the worlds in which ours finds less than the best, or breaks its level, worst first.

    Less is by more than `POWER_MARGIN`. The columns are `world`, `ours`, `best`, `best_tool`,
    `loss`, and `error`, which is too large a standard error of the loss: both have the same data.
    """
    power = rows[(rows["promise"] == "power") & rows["measured"].notna()]
    ours = power[power["tool"] == OURS].set_index("world")
    errors = power.set_index(["world", "tool"])["standard_error"]
    error = [
        float(np.hypot(row["standard_error"], errors.get((world, row["best_tool"]), 0.0)))
        for world, row in ours.iterrows()
    ]
    frame = pd.DataFrame({
        "world": ours.index, "ours": ours["measured"].to_numpy(), "best": ours["best"].to_numpy(),
        "best_tool": ours["best_tool"].to_numpy(), "error": error,
    })  # fmt: skip
    frame["loss"] = frame["best"] - frame["ours"]
    levels = rows[(rows["promise"] == "level") & (rows["tool"] == OURS)]
    broken = frame["world"].isin(levels.loc[~levels["keeps"].astype(bool), "world"])
    frame = frame[broken | (frame["loss"] > POWER_MARGIN + ROUNDING)]
    frame = frame.sort_values("loss", ascending=False, kind="stable")
    return frame.reset_index(drop=True)


def _worlds_by_loss(rows: pd.DataFrame) -> list[str]:
    """Return the worlds: those of `lost`, then the others in the order of the register."""
    first = list(lost(rows)["world"])
    named = set(rows["world"]) - set(first)
    return [*first, *(name for name in REGISTER_WORLDS if name in named)]


def display(rows: pd.DataFrame) -> Display:
    """Lay out `gather`, a row for each world and tool."""
    full = FULL + "measured" in rows
    lines = []
    for (world, tool), part in rows[rows["world"] != ""].groupby(["world", "tool"], sort=False):
        by = part.set_index("promise")
        line = {"World": world, "Tool": tool}
        for promise, heading in PROMISES.items():
            sign = " †" if promise == "level" and not by["keeps"].get(promise, True) else ""
            if full:
                line[heading] = _number(by, promise, FULL) + sign
                line[f"{heading}, here"] = _number(by, promise)
            else:
                line[heading] = _number(by, promise) + sign
        prefix = FULL if full else ""
        line["Best"] = decimals(part["best"].max(), 3)
        line["Data sets"] = decimals(part[prefix + "sets"].max(), 0)
        line["ms"] = decimals(1000 * part[prefix + "seconds"].mean(), 1)
        lines.append(line)
    left_out = rows[rows["world"] == ""]
    reasons = [f" {row['tool']}: {row['note']}." for _, row in left_out.iterrows()]
    note = NOTE + (HERE if full else "") + "".join(reasons)
    return Display(pd.DataFrame(lines).set_index("World"), "The register of levels", note)


def _number(by: pd.DataFrame, promise: str, prefix: str = "") -> str:
    names = [prefix + name for name in NUMBERS[:2]]
    value, error = by[names].astype(float).reindex([promise]).to_numpy()[0]
    return MISSING if np.isnan(value) else f"{decimals(value, 3)} ± {decimals(error, 3)}"


def write_register(
    studies: Iterable[pd.DataFrame], stem: str | Path, full: pd.DataFrame | None = None
) -> None:
    """Write all numbers as stem.csv, and a row for each world and tool as stem.md and stem.tex."""
    rows = gather(studies, full)
    write_table(stem, rows, display(rows))
