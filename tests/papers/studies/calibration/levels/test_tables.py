"""Tables of levels: the worst case comes first."""

import pandas as pd

from fairpairs.papers.studies.calibration.levels.promises import level_row
from fairpairs.papers.studies.calibration.levels.tables import worst_cases, worst_first


def test_the_worst_case_comes_first():
    rows = [level_row("good", False, 0, 20, 0.05), level_row("bad", False, 20, 20, 0.05)]
    table = worst_first([pd.DataFrame(rows).assign(test="made", case="nothing")])
    assert table["of"].tolist() == ["bad", "good"]
    assert table["kept"].tolist() == [False, True]
    (row,) = worst_cases(table).to_dict("records")
    assert (row["Of"], row["Kept"], row["Promised"]) == ("bad", "no", "≤ 0.05")
