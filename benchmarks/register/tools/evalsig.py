"""evalsig: two runs that were not scored on the same items."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["evalsig==0.1.2"]
# ///

from evalsig.inference.sequential import sequential_gate
from evalsig.inference.unpaired import unpaired_t_test


def rates(data):
    """Call `unpaired_t_test(a, b)`, Welch's. Page: the docstring of evalsig.inference.unpaired."""
    value, group = data["decision"].astype(float), data["group"]
    test = unpaired_t_test(value[group == 0], value[group == 1])
    return {"estimate": test.delta, "low": test.ci[0], "high": test.ci[1], "p": test.p_value}


def looks(data):
    """Call `sequential_gate(differences, alternative="two-sided")`, row by row of both groups.

    Page: the docstring of evalsig.inference.sequential.
    """
    value, group = data["decision"].astype(float), data["group"]
    test = sequential_gate(value[group == 1] - value[group == 0], alternative="two-sided")
    return {"estimate": test.delta, "low": test.ci[0], "high": test.ci[1], "found": test.stopped}
