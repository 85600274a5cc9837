"""The table of the study."""

from pathlib import Path

import pandas as pd

from fairpairs.papers.display.tables import write_table


def write_rejections(designs: pd.DataFrame, stem: str | Path) -> None:
    """Write the rejections of all designs as stem.csv."""
    write_table(stem, designs)
