"""The published test of comparative separation, which takes pairs for independent."""
# /// script
# dependencies = []
# ///

import runpy
from pathlib import Path

OURS = runpy.run_path(str(Path(__file__).with_name("fairpairs.py")))


def pairs(data):
    """Call `comparative_separation_from_judgments(…, variance="binomial")`.

    Page: equation (20) of the paper (docs/explanation/comparative-separation.md), the line within.
    """
    return OURS["judged"](data, variance="binomial")
