"""The conclusions on regression in general, checked on data whose truth is known."""

import pandas as pd

from fairpairs.papers.plan.claim_numbers import CannotTellError, Mean, Numbers, span
from fairpairs.papers.plan.claim_tests import BY_MARGIN, differences, share, within
from fairpairs.papers.plan.claims import Claims, Finding, row, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.comparative_separation.pairs_in_regression import (
    AT_MEDIANS,
    COMPARATIVE,
    FAIR,
    NORMAL_MODEL,
)

REJECTIONS = "tables/calibration/rejections.csv"
PAIRS = "tables/comparative_separation/pairs_in_regression.csv"
#: Powers that differ by at most this are similar, as in the claim on twice the pairs.
POWER_MARGIN = 0.1
#: Designs of the calibration in which separation holds: labels of both groups alike, or not.
ALIKE, DIFFERENT = "regression_alike", "regression_labels_differ"
#: Designs in which it is violated: group 1 is scored higher, or with more noise.
SHIFT, NOISE = "regression_shift", "regression_noise"
#: The paper's test on pairs of fresh items, which it is made for, and what it promises there.
FRESH, PROMISED = ("fresh_pairs", "either"), Mean(1 - 0.95**2)
#: Tests of I_sep, of the gaps of comparative separation and of all pairs, each at 0.05.
INFORMATION, GAPS = ("permutation_information", "joint"), ("permutation", "joint")
#: A violation is found reliably if at least this share of the data sets shows it.
FOUND = 0.5
REGRESSION_CLAIMS = Claims()


@REGRESSION_CLAIMS.add(
    "Comparative separation generalizes to regression labels as it is defined, which gives an easy "
    "way to evaluate group fairness there.",
    "introduction",
    quote="it naturally generalizes to regression labels without any modification",
    note="Definition and test apply to real labels as they are; but unless labels are balanced, a "
    "violation need not be one of separation, and section 5 asks for further investigation.",
)
def generalizes_to_regression(results: Results) -> Finding:
    """Check the level and the power of the paper's unchanged test in regression."""
    alike, shift, noise, different = (
        _rates(results, design, *FRESH) for design in (ALIKE, SHIFT, NOISE, DIFFERENT)
    )
    numbers = {
        "violation found, fair (0.0975 promised)": span(alike).high,
        "violation found, group 1 scored higher": span(shift).high,
        "violation found, group 1 scored with more noise": span(noise).high,
        "violation found, separation holds but labels differ": span(different).high,
    }
    if _more_than_promised(alike):
        return Finding(FAILS, numbers)
    if not all(map(_more_than_promised, (shift, noise))):
        return Finding(UNTOLD, numbers)
    return Finding(IN_PART if _more_than_promised(different) else HOLDS, numbers)


@REGRESSION_CLAIMS.add(
    "In regression, comparative separation may not be equivalent to separation.",
    "section 5",
    quote="comparative separation may not be equivalent to separation in regressions",
    note="The chance that a pair is ranked right depends on its two labels, and groups with other "
    "labels form other pairs.",
)
def not_equivalent_in_regression(results: Results) -> Finding:
    """Ask whether comparative separation is violated in regressions that satisfy separation."""
    alike, different = (_rates(results, design, *FRESH) for design in (ALIKE, DIFFERENT))
    numbers = {
        "violation found, labels alike (0.0975 promised)": span(alike).high,
        "violation found, labels of the groups differ": span(different).high,
    }
    return Finding(HOLDS if _more_than_promised(different) else UNTOLD, numbers)


@REGRESSION_CLAIMS.add(
    "Measures of separation by mutual information, as I_sep, are not reliable in regression, "
    "because they need predictors of the probabilities.",
    "section 3.4.2",
    quote="the mutual information-based metrics require addition predictors to approximate the "
    "probabilities thus are not reliable",
    note="Table VIII is met with logistic regressions as predictors, which miss what is not linear "
    "in the prediction.",
)
def information_not_reliable(results: Results) -> Finding:
    """Check whether the test of I_sep misses violations that another test finds."""
    gaps, information = (
        [_rates(results, design, *test)[-1] for design in (SHIFT, NOISE)]
        for test in (GAPS, INFORMATION)
    )
    pairs = list(zip(gaps, information, strict=True))
    missed = [
        sign == 1 and pair[0].value >= FOUND > pair[1].value
        for sign, pair in zip(differences(pairs), pairs, strict=True)
    ]
    numbers = {
        f"violation found by permutation tests of pairs and of I_sep, {name}": list(pair)
        for name, pair in zip(("group 1 scored higher", "with more noise"), pairs, strict=True)
    }
    return Finding(HOLDS if any(missed) else UNTOLD, numbers)


@REGRESSION_CLAIMS.add(
    "In regression, the test of comparative separation needs as many pairs as the test of "
    "separation needs items (a hypothesis of the paper).",
    "section 3.4.2",
    quote="we hypothesize that the same number of test data will be required to statistically "
    "evaluate comparative separation and separation",
    note="n fresh pairs are made of 2n items; the paper says that no metric of separation is "
    "reliable in regression yet.",
    redone="the labels, the violations and the tests of separation",
)
def pairs_in_regression(results: Results) -> Finding:
    """Compare the power on n fresh pairs with that of two tests of separation on n items."""
    frame = table(results, PAIRS, text=("violation", "test")).dropna()
    violations = [name for name in dict.fromkeys(frame["violation"]) if name != FAIR]
    if not violations:
        raise CannotTellError(f"results/{PAIRS} has no violation.")
    n, *more = sorted(frame["size"].astype(int).unique())
    of_pairs, *of_items = (
        _powers(frame, violations, test, n) for test in (COMPARATIVE, AT_MEDIANS, NORMAL_MODEL)
    )
    numbers: Numbers = {
        f"power by {', '.join(violations)}, {n:,} pairs": of_pairs,
        f"{n:,} items, cut at the medians": of_items[0],
        f"{n:,} items, by the likelihood ratio": of_items[1],
    }
    for size in more[:1]:
        numbers[f"{size:,} pairs"] = _powers(frame, violations, COMPARATIVE, size)
    if len(fair := frame.loc[frame["violation"] == FAIR, "rejected"]):
        numbers["fair predictions, all tests (0.0975 promised)"] = span(fair)
    pairs = [pair for powers in of_items for pair in zip(of_pairs, powers, strict=True)]
    return Finding(BY_MARGIN[within(pairs, POWER_MARGIN)], numbers)


def _powers(frame: pd.DataFrame, violations: list[str], test: str, size: int) -> list[Mean]:
    """Return how often a test of `size` items or pairs shows each violation."""
    found = [row(frame, violation=name, test=test, size=size) for name in violations]
    return [share(cells["rejected"], cells["used"]) for cells in found]


def _rates(results: Results, design: str, test: str, quantity: str) -> list[Mean]:
    """Return how often a test rejects in a design, in increasing order of items and pairs.

    Samples of 100 items are left out, and designs with a small cell in most samples.
    """
    frame = rejections(results, design, test, quantity, small=0.5)
    frame = frame.sort_values(["n", "pairs_per_item"], kind="stable")
    return [share(*cells) for cells in frame[["rejected", "used"]].itertuples(index=False)]


def rejections(
    results: Results,
    design: str,
    test: str,
    quantity: str,
    *,
    pairs: float | None = None,
    small: float = 1.0,
) -> pd.DataFrame:
    """Return the rows of a test of a design of the calibration, of more than 100 items.

    `pairs` chooses a number of pairs per item, `small` the largest share of samples with a small
    cell. It raises CannotTellError where there are none.
    """
    frame = table(results, REJECTIONS, text=("design", "test", "quantity"))
    frame = frame[(frame["n"] > 100) & ~(frame["small"] > small)]
    keys = {} if pairs is None else {"pairs_per_item": pairs}
    return rows(frame, design=design, test=test, quantity=quantity, **keys)


def _more_than_promised(rates: list[Mean]) -> bool:
    return 1 in differences([(rate, PROMISED) for rate in rates])
