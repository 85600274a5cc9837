"""The conclusions of the paper, with checks: theorems and simulations here, others in two files."""

import math

import numpy as np
import pandas as pd

from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Mean, Numbers, span
from fairpairs.papers.plan.claim_tests import (
    BY_MARGIN,
    LEVEL,
    differences,
    near,
    share,
    undecided,
    within,
)
from fairpairs.papers.plan.claims import Claims, Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.comparative_separation.equivalence import criteria_on_grid
from fairpairs.papers.studies.comparative_separation.experiment_claims import EXPERIMENT_CLAIMS
from fairpairs.papers.studies.comparative_separation.regression_claims import (
    POWER_MARGIN,
    PROMISED,
    REGRESSION_CLAIMS,
    rejections,
)

TABLE_2, TABLE_3, SECTION, NORMALITY = (
    f"tables/comparative_separation/{name}.csv"
    for name in ("table_2", "table_3", "section_4_1_2", "normality")
)
#: How far a level may be from what is claimed, 0.0975.
LEVEL_MARGIN = 0.02
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
CLAIMS = Claims()


@CLAIMS.add(
    "A binary classifier meets comparative separation exactly when it meets separation.",
    "abstract; sections 3.2 (Theorem 3.3) and 4.1.1 (RQ1)",
    quote="in binary classification problems, comparative separation is equivalent to separation",
    note="By Definition 3.1 with C = 1 and C = −1; the proof uses C = 1 alone, and divides by "
    "rates that may be 0.",
)
def same_criterion(results: Results) -> Finding:
    """Compare the two criteria in Table II, and by Definition 3.1 on a grid of rates."""
    apart, grid = _meeting_one(results), criteria_on_grid()
    exceptions = int((grid["comparative_separation"] != grid["separation"]).sum())
    numbers = {
        "classifiers of Table II that meet one criterion alone": apart,
        "exceptions on a grid of rates 0, 0.1, …, 1": Count(exceptions, len(grid)),
    }
    return Finding(FAILS if apart.number or exceptions else HOLDS, numbers)


@CLAIMS.add(
    "Comparative separation is satisfied exactly when TPR(a, b), the share of pairs ranked right, "
    "is the same for all pairs of groups.",
    "section 3.1 (Theorem 3.2)",
    quote="Comparative separation … is satisfied if and only if … where … is a constant.",
    note="By equation (8) the chances of C = 1 and C = −1 sum to 1, which leaves out ties: without "
    "ties the theorem holds, but the proof of Theorem 3.3 applies it to predictions that tie.",
)
def equal_rates_suffice(results: Results) -> Finding:
    """Check whether equal TPR(a, b) are equivalent to comparative separation."""
    return _sufficient(results, "same_rates")


@CLAIMS.add(
    "A binary classifier meets comparative separation exactly when both hypotheses are true: "
    "TPR(1,0) = TPR(0,1) and TPR(1,1) = TPR(0,0).",
    "section 3.3.2 (Proposition 3.4)",
    quote="comparative separation … is satisfied if and only if both null hypotheses … are "
    "accepted",
    note="The proof divides by rates that may be 0.",
)
def two_hypotheses_suffice(results: Results) -> Finding:
    """Check whether the two hypotheses are equivalent to comparative separation."""
    return _sufficient(results, "two_hypotheses")


def _sufficient(results: Results, criterion: str) -> Finding:
    """Check whether a criterion (a column of the grid) is equivalent to comparative separation."""
    apart, grid = _meeting_one(results), criteria_on_grid()
    wrong = grid[grid[criterion] & ~grid["comparative_separation"]]
    converse = int((grid["comparative_separation"] & ~grid[criterion]).sum())
    never_right = sum(
        (wrong[[f"{rate}(0)", f"{rate}(1)"]] == 0).all(axis=1).sum() for rate in ("TPR", "TNR")
    )
    numbers = {
        "classifiers of Table II that meet one criterion alone": apart,
        "exceptions on a grid of rates 0, 0.1, …, 1": Count(len(wrong), len(grid)),
        "exceptions with a TPR or TNR of 0 in both groups": Count(never_right, len(wrong)),
        "exceptions to the converse": converse,
    }
    right = not len(wrong) and not converse
    return Finding(FAILS if apart.number else HOLDS if right else IN_PART, numbers)


def _meeting_one(results: Results) -> Count:
    """Count the classifiers of Table II that meet one criterion and not the other."""
    gaps = table(results, TABLE_2, text=("row",)).set_index("row")[["f0", *UNFAIR]].abs()
    if gaps.isna().to_numpy().any():
        raise CannotTellError("The run has not all classifiers of Table II.")
    one, other = ((gaps.loc[list(rows)] < ROUNDING).all() for rows in CRITERIA)
    return Count(int((one != other).sum()), gaps.shape[1])


@CLAIMS.add(
    "In large samples the estimated rates are normally distributed, with the expected means and "
    "variances.",
    "section 4.1.2 (RQ2)",
    quote="the separation and comparative separation metrics follow normal distributions with the "
    "expected means and variances in large samples",
    note="A share of a whole number of items is never exactly normal, so this asks whether it is "
    "near: by 0.05 at most.",
)
def normal_rates(results: Results) -> Finding:
    """Compare the means, variances and shapes of section 4.1.2 with the expected ones."""
    pairs = _moments(table(results, SECTION, text=("row",)))
    wrong = sum(map(bool, differences(pairs)))
    noise = [a.error / b.value for a, b in pairs]
    rates = table(results, NORMALITY, text=("classifier", "rate"))
    rates = rates[rates["classifier"] == "f0"]
    if rates.empty or rates[["distance", "beyond"]].isna().to_numpy().any():
        raise CannotTellError("The run has no distribution of the rates of f0.")
    # the bound of Dvoretzky, Kiefer, Wolfowitz and Massart, over all rates (Bonferroni)
    bound = np.sqrt(math.log(2 * len(rates) / LEVEL) / (2 * rates["used"]))
    numbers = {
        "means and variances that differ from the expected ones": Count(wrong, len(pairs)),
        "largest relative difference": max(abs(a.value / b.value - 1) for a, b in pairs),
        "largest relative standard error": max(noise),
        "largest distance from the normal distribution function": rates["distance"].max(),
        "share beyond 1.96 standard deviations (0.05 expected)": span(rates["beyond"]),
    }
    if wrong or (rates["distance"] - bound > SHAPE_MARGIN).any():
        return Finding(FAILS if wrong == len(pairs) else IN_PART, numbers)
    normal = (rates["distance"] + bound <= SHAPE_MARGIN).all()
    return Finding(HOLDS if normal and all(error <= 0.05 for error in noise) else UNTOLD, numbers)


def _moments(measured: pd.DataFrame) -> list[tuple[Mean, Mean]]:
    """Return the simulated means and variances, and the expected ones of one item or pair."""
    pairs = []
    for name, size_of in (("TPR(A=1)", "n="), ("TPR(1,0)", "np=")):
        for column in measured.columns:
            if not column.startswith("Simulation") or column.endswith(")"):
                continue
            size = int(column.split(size_of)[1].split(" ")[0].replace(",", ""))
            for kind, times in (("mean", 1), ("variance", size)):
                cells = row(measured, row=f"{kind} of {name}")
                simulated = Mean(cells[column] * times, cells[f"{column} (standard error)"] * times)
                pairs.append((simulated, Mean(cells["Expected"])))
    return pairs


@CLAIMS.add(
    "Both tests find a violation of a fair classifier with a probability that depends on α alone: "
    "0.0975 at 0.05.",
    "sections 3.3 and 4.1.3 (RQ2); section 5",
    quote="The Type I error rates for these evaluations are decided by the value of α",
    note="Definition 3.1 draws each pair anew; in Tables V and VIII pairs of one test set share "
    "items, which the dyadic test takes into account.",
)
def level_of_the_tests(results: Results) -> Finding:
    """Compare the rejections of the fair classifier with 0.0975, on fresh and on drawn pairs."""
    rates = _simulated(results, "f0").values()
    fresh = within([(rate, PROMISED) for rate in rates], LEVEL_MARGIN)
    numbers: Numbers = {"found unfair on fresh items and pairs (0.0975 promised)": span(rates)}
    if fresh is None:
        return Finding(UNTOLD, numbers)
    drawn = _rejected(results, "f0", "binomial")
    twice = [rate for (_, per_item), rate in drawn.items() if per_item == 2]
    numbers |= {
        "found unfair on two pairs of shared items per item": span(twice or drawn.values()),
        "found unfair on more pairs per item, at most": span(drawn.values()).high,
        "found unfair by the dyadic test (0.05)": span(
            _rejected(results, "f0", "drawn_pairs", "holm").values()
        ),
    }
    too_often = 1 in differences([(rate, PROMISED) for rate in drawn.values()])
    return Finding(FAILS if not fresh else IN_PART if too_often else HOLDS, numbers)


@CLAIMS.add(
    "Twice as many pairs as items give the test of comparative separation about the power of the "
    "test of separation.",
    "introduction; sections 3.4 and 4.1.3 (RQ3)",
    quote="Roughly two times the comparative judgments are needed … to reach the same level of "
    "Type II error rates in binary classifications",
    note="2n fresh pairs are made of 4n items; on drawn pairs the dyadic test holds its level.",
)
def twice_the_pairs(results: Results) -> Finding:
    """Compare the power of both tests in Table III, and on pairs of one test set."""
    powers = [_simulated(results, name) for name in UNFAIR]
    pairs = [(rates[a], rates[b]) for rates in powers for a, b in SIZES]
    similar = within(pairs, POWER_MARGIN)
    gap = max(abs(a.value - b.value) for a, b in pairs)
    numbers: Numbers = {"largest difference in power on fresh pairs (0.1 allowed)": gap}
    if not similar:
        return Finding(BY_MARGIN[similar], numbers)
    drawn = [_rejected(results, name, "drawn_pairs", pairs=2.0) for name in UNFAIR]
    labels = [_rejected(results, name, "separation") for name in UNFAIR]
    shared = [(a[key], b[key[0], None]) for a, b in zip(drawn, labels, strict=True) for key in a]
    every_pair = [_rejected(results, name, "all_pairs") for name in UNFAIR]
    numbers |= {
        "power of as many pairs of shared items, dyadic test": span(a for a, _ in shared),
        "power of separation on these items": span(b for _, b in shared),
        "power of all pairs of these items": span(
            r for rates in every_pair for r in rates.values()
        ),
    }
    there = within(shared, POWER_MARGIN)
    return Finding(IN_PART if there is False else BY_MARGIN[there], numbers)


@CLAIMS.add(
    "The probability to find or to miss a violation can be computed before the test data exist: "
    "simulations are close to it.",
    "sections 3.4 and 4.1.3 (RQ3)",
    quote="all the simulation results are close to the expected values",
    note="This is for fresh items and pairs.",
)
def power_is_computed(results: Results) -> Finding:
    """Compare the simulated shares of violations in Table III with Proposition 3.5."""
    frame = table(results, TABLE_3, text=("row",))
    pairs = [
        (rate, Mean(row(frame, row=f"{name}, Expected")[column]))
        for name in ("f0", *UNFAIR)
        for column, rate in _simulated(results, name).items()
    ]
    gap = max(abs(a.value - b.value) for a, b in pairs)
    numbers = {f"largest difference in {len(pairs)} cells ({LEVEL_MARGIN:g} allowed)": gap}
    return Finding(near(pairs, LEVEL_MARGIN), numbers)


@CLAIMS.add(
    "More test data lower the probability to miss a violation, of both tests.",
    "section 4.1.3 (RQ3)",
    quote="the type II error rates could always be reduced to a target value by increasing the "
    "size of the test data",
)
def more_data_more_power(results: Results) -> Finding:
    """Compare the power at both sizes of Table III."""
    powers, grown = [_simulated(results, name) for name in UNFAIR], zip(*SIZES, strict=True)
    pairs = [(rates[large], rates[small]) for small, large in grown for rates in powers]
    signs = differences(pairs)
    numbers = {
        "comparisons in which twice the data raise the power": Count(signs.count(1), len(pairs)),
        "gain in power": span(a.value - b.value for a, b in pairs),
    }
    if signs.count(1) == len(pairs) or -1 in signs:
        return Finding(FAILS if -1 in signs else HOLDS, numbers)
    return Finding(UNTOLD if undecided(pairs, signs, POWER_MARGIN) else IN_PART, numbers)


def _simulated(results: Results, classifier: str) -> dict[str, Mean]:
    """Return the share of violations in each column of Table III."""
    runs = results.settings.get("simulation", {}).get("repeats")
    if runs is None:
        raise CannotTellError("This run has no simulation of Table III.")
    shares = row(table(results, TABLE_3, text=("row",)), row=f"{classifier}, Simulation")
    return {column: share(shares[column], runs) for columns in SIZES for column in columns}


def _rejected(
    results: Results, design: str, test: str, quantity: str = "either", pairs: float | None = None
) -> dict[tuple[int, float | None], Mean]:
    """Return the share of rejections in the calibration, by items and pairs per item."""
    rows = rejections(results, design, test, quantity, pairs=pairs)
    columns = ["n", "pairs_per_item", "rejected", "used"]
    return {
        (int(n), None if pd.isna(per_item) else float(per_item)): share(rejected, used)
        for n, per_item, rejected, used in rows[columns].itertuples(index=False)
    }


CLAIMS += [*EXPERIMENT_CLAIMS, *REGRESSION_CLAIMS]
