"""The conclusions on regression in general, checked on data whose truth is known."""

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claim_tests import Mean, differences, share, within
from fairpairs.papers.plan.claims import CannotTellError, Claim, Finding, row, table
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


def check_not_equivalent(results: Results) -> Finding:
    """Ask whether comparative separation is violated in regressions that satisfy separation."""
    alike, different = (_rates(results, design, *FRESH) for design in (ALIKE, DIFFERENT))
    violated = _more_than_promised(different)
    reason = (
        "Where the labels of the groups differ and separation holds, the paper's test on fresh "
        f"pairs finds a violation of comparative separation in {_largest(different)} of the "
        f"simulated data sets, and in {_largest(alike)} where the labels are alike (0.0975 "
        "promised). The chance that a pair is ranked right depends on its two labels, and groups "
        "with other labels form other pairs."
    )
    return Finding(HOLDS if violated else UNTOLD, reason, (REJECTIONS,))


def check_generalizes(results: Results) -> Finding:
    """Check the level and the power of the paper's unchanged test in regression."""
    alike, different = (_rates(results, design, *FRESH) for design in (ALIKE, DIFFERENT))
    unfair = [_rates(results, design, *FRESH) for design in (SHIFT, NOISE)]
    level_kept, detected = not _more_than_promised(alike), all(map(_more_than_promised, unfair))
    reason = (
        "Definition and test apply to real labels as they are. On fresh pairs, with labels alike "
        f"in both groups, the test finds a violation in {_largest(alike)} of fair data sets at "
        f"most (0.0975 promised), in {_largest(unfair[0])} if group 1 is scored higher and in "
        f"{_largest(unfair[1])} if it is scored with more noise. But of real labels, unlike of "
        "binary ones, a violation need not be one of separation: if the labels of the groups "
        f"differ, the test finds one in {_largest(different)} although separation holds, unless "
        "labels are balanced. Section 5 of the paper says, too, that to generalize it to "
        "regression requires further investigation."
    )
    if not level_kept:
        return Finding(FAILS, reason, (REJECTIONS,))
    if not detected:
        return Finding(UNTOLD, reason, (REJECTIONS,))
    return Finding(IN_PART if _more_than_promised(different) else HOLDS, reason, (REJECTIONS,))


def check_not_reliable(results: Results) -> Finding:
    """Check whether the test of I_sep misses violations that another test finds."""
    information_rates, gap_rates = (
        [_rates(results, design, *test)[-1] for design in (SHIFT, NOISE)]
        for test in (INFORMATION, GAPS)
    )
    signs = differences(list(zip(gap_rates, information_rates, strict=True)))
    missed = [
        sign == 1 and gaps.value >= FOUND > information.value
        for sign, gaps, information in zip(signs, gap_rates, information_rates, strict=True)
    ]
    texts = [
        f"in {decimals(information.value, 2)} {where} (a permutation test of the pairs: "
        f"{decimals(gaps.value, 2)})"
        for information, gaps, where in zip(
            information_rates,
            gap_rates,
            ("if group 1 is scored higher", "if it is scored with more noise"),
            strict=True,
        )
    ]
    reason = (
        "Table VIII is met with logistic regressions as predictors. By its permutation test at "
        f"0.05, this I_sep shows a violation of separation {texts[0]}, and {texts[1]}: "
        f"{'it misses' if any(missed) else 'it is not shown to miss'} what is not linear in the "
        "prediction."
    )
    return Finding(HOLDS if any(missed) else UNTOLD, reason, (REJECTIONS,))


def check_as_many_pairs(results: Results) -> Finding:
    """Compare the power on n fresh pairs with that of two tests of separation on n items."""
    frame = table(results, PAIRS, text=("violation", "test")).dropna()
    violations = [name for name in dict.fromkeys(frame["violation"]) if name != FAIR]
    if not violations:
        raise CannotTellError(f"results/{PAIRS} has no violation.", PAIRS)
    n, *more = sorted(frame["size"].astype(int).unique())
    pair_powers = _powers(frame, violations, COMPARATIVE, n)
    item_powers = [_powers(frame, violations, test, n) for test in (AT_MEDIANS, NORMAL_MODEL)]
    similar = within(
        [pair for powers in item_powers for pair in zip(pair_powers, powers, strict=True)],
        POWER_MARGIN,
    )
    shown = [_in_words(violations, powers) for powers in (pair_powers, *item_powers)]
    reason = (
        f"{n:,} fresh pairs, made of {2 * n:,} items, show violations in {shown[0]} of the "
        f"simulated data sets. {n:,} items show them in {shown[1]} by the paper's test of "
        f"separation, with labels and predictions cut at their medians, and in {shown[2]} by the "
        "likelihood ratio test, which knows the normal model of the simulation."
    )
    if more:
        larger = _powers(frame, violations, COMPARATIVE, more[0])
        reason += f" {more[0]:,} pairs show them in {_in_words(violations, larger)}."
    fair = frame.loc[frame["violation"] == FAIR, "rejected"]
    if len(fair):
        reason += (
            f" Fair predictions: {decimals(fair.min(), 3)} to {decimals(fair.max(), 3)} by all "
            "tests (0.0975 promised)."
        )
    if similar is False:
        reason += (
            " The number that suffices depends on the violation and on the test of separation; the "
            "paper says that no metric of it is reliable in regression yet."
        )
    return Finding({True: HOLDS, False: FAILS, None: UNTOLD}[similar], reason, (PAIRS,))


def _powers(frame: pd.DataFrame, violations: list[str], test: str, size: int) -> list[Mean]:
    """Return how often a test of `size` items or pairs shows each violation."""
    rows = [row(frame, violation=name, test=test, size=size) for name in violations]
    return [share(cells["rejected"], cells["used"]) for cells in rows]


def _in_words(violations: list[str], powers: list[Mean]) -> str:
    named = zip(violations, powers, strict=True)
    return ", ".join(f"{decimals(power.value, 2)} ({name})" for name, power in named)


def _rates(results: Results, design: str, test: str, quantity: str) -> list[Mean]:
    """Return how often a test rejects in a design, in increasing order of items and pairs.

    Samples of 100 items are left out, and designs with a small cell in most samples.
    """
    rows = rejections(results, design, test, quantity, small=0.5)
    rows = rows.sort_values(["n", "pairs_per_item"], kind="stable")
    return [share(*row) for row in rows[["rejected", "used"]].itertuples(index=False)]


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
    chosen = (frame[["design", "test", "quantity"]] == [design, test, quantity]).all(axis=1)
    chosen &= (frame["pairs_per_item"] == pairs) | (pairs is None)
    rows = frame[chosen & (frame["n"] > 100) & ~(frame["small"] > small)]
    if rows.empty:
        raise CannotTellError(f"results/{REJECTIONS} has no {test} of {design}.", REJECTIONS)
    return rows


def _more_than_promised(rates: list[Mean]) -> bool:
    return 1 in differences([(rate, PROMISED) for rate in rates])


def _largest(rates: list[Mean]) -> str:
    return decimals(max(rate.value for rate in rates), 3)


REGRESSION_CLAIMS = [
    Claim(
        "generalizes-to-regression",
        "Comparative separation generalizes to regression labels as it is defined, which gives an "
        "easy way to evaluate group fairness there.",
        "introduction",
        check_generalizes,
        quote="it naturally generalizes to regression labels without any modification",
    ),
    Claim(
        "not-equivalent-in-regression",
        "In regression, comparative separation may not be equivalent to separation.",
        "section 5",
        check_not_equivalent,
        quote="comparative separation may not be equivalent to separation in regressions",
    ),
    Claim(
        "information-not-reliable",
        "Measures of separation by mutual information, as I_sep, are not reliable in regression, "
        "because they need predictors of the probabilities.",
        "section 3.4.2",
        check_not_reliable,
        quote="the mutual information-based metrics require addition predictors to approximate the "
        "probabilities thus are not reliable",
    ),
    Claim(
        "pairs-in-regression",
        "In regression, the test of comparative separation needs as many pairs as the test of "
        "separation needs items (a hypothesis of the paper).",
        "section 3.4.2",
        check_as_many_pairs,
        quote="we hypothesize that the same number of test data will be required to statistically "
        "evaluate comparative separation and separation",
        redone="the labels, the violations and the tests of separation",
    ),
]
