"""Differential parity of predictions over labels, next to separation, for every treatment."""

import pandas as pd

from fairpairs.papers.experiments.summaries import Summary

KEYS = ["dataset", "attribute", "treatment"]
#: Both tests, which an experiment that is shown has.
TESTS = ("differential_parity", "differential_parity_effect_size")
#: Tests of separation that are shown beside them if the experiment has them.
SEPARATION = (
    *("separation", "separation_permutation"),
    *("comparative_separation_all_pairs", "information_separation_permutation"),
)


def parity_rows(summary: Summary) -> pd.DataFrame:
    """Return mean DPD of predictions over labels, for each data set, attribute and treatment.

    `violated`, and a column for each test of separation, are shares of repeats with a violation.
    """
    estimates, violations = summary["estimates"], summary["violations"]
    rows = estimates.loc[estimates["test"] == TESTS[0], KEYS]
    for test, name in zip(TESTS, ("difference", "dpd"), strict=True):
        names = {"mean": name, "standard_error": f"{name}_error"}
        found = estimates[estimates["test"] == test].rename(columns=names)
        rows = rows.merge(found[[*KEYS, *names.values()]], on=KEYS)
    for test in (TESTS[0], *SEPARATION):
        found = violations[violations["test"] == test]
        if len(found):
            name = "violated" if test == TESTS[0] else test
            shares = found[[*KEYS, "violated"]].rename(columns={"violated": name})
            rows = rows.merge(shares, how="left", on=KEYS)
    return rows
