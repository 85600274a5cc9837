"""The mathematics of group fairness, on arrays."""
