"""Whether the tests against a margin keep their level where the true difference is the margin.

worlds.py
    What a world is: it draws data sets whose true difference is the margin, and returns how often
    the side that is true is rejected, and how often all lines are shown within the margin.
decisions.py, scores.py, numbers.py, means.py
    The worlds of rates and pairs of decisions, of AUC and xAUC of scores, of comparative separation
    of numbers, and of means.
measure.py
    Runs them.
"""
