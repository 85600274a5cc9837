"""The difference of two rates or means, tested against any value, and against a margin.

contrast.py
    `Contrast`, what all have: an interval at any level, the p-value of each side of any value, and
    whether the difference lies within a margin or beyond it; Student's t.
binomial.py, score.py, means.py, paired.py
    Those of two independent rates, of sums of rates on effective trials (clusters, weights), of
    means, and of decisions on the same items.
equivalence.py
    Whether several differences all lie within a margin, and whether a gap is worse than another.
"""
