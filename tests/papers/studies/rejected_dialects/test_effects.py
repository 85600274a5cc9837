"""What the paper prints of each model, against plain formulas."""

import numpy as np
import pytest
from scipy import stats

from fairpairs.papers.studies.rejected_dialects.measures import (
    difference,
    mcnemar_pvalue,
    measure_effects,
)


def test_the_effects_are_those_of_plain_formulas(make_scores):
    scores = make_scores(1, lean=0.2, worse=0.1)
    effects = measure_effects({"a/b": scores}).set_index("quantity")
    right_wme, right_aal = (
        [chosen > rejected for chosen, rejected in own] for own in (scores["wme"], scores["aal"])
    )
    n = len(right_wme)
    assert effects.loc["accuracy", "estimate"] == pytest.approx(sum(right_wme) / n)
    assert effects.loc["drop", "estimate"] == pytest.approx((sum(right_aal) - sum(right_wme)) / n)
    lost = sum(w and not a for w, a in zip(right_wme, right_aal, strict=True))
    won = sum(a and not w for w, a in zip(right_wme, right_aal, strict=True))
    expected = stats.chi2.sf((lost - won) ** 2 / (lost + won), 1)
    assert effects.loc["drop", "pvalue"] == pytest.approx(expected)
    assert effects["pvalue"].isna().sum() == 1  # an accuracy alone is not tested
    pairs = {
        "d_translated": (scores["wme"], scores["aal"]),
        "d_aal_prompt": (scores["aal"], scores["aal_prompt_wme_answers"]),
        "d_wme_prompt": (scores["wme"], scores["wme_prompt_aal_answers"]),
    }
    for name, (first, second) in pairs.items():
        a, b = first[:, 0], second[:, 0]
        d = (a.mean() - b.mean()) / np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
        t = (a - b).mean() / ((a - b).std(ddof=1) / np.sqrt(n))
        assert effects.loc[name, "estimate"] == pytest.approx(d)
        assert effects.loc[name, "pvalue"] == pytest.approx(2 * stats.t.sf(abs(t), n - 1))


def test_pvalues_are_adjusted_over_the_models(make_scores):
    models = {f"o/{i}": make_scores(i, n=80, lean=0.02, worse=0.05) for i in range(4)}
    effects = measure_effects(models)
    for _, own in effects[effects["quantity"] != "accuracy"].groupby("quantity"):
        order = own.sort_values("pvalue")
        holm = np.maximum.accumulate(order["pvalue"].to_numpy() * [4, 3, 2, 1]).clip(max=1)
        np.testing.assert_allclose(order["pvalue_holm"], holm)


def test_what_does_not_vary_is_not_significant():
    same = np.array([True, False, True])
    assert mcnemar_pvalue(same, same) == 1
    d, pvalue = difference(np.ones(3), np.ones(3))
    assert np.isnan(d)
    assert np.isnan(pvalue)
