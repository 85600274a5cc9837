"""scipy.stats, as textbooks use it."""
# /// script
# dependencies = []
# ///

import numpy as np
from scipy import stats


def _table(data):
    return stats.contingency.crosstab(data["group"], data["decision"], levels=(None, (0, 1))).count


def rates(data):
    """Call `fisher_exact(table)`, which has no interval. Page: scipy.stats.fisher_exact."""
    table = _table(data)
    rate = table[:, 1] / table.sum(axis=1)
    return {"estimate": rate[1] - rate[0], "p": stats.fisher_exact(table).pvalue}


def clustered(data):
    """Call `ttest_ind` of the means of clusters, `equal_var=False`. Page: scipy.stats.ttest_ind."""
    _, first, cluster = np.unique(data["cluster"], return_index=True, return_inverse=True)
    means = np.bincount(cluster, data["decision"]) / np.bincount(cluster)
    group = data["group"][first]
    test = stats.ttest_ind(means[group == 1], means[group == 0], equal_var=False)
    low, high = test.confidence_interval(0.95)
    estimate = means[group == 1].mean() - means[group == 0].mean()
    return {"estimate": estimate, "low": low, "high": high, "p": test.pvalue}


def groups(data):
    """Call `chi2_contingency(table)`. Page: scipy.stats.chi2_contingency."""
    return {"p": stats.chi2_contingency(_table(data)).pvalue}
