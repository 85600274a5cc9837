"""Comparative separation of two dialects, against the plain paired formula."""

import numpy as np
import pytest
from scipy.stats import norm

from fairpairs.papers.studies.rejected_dialects.measures import measure_gaps


def paired(first, second):
    """The gap of two rates of the same prompts, with its paired standard error: the oracle."""
    differences = [float(a) - float(b) for a, b in zip(first, second, strict=True)]
    n = len(differences)
    gap = sum(differences) / n
    return gap, (sum((d - gap) ** 2 for d in differences) / n**2) ** 0.5


def test_the_gaps_are_those_of_the_plain_formula(make_scores):
    scores = make_scores(3, lean=0.5, worse=0.2)
    gaps = measure_gaps({"a/b": scores}).set_index("hypothesis")
    wme, aal, other = scores["wme"], scores["aal"], scores["wme_prompt_aal_answers"]
    rights = {
        "within": ([c > r for c, r in aal], [c > r for c, r in wme]),
        "across": (
            [c > r for c, r in zip(wme[:, 0], other[:, 1], strict=True)],
            [c > r for c, r in zip(other[:, 0], wme[:, 1], strict=True)],
        ),
    }
    n = len(scores["wme"])
    for hypothesis, (first, second) in rights.items():
        gap, error = paired(first, second)
        row = gaps.loc[hypothesis]
        assert row["first"] == pytest.approx(np.mean(first))
        assert row["second"] == pytest.approx(np.mean(second))
        assert row["estimate"] == pytest.approx(gap)
        # under equal rates the variance is that of McNemar's test
        z = norm.isf(row["pvalue"] / 2)
        assert z == pytest.approx(abs(gap) / np.hypot(error, gap / n**0.5), rel=0.03)
        limits = gap - 1.96 * error, gap + 1.96 * error
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(limits, abs=0.2 * error)
        assert row["prompts"] == n
    assert gaps.loc["within", "estimate"] < 0 < gaps.loc["across", "estimate"]


@pytest.mark.slow
def test_pvalues_are_adjusted_over_the_models(make_scores):
    models = {f"o/{i}": make_scores(i, lean=0.03, worse=0.05) for i in range(3)}
    for _, own in measure_gaps(models).groupby("hypothesis"):
        order = own.sort_values("pvalue")
        holm = np.maximum.accumulate(order["pvalue"].to_numpy() * [3, 2, 1]).clip(max=1)
        np.testing.assert_allclose(order["pvalue_holm"], holm)
