"""Pairs of items: counts and rates by the groups of the two, with their covariance."""
