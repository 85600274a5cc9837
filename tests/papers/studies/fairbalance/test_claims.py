"""The paper's conclusions: planted results flip the verdicts on the committed ones."""

from fairpairs.papers.published.verdicts import FAILS, HOLDS, REDONE, UNTOLD
from tests.papers.studies.planted import all_of, setting

STUDY, RESULTS = "fairbalance", "treatments/fairbalance.csv"
OF_IT = {"treatment": "fairbalance"}


def verdict(word, **keys):
    return {RESULTS: setting("verdict", word, **keys)}


PLANTED = [
    ("equalized-odds-improve", HOLDS, verdict("better", **OF_IT)),
    ("equalized-odds-improve", FAILS, verdict("worse", **OF_IT)),
    ("equalized-odds-improve", UNTOLD, verdict("open", **OF_IT)),
    ("average-odds-of-scores-improve", HOLDS, verdict("better", **OF_IT)),
    ("average-odds-of-scores-improve", UNTOLD, verdict("open", **OF_IT)),
    ("little-damage", REDONE, {RESULTS: setting("low", -0.01, **OF_IT)}),
    ("little-damage", UNTOLD, {RESULTS: all_of(
        setting("low", -0.2, **OF_IT), setting("high", -0.1, **OF_IT))}),
]  # fmt: skip
