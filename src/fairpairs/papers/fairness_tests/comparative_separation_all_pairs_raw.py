"""Comparative separation on all pairs, not balanced by label (Holm)."""

from functools import partial

from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.papers.experiments.pair_rows import all_pair_rows

TEST = partial(all_pair_rows, real=all_pairs)
