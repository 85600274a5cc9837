"""Comparative separation on all pairs, label-balanced where labels are real (Holm)."""

from functools import partial

from fairpairs.mathematics.estimates.pairs.all_pairs import balanced_pairs
from fairpairs.papers.experiments.pair_rows import all_pair_rows

TEST = partial(all_pair_rows, real=balanced_pairs)
