"""The checks of the paper's conclusions, by the corrected test of treatments against None."""

from collections.abc import Sequence
from functools import partial

from fairpairs.papers.plan.claim_numbers import Count, Numbers, span
from fairpairs.papers.plan.claims import Finding, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD

#: The comparison of the treatments with None.
_compared = partial(table, path="treatments/fairbalance.csv", needed=["new"])


def improves(results: Results, treatment: str, measures: Sequence[str]) -> Finding:
    """Count the data sets on which a treatment is shown better and worse than None."""
    found = rows(_compared(results), treatment=treatment, measure=measures)
    better, worse, unsure = (Count.of(found["verdict"] == v) for v in ("better", "worse", "open"))
    numbers = {f"data sets and gaps with {treatment} better": better}
    numbers |= {"worse": worse, "open": unsure}
    part = IN_PART if better.number else FAILS if worse.number else UNTOLD
    return Finding(HOLDS if better.number == better.cases else part, numbers)


def harmless(results: Results, treatment: str, measures: Sequence[str], most: float) -> Finding:
    """Tell the data sets on which a treatment costs at most so much of measures, or more."""
    found = rows(_compared(results), treatment=treatment, measure=measures)
    at_most, more = found["low"] >= -most, found["high"] < -most
    numbers = Numbers()
    for measure in measures:
        of_it = found["measure"] == measure
        numbers |= {
            f"change of {measure} over data sets": span(found.loc[of_it, "difference"]),
            f"a loss of {most} at most is shown, of {measure}": Count.of(at_most[of_it]),
            f"more is shown, of {measure}": Count.of(more[of_it]),
        }
    some = IN_PART if at_most.any() else FAILS
    return Finding(HOLDS if at_most.all() else some if more.any() else UNTOLD, numbers)
