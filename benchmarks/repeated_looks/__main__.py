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
    delays,
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
#: Looks at a stream that goes on for years.
LOOKS = 10_000
#: A stream of AUCs or means ends after the planned rows times this.
MAX_WAIT = 6
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


def print_delays(options: argparse.Namespace) -> None:
    """Print the expected delay over the sample size that one audit needs."""
    for index, power in enumerate(delays.POWERS):
        rows = []
        for share in worlds.SHARES:
            for rate in worlds.RATES:
                row = [f"{share:g}", f"{rate:g}"]
                for gap in delays.GAPS:
                    tpr = {"higher": (rate + gap, rate), "lower": (rate, rate + gap)}
                    needed = {
                        side: delays.planned(share, rates, rate, ALPHA)[index]
                        for side, rates in tpr.items()
                    }
                    cases = {
                        f"{share:g} {rate:g} {gap:g} {side}": partial(_delays, share, rates)
                        for side, rates in tpr.items()
                    }
                    ratios = [
                        f"{mean[0] / n:.2f}"
                        for (_, mean, _), n in zip(
                            measured(cases, options), needed.values(), strict=True
                        )
                    ]
                    row.append(", ".join(ratios))
                rows.append(row)
        table([f"share (power {power:g})", "rate", *(f"gap {gap:g}" for gap in delays.GAPS)], rows)


def _delays(
    share: float, tpr: tuple[float, float], rng: np.random.Generator, number: int
) -> Floats:
    return delays.delays(rng, number, share, tpr, ALPHA)[None]


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


def print_waits(options: argparse.Namespace) -> None:
    """Print the expected delay of AUC and means over the size that one test needs."""
    rows = []
    for share in (0.5, 0.1):
        for gap in (0.05, 0.1, 0.2):
            auc_worlds = {
                f"AUC {auc:g} − {gap:g}": partial(
                    estimates.ranked, "AUC", (auc, auc - gap), (1.0, 1.0), share, 0.5, 100
                )
                for auc in (0.75, 0.9)
            }
            normal = partial(estimates.drawn, ("normal", "normal", 1, 1), gap)
            drawn = auc_worlds | {f"mean, {gap:g} sd": partial(estimates.averaged, normal, share)}
            needed = [
                [estimates.planned(world, gap, power, ALPHA) for power in delays.POWERS]
                for world in drawn.values()
            ]
            cases = {
                f"{name}, share {share:g}": partial(_waits, world, round(MAX_WAIT * n[0]))
                for (name, world), n in zip(drawn.items(), needed, strict=True)
            }
            for (name, mean, error), n in zip(measured(cases, options), needed, strict=True):
                ratios = [f"{mean[0] / rows_needed:.2f}" for rows_needed in n]
                rows.append([name, f"{n[0]:,.0f}", *ratios, f"{error[0] / n[0]:.2f}"])
    table(["difference", "planned, power 0.8", "delay", "of that for 0.9", "error"], rows)


def _waits(world: estimates.World, rows: int, rng: np.random.Generator, number: int) -> Floats:
    return estimates.delay(world, GAP, rows, rng, number, ALPHA)[None]


def print_changes(options: argparse.Namespace) -> None:
    """Print run lengths without a change, and delays of changes beside CUSUM and the bets."""
    short = changes.RUN_LENGTH / 10
    fair = {
        name: partial(changes.run_lengths, design, short)
        for name, design in changes.UNCHANGED.items()
        if options.case in name
    }
    table(
        [f"no change, promised {short:g}", "batches until an alarm"],
        [[name, with_error(mean[0], error[0], 0)] for name, mean, error in measured(fair, options)],
    )
    cases = {
        name: partial(changes.delays, design, changes.RUN_LENGTH, ALPHA)
        for name, design in changes.CHANGED.items()
    }
    rows = []
    for name, design in changes.CHANGED.items():
        if options.case not in name:
            continue
        rng = stream(options.seed, "sequential", "cusum", name)
        goal = changes.goal_of_cusum(design, changes.RUN_LENGTH, options.seed)
        of_cusum = changes.delays_of_cusum(design, goal, rng)
        ((_, mean, error),) = measured({name: cases[name]}, options)
        ours = [with_error(*of, 1) for of in zip(mean, error, strict=True)]
        error_of_cusum = of_cusum.std() / len(of_cusum) ** 0.5
        ratio = mean[0] / of_cusum.mean()
        rows.append([name, *ours, with_error(of_cusum.mean(), error_of_cusum, 1), f"{ratio:.2f}"])
    table(["change", "e-detectors", "bets from the first row", "CUSUM", "ratio to CUSUM"], rows)


def print_looks(options: argparse.Namespace) -> None:
    """Print the false alarms of a fair model that is looked at 10,000 times."""
    designs = {
        "1 row a look": repeated.Design(1),
        "50 rows": repeated.Design(50),
        "1,000 rows": repeated.Design(1000),
        "1,000 rows, a group of 0.1": repeated.Design(1000, share=0.1),
        "1,000 rows, TPR 0.98, FPR 0.02": repeated.Design(1000, tpr=0.98, fpr=0.02),
    }
    cases = {
        name: partial(levels.audit_by_bets, design, alpha=ALPHA, looks=LOOKS)
        for name, design in designs.items()
    }
    table([f"{LOOKS:,} looks at a fair model", "called unfair"], rows_with_errors(cases, options))


def print_clusters(options: argparse.Namespace) -> None:
    """Print how many more rows it takes to find a gap with `--cluster` than without."""
    cases = {
        f"{rows} row(s), ICC {icc:g}, rates {rate:g} and {rate - gap:g}": partial(
            delays.delays_of_persons, rows=rows, icc=icc, rates=(rate - gap, rate), alpha=ALPHA
        )
        for rows, icc in ((1, 0), (3, 0), (3, 0.3), (3, 1))
        for rate, gap in ((0.8, 0.1), (0.8, 0.05), (0.5, 0.1))
    }
    rows = []
    for name, mean, error in measured(cases, options):
        ratio = mean[0] / mean[1]
        of_ratio = ratio * float(np.hypot(*(error / mean)))
        ours = [with_error(*of, 0) for of in zip(mean, error, strict=True)]
        rows.append([name, *ours, with_error(ratio, of_ratio, 2)])
    table(["rows until a gap is found", "with `--cluster`", "without", "ratio"], rows)


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
    "delays": print_delays,
    "estimates": print_estimates,
    "waits": print_waits,
    "changes": print_changes,
    "looks": print_looks,
    "clusters": print_clusters,
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
    parser.add_argument("--case", default="", help="only changes with these words")
    parser.add_argument("--worst", type=int, default=WORST, help="worst worlds that are printed")
    parser.add_argument("--out", default="build/weeks", help="figure, without .svg")
    options = parser.parse_args()
    PARTS[options.part](options)


if __name__ == "__main__":
    main()
