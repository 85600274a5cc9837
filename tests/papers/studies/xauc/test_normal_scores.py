"""ΔxAUC of normal scores with equal means, by the closed form and by simulation."""

import numpy as np
import pytest

from fairpairs import xauc
from fairpairs.papers.studies.xauc.tables import SEPARATIONS, SPREADS, normal_score_disparities


def test_disparate_precision_decides_the_sign_with_equal_means():
    rows = normal_score_disparities()
    assert len(rows) == len(SEPARATIONS) * len(SPREADS) ** 4
    rows = rows.query("separation == 1")
    assert (np.sign(rows["disparity"]) == np.sign(rows["difference"])).all()
    assert rows["difference"].ne(0).any()
    # groups of unlike precision without a disparity: what counts is the difference of the labels
    less_precise = rows.query("sd_0_1 == sd_0_0 == 2 and sd_1_1 == sd_1_0 == 1")
    assert less_precise["disparity"].item() == 0


@pytest.mark.parametrize("row", [1, 82, 102, 127, 200])
def test_the_closed_form_is_met_by_drawn_scores(row):
    own = normal_score_disparities().loc[row]
    rng = np.random.default_rng(row)
    group, label = np.repeat([0, 1], 40_000), np.tile([0, 1], 40_000)
    sd = own[["sd_0_0", "sd_0_1", "sd_1_0", "sd_1_1"]].to_numpy().reshape(2, 2)[group, label]
    result = xauc(label, rng.normal(own["separation"] * label, sd), sensitive_features=group)
    assert result.xauc[0, 1] == pytest.approx(own["xauc"], abs=0.01)
    assert result.xauc[0, 1] - result.xauc[1, 0] == pytest.approx(own["disparity"], abs=0.015)
