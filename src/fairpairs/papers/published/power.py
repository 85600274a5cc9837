"""The power of "agrees": how far printed numbers could be off, and still agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import p_equals
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.published.comparison import LEVEL, critical_score
from fairpairs.papers.published.distances import DIGITS, Distances
from fairpairs.papers.published.table import Key, PublishedTable
from fairpairs.papers.published.verdicts import AGREES

#: Names of a key that tell kinds of numbers apart; only those of one kind change places.
KINDS = ("measure", "quantity", "hypothesis")
#: Pairs of names of a key: with their values exchanged, a cell is the mirror image of another.
MIRRORED = (("first", "second"), ("decisions", "reference"))
#: How many random permutations of the printed numbers of a table are tried.
PERMUTATIONS = 200
#: The mean of |z| if all differences are of chance: that of a standard normal variable.
CHANCE = float(np.sqrt(2 / np.pi))
#: A half-width above this share of the range of the printed numbers tells little.
WIDE = 0.5

#: The columns of results/comparison_power.csv.
COLUMNS = (
    *("paper", "table", "cells", "agree", "distinct", "new"),
    *("within_median", "within_max", "relative_median", "relative_max", "not_told", "vacuous"),
    *("permuted_agree", "mean_z", "expected_z", "single_runs", "as_far", "omnibus_p"),
    *("bugs", "noticed"),
)


@dataclass(frozen=True)
class SimulatedCells:
    """The simulated cells of a published table, which other numbers may be put into."""

    table: PublishedTable
    #: Their rows of the comparison, with the `key`.
    cells: pd.DataFrame
    distances: Distances

    @classmethod
    def of(cls, table: PublishedTable, comparison: pd.DataFrame) -> Self:
        """Return those of a table and its comparison."""
        keys = table.cells[["row", "column", "key"]]
        cells = comparison.merge(keys, how="left", on=["row", "column"], validate="1:1")
        rows = cells[(cells["kind"] == "simulated") & cells["z"].notna()].reset_index(drop=True)
        return cls(table, rows, Distances.of(rows, table.spec.get("runs", np.nan)))

    @cached_property
    def numbers(self) -> Floats:
        """The printed numbers."""
        return self.cells["published"].to_numpy(dtype=float)

    @cached_property
    def movable(self) -> NDArray[np.bool_]:
        """Which cells have a verdict on any number: those without a z of the study."""
        return self.cells["agrees_within"].notna().to_numpy()

    @cached_property
    def kinds(self) -> list[NDArray[np.int64]]:
        """The places of the movable cells of each kind of numbers."""
        kinds: dict[tuple[Any, ...], list[int]] = {}
        for i in np.flatnonzero(self.movable).tolist():
            key = self.cells["key"].iloc[i]
            kinds.setdefault(tuple(key.get(name) for name in KINDS), []).append(i)
        return [np.array(places) for places in kinds.values()]

    def z(self, numbers: Floats, tails: Floats | None = None) -> Floats:
        """Return z, had the paper printed these numbers, shape (…, cells)."""
        z = self.distances.z(numbers, tails)
        return np.where(self.movable, z, self.cells["z"].to_numpy())

    def differs(self, numbers: Floats, tails: Floats | None = None) -> NDArray[np.bool_]:
        """Return which cells would differ, had the paper printed these numbers, shape (…, cells).

        `tails` are those of the numbers, if they are not those of the cells.
        """
        pvalues = np.asarray(2 * ndtr(-np.abs(self.z(numbers, tails))), dtype=np.float64)
        return np.asarray(adjusted(pvalues, "holm") < LEVEL)

    @cached_property
    def run_means(self) -> Floats:
        """The mean |z| of each single run of ours, rounded to the printed digits.

        Each is compared with all other runs. There are none where the paper prints means of several
        runs, or where single runs are not kept.
        """
        single = self.distances.single_runs
        if not self.table.of_one_run or np.isnan(single).all():
            return np.array([])
        unit, is_p = self.distances.unit, self.distances.tail != 0
        means = []
        for i, run in enumerate(single):
            values = np.where(is_p, ndtr(-np.abs(run)), run)
            tails = np.where(is_p, np.where(run < 0, -1.0, 1.0), 0.0)
            rounded = np.round(values / unit) * unit
            z = np.abs(self.distances.without(i).z(rounded, tails))[self._counted]
            if not np.isnan(z).all():
                means.append(np.nanmean(z))
        return np.array(means)

    @property
    def _counted(self) -> NDArray[np.bool_]:
        """The cells of the omnibus test: those with single runs if there are any, else all."""
        single = ~np.isnan(self.distances.single_runs).all(axis=0) & self.movable
        return single if self.table.of_one_run and single.any() else np.ones_like(single)

    def mean_z(self, numbers: Floats, tails: Floats | None = None) -> float:
        """Return the mean |z|, had the paper printed these numbers."""
        return float(np.abs(self.z(numbers, tails))[self._counted].mean())

    def omnibus_p(self, mean_z: float) -> float:
        """Return the p-value of a mean |z|: its rank among those of single runs; NaN without."""
        runs = self.run_means
        return float((np.sum(runs >= mean_z) + 1) / (len(runs) + 1)) if len(runs) else float("nan")


def identity(key: Key, published: float, reproduced: float) -> tuple[Any, ...]:
    """Return a key that is equal for cells of one number: a cell, its mirror image, and repeats.

    Cells are one number if their keys are the same but for an exchange of `first` and `second` or
    of `decisions` and `reference`, and both numbers are the same but for the sign.
    """
    names: Record = dict(key)
    for pair in MIRRORED:
        if names.keys() >= set(pair):
            names["/".join(pair)] = tuple(sorted(str(names.pop(name)) for name in pair))
    return frozenset(names.items()), abs(published), round(abs(reproduced), DIGITS)


def permuted_agree(cells: SimulatedCells, seed: int) -> float:
    """Return the share of cells that still agree if their printed numbers are permuted at random.

    Numbers change places with others of their kind, `PERMUTATIONS` times; a cell counts if its
    number changes. NaN where none can.
    """
    numbers, tails = cells.numbers, cells.distances.tail
    order = np.tile(np.arange(len(numbers)), (PERMUTATIONS, 1))
    for i in range(PERMUTATIONS):
        rng = stream(seed, "comparison", cells.table.name, "permutation", i)
        for kind in cells.kinds:
            order[i, kind] = rng.permutation(kind)
    changed = numbers[order] != numbers
    agree = ~cells.differs(numbers[order], tails[order])
    return float(agree[changed].mean()) if changed.any() else float("nan")


def vacuous(cells: SimulatedCells) -> int:
    """Count the cells in which every number of their kind in the table would agree."""
    critical, count = critical_score(len(cells.cells)), 0
    for kind in cells.kinds:
        printed = cells.numbers[kind]
        if len(set(printed)) > 1:
            shape = (len(kind), len(cells.numbers))
            numbers = np.broadcast_to(printed[:, None], shape)
            tails = np.broadcast_to(cells.distances.tail[kind][:, None], shape)
            near = np.abs(cells.z(numbers, tails)) <= critical
            count += int(near[:, kind].all(axis=0).sum())
    return count


def ranges(cells: SimulatedCells) -> Floats:
    """Return the range of the printed numbers of the kind of each cell; NaN where it is 0."""
    spread = np.full(len(cells.numbers), np.nan)
    for kind in cells.kinds:
        spread[kind] = np.ptp(cells.numbers[kind]) or np.nan
    return spread


def power_rows(
    tables: Sequence[SimulatedCells], planted: pd.DataFrame, *, seed: int
) -> pd.DataFrame:
    """Return the power of the verdicts on each published table with simulated cells, a row each.

    The `tables` of one paper are in their order. The columns are the simulated `cells`, how many
    `agree`, how many of them are `distinct` numbers (see `identity`) and how many of these are
    `new`, not in a table before it; the half-width of "agrees", `within`, and `relative` to the
    range of the printed numbers, their medians and largest; how many of the cells that agree are
    `not_told` (above half of the range) and in how many cells any number of the table would agree
    (`vacuous`); `permuted_agree`; `mean_z`, the mean of |z|, and `expected_z`, that of our
    `single_runs`, or by chance; how many of these are `as_far`, and the p-value of this rank; how
    many planted `bugs` change a number of the table, and how many of them would be `noticed`.
    """
    known: dict[str, set[tuple[Any, ...]]] = {}
    rows = []
    for table in tables:
        cells, movable = table.cells, table.movable
        if cells.empty:
            continue
        columns = cells[["key", "published", "reproduced"]]
        numbers = {identity(*cell) for cell in columns.itertuples(index=False)}
        before = known.setdefault(table.table.study, set())
        within = cells["agrees_within"].to_numpy(dtype=float)
        relative = within / ranges(table)
        agrees = (cells["verdict"] == AGREES).to_numpy()
        mean_z, runs = table.mean_z(table.numbers), table.run_means
        bugs = planted[
            (planted["paper"] == table.table.study) & (planted["table"] == table.table.number)
        ]
        rows.append(
            (
                *(table.table.study, table.table.number, len(cells), int(agrees.sum())),
                *(len(numbers), len(numbers - before)),
                *(_median(within), _largest(within), _median(relative), _largest(relative)),
                int((agrees & movable & (relative > WIDE)).sum()),
                vacuous(table),
                *(permuted_agree(table, seed), mean_z, runs.mean() if len(runs) else CHANCE),
                *(len(runs), int((runs >= mean_z).sum()), table.omnibus_p(mean_z)),
                *(len(bugs), int(bugs["noticed"].sum())),
            )
        )
        before |= numbers
    return pd.DataFrame(rows, columns=list(COLUMNS)).round(DIGITS)


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else float("nan")


def _largest(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else float("nan")


def in_words(row: Content) -> str:
    """Return the power of the verdicts on a table, its row of `power_rows`, in a line."""
    parts: list[str] = []
    if pd.notna(row["within_median"]):
        median, largest = (f"{row[name]:.2g}" for name in ("within_median", "within_max"))
        text = f"agrees within ± {median} (median; largest {largest})"
        if pd.notna(row["relative_median"]):
            text += f", {_percent(row['relative_median'])} of the range of the printed numbers"
        parts.append(text)
    parts.append(f"{row['cells']} simulated cells are {row['distinct']} distinct numbers")
    if row["not_told"]:
        parts.append(
            f"not told, as ± is above half of the range: {row['not_told']} of the {row['agree']} "
            "that agree"
        )
    if row["vacuous"]:
        parts.append(f"cells in which any number of the table would agree: {row['vacuous']}")
    if pd.notna(row["permuted_agree"]):
        parts.append(
            f"after a random permutation of the printed numbers, {_percent(row['permuted_agree'])} "
            "of the changed cells would still agree"
        )
    if row["bugs"]:
        parts.append(f"{row['noticed']} of {row['bugs']} planted bugs would be noticed")
    text = f"omnibus: the mean of |z| is {row['mean_z']:.2f}, "
    if row["single_runs"]:
        chance = p_equals(row["omnibus_p"])
        text += (
            f"that of a single run of ours {row['expected_z']:.2f}, and {row['as_far']} of "
            f"{row['single_runs']} runs have at least that of the paper ({chance})"
        )
    else:
        text += f"by chance {row['expected_z']:.2f}"
    return "; ".join([*parts, text])


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def summarised(rows: pd.DataFrame) -> str:
    """Return the power of the verdicts of a run in a line."""
    names = ("cells", "new", "not_told", "noticed", "bugs")
    cells, new, not_told, noticed, bugs = (f"{int(rows[name].sum()):,}" for name in names)
    return (
        f"what agrees is worth: {cells} simulated cells are {new} distinct numbers; {not_told} "
        "agree within more than half of the range of their table, so are not told; "
        f"{noticed} of {bugs} planted bugs would be noticed"
    )
