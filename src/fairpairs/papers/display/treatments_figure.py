"""Figures of what each treatment of an experiment did, narrow enough for a phone and a column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill, shorten
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.special import ndtri

from fairpairs.base.arrays import Floats
from fairpairs.base.style import MARKERS, OURS, PALETTE, PUBLISHED
from fairpairs.base.texts import middle_cut
from fairpairs.mathematics.inference.resampled_t import resampled_mean
from fairpairs.papers.display.figures import saved
from fairpairs.papers.display.labels import label
from fairpairs.papers.display.treatments import arm_words, heading, is_gap, measure_words, titled
from fairpairs.papers.experiments.comparison import BETTER, FEWEST, WORSE, treatments_over_datasets
from fairpairs.papers.experiments.measures import HIGHER

#: Colours of what is shown, and of what is not.
COLOURS, OPEN_COLOUR = {BETTER: OURS, WORSE: PUBLISHED}, "#777777"
#: Inches: a figure fits a column of a paper, and a phone without being shrunk much.
WIDTH, ROW, HEAD = 4.8, 0.22, 0.75
#: The texts of rows from the top, and whether each is a head of those below.
Rows = list[tuple[str, bool]]
#: Rows of a comparison with their height `y`, and how they are drawn.
Points = tuple[pd.DataFrame, dict[str, Any]]
#: Characters of the title of a data set above its rows or its panel, and of a treatment.
LONGEST = 42
#: Those of a line of the title of a panel, whose axes begin behind the names of treatments.
TITLE = 32


def changes_figure(
    stem: str | Path, comparison: pd.DataFrame, titles: Mapping[str, str], *, alpha: float
) -> None:
    """Draw the change of each measure by each treatment with its interval, a panel for a measure.

    Below six data sets a row is a treatment on one of them; else it is a treatment, with a small
    point for each data set and attribute, and the mean over data sets with its interval.
    """
    many = comparison["dataset"].nunique() >= FEWEST
    panels = list(_panels(comparison, ["measure"] if many else ["measure", "attribute"]))
    drawn = [_over(part, alpha) if many else _by_dataset(part, titles) for _, part in panels]
    heights = [HEAD + ROW * (len(rows) + 0.5) for rows, _ in drawn]
    with saved(stem, WIDTH, sum(heights) + 0.3) as figure:
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axis, (title, _), (rows, points) in zip(axes, panels, drawn, strict=True):
            _draw(axis, points)
            axis.axvline(0, color="black", linewidth=0.8)
            axis.set_title(title, fontsize=9, loc="left")
            named = [(y, text) for y, (text, is_head) in enumerate(rows) if not is_head]
            axis.set_yticks([y for y, _ in named], [middle_cut(text, LONGEST) for _, text in named])
            for y, (text, is_head) in enumerate(rows):
                if is_head:
                    place = ("axes fraction", "data")
                    axis.annotate(text, (0.01, y), xycoords=place, va="center", weight="bold")
            axis.set_ylim(len(rows) - 0.4, -0.6)
            axis.locator_params(axis="x", nbins=5)
        figure.supxlabel("change, with its interval (of a gap: of its size)", fontsize=9)


def _words(stem: str | Path, text: str) -> None:
    """Write words in place of a figure."""
    with saved(stem, WIDTH, 1) as figure:
        axis = figure.subplots()
        axis.set_axis_off()
        axis.text(0.5, 0.5, text, ha="center", transform=axis.transAxes)


def _panels(comparison: pd.DataFrame, keys: list[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    for names, part in comparison.groupby(keys, sort=False):
        arrow = "more is better" if part["preferred"].iloc[0] == HIGHER else "less is better"
        yield fill(f"{heading(*map(str, names))} ({arrow})", TITLE), part


def _by_dataset(part: pd.DataFrame, titles: Mapping[str, str]) -> tuple[Rows, list[Points]]:
    """Return the rows, titles of data sets among them, and a point with its interval for each."""
    rows: Rows = []
    named = part.assign(arm=arm_words(part), y=0)
    datasets = named.groupby("dataset", sort=False)
    for name, of in datasets:
        if len(datasets) > 1:
            rows.append((shorten(titled(name, titles), LONGEST, placeholder=" …"), True))
        named.loc[of.index, "y"] = np.arange(len(rows), len(rows) + len(of))
        rows += [(arm, False) for arm in of["arm"]]
    return rows, _of_verdicts(named)


def _over(part: pd.DataFrame, alpha: float) -> tuple[Rows, list[Points]]:
    """Return a row for each treatment, with the changes on all data sets and their mean."""
    over = treatments_over_datasets(part, alpha=alpha)
    names = arm_words(over)
    places = [names.index(arm) - 0.15 for arm in arm_words(part)]
    single = part.assign(y=places, low=np.nan, high=np.nan)
    means = over.assign(y=np.arange(len(names)) + 0.2)
    drawn = [(of, style | {"markersize": 2.5}) for of, style in _of_verdicts(single)]
    return [(name, False) for name in names], [*drawn, (means, {"color": "black", "fmt": "D"})]


def _of_verdicts(rows: pd.DataFrame) -> list[Points]:
    """Return the rows of each verdict with their style: filled where a change is shown."""
    styles = {
        verdict: {"color": COLOURS.get(verdict, OPEN_COLOUR), "mfc": COLOURS.get(verdict, "white")}
        for verdict in dict.fromkeys(rows["verdict"])
    }
    return [(rows[rows["verdict"] == verdict], style) for verdict, style in styles.items()]


def _draw(axis: Axes, points: Iterable[Points]) -> None:
    """Draw the column `difference` at the height `y`, with its interval."""
    for rows, style in points:
        x = rows["difference"].to_numpy()
        ends = np.abs([x - rows["low"], rows["high"] - x])
        usual: dict[str, Any] = {"fmt": "o", "markersize": 4.5, "linewidth": 1.1}
        axis.errorbar(x, rows["y"], xerr=ends, **(usual | style))


def trade_off_figure(
    stem: str | Path, measures: pd.DataFrame, comparison: pd.DataFrame, titles: Mapping[str, str],
    *, alpha: float,
) -> None:  # fmt: skip
    """Draw the first measure of performance against the size of the first gap, by data set.

    A point is the mean of a treatment over repeats, with the corrected intervals of both means; a
    dashed line joins those that no other is better than in both.
    """
    preferred = dict(zip(comparison["measure"], comparison["preferred"], strict=True))
    gaps = [m for m in preferred if is_gap(m)]
    others = [m for m in preferred if not is_gap(m) and "_ratio" not in m]
    if not gaps or not others:
        _words(stem, "A gap and a measure of performance are needed.")
        return
    performance, gap = others[0], gaps[0]
    measures = measures.assign(arm=arm_words(measures))
    arms, of_gap = list(dict.fromkeys(measures["arm"])), measures[measures["measure"] == gap]
    panels = list(of_gap.groupby(["dataset", "attribute"], sort=False))
    down = -(-len(panels) // 2)
    with saved(stem, WIDTH, 2.5 * down + 0.2 * -(-len(arms) // 2) + 0.4) as figure:
        axes = figure.subplots(down, min(2, len(panels)), squeeze=False).ravel()
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for axis, ((dataset, attribute), of_gap) in zip(axes, panels, strict=False):
            of = measures[(measures["measure"] == performance) & (measures["dataset"] == dataset)]
            _trade_off(axis, of, of_gap, arms, preferred[performance] == HIGHER, alpha)
            title = shorten(titled(dataset, titles), 30, placeholder=" …")
            axis.set_title(f"{title}\n{measure_words(gap, attribute)}, size", fontsize=8)
            axis.tick_params(labelsize=8)
            more = "more" if preferred[performance] == HIGHER else "less"
            axis.set_xlabel(f"{heading(performance)} ({more} is better)", fontsize=8)
        figure.supylabel("size of the gap (less is better)", fontsize=9)
        entries = axes[0].get_legend_handles_labels()
        figure.legend(*entries, loc="outside lower center", ncols=2, frameon=False, fontsize=8)


def _trade_off(
    axis: Axes, performance: pd.DataFrame, gap: pd.DataFrame, arms: Sequence[str], more: bool,
    alpha: float,
) -> None:  # fmt: skip
    points = []
    means = zip(_means(performance, alpha), _means(gap, alpha), strict=True)
    for (arm, x), (_, (middle, low, high)) in means:
        place, ends = arms.index(arm), np.abs([low, high])
        y = np.array([abs(middle), 0 if low <= 0 <= high else ends.min(), ends.max()])
        colour = PALETTE[place % len(PALETTE)]
        marker = MARKERS[(place + place // len(PALETTE)) % len(MARKERS)]
        axis.plot([x[1], x[2]], [y[0], y[0]], color=colour, linewidth=0.9)
        axis.plot([x[0], x[0]], [y[1], y[2]], color=colour, linewidth=0.9)
        style: dict[str, Any] = {"color": colour, "markersize": 5.5, "clip_on": False}
        axis.plot(x[0], y[0], marker, label=middle_cut(arms[place], LONGEST - 8), **style)
        points.append((x[0], y[0]))
    front = undominated(np.array(points) * [-1 if more else 1, 1])
    line = np.array(points)[front]
    axis.plot(*line.T, "--", color="black", linewidth=0.8, zorder=0)
    axis.set_ylim(bottom=0)


def undominated(costs: Floats) -> list[int]:
    """Return the points that no other is as good as in both costs and better in one, in order.

    >>> undominated(np.array([[1.0, 3], [2, 2], [3, 2], [4, 1]]))
    [0, 1, 3]
    """
    front: list[int] = []
    for i in np.lexsort(costs.T[::-1]):
        if not np.isnan(costs[i]).any() and (not front or costs[i, 1] < costs[front[-1], 1]):
            front.append(int(i))
    return front


def _means(rows: pd.DataFrame, alpha: float) -> Iterator[tuple[str, Floats]]:
    """Yield each arm, and the mean of a measure over repeats with the ends of its interval."""
    for arm, part in rows.groupby("arm", sort=False):
        ratio = part["n_test"].mean() / part["n_train"].mean()
        mean = resampled_mean(part["value"].to_numpy(), ratio, alpha=alpha)
        yield str(arm), np.array([mean.estimate, mean.low, mean.high], np.float64)


def ranks_figure(stem: str | Path, over: pd.DataFrame, *, against: str, alpha: float) -> None:
    """Draw the mean ranks over data sets; the band is the critical difference around the baseline.

    The band is that of Bonferroni and Dunn (Demšar 2006, section 3.2.2); a filled point differs by
    Wilcoxon's signed ranks with Holm, which finds more.
    """
    # what no data set or no repeat of a treatment has is not ranked
    over = over[(over["datasets"] >= FEWEST) & over["rank"].notna()]
    if over.empty:
        _words(stem, f"Ranks are compared from {FEWEST} data sets on.")
        return
    panels = list(over.groupby(["model", "measure"], sort=False))
    several = len(set(over["model"])) > 1
    heights = [HEAD + ROW * (len(part) + 1.5) for _, part in panels]
    with saved(stem, WIDTH, sum(heights) + 0.3) as figure:
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axis, ((model, measure), part) in zip(axes, panels, strict=True):
            _ranks(axis, part.sort_values("rank", kind="stable"), against, alpha)
            of = f", {label(str(model))}" if several else ""
            axis.set_title(f"{heading(str(measure))}{of}", fontsize=9, loc="left")
        figure.supxlabel("mean rank over data sets (1 is best)", fontsize=9)


def _ranks(axis: Axes, part: pd.DataFrame, against: str, alpha: float) -> None:
    k, n, baseline = len(part) + 1, part["datasets"].iloc[0], part["rank_of_baseline"].iloc[0]
    critical = ndtri(1 - alpha / (2 * (k - 1))) * np.sqrt(k * (k + 1) / (6 * n))
    axis.axvspan(baseline - critical, baseline + critical, color="#e8e8e8", zorder=0)
    axis.axvline(baseline, color="black", linewidth=0.9)
    verdict = np.where(part["rank"] < baseline, BETTER, WORSE)
    verdict = np.where(part["p_adjusted"] < alpha, verdict, "")
    of = part.assign(difference=part["rank"], low=np.nan, high=np.nan, y=np.arange(len(part)))
    _draw(axis, _of_verdicts(of.assign(verdict=verdict)))
    axis.set_yticks(
        range(len(part)), [middle_cut(label(str(name)), LONGEST) for name in part["treatment"]]
    )
    axis.set_ylim(len(part) - 0.4, -0.6)
    axis.set_xlim(0.7, k + 0.3)
    axis.annotate(
        label(against), (baseline, 1), xycoords=("data", "axes fraction"), fontsize=8, ha="center"
    )


def write_figures(
    stem: str | Path,
    measures: pd.DataFrame,
    comparison: pd.DataFrame,
    titles: Mapping[str, str],
    *,
    alpha: float,
) -> None:
    """Write the three figures as stem.svg, stem.trade_off.svg, stem.ranks.svg, and as PNG."""
    over = treatments_over_datasets(comparison, alpha=alpha)
    changes_figure(f"{stem}.svg", comparison, titles, alpha=alpha)
    trade_off_figure(f"{stem}.trade_off.svg", measures, comparison, titles, alpha=alpha)
    ranks_figure(f"{stem}.ranks.svg", over, against=comparison["against"].iloc[0], alpha=alpha)
