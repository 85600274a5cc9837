"""Whether the tests against a margin keep their level if the true difference is the margin.

worlds.py
    A world draws data sets whose true difference is the margin, and returns how often the true side
    is rejected, and how often the difference is shown to lie within the margin.
decisions.py, scores.py, numbers.py
    The worlds of rates and pairs of decisions, of AUC and xAUC of scores, of comparative separation
    of numbers and of means.
"""
