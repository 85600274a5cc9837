"""What caps change in the measures of regressors."""

import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from fairpairs.studies.density_ratio.regressor_tables import cap_rows
from fairpairs.studies.density_ratio.synthetic import STUDIED

ROOT = Path(__file__).parents[3]


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


def test_caps_and_agreement_of_the_committed_run():
    """On real data a cap of 0.99 lowers no correlation of classifiers by much, one of 0.9 does."""
    with zipfile.ZipFile(ROOT / "expected/tables.zip") as kept:
        name = "results/tables/density_ratio/regressor_correlations.csv"
        frame = pd.read_csv(io.BytesIO(kept.read(name)))
    own = frame[
        (frame["form"] == "published") & (frame["coefficient"] == "spearman")
        & frame[["first", "second"]].isin(list(STUDIED)).all(axis=1)
    ]  # fmt: skip
    keys = ["dataset", "measure", "first", "second"]
    wide = own.pivot(index=keys, columns="cap", values="value")
    assert len(wide) == 90
    assert (wide[0.99] - wide[0.0]).min() > -0.07
    place = ("law_school", "independence", "logistic", "kernel_gaussian")
    assert wide.loc[place, [0.0, 0.9]].tolist() == pytest.approx([0.95, -0.20], abs=0.01)
