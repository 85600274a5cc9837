"""Tables of levels: the worst case comes first."""

import numpy as np
import pandas as pd

from fairpairs.mathematics.promises.promise import share
from fairpairs.papers.studies.calibration.levels.measure import level_row
from fairpairs.papers.studies.calibration.levels.tables import worst_cases, worst_first


def test_the_worst_case_comes_first():
    found = share("good", "level", np.zeros(20), 0.05), share("bad", "level", np.ones(20), 0.05)
    rows = [level_row("made", "nothing", row) for row in found]
    table = worst_first([pd.DataFrame(rows)])
    assert table["of"].tolist() == ["bad", "good"]
    assert table["kept"].tolist() == [False, True]
    (row,) = worst_cases(table).to_dict("records")
    assert (row["Of"], row["Kept"], row["Promised"]) == ("bad", "no", "≤ 0.05")
