"""Whether a test keeps its promises in a world, for any test and any world."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base import inputs
from fairpairs.base.errors import InputError, shown
from fairpairs.mathematics.promises.promise import (
    BROKEN,
    KEPT,
    POWER_MARGIN,
    TOLERANCE,
    UNKNOWN,
    Kind,
    Measured,
    Said,
    gathered,
    measured,
    share,
    simulate,
)
from fairpairs.mathematics.promises.worlds import WORLDS, Draw, World

#: Intervals cover the truth up to rounding.
ROUNDING = 1e-12
#: Competitors run on so many times more data sets under the null, and on no more than these: whose
#: level is broken, though little, must not set the power that is promised.
MORE_SETS, ENOUGH_SETS = 25, 5000
#: More are taken for a mistake: they would fill the memory.
MAX_SETS, MAX_PROCESSES = 10_000_000, 1024


@dataclass(frozen=True, repr=False)
class Promises:
    """What was measured of the promises of a test; returned by `check_promises`.

    Attributes
    ----------
    world
        The name of the world.
    measured
        Each promise: what was counted, in how many data sets, and its standard error.
    untested
        Data sets that the test refused: they claim nothing.
    seconds
        Mean time of the test for a data set.
    tolerance
        A promise is kept if the number is surely not worse than it by more than this.
    """

    world: str
    measured: tuple[Measured, ...]
    untested: int
    seconds: float = field(compare=False)
    tolerance: float = TOLERANCE

    @property
    def kept(self) -> bool | None:
        """True if all promises are kept, False if one is broken, None if one is not known yet."""
        verdicts = [row.verdict(self.tolerance) for row in self.measured]
        return False if BROKEN in verdicts else None if UNKNOWN in verdicts else KEPT in verdicts

    def to_frame(self) -> pd.DataFrame:
        """Return one row per promise: promised, measured, standard error and one-sided 99 % limits.

        Rows of competitors promise nothing: `promised` is NaN, the verdict empty.
        """
        rows = [
            {
                "of": row.of,
                "promise": row.kind,
                "noted": row.noted,
                "promised": row.promised,
                "measured": row.rate,
                "standard_error": row.error,
                "low": row.low,
                "high": row.high,
                "sets": row.sets,
                "verdict": row.verdict(self.tolerance),
            }
            for row in self.measured
        ]
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        lines = [f"{self.world}: {1000 * self.seconds:.2g} ms a data set"]
        for row in self.measured:
            sign = "≤" if row.at_most else "≥"
            promised = "" if np.isnan(row.promised) else f", promised {sign} {row.promised:.3g}"
            note = " (with a note)" if row.noted else ""
            verdict = row.verdict(self.tolerance)
            lines.append(
                f"  {row.kind} of {row.of}{note}: {row.rate:.3f} ± {row.error:.3f} "
                f"in {row.sets:,} sets{promised}{verdict and ': ' + verdict}"
            )
        return "\n".join(lines)


def check_promises(
    test: Callable[..., Any],
    world: World | str | Draw,
    *,
    sets: int = 200,
    null_sets: int | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    power: float | None = None,
    tolerance: float = TOLERANCE,
    processes: int = 1,
) -> Promises:
    """Run any test on simulated data of a known truth, and count what it gets wrong.

    Under the null, the share of data sets with a finding is the level, and that of intervals with
    the truth the coverage. Under the alternative, the share of data sets with a finding is the
    power. Each is compared with its promise by Clopper and Pearson's one-sided 99 % limits. The
    promise is broken if the limit in favour of the test is worse than it, kept if the other limit
    is better (up to `tolerance`), and else not known yet: draw more `sets`.

    Parameters
    ----------
    test
        A function of the arguments that the world draws. It returns a result of FairPairs (anything
        with `violated`), whether something is found (True, False or None), a p-value, or several of
        these by name.
    world
        A `World`, the name of one of `worlds()`, or a function of a numpy generator that
        draws the arguments where nothing is to be found.
    sets
        Data sets under the alternative.
    null_sets
        Data sets under the null; None for as many. Competitors, which are quick, run on 25 times as
        many as `sets`, up to 5,000.
    seed
        The numbers depend on it alone, not on `processes`.
    alpha
        The level promised, and that below which a p-value is a finding. Give it to the test too.
        With a note on the result, twice the level is allowed.
    power
        The promised power; None promises that of the best competitor of the world, minus 0.03.
    tolerance
        See above, at least 0.
    processes
        Processes that work at once; more than one need a test and a world that can be pickled.

    Returns
    -------
    Promises
        With `kept`, `to_frame()`, `seconds`; it prints as text.

    Raises
    ------
    InputError
        When the world is unknown, a test returns something else, or an option is out of bounds.

    References
    ----------
    Clopper and Pearson (1934), The use of confidence or fiducial limits illustrated in the case of
    the binomial.

    Examples
    --------
    >>> import fairpairs as fp
    >>> def coin(rng):
    ...     group, decision = rng.integers(0, 2, (2, 200))
    ...     return {"y_pred": decision, "sensitive_features": group}
    >>> checked = fp.check_promises(fp.two_proportion_test, coin, sets=400)
    >>> checked.to_frame()[["promise", "promised", "measured", "sets", "verdict"]].round(3)
      promise  promised  measured  sets verdict
    0   level      0.05     0.032   400    kept
    """
    if not callable(test) or isinstance(test, type):
        raise InputError(f"test is {shown(test)}: give a function of what the world draws.")
    chosen = _world(world)
    inputs.whole(sets, "sets", 1, MAX_SETS)
    fair = sets if null_sets is None else null_sets
    inputs.whole(fair, "null_sets", 1, MAX_SETS)
    inputs.whole(seed, "seed", 0)
    inputs.whole(processes, "processes", 1, MAX_PROCESSES)
    inputs.level(alpha)
    inputs.between(tolerance, "tolerance", 0, 1, ends=True)
    if power is not None:
        inputs.between(power, "power", 0, 1)
    tests = {"": test, **chosen.competitors}

    def runs(
        draw: Draw, kind: Kind, key: int, sets: int, start: int = 0
    ) -> list[tuple[list[Said], int, float]]:
        of = chosen.competitors if start else tests
        truth = chosen.truth if kind == "level" else None
        one = partial(_said, of, draw, kind, truth, alpha)
        return list(simulate(one, sets, partial(_stream, seed, key, start), processes=processes))

    drawn = runs(chosen.null, "level", 0, fair)
    if chosen.alternative is not None and chosen.competitors:
        more = max(min(MORE_SETS * sets, ENOUGH_SETS) - fair, 0)
        drawn += runs(chosen.null, "level", 0, more, start=fair)
    rows = [
        row for part in gathered(run[0] for run in drawn) for row in _judged(part, alpha, tests)
    ]
    total = fair
    if chosen.alternative is not None:
        broken = {row.of for row in rows if row.of in chosen.competitors and row.low > alpha}
        unfair = runs(chosen.alternative, "power", 1, sets)
        found = gathered(run[0] for run in unfair)
        rates = {part.of: float(np.nanmean(part.values)) for part in found}
        beside = [
            rates[name] for name in chosen.competitors if name in rates and name not in broken
        ]
        least = power if power is not None else max(beside, default=np.nan) - POWER_MARGIN
        for part in found:
            promised = np.nan if part.of in chosen.competitors else least
            rows.append(share(part.of, "power", part.values, promised))
        drawn, total = drawn + unfair, fair + sets
    refused, seconds = sum(run[1] for run in drawn), sum(run[2] for run in drawn)
    return Promises(chosen.name, tuple(rows), refused, seconds / total, tolerance)


def _judged(said: Said, alpha: float, tests: Mapping[str, Any]) -> Iterator[Measured]:
    """Yield the promises of the test; of a competitor the level, which promises nothing."""
    if said.of in tests:
        yield share(said.of, said.kind, said.values, np.nan)
    else:
        yield from measured(said, alpha)


def _stream(seed: int, key: int, start: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, start + number, key])


def _world(world: World | str | Draw) -> World:
    if isinstance(world, World):
        return world
    if isinstance(world, str):
        if world not in WORLDS:
            raise InputError(f"There is no world {shown(world)}: name one of `fairpairs.worlds()`.")
        return WORLDS[world]
    if callable(world) and not isinstance(world, type):
        return World(getattr(world, "__name__", "world"), world)
    raise InputError(
        "world must be a World, the name of one, or a function that draws the arguments of the "
        f"test with a generator; it is {type(world).__name__}."
    )


def _said(
    tests: Mapping[str, Callable[..., Any]],
    draw: Draw,
    kind: Kind,
    truth: float | Mapping[str, float] | None,
    alpha: float,
    rng: np.random.Generator,
    _size: int,
) -> tuple[list[Said], int, float]:
    """Return what the test and its competitors say of a data set; 1 if it is refused; seconds."""
    data, refused, seconds = draw(rng), 0, 0.0
    if not isinstance(data, Mapping):
        raise InputError(f"The world draws {shown(data)}: return the test's arguments by name.")
    said: list[Said] = []
    for name, test in tests.items():
        start = time.perf_counter()
        try:
            result = test(**data)
        except InputError:  # for example, too few items of a group: no claim is made
            refused += not name
            continue
        finally:
            seconds += 0.0 if name else time.perf_counter() - start
        said += read_result(result, kind, alpha, name or "violated", None if name else truth)
    return said, refused, seconds


def read_result(
    result: Any,
    kind: Kind,
    alpha: float,
    name: str = "violated",
    truth: float | Mapping[str, float] | None = None,
) -> Iterator[Said]:
    """Yield what a result says: findings, and whether its intervals hold the truth."""
    if isinstance(result, Mapping):
        for of, value in result.items():
            yield from read_result(value, kind, alpha, str(of))
        return
    if result is None or isinstance(result, bool | np.bool_):
        yield Said.once(name, kind, None if result is None else float(result))
    elif isinstance(result, int | float | np.number):
        pvalue = float(result)
        yield Said.once(name, kind, None if np.isnan(pvalue) else float(pvalue < alpha))
    elif hasattr(result, "violated"):
        table = result.to_frame() if hasattr(result, "to_frame") else pd.DataFrame()
        noted = "note" in table and bool((table["note"] != "").any())
        found = result.violated
        yield Said.once(name, kind, None if found is None else float(found), noted)
        if truth is not None:
            yield from _covered(table, truth)
    else:
        raise InputError(
            "A test must return a result with `violated`, True, False, None, a p-value, or several "
            f"of these by name; it returned {type(result).__name__}."
        )


def _covered(table: pd.DataFrame, truth: float | Mapping[str, float]) -> Iterator[Said]:
    """Yield whether the interval of each hypothesis holds its true value."""
    names = next((table[column] for column in ("measure", "hypothesis") if column in table), None)
    if names is None or "ci_low" not in table:
        return
    notes = table["note"] if "note" in table else [""] * len(table)
    for name, low, high, note in zip(names, table["ci_low"], table["ci_high"], notes, strict=True):
        true = truth.get(name) if isinstance(truth, Mapping) else truth
        if true is not None and np.isfinite(low) and np.isfinite(high):
            covers = low - ROUNDING <= true <= high + ROUNDING
            yield Said.once(f"interval of {name}", "coverage", float(covers), note != "")
