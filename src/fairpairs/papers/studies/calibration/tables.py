"""The table of the study."""

import pandas as pd


def rejections(designs: pd.DataFrame) -> pd.DataFrame:
    """Return the rejections of all designs."""
    return designs
