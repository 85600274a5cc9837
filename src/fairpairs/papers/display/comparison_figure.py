"""All papers at a glance: every reproduced number against the published one."""

from pathlib import Path

import pandas as pd
from matplotlib.ticker import MaxNLocator

from fairpairs.base.plain_values import Record
from fairpairs.base.style import OURS, PUBLISHED
from fairpairs.papers.display.figures import saved
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE

#: Verdict → marker, colour, size; what differs is drawn last.
LOOKS = {
    NOT_COMPARABLE: (".", "#999999", 3.0),
    AGREES: ("o", OURS, 3.5),
    DIFFERS: ("D", PUBLISHED, 4.0),
}


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
