"""The checks of the paper's conclusions, by the corrected test of treatments against None."""

from collections.abc import Sequence
from functools import partial

from fairpairs.papers.plan.claim_numbers import Count, span
from fairpairs.papers.plan.claims import Finding, row, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD

#: Treatments and measures of the published tables → what they are called in the run.
ARMS = {"Reweighing": "reweighing", "FairBalance": "fairbalance"}
ARMS["FairBalanceVariant"] = "fairbalance_variant"
GAPS = {"EOD": "tpr_gap_intersections", "AOD": "average_odds_gap_intersections"}
MEASURES = {f"m{k}": gap for k, gap in GAPS.items()} | {
    f"sm{k}": f"{gap}_scores" for k, gap in GAPS.items()
}
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


def harmless(results: Results, treatment: str, measure: str, most: float) -> Finding:
    """Tell the data sets on which a treatment costs at most so much of a measure, or more."""
    found = rows(_compared(results), treatment=treatment, measure=measure)
    at_most, more = Count.of(found["low"] >= -most), Count.of(found["high"] < -most)
    numbers = {
        f"change of {measure} over data sets": span(found["difference"]),
        f"a loss of {most} at most is shown": at_most, "more is shown": more,
    }  # fmt: skip
    verdict = IN_PART if at_most.number else FAILS
    verdict = HOLDS if at_most.number == len(found) else verdict if more.number else UNTOLD
    return Finding(verdict, numbers)


def ranks_are_shown(results: Results) -> Finding:
    """Count the printed ranks of gaps better than None's, by what the test shows of them."""
    compared, verdicts = _compared(results), list[str]()
    for dataset in compared["dataset"].unique():
        printed = table(results, f"{dataset}_ranks", text=["row"]).set_index("row")
        for column, measure in MEASURES.items():
            ranks = printed[f"{column} (published)"]
            for label in ranks.index[ranks < ranks["None"]]:
                weights, _, first = label.partition("+")
                arm = "-".join(filter(None, [first, ARMS.get(weights)]))
                keys = {"dataset": dataset, "measure": measure, "treatment": arm}
                verdicts.append(row(compared, **keys)["verdict"])
    better, worse = (Count.of(v == one for one in verdicts) for v in ("better", "worse"))
    verdict = HOLDS if better.number == len(verdicts) > 0 else IN_PART if better.number else FAILS
    numbers = {"shown by the corrected test, of printed ranks better than None's": better}
    return Finding(verdict, {**numbers, "shown the other way round": worse})
