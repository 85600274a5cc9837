"""Figures of the study of density-ratio measures.

References
----------
*A Comprehensive Evaluation of the Sensitivity of Density-Ratio Estimation Based Fairness
Measurement in Regression*, Figures 1 to 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fairpairs.fairness.density_ratio.measures import standardised
from fairpairs.output.figures import saved
from fairpairs.output.labels import label
from fairpairs.output.style import OURS, PALETTE, PUBLISHED
from fairpairs.studies.density_ratio.synthetic import STUDIED, synthetic_sets

#: Means of group 1 that are shown, and the estimators whose probabilities are.
SHOWN, PROBABILITIES = (0.0, 2.0, 3.9), ("lasso", "kernel_polynomial")
#: Measure, the two estimators that are set against each other, and the form.
PANELS = (
    ("independence", "ridge", "logistic", "quotient"),
    ("separation", "lasso", "kernel_gaussian", "quotient"),
    ("sufficiency", "rulsif_0.75", "ulsif", "published"),
)


def synthetic(stem: str | Path, settings: Mapping[str, Any], *, seed: int) -> None:
    """Draw synthetic data sets (Figure 4) and the probabilities that classifiers state (Figure 5).

    Parameters
    ----------
    stem
        Where the figure goes, without its ending.
    settings
        The study of the config.
    seed
        Root seed; the first repeat is shown.
    """
    sets = synthetic_sets(settings, repeat=0, seed=seed)
    means = [mean for mean in SHOWN if mean in sets] or list(sets)[:3]
    with saved(stem, 3 * len(means) + 0.5, 7.5) as figure:
        panels = figure.subplots(3, len(means), squeeze=False)
        for column, mean in enumerate(means):
            y_true, y_pred, group = sets[mean]
            above = panels[0, column]
            for code, colour in ((1, OURS), (0, PUBLISHED)):
                own = group == code
                name = "privileged" if code else "unprivileged"
                above.plot(y_pred[own], y_true[own], ".", color=colour, markersize=2, label=name)
            above.set_title(f"mean {mean:g}", fontsize=9)
            above.set_xlabel("feature 1 (prediction)")
            above.set_ylabel("feature 2 (label)")
            points = standardised(y_pred)[:, None]
            for row, name in enumerate(PROBABILITIES, start=1):
                # the groups are as large, so the ratio is the odds
                odds = STUDIED[name].fit(points[group == 1], points[group == 0])(points)
                below = panels[row, column]
                below.hist(odds / (1 + odds), bins=np.linspace(0, 1, 41), color=OURS)
                below.set_xlabel("stated probability of the privileged group")
                below.set_ylabel(f"items, {label(name)}")
        panels[0, 0].legend(fontsize=7, markerscale=4)


def regressors(
    stem: str | Path,
    measures: Mapping[str, pd.DataFrame],
    probabilities: Mapping[str, pd.DataFrame],
) -> None:
    """Draw measures by two estimators against each other (Figures 1 and 2), and what a cap does.

    The last rows are the probabilities that logistic regression states when it measures
    independence (Figure 3), and independence for each cap of them.

    Parameters
    ----------
    stem
        Where the figure goes, without its ending.
    measures
        What `fairpairs.studies.density_ratio.regressors.measure_regressors` returned, by data set.
    probabilities
        What `stated_probabilities` there returned, by data set.
    """
    rows = len(PANELS) + 2
    with saved(stem, 3.1 * len(measures) + 0.5, 2.8 * rows + 0.4) as figure:
        panels = figure.subplots(rows, len(measures), squeeze=False)
        for column, (dataset, frame) in enumerate(measures.items()):
            for row, (measure, one, two, form) in enumerate(PANELS):
                axes = panels[row, column]
                own = frame[(frame["measure"] == measure) & (frame["cap"] == 0)]
                own = own[own["form"] == form]
                wide = own.pivot(index="regressor", columns="estimator", values="value")
                shown = wide.reindex(columns=[one, two]).dropna()
                axes.plot(shown[one], shown[two], "o", color=PALETTE[row], markersize=4)
                axes.set_xlabel(f"{measure}, {label(one)}", fontsize=8)
                axes.set_ylabel(label(two), fontsize=8)
                _no_offset(axes)
            panels[0, column].set_title(label(dataset), fontsize=9)
            _stated(panels[-2, column], probabilities[dataset])
            _caps(panels[-1, column], frame)


def _stated(axes: Axes, stated: pd.DataFrame) -> None:
    """Draw how many items each probability is stated for."""
    axes.hist(stated["probability"].dropna(), bins=40, range=(0, 1), color=OURS)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_xlabel("stated probability of group 1", fontsize=8)
    axes.set_ylabel(f"items, {label(str(stated['regressor'].iloc[0])).lower()}", fontsize=8)


def _caps(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw the independence of each regressor by logistic regression, for each cap."""
    own = frame[(frame["estimator"] == "logistic") & (frame["measure"] == "independence")]
    wide = own.pivot(index="cap", columns="regressor", values="value")
    wide = wide.reindex(sorted(wide.index, key=lambda cap: cap or 1))
    names = [f"{cap:g}" if cap else "none" for cap in wide.index]
    axes.plot(names, wide.to_numpy(), "-", color=OURS, alpha=0.5, linewidth=1)
    if (wide > 0).any(axis=None):
        axes.set_yscale("log")
    axes.set_xlabel("cap of the stated probability", fontsize=8)
    axes.set_ylabel("independence, a line a regressor", fontsize=8)


def _no_offset(axes: Axes) -> None:
    axes.ticklabel_format(useOffset=False)
    axes.locator_params(nbins=4)
    axes.tick_params(labelsize=7)
