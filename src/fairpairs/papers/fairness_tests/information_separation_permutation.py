"""Separation by I_sep, with groups shuffled within labels (permutation test)."""

from functools import partial

from fairpairs.papers.fairness_tests.separation_permutation import permutation_rows

TEST = partial(permutation_rows, statistic="information_separation")
