"""Figures 1 to 5 of the paper, and correlations of estimators by the gap between groups."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fairpairs.base.plain_values import Content, Record
from fairpairs.base.style import OURS, PALETTE, PUBLISHED
from fairpairs.mathematics.density_ratio.measures import standardised
from fairpairs.papers.display.figures import legend, saved
from fairpairs.papers.display.labels import label
from fairpairs.papers.published.table import PublishedTable
from fairpairs.papers.studies.density_ratio.synthetic import STUDIED, synthetic_sets

#: Means of group 1 that are shown, and the estimators whose probabilities are.
SHOWN, PROBABILITIES = (0.0, 2.0, 3.9), ("lasso", "kernel_polynomial")
KERNELS = ("kernel_gaussian_published", "kernel_polynomial_published")
CLASSIFIERS = ("logistic", "ridge", "lasso", *KERNELS)
#: The panels of correlations: title, measure, and what a classifier is correlated with.
CORRELATED = (
    ("two classifiers, independence (Table 3)", "independence", CLASSIFIERS),
    ("two classifiers, separation (Table 5)", "separation", CLASSIFIERS),
    ("a classifier and the truth (Table 4)", "independence", ("population",)),
)
#: Measure, the two estimators that are set against each other, and the form.
PANELS = (
    ("independence", "ridge", "logistic", "quotient"),
    ("separation", "lasso", "kernel_gaussian", "quotient"),
    ("sufficiency", "rulsif_0.75", "ulsif", "published"),
)


def synthetic(stem: str | Path, settings: Content, *, seed: int) -> None:
    """Draw synthetic data sets (Figure 4) and the probabilities that classifiers state (Figure 5).

    The first repeat is shown.
    """
    sets = synthetic_sets(settings, repeat=0, seed=seed)
    means = [mean for mean in SHOWN if mean in sets] or list(sets)[:3]
    with saved(stem, 3 * len(means) + 0.5, 7.5) as figure:
        panels = figure.subplots(3, len(means), squeeze=False)
        for column, mean in enumerate(means):
            y_true, y_pred, group = sets[mean]
            above = panels[0, column]
            for code, colour in ((1, OURS), (0, PUBLISHED)):
                part = group == code
                name = "privileged" if code else "unprivileged"
                above.plot(y_pred[part], y_true[part], ".", color=colour, markersize=2, label=name)
            above.set_title(f"mean {mean:g}", fontsize=9)
            above.set(xlabel="feature 1 (prediction)", ylabel="feature 2 (label)")
            points = standardised(y_pred)[:, None]
            for row, name in enumerate(PROBABILITIES, start=1):
                # the groups are as large, so the ratio is the odds
                odds = STUDIED[name].fit(points[group == 1], points[group == 0])(points)
                below = panels[row, column]
                below.hist(odds / (1 + odds), bins=np.linspace(0, 1, 41), color=OURS)
                below.set(xlabel="stated probability of the privileged group")
                below.set(ylabel=f"items, {label(name)}")
        panels[0, 0].legend(fontsize=7, markerscale=4)


def correlations(
    stem: str | Path, table: pd.DataFrame, published: Sequence[PublishedTable]
) -> None:
    """Draw how far classifiers rank data sets alike, by the gap between the groups.

    `published` are those of the published Tables 3 to 5 that there are, drawn as ×.
    """
    spearman = table[(table["cap"] == 0) & (table["coefficient"] == "spearman")]
    printed = pd.DataFrame([key for each in published for key in each.cells["key"]])
    if published:
        printed["published"] = np.concatenate([each.cells["published"] for each in published])
    with saved(stem, 10.5, 4.2) as figure:
        panels = figure.subplots(1, len(CORRELATED), sharey=True)
        for axes, (title, measure, others) in zip(panels, CORRELATED, strict=True):
            chosen = (spearman["measure"] == measure) & spearman["first"].isin(CLASSIFIERS)
            lines = spearman[chosen & spearman["second"].isin(others)]
            for (one, other), line in lines.groupby(["first", "second"], sort=False):
                with_kernel = not {one, other}.isdisjoint(KERNELS)
                colour, words = (PUBLISHED, "with a kernel") if with_kernel else (OURS, "linear")
                style: Record = {"color": colour, "markersize": 3.5, "linewidth": 1}
                x, y, sd = line["interval"], line["mean"], line["sd"]
                axes.errorbar(x, y, sd, fmt="o-", elinewidth=0.6, label=words, **style)
                if published:
                    pair = printed["first"].isin([one, other])
                    pair &= printed["second"].isin([one, other])
                    points = printed[pair & (printed["measure"] == measure)]
                    x, y = points["interval"], points["published"]
                    axes.plot(x, y, "x", color=colour, label=f"{words}, published")
            axes.set_title(title, fontsize=9)
            axes.set(xlabel="mean of the privileged group", ylim=(-1.05, 1.05))
        panels[0].set_ylabel("Spearman correlation")
        legend(figure, panels[0])


def regressors(
    stem: str | Path,
    measures: Mapping[str, pd.DataFrame],
    probabilities: Mapping[str, pd.DataFrame],
) -> None:
    """Draw measures by two estimators against each other (Figures 1 and 2), by data set.

    The last rows are the probabilities that logistic regression states when it measures
    independence (Figure 3), and independence for each cap of them.
    """
    rows = len(PANELS) + 2
    with saved(stem, 3.1 * len(measures) + 0.5, 2.8 * rows + 0.4) as figure:
        panels = figure.subplots(rows, len(measures), squeeze=False)
        for column, (dataset, frame) in enumerate(measures.items()):
            for row, (measure, one, two, form) in enumerate(PANELS):
                axes = panels[row, column]
                chosen = (frame["measure"] == measure) & (frame["cap"] == 0)
                chosen &= frame["form"] == form
                wide = frame[chosen].pivot(index="regressor", columns="estimator", values="value")
                shown = wide.reindex(columns=[one, two]).dropna()
                axes.plot(shown[one], shown[two], "o", color=PALETTE[row], markersize=4)
                axes.set_xlabel(f"{measure}, {label(one)}", fontsize=8)
                axes.set_ylabel(label(two), fontsize=8)
                axes.ticklabel_format(useOffset=False)
                axes.locator_params(nbins=4)
                axes.tick_params(labelsize=7)
            panels[0, column].set_title(label(dataset), fontsize=9)
            _stated(panels[-2, column], probabilities[dataset])
            _caps(panels[-1, column], frame)


def _stated(axes: Axes, stated: pd.DataFrame) -> None:
    """Draw a histogram of the stated probabilities."""
    axes.hist(stated["probability"].dropna(), bins=40, range=(0, 1), color=OURS)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_xlabel("stated probability of group 1", fontsize=8)
    axes.set_ylabel(f"items, {label(str(stated['regressor'].iloc[0])).lower()}", fontsize=8)


def _caps(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw the independence of each regressor by logistic regression, for each cap."""
    rows = frame[(frame["estimator"] == "logistic") & (frame["measure"] == "independence")]
    wide = rows.pivot(index="cap", columns="regressor", values="value")
    wide = wide.reindex(sorted(wide.index, key=lambda cap: cap or 1))
    names = [f"{cap:g}" if cap else "none" for cap in wide.index]
    axes.plot(names, wide.to_numpy(), "-", color=OURS, alpha=0.5, linewidth=1)
    if (wide > 0).any(axis=None):
        axes.set_yscale("log")
    axes.set_xlabel("cap of the stated probability", fontsize=8)
    axes.set_ylabel("independence, a line a regressor", fontsize=8)
