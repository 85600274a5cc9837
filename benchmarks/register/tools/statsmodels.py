"""statsmodels: proportions, least squares with robust errors, ranks."""
# /// script
# dependencies = []
# ///

import numpy as np
import statsmodels.api as sm
from scipy.stats import norm
from statsmodels.stats import proportion
from statsmodels.stats.nonparametric import rank_compare_2indep


def _counts(data):
    """Return positive decisions and rows of group 1, then of group 0."""
    return [
        number
        for group in (1, 0)
        for number in (
            data["decision"][data["group"] == group].sum(),
            (data["group"] == group).sum(),
        )
    ]


def rates(data):
    """Call `test_proportions_2indep(…)` and `confint_proportions_2indep(…)` with their defaults.

    Page: statsmodels.stats.proportion (Agresti and Caffo's test, Newcombe's interval).
    """
    counts = _counts(data)
    test = proportion.test_proportions_2indep(*counts)
    low, high = proportion.confint_proportions_2indep(*counts)
    return {"estimate": test.diff, "low": low, "high": high, "p": test.pvalue}


def _least_squares(data, weight, **robust):
    model = sm.WLS(data["decision"], sm.add_constant(data["group"]), weights=weight)
    fit = model.fit(**robust, use_t=True)
    low, high = fit.conf_int()[1]
    return {"estimate": fit.params[1], "low": low, "high": high, "p": fit.pvalues[1]}


def clustered(data):
    """Call `OLS(…).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)`.

    Page: statsmodels.regression.linear_model.RegressionResults.get_robustcov_results.
    """
    return _least_squares(data, 1.0, cov_type="cluster", cov_kwds={"groups": data["cluster"]})


crossed = clustered


def weighted(data):
    """Call `WLS(…, weights=weight).fit(cov_type="HC1", use_t=True)`. Page: as for clusters."""
    return _least_squares(data, data["weight"], cov_type="HC1")


def groups(data):
    """Call `proportions_chisquare(count, nobs)`. Page: statsmodels.stats.proportion."""
    count = np.bincount(data["group"], data["decision"])
    return {"p": proportion.proportions_chisquare(count, np.bincount(data["group"]))[1]}


def margin(data):
    """Call `tost_proportions_2indep(…, low=-0.1, upp=0.1)`. Page: statsmodels.stats.proportion."""
    return {"p": proportion.tost_proportions_2indep(*_counts(data), low=-0.1, upp=0.1).pvalue}


def auc(data):
    """Call `rank_compare_2indep(positives, negatives)` in each group; z of the difference by hand.

    Page: statsmodels.stats.nonparametric.rank_compare_2indep (`prob1`, `var_prob`).
    """
    areas = []
    for group in (1, 0):
        score, label = (data[name][data["group"] == group] for name in ("score", "label"))
        areas.append(rank_compare_2indep(score[label == 1], score[label == 0]))
    gap = areas[0].prob1 - areas[1].prob1
    # var_prob is that of all items: pos.var / n1 + neg.var / n0
    error = np.sqrt(sum(area.var_prob for area in areas))
    return {"estimate": gap, "low": gap - norm.ppf(0.975) * error,
            "high": gap + norm.ppf(0.975) * error, "p": 2 * norm.sf(abs(gap) / error)}  # fmt: skip
