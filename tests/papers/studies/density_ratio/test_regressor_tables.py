"""What caps change in the measures of regressors."""

from pathlib import Path

import pandas as pd
import pytest

from fairpairs.papers.studies.density_ratio.regressor_tables import cap_rows

ROOT = Path(__file__).parents[4]


def test_a_cap_lowers_independence_and_its_items_are_counted(measures, reproduced_from):
    p = pd.DataFrame({"regressor": "r1", "item": range(4), "probability": [0.5, 0.95, 0.9995, 1]})
    rows = cap_rows(measures, {"communities": p}).set_index("cap")
    assert rows.loc[0.0, "independence"] == 8
    assert rows.loc[0.9, "independence"] == pytest.approx(0.8)
    assert rows.loc[0.0, ["median", "smallest", "largest"]].tolist() == [6.5, 4, 9]
    assert rows["items"].to_dict() == {0.0: 2, 0.9: 3}
    ours = reproduced_from("density_ratio/section_5", results=rows.reset_index())
    cells = ours.set_index(["row", "column"])["reproduced"]
    assert cells["cap 0.9", "Independence"] == pytest.approx(0.8)
    assert cells["no cap", "Items above 0.999"] == 2
    assert ("cap 0.99", "Independence") not in cells
