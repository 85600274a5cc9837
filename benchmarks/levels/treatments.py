"""Level and power of comparisons of treatments over random splits, where the truth is known.

Two learners choose a cut between the means of the classes of a feature that is theirs alone. In
worlds of the level both features have one distribution, so that neither learner is better on data
like these; in worlds of power the second has a better feature.
`python -m benchmarks.levels.treatments` writes docs/explanation/comparing-treatments.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from fairpairs.base.files import write_text
from fairpairs.base.style import PALETTE, drawing, rendered
from fairpairs.mathematics.inference.resampled_t import resampled_mean
from fairpairs.papers.experiments.comparison import compare_treatments
from fairpairs.papers.experiments.seeds import stream

ALPHA, SEED = 0.05, 20260101
PAGE = Path(__file__).parents[2] / "docs/explanation/comparing-treatments"
#: Name of a world → items, share of the test part, repeats, what is compared, how much better.
WORLDS: Mapping[str, tuple[int, float, int, str, float]] = {
    "accuracy, 600 items, 30 × 70/30": (600, 0.3, 30, "accuracy", 0.0),
    "accuracy, 600 items, 10 × 90/10": (600, 0.1, 10, "accuracy", 0.0),
    "accuracy, 600 items, 200 × 70/30": (600, 0.3, 200, "accuracy", 0.0),
    "accuracy, 600 items, 200 × 90/10": (600, 0.1, 200, "accuracy", 0.0),
    "accuracy, 600 items, 30 × 50/50": (600, 0.5, 30, "accuracy", 0.0),
    "accuracy, 100 items, 30 × 70/30": (100, 0.3, 30, "accuracy", 0.0),
    "TPR gap, 600 items, 30 × 70/30": (600, 0.3, 30, "tpr_gap", 0.0),
    "TPR gap, 600 items, 10 × 90/10": (600, 0.1, 10, "tpr_gap", 0.0),
    "TPR gap, 600 items, 200 × 50/50": (600, 0.5, 200, "tpr_gap", 0.0),
    "TPR gap, 150 items, 30 × 70/30": (150, 0.3, 30, "tpr_gap", 0.0),
    "power: accuracy, 600 items, 30 × 70/30": (600, 0.3, 30, "accuracy", 0.3),
    "power: accuracy, 600 items, 200 × 70/30": (600, 0.3, 200, "accuracy", 0.3),
    "power: accuracy, 600 items, 30 × 90/10": (600, 0.1, 30, "accuracy", 0.3),
    "power: TPR gap, 600 items, 30 × 70/30": (600, 0.3, 30, "tpr_gap", 0.3),
}


def values(world: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the measure of both learners in each repeat, and in both halves of five splits.

    The shapes are (repeats, 2) and (5, 2, 2): split, half that is tested, learner.
    """
    n, share, repeats, measure, better = WORLDS[world]
    y, group = rng.integers(0, 2, n), rng.integers(0, 2, n)
    shift = np.array([0.8, 0.8 + better * (measure == "accuracy")])
    x = rng.normal(size=(2, n)) + shift[:, None] * y
    # the group with less of a feature gets fewer true positives
    x += np.array([0.4, 0.4 - better * (measure == "tpr_gap")])[:, None] * group
    test = rng.random((repeats, n)).argsort(axis=1) < share * n
    half = rng.random((5, n)).argsort(axis=1) < n / 2
    halves = np.stack([half, ~half], axis=1).reshape(10, n)
    of_halves = measured(x, y, group, halves, measure).reshape(5, 2, 2)
    return measured(x, y, group, test, measure), of_halves


def measured(
    x: np.ndarray, y: np.ndarray, group: np.ndarray, test: np.ndarray, measure: str
) -> np.ndarray:
    """Fit both learners on the training parts, and measure them on the tested ones."""
    means = [
        (~test & (y == label)) @ x.T / (~test & (y == label)).sum(axis=1)[:, None]
        for label in (0, 1)
    ]
    right = x > (sum(means) / 2)[..., None]
    if measure == "accuracy":
        return ((right == y) & test[:, None]).sum(axis=2) / test.sum(axis=1)[:, None]
    rates = [
        (right & (test & (y == 1) & (group == code))[:, None]).sum(axis=2)
        / (test & (y == 1) & (group == code)).sum(axis=1)[:, None]
        for code in (0, 1)
    ]
    return rates[1] - rates[0]


def corrected(found: np.ndarray, world: str) -> float:
    """Return the p of the comparison of this project."""
    _, share, repeats, measure, _ = WORLDS[world]
    if measure == "accuracy":
        difference = found[:, 1] - found[:, 0]
        return float(resampled_mean(difference, share / (1 - share)).pvalue)
    frame = pd.DataFrame(
        {
            "treatment": np.repeat(["none", "other"], repeats),
            "repeat": np.tile(np.arange(repeats), 2),
            "measure": measure,
            "value": found.T.ravel(),
        }
    )
    return float(compare_treatments(frame, test_train_ratio=share / (1 - share))["p"].iloc[0])


def sizes(found: np.ndarray, world: str) -> np.ndarray:
    """Return what naive tests compare: of a gap, its size in each repeat."""
    return np.abs(found) if WORLDS[world][3] == "tpr_gap" else found


def ranks(found: np.ndarray, world: str) -> float:
    """Return 0 where the rule of the FairBalance paper puts one above the other, else 1."""
    one, other = sizes(found, world).T
    order = (one, other) if np.median(one) <= np.median(other) else (other, one)
    u, p = stats.mannwhitneyu(*order, alternative="less")
    delta = 1 - 2 * u / (len(one) * len(other))
    return 0.0 if p < ALPHA and delta >= 0.33 else 1.0


def scott_knott(found: np.ndarray, world: str) -> float:
    """Return the p of Scott and Knott (1974), that two means are of one group."""
    both = sizes(found, world)
    repeats, learners = both.shape
    dof = learners * (repeats - 1)
    between = ((both.mean(axis=0) - both.mean()) ** 2).sum()
    within = both.var(axis=0, ddof=1).mean() / repeats
    variance = (between + dof * within) / (learners + dof)
    statistic = np.pi / (2 * (np.pi - 2)) * between / variance
    return float(stats.chi2.sf(statistic, learners / (np.pi - 2)))


def five_by_two(halves: np.ndarray, world: str) -> float:
    """Return the p of the 5 × 2 cv t of Dietterich (1998)."""
    both = sizes(halves, world)
    difference = both[..., 1] - both[..., 0]
    variance = difference.var(axis=1, ddof=1).mean()
    return float(2 * stats.t.sf(abs(difference[0, 0]) / np.sqrt(variance), 5))


#: Name of a test → its p for the values of both learners.
TESTS: Mapping[str, Callable[[np.ndarray, str], float]] = {
    "corrected resampled t": corrected,
    "paired t": lambda found, world: float(stats.ttest_rel(*sizes(found, world).T).pvalue),
    "Wilcoxon": lambda found, world: float(stats.wilcoxon(*sizes(found, world).T).pvalue),
    "Mann–Whitney": lambda found, world: float(stats.mannwhitneyu(*sizes(found, world).T).pvalue),
    "ranks of FairBalance": ranks,
    "Scott–Knott": scott_knott,
}
FIVE_BY_TWO = "5 × 2 cv t"
ALL = ("corrected resampled t", FIVE_BY_TWO, *list(TESTS)[1:])


def measure(worlds: int) -> pd.DataFrame:
    """Return the share of worlds in which each test tells the learners apart."""
    rows = []
    for world in WORLDS:
        rejected = np.zeros(len(ALL))
        for number in range(worlds):
            found, halves = values(world, stream(SEED, "treatments", world, number))
            p = {name: test(found, world) for name, test in TESTS.items()}
            p[FIVE_BY_TWO] = five_by_two(halves, world)
            rejected += [p[name] < ALPHA for name in ALL]
        share = rejected / worlds
        error = np.sqrt(share * (1 - share) / worlds)
        cells = (f"{s:.3f} ± {e:.3f}" for s, e in zip(share, error, strict=True))
        rows.append({"world": world, **dict(zip(ALL, cells, strict=True))})
        print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def figure(table: pd.DataFrame) -> bytes:
    """Draw the level and the power of each test, a dot per world."""
    is_power = table["world"].str.startswith("power")
    with drawing(6.5, 3.2) as canvas:
        panels = canvas.subplots(1, 2, sharey=True)
        for axes, rows, title in (
            (panels[0], table[~is_power], "the learners are equal"),
            (panels[1], table[is_power], "the second is better"),
        ):
            for y, test in enumerate(ALL):
                x = rows[test].str.split(" ").str[0].astype(float)
                axes.plot(x, np.full(len(x), y), "o", color=PALETTE[y], alpha=0.8)
            axes.set_title(title, fontsize=9)
            axes.set_xlim(0, 1)
        panels[0].axvline(ALPHA, color="black", linewidth=1)
        panels[0].set_yticks(range(len(ALL)), ALL)
        panels[0].invert_yaxis()
        canvas.supxlabel(
            "share of data sets in which they are told apart; a dot per world", fontsize=9
        )
        return rendered(canvas, "svg")


def main() -> None:
    """Measure, and write the table and the figure of the page."""
    parser = argparse.ArgumentParser("python -m benchmarks.levels.treatments", description=__doc__)
    parser.add_argument("--worlds", type=int, default=2000, help="of each kind (%(default)s)")
    parser.add_argument("--out", type=Path, default=PAGE, help="folder (%(default)s)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table = measure(options.worlds)
    write_text(options.out / "levels.csv", table.to_csv(index=False))
    (options.out / "levels.svg").write_bytes(figure(table))


if __name__ == "__main__":
    main()
