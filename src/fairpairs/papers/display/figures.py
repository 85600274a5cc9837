"""Figures, in one style, as SVG and PNG with the same bytes for the same data."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.special import ndtri

from fairpairs.base.arrays import Array
from fairpairs.base.files import write_together
from fairpairs.base.plain_values import Record
from fairpairs.base.sealed import SEAL, sealed
from fairpairs.base.style import (
    MARKERS,
    METADATA,
    OURS,
    PALETTE,
    PUBLISHED,
    drawing,
    rendered,
)
from fairpairs.papers.display.labels import label
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE

#: Columns of a table that are drawn side by side.
MOST_ACROSS = 4
#: Verdict, of all papers at a glance → marker, colour, size; what differs is drawn last.
LOOKS = {
    NOT_COMPARABLE: (".", "#999999", 3.0),
    AGREES: ("o", OURS, 3.5),
    DIFFERS: ("D", PUBLISHED, 4.0),
}


@contextmanager
def saved(stem: str | Path, width: float, height: float) -> Iterator[Figure]:
    """Give a figure of so many inches, and save it as stem.svg and stem.png when it is drawn."""
    with drawing(width, height) as figure:
        yield figure
        contents = {ending: rendered(figure, ending) for ending in METADATA}
        contents["svg"] = sealed(f"{contents['svg'].decode()}<!-- {SEAL} -->\n")
        write_together({Path(stem).with_suffix(f".{end}"): contents[end] for end in contents})


def published_against_reproduced(stem: str | Path, comparison: pd.DataFrame) -> None:
    """Draw the simulated cells of a table, ours and the published ones, with 95 % intervals.

    Above the shares themselves, below ours minus the published one.
    """
    cells = comparison[(comparison["kind"] == "simulated") & comparison["reproduced"].notna()]
    columns, rows = (list(dict.fromkeys(cells[axis])) for axis in ("column", "row"))
    shares_only = bool(cells["run_sd"].isna().all())
    largest = (cells["reproduced"] - cells["published"]).abs() + 2 * cells["difference_error"]
    if cells.empty:
        with saved(stem, 5, 1) as figure:
            figure.text(0.5, 0.5, "No cell of this table is part of this run.", ha="center")
        return
    across = min(len(columns), MOST_ACROSS)
    blocks = -(-len(columns) // across)
    with saved(stem, 2.6 * across + 1.8, blocks * (0.7 * len(rows) + 1.5) + 0.5) as figure:
        panels = figure.subplots(2 * blocks, across, sharey=True, squeeze=False)
        # the shares of a block of columns above their differences
        pairs = panels.reshape(blocks, 2, across).swapaxes(1, 2).reshape(-1, 2)
        for shares, differences in pairs[len(columns) :]:
            shares.set_visible(False)
            differences.set_visible(False)
        for (shares, differences), column in zip(pairs, columns, strict=False):
            part = cells[cells["column"] == column].set_index("row").reindex(rows)
            y, published = np.arange(len(rows)), part["published"]
            ours, error = part["reproduced"], part["standard_error"]
            points(shares, ours, error, y - 0.13, OURS, "o", "ours")
            printed_error = part["published_error"]
            points(shares, published, printed_error, y + 0.13, PUBLISHED, "D", "published")
            _rows(shares, rows, column, share=shares_only)
            points(differences, ours - published, part["difference_error"], y, OURS, "o", "")
            differences.axvline(0, color=PUBLISHED, linewidth=1)
            widest = largest.max() if shares_only else largest[cells["column"] == column].max()
            differences.set_xlim(-widest, widest)
            differences.locator_params(axis="x", nbins=4)
            differences.set_xlabel("ours − published")
            for position in y[(part["verdict"] == DIFFERS).to_numpy()]:
                differences.annotate("≠", (1, position), xycoords=("axes fraction", "data"))
        panels[0, 0].invert_yaxis()
        legend(figure, panels[0, 0], columns=2)


def experiment_rates(stem: str | Path, violations: pd.DataFrame) -> None:
    """Draw how often each test found a violation, by data set, attribute and treatment."""
    if violations.empty:
        with saved(stem, 5, 1) as figure:
            figure.text(0.5, 0.5, "This experiment tests no hypothesis.", ha="center")
        return
    groups = list(violations.groupby(["dataset", "attribute"], sort=False))
    rows = [label(name) for name in dict.fromkeys(violations["treatment"])]
    tests = list(dict.fromkeys(violations["test"]))
    height = max(0.45, 0.16 * len(tests)) * len(rows) + 1.5 + 0.18 * len(tests)
    with saved(stem, max(2.6 * len(groups) + 1.8, 6.5), height) as figure:
        panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
        for axes, ((dataset, attribute), part) in zip(panels, groups, strict=True):
            keys, columns = ("treatment", "test"), ("violated", "standard_error")
            side_by_side(axes, part, keys, columns, tests, 0.8 / max(4, len(tests)))
            _rows(axes, rows, f"{label(str(dataset))}, {attribute}")
        panels[0].invert_yaxis()
        legend(figure, panels[0], columns=1 if len(tests) > 2 else 2)


def points(
    axes: Axes, x: pd.Series, error: pd.Series, y: Array, colour: str, marker: str, name: str
) -> None:
    """Draw points with 95 % intervals."""
    style: Record = {"color": colour, "markersize": 4.5, "capsize": 2, "linewidth": 1}
    axes.errorbar(x, y, xerr=ndtri(0.975) * error, fmt=marker, label=name, **style)


def side_by_side(
    axes: Axes,
    frame: pd.DataFrame,
    keys: tuple[str | list[str], str],
    columns: tuple[str, str],
    names: Sequence[str],
    step: float,
) -> None:
    """Draw points of several series (those of `names`) on each row, one below the other.

    `keys` are the columns of the row and the series of a point, `columns` those of its value and
    its standard error; `step` is the distance of two series.
    """
    row, series = keys
    rows = list(dict.fromkeys(frame.set_index(row).index))
    for i, name in enumerate(names):
        part = frame[frame[series] == name].set_index(row).reindex(rows)
        y = np.arange(len(rows)) + step * (i - (len(names) - 1) / 2)
        style = PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)]
        points(axes, part[columns[0]], part[columns[1]], y, *style, label(name))


def legend(figure: Figure, *panels: Axes, columns: int = 0, at: str = "lower") -> None:
    """Add one legend of some panels, each name once, in so many columns or in one line."""
    entries = {
        name: handle
        for panel in panels
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    style: Record = {"loc": f"outside {at} center", "ncols": columns or len(entries)}
    figure.legend(entries.values(), entries.keys(), frameon=False, **style)


def _rows(axes: Axes, rows: list[str], title: str, *, share: bool = True) -> None:
    axes.set_yticks(range(len(rows)), rows)
    if share:
        axes.set_xlim(-0.03, 1.05)
        axes.set_xlabel("P(violation found)")
    axes.set_title(title, fontsize=9)


def published_and_reproduced(stem: str | Path, cells: pd.DataFrame) -> None:
    """Draw our numbers against the published ones of comparisons, one panel per paper."""
    known = cells.dropna(subset=["published", "reproduced"])
    # large numbers, as of items, would hide the shares
    known = known[known[["published", "reproduced"]].abs().max(axis=1) <= 1]
    papers = list(dict.fromkeys(known["paper"])) or [""]
    with saved(stem, 2.6 * len(papers), 2.9) as figure:
        for axes, paper in zip(
            figure.subplots(1, len(papers), squeeze=False)[0], papers, strict=True
        ):
            panel = known[known["paper"] == paper]
            smallest = panel[["published", "reproduced"]].min().min()
            low = min(0.0, float(smallest)) if len(panel) else 0
            axes.plot([low, 1], [low, 1], color="#666666", linewidth=0.8)
            for verdict, (marker, colour, size) in LOOKS.items():
                part = panel[panel["verdict"] == verdict]
                style: Record = {"color": colour, "markersize": size, "alpha": 0.6}
                name = f"{len(part)} {verdict}"
                axes.plot(part["published"], part["reproduced"], marker, label=name, **style)
            axes.set_title(paper.replace("_", " ").replace("xauc", "xAUC"), fontsize=9)
            axes.set_xlabel("published")
            axes.set_ylabel("reproduced" if paper == papers[0] else "")
            axes.set_aspect("equal")
            axes.xaxis.set_major_locator(MaxNLocator(4))
            axes.yaxis.set_major_locator(MaxNLocator(4))
            axes.legend(fontsize=6.5, loc="upper left", handletextpad=0.1, frameon=False)
