"""Figures of differential parity: studies of bridges, everyone against everyone, treatments."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import TwoSlopeNorm

from fairpairs.base.plain_values import Content, Record
from fairpairs.base.style import OURS, PALETTE, PUBLISHED
from fairpairs.mathematics.estimates.estimates import LEVEL
from fairpairs.papers.display.figures import legend, saved, side_by_side
from fairpairs.papers.display.labels import label
from fairpairs.papers.experiments.summaries import Summary
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.studies.differential_parity.bridge_study import ROWS
from fairpairs.papers.studies.differential_parity.bridge_tables import (
    CALLED,
    distributions,
    with_published,
)
from fairpairs.papers.studies.differential_parity.predictions_and_labels import parity_rows

#: Two diverging colours that the colour-blind tell apart.
DIVERGING = "PuOr_r"


def bridges_of_study(
    stem: str | Path, results: pd.DataFrame, printed: Sequence[PublishedTable]
) -> None:
    """Draw a study of bridges beside the published table."""
    bridges(stem, with_published(distributions(results), results, printed[0].cells))


def bridges(stem: str | Path, cells: pd.DataFrame) -> None:
    """Draw DPD of every two people: our splits, and the published number."""
    people = list(dict.fromkeys(cells["reference"]))
    attributes = list(dict.fromkeys(cells["attribute"]))
    rows = [row for row in ROWS if row in set(cells["row"])]
    with saved(stem, 2.4 * len(people) + 2.6, 2.3 * len(people) + 0.8) as figure:
        panels = figure.subplots(len(people), len(people), sharex=True, sharey=True, squeeze=False)
        for j, reference in enumerate(people):
            for i, decisions in enumerate(people):
                axes = panels[j, i]
                for k, attribute in enumerate(attributes):
                    keys = {"reference": reference, "decisions": decisions, "attribute": attribute}
                    chosen = (cells[list(keys)] == list(keys.values())).all(axis=1)
                    shown = cells[chosen].set_index("row").reindex(rows)
                    y = np.arange(len(rows)) + 0.3 * (k - (len(attributes) - 1) / 2)
                    colour = PALETTE[k]
                    axes.hlines(y, shown["dpd_low"], shown["dpd_high"], color=colour, linewidth=2)
                    name = f"{attribute}: mean and middle 95 % of splits"
                    axes.plot(shown["dpd"], y, "o", color=colour, markersize=3.5, label=name)
                    printed = "published, one split" if k == 0 else None
                    style: Record = {"color": "#000000", "markersize": 4.5, "label": printed}
                    axes.plot(shown["published_dpd"], y, "x", **style)
                axes.axvline(0, color="#555555", linewidth=0.8)
                first, second = (CALLED.get(who, who) for who in (decisions, reference))
                axes.set_title(f"{first} over {second}", fontsize=9)
                axes.set_yticks(np.arange(len(rows)), rows, fontsize=7)
        panels[0, 0].invert_yaxis()
        for axes in panels[-1]:
            axes.set_xlabel("DPD: > 0, the first prefers group 1 more", fontsize=7)
        legend(figure, panels[0, 0], columns=3, at="upper")


def raters(stem: str | Path, pairs: pd.DataFrame, people: pd.DataFrame, roles: Content) -> None:
    """Draw DPD of all pairs of people, and above it that of each over the mean of the others.

    People are ordered by the latter; pairs that Holm's correction does not tell apart are white.
    """
    attributes = list(dict.fromkeys(pairs["attribute"]))
    sizes = pairs["dpd"].abs()
    # nobody may differ, or nobody be compared
    largest = float(np.nan_to_num(sizes[np.isfinite(sizes)].max())) or 1.0
    with saved(stem, 5.2 * len(attributes) + 0.8, 6.8) as figure:
        panels = figure.subplots(
            2, len(attributes), squeeze=False, gridspec_kw={"height_ratios": [1, 4]}
        )
        for k, attribute in enumerate(attributes):
            above, below = panels[:, k]
            person = people[people["attribute"] == attribute].sort_values("dpd", kind="stable")
            order = list(person["decisions"])
            x = np.arange(len(order))
            significant = (person["pvalue_holm"] < LEVEL).to_numpy()
            above.bar(x, person["dpd"], color=np.where(significant, OURS, "#bbbbbb"))
            names = roles["sensitive"][attribute]
            above.set_title(
                f"{attribute}: > 0 prefers “{names['one']}”, < 0 “{names['zero']}”", fontsize=9
            )
            above.set_xlim(-0.5, len(order) - 0.5)
            above.set_xticks([])
            above.set_ylabel("DPD over the others", fontsize=8)
            compared = pairs[pairs["attribute"] == attribute]
            shown = compared["dpd"].where(compared["pvalue_holm"] < LEVEL)
            matrix = pd.DataFrame(np.nan, index=order, columns=order)
            for first, second, dpd in zip(
                compared["decisions"], compared["reference"], shown, strict=True
            ):
                matrix.loc[first, second], matrix.loc[second, first] = dpd, -dpd
            norm, colours = TwoSlopeNorm(0, -largest, largest), mpl.colormaps[DIVERGING]
            pixels = matrix.to_numpy().T[::-1]
            image = below.imshow(pixels, cmap=colours, norm=norm, interpolation="nearest")
            below.grid(visible=False)
            step = max(1, len(order) // 30)
            below.set_xticks(x[::step], order[::step], rotation=90, fontsize=5)
            below.set_yticks(x[::step], order[::-1][::step], fontsize=5)
            below.set_xlabel("R_0, by DPD over the others")
            below.set_ylabel("R_1")
        text = "DPD of R_0 over R_1; white: not told apart (Holm)"
        figure.colorbar(image, ax=panels[1].tolist(), label=text, shrink=0.8)


def predictions_and_labels(stem: str | Path, summary: Summary) -> None:
    """Draw DPD of predictions over labels in an experiment, by treatment."""
    rows = parity_rows(summary)
    case, treatments = ["dataset", "attribute"], list(dict.fromkeys(rows["treatment"]))
    names = [f"{label(str(d))}, {a}" for d, a in dict.fromkeys(rows.set_index(case).index)]
    with saved(stem, 6.5, 0.28 * len(names) * (len(treatments) + 1) + 1.6) as figure:
        axes, columns = figure.subplots(), ("dpd", "dpd_error")
        step = 0.7 / len(treatments)
        side_by_side(axes, rows, (case, "treatment"), columns, treatments, step)
        axes.axvline(0, color=PUBLISHED, linewidth=1)
        axes.set_yticks(np.arange(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel("DPD of predictions over labels: > 0 where predictions prefer group 1")
        legend(figure, axes)
