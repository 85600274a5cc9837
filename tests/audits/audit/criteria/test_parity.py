"""Selection rates and means, of few items too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import hypergeom, ttest_ind
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
)

import fairpairs as fp
from fairpairs.audits.audit.notes import FEW_LABELS
from fairpairs.mathematics.inference import shuffled_means

from ..synthetic import rows, two


@pytest.fixture
def _quick(monkeypatch):
    monkeypatch.setattr(shuffled_means, "SHUFFLES", 499)
    monkeypatch.setattr(shuffled_means, "MIN_SHUFFLES", 499)


def test_selection_rates_have_newcombes_interval(data, full):
    part, member = two(data, "b")
    (row,) = rows(full, criterion="demographic_parity", group="b").to_dict("records")
    selected, sizes = part.groupby(member)["yhat"].sum(), member.value_counts().sort_index()
    low, high = confint_proportions_2indep(
        selected[1], sizes[1], selected[0], sizes[0], method="newcomb"
    )
    assert_allclose([row["ci_low"], row["ci_high"]], [low, high])


def test_scores_on_another_scale_than_labels_have_no_difference(data):
    result = fp.audit(data["y"], 10 * data["score"], sensitive_features=data["sex"])
    (row,) = rows(result, criterion="differential_parity").to_dict("records")
    assert row["verdict"] == "cannot be estimated"
    assert "on another scale than labels of 0 and 1" in row["note"]


@pytest.mark.parametrize(("few", "errors"), [(5, 0), (10, 2), (29, 0), (60, 1), (60, 0)])
def test_means_of_few_or_nearly_constant_items_are_compared_as_counts(few, errors):
    """Welch's t calls 5 items that are all right different from 2,000; counts do not."""
    y = np.arange(2000 + few) % 2
    group = np.repeat(["many", "few"], [2000, few])
    yhat = y.copy()
    yhat[1:200:2] = 0  # 100 of the many are missed
    yhat[np.flatnonzero((group == "few") & (y == 1))[:errors]] = 0
    row = fp.audit(y, yhat, sensitive_features=group).to_frame().set_index("measure")
    row = row.loc["mean error"]
    chance = hypergeom(2000 + few, 100 + errors, few).pmf(np.arange(few + 1))
    assert row["pvalue"] == pytest.approx(chance[chance <= chance[errors] * (1 + 1e-7)].sum())
    assert row["verdict"] == "not shown"
    assert row["ci_low"] < row["estimate"] < row["ci_high"]
    assert "Fisher's exact test, Newcombe's interval" in row["note"]
    if errors == 0:
        error = yhat - y
        plain = ttest_ind(error[group == "few"], error[group == "many"], equal_var=False)
        assert plain.pvalue < 0.001


@pytest.mark.slow
@pytest.mark.usefixtures("_quick")
def test_the_level_of_means_of_probabilities_where_labels_are_rare():
    """Calibrated ones. 15 people, 0.1 positive, against 0.3 of 1,000: Welch's t rejects in 0.2."""
    rng, member = np.random.default_rng(0), np.repeat(["few", "many"], [15, 1000])
    found, noted = 0, 0
    for _ in range(60):
        share = np.r_[rng.beta(2, 18, 15), rng.beta(2, 4.7, 1000)]
        label = (rng.random(1015) < share).astype(int)
        row = fp.audit(label, share, sensitive_features=member).to_frame().set_index("measure")
        row = row.loc["mean error"]
        found += row["verdict"] == "violated"
        noted += row["note"].startswith(FEW_LABELS)
    assert found <= 4  # a level of 0.01 makes 5 by a chance of 0.0003
    assert noted > 50
