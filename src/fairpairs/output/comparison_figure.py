"""All papers at a glance: every reproduced number against the published one."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.ticker import MaxNLocator

from fairpairs.output.figures import saved
from fairpairs.output.style import OURS, PUBLISHED
from fairpairs.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE

#: Verdict → marker, colour, size; what differs is drawn last.
LOOKS = {
    NOT_COMPARABLE: (".", "#999999", 3.0),
    AGREES: ("o", OURS, 3.5),
    DIFFERS: ("D", PUBLISHED, 4.0),
}


def published_and_reproduced(stem: str | Path, cells: pd.DataFrame) -> None:
    """Draw our numbers against the published ones of comparisons, one panel per paper."""
    known = cells.dropna(subset=["published", "reproduced"])
    # numbers of items, say, would leave nothing to be seen of shares
    known = known[known[["published", "reproduced"]].abs().max(axis=1) <= 1]
    papers = list(dict.fromkeys(known["paper"])) or [""]
    with saved(stem, 2.6 * len(papers), 2.9) as figure:
        for axes, paper in zip(
            figure.subplots(1, len(papers), squeeze=False)[0], papers, strict=True
        ):
            own = known[known["paper"] == paper]
            low = min(0.0, float(own[["published", "reproduced"]].min().min())) if len(own) else 0
            axes.plot([low, 1], [low, 1], color="#666666", linewidth=0.8)
            for verdict, (marker, colour, size) in LOOKS.items():
                part = own[own["verdict"] == verdict]
                axes.plot(
                    part["published"], part["reproduced"], marker, color=colour, markersize=size,
                    alpha=0.6, label=f"{len(part)} {verdict}",
                )  # fmt: skip
            axes.set_title(paper.replace("_", " ").replace("xauc", "xAUC"), fontsize=9)
            axes.set_xlabel("published")
            axes.set_ylabel("reproduced" if paper == papers[0] else "")
            axes.set_aspect("equal")
            axes.xaxis.set_major_locator(MaxNLocator(4))
            axes.yaxis.set_major_locator(MaxNLocator(4))
            axes.legend(fontsize=6.5, loc="upper left", handletextpad=0.1, frameon=False)
