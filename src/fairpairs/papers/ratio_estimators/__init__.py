"""Estimators of density ratios that the sensitivity study compares with logistic regression."""
