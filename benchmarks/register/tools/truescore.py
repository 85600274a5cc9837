"""truescore: a confidence sequence, valid at every look."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["truescore==0.7.4"]
# ///

from truescore.sequential import confidence_sequence


def looks(data):
    """Call `confidence_sequence(differences, bounds=(-1, 1))`, row by row of both groups.

    Page: saifpunjwani.github.io/truescore, sequential. An interval without 0 finds something.
    """
    value, group = data["decision"].astype(float), data["group"]
    sequence = confidence_sequence(value[group == 1] - value[group == 0], bounds=(-1.0, 1.0))
    return {"estimate": sequence.mean, "low": sequence.low, "high": sequence.high}
