"""evalci: two independent samples of scores."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["evalci==0.1.0"]
# ///

from evalci import compare


def rates(data):
    """Call `compare(a, b, paired=False, method="permutation")`, 9,999 shuffles and resamples.

    Page: github.com/Shreyaskc/evalci, README, independent samples.
    """
    value, group = data["decision"], data["group"]
    test = compare(value[group == 1], value[group == 0], paired=False, random_state=0)
    return {"estimate": test.delta, "low": test.ci[0], "high": test.ci[1], "p": test.p_value}
