"""Whether the tables of two runs agree cell by cell, up to chance."""

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fairpairs.base import schemas
from fairpairs.base.plain_values import Content
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.published.comparison import LEVEL
from fairpairs.papers.published.verdicts import AGREES, DIFFERS
from fairpairs.papers.run import chance

#: How the numbers of each table may differ; its comments explain the keys.
RULES = Path(__file__).with_name("agreement.yaml")
#: Numbers with a Monte Carlo error differ when their p-value, adjusted by Holm, is below this.
CHANCE = 0.001
#: Numbers agree up to this share of the committed one, which has six digits.
TOLERANCE = 1e-4
#: Or up to this, about the last digit of single precision: a difference to zero is no share of it.
NEGLIGIBLE = 1e-6
#: Larger numbers of repeats are not believed.
MOST_RUNS = 1e9

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")

Rule = Content
Row = Mapping[str, str]


class Difference(NamedTuple):
    """A difference, its multiple of what is allowed (inf for words), and its line and column."""

    path: str
    what: str
    excess: float = math.inf
    position: tuple[int, str] = (0, "")

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


@dataclass(frozen=True)
class Agreement:
    """How the cells of tables agree with the committed ones."""

    #: What differs beyond chance, worst first.
    differences: list[Difference] = field(default_factory=list)
    #: Verdicts that changed by chance.
    flips: list[str] = field(default_factory=list)
    #: Number of tests of numbers with a Monte Carlo error.
    tested: int = 0
    #: Number of such numbers that are not the same within the tolerance.
    moved: int = 0
    #: The smallest p-value after Holm's adjustment.
    smallest: float = 1.0
    #: Number of numbers in the range that a rule gives.
    within: int = 0
    #: Tables of a single split, which are not compared with those of another seed.
    skipped: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return what was tested, and the verdicts that changed by chance."""
        lines = []
        if self.tested:
            lines.append(
                f"    {self.tested:,} tests of numbers with a Monte Carlo error, of which "
                f"{self.moved:,} changed: the smallest p-value is {self.smallest:.2g} after Holm's "
                f"adjustment (DIFFERS below {CHANCE:g})"
            )
        if self.within:
            lines.append(f"    {self.within:,} other numbers changed within the stated range")
        if self.skipped:
            lines.append(
                f"    {len(self.skipped)} tables of a single split: not compared, as another seed "
                "splits the data in another way"
            )
        if self.flips:
            lines.append(f"    {len(self.flips)} verdicts changed by chance:")
        return [*lines, *(f"      {flip}" for flip in self.flips)]


class Pair(NamedTuple):
    """The same row of both runs, with its file and line."""

    path: str
    line: int
    ours: Row
    theirs: Row

    def cell(self, column: str) -> tuple[str, str]:
        """Return the cells of a column."""
        return self.ours[column], self.theirs[column]

    def difference(self, column: str, why: str = "", excess: float = math.inf) -> Difference:
        """Say that a cell differs."""
        ours, theirs = (cell or "nothing" for cell in self.cell(column))
        named = [self.theirs[name] for name in ("row", "column") if name in self.theirs]
        cell = f" ({'; '.join(named)})" * bool(named)
        what = f"line {self.line}{cell}, `{column}`: {ours} where {theirs} is committed{why}"
        return Difference(self.path, what, excess, (self.line, column))


def differing_cells(
    path: str, ours: str, committed: str, *, tolerance: float = TOLERANCE
) -> list[Difference]:
    """Compare two tables, as CSV, cell by cell, numbers inside of words too.

    A number may be off by the `tolerance` as a share of the committed one; a column `sha256` is
    left out. There is one Difference for each cell, or one for the shape.
    """
    try:
        pairs = _pairs(path, ours, committed)
    except _OtherShapeError as other:
        return [Difference(path, str(other))]
    return [
        pair.difference(column, excess=excess)
        for pair in pairs
        for column in pair.theirs
        if column != "sha256"
        and (excess := _excess(*pair.cell(column), relative=tolerance, absolute=NEGLIGIBLE)) > 1
    ]


def compare(
    tables: Mapping[str, tuple[str, str]],
    config: Content,
    *,
    other_seed: bool = False,
    tolerance: float = TOLERANCE,
) -> Agreement:
    """Compare tables of two runs whose random numbers, processors or libraries may differ.

    Every number is one of these (see `agreement.yaml`): it has a Monte Carlo error, and all of
    those are tested together, by Holm at `CHANCE`; it has a range; or it must be the same within
    the tolerance, as a share of the committed one. Two means are compared by Welch's t, shares of
    repeats by Fisher's exact test, standard deviations by an F test whose degrees of freedom a
    kurtosis of 9 lowers. A verdict may change when its number has a Monte Carlo error and agrees,
    and its adjusted p-value crosses the level of verdicts.

    `tables` are those of the run and the committed ones as CSV, by path; `config` is that of both.
    """
    comparison = _Comparison(config, other_seed=other_seed, tolerance=tolerance)
    for path, texts in tables.items():
        comparison.add(path, *texts)
    return comparison.result()


class _OtherShapeError(Exception):
    """The rows or columns of a table are not those of the committed one."""


def _pairs(path: str, ours: str, committed: str) -> list[Pair]:
    """Return the rows of two tables beside each other."""
    try:
        rows, kept = (list(csv.reader(io.StringIO(text))) for text in (ours, committed))
    except csv.Error as error:
        raise _OtherShapeError(f"it is no CSV table ({error})") from error
    if rows[:1] != kept[:1] or list(map(len, rows)) != list(map(len, kept)):
        raise _OtherShapeError(
            f"{len(rows)} lines where {len(kept)} are committed, or other columns: the cells are "
            "not compared"
        )
    header = kept[0] if kept else []
    tables = ((dict(zip(header, row, strict=True)) for row in part[1:]) for part in (rows, kept))
    return [Pair(path, line, *both) for line, both in enumerate(zip(*tables, strict=True), 2)]


class _Comparison:
    """Collects differences and tests, until all p-values are known."""

    def __init__(self, config: Content, *, other_seed: bool, tolerance: float):
        self.rules: Mapping[str, Rule] = schemas.read_yaml(RULES)["tables"]
        self.config, self.other_seed, self.tolerance = config, other_seed, tolerance
        self.skipped: list[str] = []
        self.differences: list[Difference] = []
        self.tests: list[tuple[Pair, str, str, float]] = []  # …, what was tested, p-value
        self.verdicts: list[tuple[Pair, str, str]] = []
        self.within = self.moved = 0

    def add(self, path: str, ours: str, committed: str) -> None:
        """Compare one table."""
        table = _first(self.rules, path) or {}
        if self.other_seed and table.get("one_split"):
            self.skipped.append(path)
            return
        try:
            pairs = _pairs(path, ours, committed)
        except _OtherShapeError as other:
            self.differences.append(Difference(path, str(other)))
            return
        header = list(pairs[0].theirs) if pairs else []
        columns = {column: _column_rule(table, column, header) for column in header}
        errors = set(map(_error, columns.values()))
        for pair in pairs:
            damaged = [column for column in header if _is_damaged(*pair.cell(column))]
            self.differences.extend(map(pair.difference, damaged))
            for column, rule in ({} if damaged else columns).items():
                if column not in errors:
                    self._compare(pair, column, *self._of_row(pair, rule, table))

    def _compare(self, pair: Pair, column: str, rule: Rule, table: Rule) -> None:
        ours, theirs = pair.cell(column)
        if "follows" in rule:
            return
        if self.other_seed and table.get("one_split"):
            return
        if rule.get("may_be_empty") and "" in [
            cell for name in (column, _error(rule)) for cell in pair.cell(name)
        ]:
            return
        if "verdict" in rule:
            if ours != theirs:
                self.verdicts.append((pair, column, rule["verdict"]))
            return
        moved = _excess(ours, theirs, relative=self.tolerance, absolute=NEGLIGIBLE)
        if "within" in rule:
            excess = min(moved, _excess(ours, theirs, **rule["within"]))
            self.within += moved > 1 >= excess
            if excess > 1:
                why = f", beyond {_range(rule['within'])}"
                self.differences.append(pair.difference(column, why, excess))
            return
        runs = [self._runs(rule, table, pair.path, row) for row in pair[2:]]
        error = pair.cell(_error(rule)) if _error(rule) else ("", "")
        # the same mean with one error of 0, although repeats are not constant by chance
        vanished = moved <= 1 and not rule.get("constant") and _only_one_is_zero(*error)
        if ("" in error and error[0] != error[1]) or error[0].startswith("-") or vanished:
            self.differences.append(pair.difference(_error(rule)))
        tests = list(chance.tests_of_cells(pair.cell(column), error, rule, (runs[0], runs[1])))
        self.moved += bool(tests) and moved > 1
        for kind, p in tests:
            self.tests.append((pair, column, kind, 1.0 if moved <= 1 and kind == "number" else p))
        if not tests and moved > 1:
            self.differences.append(pair.difference(column, excess=moved))

    def _of_row(self, pair: Pair, rule: Rule, table: Rule) -> tuple[Rule, Rule]:
        """Return the rule of a column, and of its table: those of the table that a row is from."""
        if "rows_of" not in table or "error" not in rule:
            return rule, table
        words = {key: value.replace(".", "_") for key, value in pair.theirs.items()}
        table = _first(self.rules, table["rows_of"].format(**words)) or {}
        columns = _first(table.get("columns", {}), pair.theirs["column"]) or {}
        return {**columns, **rule} if "error" in columns else columns, table

    def _runs(self, rule: Rule, table: Rule, path: str, row: Row) -> float:
        """Return the number of independent repeats behind a row; inf if unknown."""
        sources = rule.get("runs", table.get("runs", []))
        for source in sources if isinstance(sources, list) else [sources]:
            value = row.get(source) or _looked_up(self.config, source.format(stem=Path(path).stem))
            if value and _is_finite(str(value)) and 0 < float(value) < MOST_RUNS:
                return float(value) / int(rule.get("dependent", 1))
        return math.inf

    def result(self) -> Agreement:
        """Adjust the p-values, and sort."""
        p = np.array([test[-1] for test in self.tests], dtype=np.float64)
        holm = adjusted(p, "holm") if len(p) else p
        differences = list(self.differences)
        for (pair, column, kind, _), p_adjusted in zip(self.tests, holm, strict=True):
            if p_adjusted < CHANCE:
                what = "" if kind == "number" else " in its Monte Carlo error"
                why = f", which chance allows{what} with p = {p_adjusted:.1g}"
                excess = math.log(max(p_adjusted, 1e-300)) / math.log(CHANCE)
                differences.append(pair.difference(column, why, excess))
        tested = {(pair.path, pair.line, column) for pair, column, *_ in self.tests}
        wrong = {(d.path, *d.position) for d in differences}
        flips = []
        for pair, column, number in self.verdicts:
            cell = (pair.path, pair.line, number)
            if cell in tested and cell not in wrong and _may_flip(pair, number):
                flips.append(str(pair.difference(column)))
            else:
                differences.append(pair.difference(column))
        return Agreement(
            sorted(differences, key=lambda d: -d.excess),
            flips,
            len(p),
            self.moved,
            float(holm.min(initial=1.0)),
            self.within,
            self.skipped,
        )


def _first(rules: Content, name: str) -> Any:
    """Return the value of the first key that fits a name, exact ones first."""
    if name in rules:
        return rules[name]
    return next((rule for pattern, rule in rules.items() if fnmatchcase(name, pattern)), None)


def _column_rule(table: Rule, column: str, header: Sequence[str]) -> Rule:
    """Return the rule of a column; empty if it names another that the table lacks."""
    rule: Rule = _first(table.get("columns", {}), column) or {}
    for key in ("error", "spread"):
        if key in rule:
            other = rule[key].format(column=column)
            return {**rule, key: other} if other in header else {}
    return rule


def _error(rule: Rule) -> str:
    """Return the column that has the error of the column of a rule."""
    return str(rule.get("error", rule.get("spread", "")))


def _looked_up(config: Content, path: str) -> float | None:
    value: Any = config
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, int | float) else None


def _is_damaged(ours: str, theirs: str) -> bool:
    """Say whether a cell is text or infinite, but a finite number is committed."""
    return bool(ours) and _is_finite(theirs) and not _is_finite(ours)


def _is_finite(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell)) and math.isfinite(float(cell))


def _only_one_is_zero(ours: str, theirs: str) -> bool:
    numbers = _is_finite(ours) and _is_finite(theirs)
    return numbers and 0 in (sizes := (float(ours), float(theirs))) and max(sizes) > NEGLIGIBLE


def _excess(ours: str, theirs: str, *, absolute: float = 0.0, relative: float = 0.0) -> float:
    """Return the largest difference as a multiple of the tolerance; inf if words differ."""
    if ours == theirs:
        return 0.0
    pieces, kept = _NUMBER.split(ours), _NUMBER.split(theirs)
    if pieces[::2] != kept[::2]:
        return math.inf
    numbers = zip(map(float, pieces[1::2]), map(float, kept[1::2]), strict=True)
    return max(abs(a - b) / max(absolute, relative * abs(b), 1e-300) for a, b in numbers)


def _range(within: Mapping[str, float]) -> str:
    parts = [f"{value:g}" + " of it" * (key == "relative") for key, value in within.items()]
    return " or ".join(parts)


def _may_flip(pair: Pair, number: str) -> bool:
    """Say whether a verdict changed with its p-value, and that with the number."""
    follows_p = all(
        row["p_adjusted"]
        and row["verdict"] == (AGREES if float(row["p_adjusted"]) >= LEVEL else DIFFERS)
        for row in (pair.ours, pair.theirs)
    )
    same = all(_excess(*pair.cell(name), relative=1e-5) <= 1 for name in (number, "standard_error"))
    return follows_p and (not same or _excess(*pair.cell("z"), relative=0.05, absolute=0.05) <= 1)
