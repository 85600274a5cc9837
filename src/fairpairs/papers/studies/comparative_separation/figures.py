"""Figure 1 of the paper."""

from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved


def acceptance_region(stem: str | Path, *, alpha: float) -> None:
    """Draw Figure 1 of the paper: the probability of accepting H0 (Proposition 3.5).

    The difference of two rates is normal with mean μ = P(W=1) − P(V=1); H0 is accepted where the
    estimate lies within z σ of zero.
    """
    mu, z = 0.9, ndtri(1 - alpha / 2)
    x = np.linspace(-4, 5.5, 600)
    density = np.exp(-((x - mu) ** 2) / 2) / np.sqrt(2 * np.pi)
    beta = ndtr(z - mu) - ndtr(-z - mu)
    with saved(stem, 6, 3) as figure:
        axes = figure.add_subplot()
        axes.grid(visible=False)
        axes.plot(x, density, color=OURS)
        inside = np.abs(x) <= z
        axes.fill_between(x[inside], density[inside], color=OURS, alpha=0.25)
        for bound in (-z, z):
            axes.axvline(bound, color="#555555", linestyle="--", linewidth=1)
        axes.axvline(mu, ymax=0.93, color=PUBLISHED, linewidth=1)
        axes.set_xticks([-z, 0, mu, z], [f"−{z:.2f}σ", "0", "μ", f"{z:.2f}σ"])
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_ylim(0, None)
        axes.set_xlabel("estimated difference of the two rates")
        axes.text(-0.4, 0.08, f"β = {beta:.3f}\n(H0 accepted)", ha="center")
        axes.set_title(f"H0 is accepted with two-tailed p ≥ {alpha:g} inside ±{z:.2f}σ", fontsize=9)
