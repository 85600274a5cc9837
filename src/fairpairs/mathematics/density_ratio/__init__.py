"""Density ratios: estimators of p_1(x) / p_0(x), and measures of fairness that rest on them."""
