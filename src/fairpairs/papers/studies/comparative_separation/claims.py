"""The conclusions of the paper, with checks: theorems and simulations here, others in two files."""

import math
from collections.abc import Iterable
from functools import partial

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claim_tests import LEVEL, Mean, differences, precise, share, within
from fairpairs.papers.plan.claims import CannotTellError, Claim, Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.comparative_separation.equivalence import criteria_on_grid
from fairpairs.papers.studies.comparative_separation.experiment_claims import EXPERIMENT_CLAIMS
from fairpairs.papers.studies.comparative_separation.regression_claims import (
    REGRESSION_CLAIMS,
    REJECTIONS,
    rejections,
)

TABLE_2, TABLE_3, SECTION, NORMALITY = (
    f"tables/comparative_separation/{name}.csv"
    for name in ("table_2", "table_3", "section_4_1_2", "normality")
)
#: Both hypotheses at 0.05: what the paper promises of fair classifiers.
PROMISED = 1 - 0.95**2
#: How far a level and a power may be from what is claimed: "0.0975", "similar".
LEVEL_MARGIN, POWER_MARGIN = 0.02, 0.1
#: How far a probability by the normal curve may be off. The theorem of Berry and Esseen promises
#: 0.049 for a TPR of 0.8 of 275 items, as those of f0 in the smaller test sets.
SHAPE_MARGIN = 0.05
#: Gaps of exact tables that are rounding alone.
ROUNDING = 1e-9
#: Columns of Table III: the test by labels, and the one by twice as many fresh pairs.
SIZES = (
    ("Separation, n=1,000", "Comparative separation, np=2,000"),
    ("Separation, n=2,000", "Comparative separation, np=4,000"),
)
UNFAIR = ("f1", "f2", "f3")
#: The rows of Table II that are 0 under separation, and under comparative separation.
CRITERIA = (
    ("TPR(A=1)-TPR(A=0)", "FPR(A=1)-FPR(A=0)"),
    ("TPR(1,0)-TPR(0,1)", "TPR(1,1)-TPR(0,0)"),
)


def check_equivalence(results: Results) -> Finding:
    """Compare the two criteria in Table II, and by Definition 3.1 on a grid of rates."""
    both, apart = _table_2(results)
    grid = criteria_on_grid()
    exceptions = int((grid["comparative_separation"] != grid["separation"]).sum())
    reason = (
        f"Of the four classifiers of Table II, {len(both)} ({', '.join(both) or 'none'}) meet both "
        f"criteria, {4 - len(both) - len(apart)} meet neither and {len(apart)} one alone (exact "
        f"rates). On a grid of {len(grid):,} classifiers (rates of 0, 0.1, …, 1 in both groups) "
        f"the two differ in {exceptions}, by Definition 3.1 with C = 1 and C = −1. The proof uses "
        "C = 1 alone, and divides by rates that may be 0; with C = −1 there is no exception."
    )
    return Finding(FAILS if apart or exceptions else HOLDS, reason, (TABLE_2,))


def check_sufficient(results: Results, criterion: str, those: str, proof: str) -> Finding:
    """Check whether a criterion (a column of the grid) is equivalent to comparative separation."""
    _, apart = _table_2(results)
    if apart:
        reason = f"{', '.join(apart)} of Table II meet one and not the other."
        return Finding(FAILS, reason, (TABLE_2,))
    grid = criteria_on_grid()
    wrong = grid[grid[criterion] & ~grid["comparative_separation"]]
    without = int((grid["comparative_separation"] & ~grid[criterion]).sum())
    never_right = sum(
        (wrong[[f"{rate}(0)", f"{rate}(1)"]] == 0).all(axis=1).sum() for rate in ("TPR", "TNR")
    )
    reason = (
        "The four classifiers of Table II agree with it. "
        f"Of {len(grid):,} binary classifiers (rates of 0, 0.1, …, 1 in both groups), {those} also "
        f"meet comparative separation, but for {len(wrong)}. In {never_right} of these TPR is 0 in "
        "both groups, or TNR is: no pair is ranked right, whatever the other rate is. The "
        f"converse has {without} exceptions. {proof}"
    )
    right = not len(wrong) and not without
    return Finding(HOLDS if right else IN_PART, reason, (TABLE_2,))


def _table_2(results: Results) -> tuple[list[str], list[str]]:
    """Return the classifiers of Table II that meet both criteria, and those that meet one alone."""
    gaps = table(results, TABLE_2, text=("row",)).set_index("row").abs()
    if gaps[["f0", *UNFAIR]].isna().to_numpy().any() or gaps.empty:
        raise CannotTellError("The run has not all classifiers of Table II.", TABLE_2)
    met = {
        name: [bool((gaps.loc[list(rows), name] < ROUNDING).all()) for rows in CRITERIA]
        for name in ("f0", *UNFAIR)
    }
    both = [name for name, parts in met.items() if all(parts)]
    return both, [name for name, (one, other) in met.items() if one != other]


def check_normal(results: Results) -> Finding:
    """Compare the means, variances and shapes of section 4.1.2 with the expected ones."""
    measured = table(results, SECTION, text=("row",))
    pairs = []
    for name in ("TPR(A=1)", "TPR(1,0)"):
        for column in measured.columns:
            if not column.startswith("Simulation") or column.endswith(")"):
                continue
            # the expected variance is that of one item or pair
            after = column.split("n=" if "(A" in name else "np=")[1]
            size = int(after.split(" ")[0].replace(",", ""))
            for kind, times in (("mean", 1), ("variance", size)):
                cells = row(measured, row=f"{kind} of {name}")
                simulated = Mean(cells[column] * times, cells[f"{column} (standard error)"] * times)
                pairs.append((simulated, Mean(cells["Expected"])))
    wrong = sum(map(bool, differences(pairs)))
    off = max(abs(a.value / b.value - 1) for a, b in pairs)
    noise = [a.error / b.value for a, b in pairs]
    precise_enough = all(error <= 0.05 for error in noise)
    normal, shape = _near_normal(results)
    reason = (
        f"{wrong} of {len(pairs)} simulated means and variances differ from the expected ones "
        f"(Holm, 0.05); the largest is {decimals(100 * off, 1)} % off, and their relative standard "
        f"errors are at most {decimals(100 * max(noise), 1)} %. {shape}"
    )
    evidence = (SECTION, NORMALITY)
    if wrong or normal is False:
        return Finding(FAILS if wrong == len(pairs) else IN_PART, reason, evidence)
    return Finding(HOLDS if precise_enough and normal else UNTOLD, reason, evidence)


def _near_normal(results: Results) -> tuple[bool | None, str]:
    """Return whether the rates of f0 are nearly normal (None if undecided), and the reason."""
    rates = table(results, NORMALITY, text=("classifier", "rate"))
    rates = rates[rates["classifier"] == "f0"]
    if rates.empty or rates[["distance", "beyond"]].isna().to_numpy().any():
        raise CannotTellError("The run has no distribution of the rates of f0.", NORMALITY)
    # the bound of Dvoretzky, Kiefer, Wolfowitz and Massart, over all rates (Bonferroni)
    noise = [
        math.sqrt(math.log(2 * len(rates) / LEVEL) / (2 * used)) if used else math.inf
        for used in rates["used"]
    ]
    distances = list(zip(rates["distance"], noise, strict=True))
    low, high = (decimals(limit(rates["beyond"]), 3) for limit in (min, max))
    text = (
        "The distribution function of the simulated rates is at most "
        f"{decimals(max(distance for distance, _ in distances), 3)} from the normal one (margin "
        f"{SHAPE_MARGIN:g}, with 95 % intervals), and {low} to {high} of them lie beyond 1.96 "
        "standard deviations (0.05 expected). A share of a whole number of items or pairs is "
        "never exactly normal, so this asks whether it is near."
    )
    if any(distance - error > SHAPE_MARGIN for distance, error in distances):
        return False, text
    return (True if all(sum(pair) <= SHAPE_MARGIN for pair in distances) else None), text


def check_level(results: Results) -> Finding:
    """Compare the rejections of the fair classifier with 0.0975, on fresh and on drawn pairs."""
    rates = _simulated(results, "f0")
    promised = [(rate, Mean(PROMISED)) for rate in rates.values()]
    fresh = within(promised, LEVEL_MARGIN)
    low, high = (decimals(limit(r.value for r in rates.values()), 3) for limit in (min, max))
    reason = (
        f"On fresh items and pairs the fair classifier is found unfair in {low} to {high} of the "
        "simulations (0.0975 promised)."
    )
    if fresh is None:
        reason += f" Too few repeats to tell within {LEVEL_MARGIN}."
        return Finding(UNTOLD, reason, (TABLE_3,))
    evidence = (TABLE_3, REJECTIONS)
    drawn = _rejected(results, "f0", "binomial", "either")
    as_in_table_5 = {key: rate for key, rate in drawn.items() if key[1] == 2}
    too_often = [d for d in differences([(m, Mean(PROMISED)) for m in drawn.values()]) if d > 0]
    sound = _rejected(results, "f0", "drawn_pairs", "holm")
    sizes = [n for n, _ in drawn]
    reason += (
        " Definition 3.1 draws each pair anew; in Tables V and VIII pairs of one test set share "
        f"items. With such pairs ({min(sizes):,} to {max(sizes):,} items) it is found unfair in "
        f"{_spread((as_in_table_5 or drawn).values())} with two pairs an item, and in up to "
        f"{decimals(max(rate.value for rate in drawn.values()), 3)} with more. The dyadic test, "
        "which takes into account that pairs share items, has "
        f"{_spread(sound.values())} at 0.05 (Holm)."
    )
    if fresh and not too_often:
        return Finding(HOLDS, reason, evidence)
    return Finding(IN_PART if fresh else FAILS, reason, evidence)


def check_twice_the_pairs(results: Results) -> Finding:
    """Compare the power of both tests in Table III, and on pairs of one test set."""
    powers = {name: _simulated(results, name) for name in UNFAIR}
    pairs = [(rates[a], rates[b]) for rates in powers.values() for a, b in SIZES]
    similar = within(pairs, POWER_MARGIN)
    gap = max(abs(a.value - b.value) for a, b in pairs)
    reason = (
        f"On fresh pairs the powers of f1 to f3 differ by at most {decimals(gap, 3)} (margin "
        f"{POWER_MARGIN:g}, with 95 % intervals); 2n fresh pairs are made of 4n items."
    )
    if similar is None:
        return Finding(UNTOLD, f"{reason} Too few repeats to tell.", (TABLE_3,))
    if not similar:
        return Finding(FAILS, reason, (TABLE_3,))
    drawn = [_rejected(results, name, "drawn_pairs", "either", 2.0) for name in UNFAIR]
    labels = [_rejected(results, name, "separation", "either") for name in UNFAIR]
    shared = [(a[key], b[key[0], None]) for a, b in zip(drawn, labels, strict=True) for key in a]
    every_pair = [_rejected(results, name, "all_pairs", "either") for name in UNFAIR]
    holds_there = within(shared, POWER_MARGIN)
    reason += (
        " Drawn from the items of one test set, as many pairs, by the dyadic test that holds its "
        f"level, find {_spread(a for a, _ in shared)} where separation finds "
        f"{_spread(b for _, b in shared)}; the test of all pairs of these items finds "
        f"{_spread(rate for rates in every_pair for rate in rates.values())}."
    )
    verdict = {True: HOLDS, False: IN_PART, None: UNTOLD}[holds_there]
    return Finding(verdict, reason, (TABLE_3, REJECTIONS))


def check_computed_power(results: Results) -> Finding:
    """Compare the simulated shares of violations in Table III with Proposition 3.5."""
    frame = table(results, TABLE_3, text=("row",))
    pairs = []
    for name in ("f0", *UNFAIR):
        expected = row(frame, row=f"{name}, Expected")
        pairs += [
            (rate, Mean(expected[column])) for column, rate in _simulated(results, name).items()
        ]
    gap = max(abs(a.value - b.value) for a, b in pairs)
    reason = (
        f"In {len(pairs)} cells (f0 to f3, both tests, two sizes), the simulated share is at most "
        f"{decimals(gap, 3)} from the computed one (margin {LEVEL_MARGIN:g}, with 95 % intervals). "
        "This is for fresh items and pairs."
    )
    close = within(pairs, LEVEL_MARGIN)
    verdict = UNTOLD if close is None else HOLDS if close else FAILS
    if close is False and any(within([pair], LEVEL_MARGIN) for pair in pairs):
        verdict = IN_PART
    return Finding(verdict, reason, (TABLE_3,))


def check_more_data(results: Results) -> Finding:
    """Compare the power at both sizes of Table III."""
    powers = {name: _simulated(results, name) for name in UNFAIR}
    grown = list(zip(*SIZES, strict=True))
    pairs = [(rates[large], rates[small]) for rates in powers.values() for small, large in grown]
    signs = differences(pairs)
    changes = [a.value - b.value for a, b in pairs]
    reason = (
        f"Twice the items or pairs raise the power in {signs.count(1)} of {len(pairs)} comparisons "
        f"(f1 to f3, both tests), by {decimals(min(changes), 3)} to {decimals(max(changes), 3)}."
    )
    if signs.count(1) == len(pairs):
        return Finding(HOLDS, reason, (TABLE_3,))
    if -1 in signs:
        return Finding(FAILS, reason, (TABLE_3,))
    settled = precise([p for p, sign in zip(pairs, signs, strict=True) if not sign], POWER_MARGIN)
    return Finding(IN_PART if settled else UNTOLD, reason, (TABLE_3,))


def _simulated(results: Results, classifier: str) -> dict[str, Mean]:
    """Return the share of violations in each column of Table III."""
    runs = results.settings.get("simulation", {}).get("repeats")
    if runs is None:
        raise CannotTellError("This run has no simulation of Table III.", TABLE_3)
    shares = row(table(results, TABLE_3, text=("row",)), row=f"{classifier}, Simulation")
    return {column: share(shares[column], runs) for columns in SIZES for column in columns}


def _rejected(
    results: Results, design: str, test: str, quantity: str, pairs: float | None = None
) -> dict[tuple[int, float | None], Mean]:
    """Return the share of rejections in the calibration, by items and pairs per item.

    Designs of 100 items are left out: their cells are small.
    """
    rows = rejections(results, design, test, quantity, pairs=pairs)
    columns = ["n", "pairs_per_item", "rejected", "used"]
    return {
        (int(n), None if pd.isna(per_item) else float(per_item)): share(rejected, used)
        for n, per_item, rejected, used in rows[columns].itertuples(index=False)
    }


def _spread(means: Iterable[Mean]) -> str:
    values = [mean.value for mean in means]
    return f"{decimals(min(values), 3)} to {decimals(max(values), 3)}"


CLAIMS = [
    Claim(
        "same-criterion",
        "A binary classifier meets comparative separation exactly when it meets separation.",
        "abstract; sections 3.2 (Theorem 3.3) and 4.1.1 (RQ1)",
        check_equivalence,
        quote="in binary classification problems, comparative separation is equivalent to "
        "separation",
    ),
    Claim(
        "equal-rates-suffice",
        "Comparative separation is satisfied exactly when TPR(a, b), the share of pairs ranked "
        "right, is the same for all pairs of groups.",
        "section 3.1 (Theorem 3.2)",
        partial(
            check_sufficient,
            criterion="same_rates",
            those="those with equal TPR(a, b)",
            proof="By equation (8) the chances of C = 1 and C = −1 sum to 1, which leaves out "
            "ties. Without ties the theorem holds, but the proof of Theorem 3.3 applies it to "
            "binary predictions, which tie.",
        ),
        quote="Comparative separation … is satisfied if and only if … where … is a constant.",
    ),
    Claim(
        "two-hypotheses-suffice",
        "A binary classifier meets comparative separation exactly when both hypotheses are true: "
        "TPR(1,0) = TPR(0,1) and TPR(1,1) = TPR(0,0).",
        "section 3.3.2 (Proposition 3.4)",
        partial(
            check_sufficient,
            criterion="two_hypotheses",
            those="those of which both hypotheses are true",
            proof="The proof divides by rates that may be 0.",
        ),
        quote="comparative separation … is satisfied if and only if both null hypotheses … are "
        "accepted",
    ),
    Claim(
        "normal-rates",
        "In large samples the estimated rates are normally distributed, with the expected means "
        "and variances.",
        "section 4.1.2 (RQ2)",
        check_normal,
        quote="the separation and comparative separation metrics follow normal distributions with "
        "the expected means and variances in large samples",
    ),
    Claim(
        "level-of-the-tests",
        "Both tests find a violation of a fair classifier with a probability that depends on α "
        "alone: 0.0975 at 0.05.",
        "sections 3.3 and 4.1.3 (RQ2); section 5",
        check_level,
        quote="The Type I error rates for these evaluations are decided by the value of α",
    ),
    Claim(
        "twice-the-pairs",
        "Twice as many pairs as items give the test of comparative separation about the power of "
        "the test of separation.",
        "introduction; sections 3.4 and 4.1.3 (RQ3)",
        check_twice_the_pairs,
        quote="Roughly two times the comparative judgments are needed … to reach the same level of "
        "Type II error rates in binary classifications",
    ),
    Claim(
        "power-is-computed",
        "The probability to find or to miss a violation can be computed before the test data "
        "exist: simulations are close to it.",
        "sections 3.4 and 4.1.3 (RQ3)",
        check_computed_power,
        quote="all the simulation results are close to the expected values",
    ),
    Claim(
        "more-data-more-power",
        "More test data lower the probability to miss a violation, of both tests.",
        "section 4.1.3 (RQ3)",
        check_more_data,
        quote="the type II error rates could always be reduced to a target value by increasing "
        "the size of the test data",
    ),
    *EXPERIMENT_CLAIMS,
    *REGRESSION_CLAIMS,
]
