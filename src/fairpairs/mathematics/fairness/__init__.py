"""The public tests of group fairness, on arrays: one file each."""
