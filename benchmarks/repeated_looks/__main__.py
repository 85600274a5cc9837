"""Prints the tables of docs/explanation/calibration.md on tests under repeated looks.

Numbers do not depend on the number of processes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from benchmarks.repeated_looks import (
    changes,
    estimates,
    levels,
    life,
    repeated,
    worlds,
)
from benchmarks.repeated_looks.weeks import weeks_figure
from fairpairs.base.arrays import Floats
from fairpairs.mathematics.promises.promise import simulate
from fairpairs.papers.experiments.seeds import stream

ALPHA = 0.05
#: Streams that one process draws at once.
CHUNK = 250
#: Measures a number of streams drawn with a generator: shape (quantities, streams).
Measure = Callable[[np.random.Generator, int], Floats]
#: The gap that bets and mixtures are tuned to, as by default.
GAP = 0.1
#: Number of the worst worlds that are printed.
WORST = 6


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table in Markdown, if it has rows."""
    if not rows:
        return
    for row in (heads, ["---"] * len(heads), *rows):
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def with_error(mean: float, error: float, digits: int = 4) -> str:
    """Return a mean and its Monte Carlo error as text."""
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def measured(
    cases: Mapping[str, Measure], options: argparse.Namespace
) -> list[tuple[str, Floats, Floats]]:
    """Return the name of each case, the means of its quantities and their Monte Carlo errors."""
    found = []
    for name, measure in cases.items():
        blocks = simulate(
            measure,
            options.streams,
            partial(_stream, options.seed, name),
            block=CHUNK,
            processes=options.processes,
        )
        values = np.concatenate(list(blocks), axis=1)
        error = values.std(axis=1) / np.sqrt(options.streams)
        found.append((name, values.mean(axis=1), error))
    return found


def _stream(seed: int, name: str, number: int) -> np.random.Generator:
    return stream(seed, "sequential", name, number)


def rows_with_errors(cases: Mapping[str, Measure], options: argparse.Namespace) -> list[list[str]]:
    """Return a row for each case: its name, and means with their errors as text."""
    return [[name, *map(with_error, mean, error)] for name, mean, error in measured(cases, options)]


def print_repeated(options: argparse.Namespace) -> None:
    """Print the false alarms of audits that are made for one look and repeated every week."""
    designs = {
        "1,000 rows a week": repeated.Design(1000),
        "200 rows": repeated.Design(200),
        "5,000 rows": repeated.Design(5000),
        "a group of 0.1": repeated.Design(1000, share=0.1),
        "TPR 0.5, FPR 0.02, prevalence 0.1": repeated.Design(
            5000, share=0.1, prevalence=0.1, tpr=0.5, fpr=0.02
        ),
    }
    cases = {name: partial(_alarms, design) for name, design in designs.items()}
    heads = ["52 weeks of a fair model", "all rows so far", "each week alone", "one audit"]
    table([*heads, "bets, after each row"], rows_with_errors(cases, options))


def _alarms(design: repeated.Design, rng: np.random.Generator, number: int) -> Floats:
    bets = levels.audit_by_bets(design, rng, number, ALPHA)
    return np.concatenate([repeated.repeated_alarms(design, rng, number, ALPHA), bets])


def print_levels(options: argparse.Namespace) -> None:
    """Print the mistakes of bets on rates at any of 10,000 looks."""
    kinds = {
        "fair streams": worlds.fair_worlds(),
        "fair streams whose rows are not independent": worlds.unfit_worlds(),
    }
    for title, fair in kinds.items():
        cases = {name: partial(_called_different, world) for name, world in fair.items()}
        table([title, "called different"], rows_with_errors(cases, options))
    for difference in (0.0, levels.MARGIN, -levels.MARGIN):
        cases = {
            name: partial(_mistakes, world, difference)
            for name, world in worlds.distant_worlds(difference).items()
        }
        heads = [f"difference {difference:+g}", "outside the interval", "beyond", "within"]
        table(heads, rows_with_errors(cases, options))


def _called_different(world: worlds.World, rng: np.random.Generator, number: int) -> Floats:
    return levels.called_different(world, rng, number, ALPHA)


def _mistakes(
    world: worlds.World, difference: float, rng: np.random.Generator, number: int
) -> Floats:
    return levels.mistakes(world, difference, rng, number, ALPHA)


def print_estimates(options: argparse.Namespace) -> None:
    """Print how often the true difference of AUC, xAUC or means is left out at any look."""
    for name, difference, draws in (
        ("mean", 0.0, estimates.number_worlds()),
        ("mean", 0.1, estimates.number_worlds(0.1)),
        ("AUC", 0.0, estimates.score_worlds("AUC")),
        ("AUC", -0.1, estimates.score_worlds("AUC", 0.1)),
        ("xAUC", 0.0, estimates.score_worlds("xAUC")),
        *((name, 0.0, estimates.drifting_worlds(name)) for name in ("mean", "AUC", "xAUC")),
    ):
        cases = {world: partial(_excluded, draw, difference) for world, draw in draws.items()}
        worst = measured(cases, options)
        worst.sort(key=lambda row: -max(row[1][0], row[1][1:].max()))
        title = f"{name}, difference {difference:g}, {len(cases)} worlds"
        rows = [
            [world, with_error(mean[0], error[0]), with_error(mean[1:].max(), error[1:].max())]
            for world, mean, error in worst[: options.worst]
        ]
        table([title, "outside the interval", "one side, the worse"], rows)


def _excluded(
    world: estimates.World, difference: float, rng: np.random.Generator, number: int
) -> Floats:
    return estimates.false_alarms(world, difference, GAP, worlds.ROWS, rng, number, ALPHA)


def print_changes(options: argparse.Namespace) -> None:
    """Print run lengths without a change."""
    cases = {
        name: partial(changes.run_lengths, design, changes.RUN_LENGTH)
        for name, design in changes.UNCHANGED.items()
    }
    table(
        [f"no change, promised {changes.RUN_LENGTH:g}", "batches until an alarm"],
        [
            [name, with_error(*of, 0)]
            for name, (mean,), (error,) in measured(cases, options)
            for of in [(mean, error)]
        ],
    )


def print_life(options: argparse.Namespace) -> None:
    """Print the false alarms of streams where groups join, persons recur and labels come late."""
    cases = {
        name: partial(life.false_alarms, design, ALPHA) for name, design in life.DESIGNS.items()
    }
    table(["fair streams", "called unfair"], rows_with_errors(cases, options))


def print_figure(options: argparse.Namespace) -> None:
    """Draw the year of weekly audits."""
    number = weeks_figure(options.out, seed=options.seed, alpha=ALPHA)
    print(f"{options.out}.svg: the first fair year with a false alarm is number {number + 1}")


PARTS = {
    "repeated": print_repeated,
    "levels": print_levels,
    "estimates": print_estimates,
    "changes": print_changes,
    "life": print_life,
    "figure": print_figure,
}


def main() -> None:
    """Run the part that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--worst", type=int, default=WORST, help="worst worlds that are printed")
    parser.add_argument("--out", default="build/weeks", help="figure, without .svg")
    options = parser.parse_args()
    PARTS[options.part](options)


if __name__ == "__main__":
    main()
