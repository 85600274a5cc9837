"""The checks of claims.yaml: theorems and simulations; experiment_claims.py has the others."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base.arrays import Integers
from fairpairs.mathematics.power.sample_sizes import smallest_number
from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.experiments.wald_power import (
    comparative_separation_power,
    separation_power,
)
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
from fairpairs.papers.plan.claims import Finding, row, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.comparative_separation.experiment_claims import (  # noqa: F401
    fair_reweighing_lowers_information,
    other_criterion_in_regression,
    story_points_hardly_lower,
    story_points_little_bias,
    tests_agree_on_real_data,
    treatments_reduce_violations,
)
from fairpairs.papers.studies.comparative_separation.simulation import (
    AT_MEDIANS,
    COMPARATIVE,
    FAIR,
    NORMAL_MODEL,
)

#: How far a level may be from what is claimed, 0.0975, and powers from each other.
LEVEL_MARGIN, POWER_MARGIN = 0.02, 0.1
#: How far a probability by the normal curve may be off. The theorem of Berry and Esseen promises
#: 0.049 for a TPR of 0.8 of 275 items, as those of f0 in the smaller test sets.
SHAPE_MARGIN = 0.05
#: Gaps of exact tables that are rounding alone.
ROUNDING = 1e-9
#: Shares of label 1 for which the needed pairs are computed, and what twice the items are.
SHARES, TWICE = (0.5, 0.25, 0.1), 2
#: Columns of Table III: the test by labels, and the one by twice as many fresh pairs.
SIZES = (
    ("Separation, n=1,000", "Comparative separation, np=2,000"),
    ("Separation, n=2,000", "Comparative separation, np=4,000"),
)
UNFAIR = ("f1", "f2", "f3")
#: The rows of Table II that are 0 under separation, and under comparative separation.
CRITERIA = (("TPR(A=1)-TPR(A=0)", "FPR(A=1)-FPR(A=0)"), ("TPR(1,0)-TPR(0,1)", "TPR(1,1)-TPR(0,0)"))
#: Designs of the calibration: group 1 is scored higher, or with more noise.
SHIFT, NOISE = "regression_shift", "regression_noise"
#: The paper's test on pairs of fresh items, which it is made for, and what it promises there.
FRESH, PROMISED = ("fresh_pairs", "either"), Mean(1 - 0.95**2)
#: Tests of I_sep, of the gaps of comparative separation and of all pairs, each at 0.05.
INFORMATION, GAPS = ("permutation_information", "joint"), ("permutation", "joint")
#: A violation is found reliably if at least this share of the data sets shows it.
FOUND = 0.5


def criteria_on_grid(steps: int = 10) -> pd.DataFrame:
    """Return which classifiers with rates of 0, 1/steps, …, 1 meet which criterion, exactly.

    Binary predictions tie, so a pair has three outcomes. Given Y_ij = 1, the chance that it is
    ranked right (C_ij = 1) is TPR(a) · TNR(b), and that it is reversed (C_ij = −1)
    (1 − TPR(a)) (1 − TNR(b)).

    >>> grid = criteria_on_grid(2)
    >>> len(grid), int((grid["comparative_separation"] != grid["separation"]).sum())
    (81, 0)
    """
    rates = np.indices((steps + 1,) * 4).reshape(2, 2, -1)  # (TPR or TNR, group, classifier)
    tpr, tnr = rates[0][:, None], rates[1][None]  # (group of the higher label, of the lower)
    right, reversed_ = tpr * tnr, (steps - tpr) * (steps - tnr)
    names = ("TPR(0)", "TPR(1)", "TNR(0)", "TNR(1)")
    return pd.DataFrame(dict(zip(names, rates.reshape(4, -1), strict=True))).assign(
        separation=(rates[:, 0] == rates[:, 1]).all(axis=0),
        comparative_separation=_same(right) & _same(reversed_),  # Definition 3.1
        same_rates=_same(right),  # equation (4)
        # equations (21) and (22)
        two_hypotheses=(right[1, 0] == right[0, 1]) & (right[1, 1] == right[0, 0]),
    )


def _same(chances: Integers) -> NDArray[np.bool_]:
    """Return where all pairs of groups (the first two axes) have the same chance."""
    same: NDArray[np.bool_] = np.all(chances == chances[0, 0], axis=(0, 1))
    return same


def same_criterion(results: Results) -> Finding:
    """Compare the two criteria in Table II, and by Definition 3.1 on a grid of rates."""
    apart, grid = _meeting_one(results), criteria_on_grid()
    exceptions = Count.of(grid["comparative_separation"] != grid["separation"])
    numbers = {
        "classifiers of Table II that meet one criterion alone": apart,
        "exceptions on a grid of rates 0, 0.1, …, 1": exceptions,
    }
    return Finding(FAILS if apart.number or exceptions.number else HOLDS, numbers)


def sufficient(results: Results, criterion: str) -> Finding:
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
    gaps = table(results, "table_2").set_index("row")[["f0", *UNFAIR]].abs()
    if gaps.isna().to_numpy().any():
        raise CannotTellError("The run has not all classifiers of Table II.")
    one, other = ((gaps.loc[list(names)] < ROUNDING).all() for names in CRITERIA)
    return Count.of(one != other)


def normal_rates(results: Results) -> Finding:
    """Compare the means, variances and shapes of section 4.1.2 with the expected ones."""
    pairs = _moments(table(results, "section_4_1_2"))
    wrong = Count.of(differences(pairs))
    noise = max(a.error / b.value for a, b in pairs)
    rates = table(results, "normality")
    rates = rates[rates["classifier"] == "f0"]
    if rates.empty or rates[["distance", "beyond"]].isna().to_numpy().any():
        raise CannotTellError("The run has no distribution of the rates of f0.")
    # the bound of Dvoretzky, Kiefer, Wolfowitz and Massart, over all rates (Bonferroni)
    bound = np.sqrt(math.log(2 * len(rates) / LEVEL) / (2 * rates["used"]))
    numbers = {
        "means and variances that differ from the expected ones": wrong,
        "largest relative difference": max(abs(a.value / b.value - 1) for a, b in pairs),
        "largest relative standard error": noise,
        "largest distance from the normal distribution function": rates["distance"].max(),
        "share beyond 1.96 standard deviations (0.05 expected)": span(rates["beyond"]),
    }
    if wrong.number or (rates["distance"] - bound > SHAPE_MARGIN).any():
        return Finding(FAILS if wrong.number == wrong.cases else IN_PART, numbers)
    normal = (rates["distance"] + bound <= SHAPE_MARGIN).all()
    return Finding(HOLDS if normal and noise <= 0.05 else UNTOLD, numbers)


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


def level_of_the_tests(results: Results) -> Finding:
    """Compare the rejections of the fair classifier with 0.0975, on fresh and on drawn pairs."""
    rates = _simulated(results, "f0").values()
    fresh = within([(rate, PROMISED) for rate in rates], LEVEL_MARGIN)
    numbers: Numbers = {"found unfair on fresh items and pairs (0.0975 promised)": span(rates)}
    if fresh is None:
        return Finding(UNTOLD, numbers)
    drawn = _rejected(results, "f0", "binomial")
    twice = [rate for (_, per_item), rate in drawn.items() if per_item == 2]
    dyadic = _rejected(results, "f0", "drawn_pairs", "holm")
    numbers |= {
        "found unfair on two pairs of shared items per item": span(twice or drawn.values()),
        "found unfair on more pairs per item, at most": span(drawn.values()).high,
        "found unfair by the dyadic test (0.05)": span(dyadic.values()),
    }
    too_often = _more_than_promised(drawn.values())
    return Finding(FAILS if not fresh else IN_PART if too_often else HOLDS, numbers)


def twice_the_pairs(results: Results) -> Finding:
    """Compare the power of both tests in Table III, and on pairs of one test set."""
    powers = [_simulated(results, name) for name in UNFAIR]
    pairs = [(rates[a], rates[b]) for rates in powers for a, b in SIZES]
    similar = within(pairs, POWER_MARGIN)
    gap = max(abs(a.value - b.value) for a, b in pairs)
    numbers: Numbers = {"largest difference in power on fresh pairs (0.1 allowed)": gap}
    if not similar:
        return Finding(BY_MARGIN[similar], numbers)
    drawn = [_rejected(results, name, "drawn_pairs", pairs_per_item=2) for name in UNFAIR]
    labels = [_rejected(results, name, "separation") for name in UNFAIR]
    shared = [(a[key], b[key[0], 0]) for a, b in zip(drawn, labels, strict=True) for key in a]
    every_pair = [_rejected(results, name, "all_pairs") for name in UNFAIR]
    numbers |= {
        "power of as many pairs of shared items, dyadic test": span(a for a, _ in shared),
        "power of separation on these items": span(b for _, b in shared),
        "power of all pairs of these items": span(
            r for rates in every_pair for r in rates.values()
        ),
    }
    of_shares = [_pairs_per_item(results, share) for share in SHARES]
    numbers[f"pairs per item for a power of 0.8, P(Y = 1) = {', '.join(map(str, SHARES))}"] = [
        span(factors) for factors in of_shares
    ]
    there = within(shared, POWER_MARGIN)
    often = min(of_shares[-1]) > 2 * TWICE
    return Finding(IN_PART if there is False or often else BY_MARGIN[there], numbers)


def _pairs_per_item(results: Results, share: float) -> list[float]:
    """Return the fresh pairs for each item, for a power of 0.8 of both tests, by Proposition 3.5.

    Of each unfair classifier, with another share of the label 1.
    """
    classifiers = results.settings.get("simulation", {}).get("classifiers", {})
    if any(name not in classifiers for name in UNFAIR):
        raise CannotTellError("This run has not all classifiers of Table I.")
    powers: Any = (separation_power, comparative_separation_power)
    factors = []
    for name in UNFAIR:
        items = distribution(classifiers[name])
        items = items * (np.array([1 - share, share]) / items.sum(axis=(0, 2)))[None, :, None]
        of_items, of_pairs = (smallest_number(partial(power, items)) for power in powers)
        factors.append(of_pairs / of_items)
    return factors


def power_is_computed(results: Results) -> Finding:
    """Compare the simulated shares of violations in Table III with Proposition 3.5."""
    frame = table(results, "table_3")
    pairs = [
        (rate, Mean(row(frame, row=f"{name}, Expected")[column]))
        for name in ("f0", *UNFAIR)
        for column, rate in _simulated(results, name).items()
    ]
    gap = max(abs(a.value - b.value) for a, b in pairs)
    numbers = {f"largest difference in {len(pairs)} cells ({LEVEL_MARGIN:g} allowed)": gap}
    return Finding(near(pairs, LEVEL_MARGIN), numbers)


def more_data_more_power(results: Results) -> Finding:
    """Compare the power at both sizes of Table III."""
    powers, grown = [_simulated(results, name) for name in UNFAIR], zip(*SIZES, strict=True)
    pairs = [(rates[large], rates[small]) for small, large in grown for rates in powers]
    signs = differences(pairs)
    raised, grid = Count.of(sign > 0 for sign in signs), criteria_on_grid()
    never = Count.of(grid["two_hypotheses"] & ~grid["comparative_separation"])
    numbers = {
        "comparisons in which twice the data raise the power": raised,
        "gain in power": span(a.value - b.value for a, b in pairs),
        "violations on a grid of rates that no number of pairs shows": never,
    }
    if raised.number == len(pairs) or -1 in signs:
        return Finding(FAILS if -1 in signs else IN_PART if never.number else HOLDS, numbers)
    return Finding(UNTOLD if undecided(pairs, signs, POWER_MARGIN) else IN_PART, numbers)


def _simulated(results: Results, classifier: str) -> dict[str, Mean]:
    """Return the share of violations in each column of Table III."""
    runs = results.settings.get("simulation", {}).get("repeats")
    if runs is None:
        raise CannotTellError("This run has no simulation of Table III.")
    shares = row(table(results, "table_3"), row=f"{classifier}, Simulation")
    return {column: share(shares[column], runs) for columns in SIZES for column in columns}


def fresh_pairs_find(
    results: Results, designs: Mapping[str, str], found: Sequence[str], fair: Sequence[str] = ()
) -> Finding:
    """Ask whether the paper's test finds violations in regressions, and none in fair ones.

    `designs` are those of the calibration, by the names of their numbers.
    """
    rates = {design: _rates(results, design, *FRESH) for design in designs.values()}
    often = {design for design in rates if _more_than_promised(rates[design])}
    verdict = HOLDS if often >= {*found} else UNTOLD
    numbers = {f"violation found, {name}": span(rates[of]).high for name, of in designs.items()}
    return Finding(FAILS if often & {*fair} else verdict, numbers)


def information_not_reliable(results: Results) -> Finding:
    """Check whether the test of I_sep misses violations that another test finds."""
    pairs = [
        (_rates(results, design, *GAPS)[-1], _rates(results, design, *INFORMATION)[-1])
        for design in (SHIFT, NOISE)
    ]
    missed = [
        sign == 1 and gaps.value >= FOUND > information.value
        for sign, (gaps, information) in zip(differences(pairs), pairs, strict=True)
    ]
    numbers = {
        f"violation found by permutation tests of pairs and of I_sep, {name}": pair
        for name, pair in zip(("group 1 scored higher", "with more noise"), pairs, strict=True)
    }
    # what misses one kind is not reliable
    return Finding(HOLDS if any(missed) else UNTOLD, numbers)


def pairs_in_regression(results: Results) -> Finding:
    """Compare the power on n fresh pairs with that of two tests of separation on n items."""
    frame = table(results, "pairs_in_regression").dropna()
    violations = [name for name in dict.fromkeys(frame["violation"]) if name != FAIR]
    if not violations:
        raise CannotTellError(f"results/{frame.attrs['path']} has no violation.")
    n, *more = sorted(frame["size"].astype(int).unique())

    def powers(test: str, size: int) -> list[Mean]:
        found = [row(frame, violation=name, test=test, size=size) for name in violations]
        return [share(cells["rejected"], cells["used"]) for cells in found]

    of_pairs, *of_items = (powers(test, n) for test in (COMPARATIVE, AT_MEDIANS, NORMAL_MODEL))
    numbers: Numbers = {
        f"power by {', '.join(violations)}, {n:,} pairs": of_pairs,
        f"{n:,} items, cut at the medians": of_items[0],
        f"{n:,} items, by the likelihood ratio": of_items[1],
        **{f"{size:,} pairs": powers(COMPARATIVE, size) for size in more[:1]},
    }
    if len(fair := frame.loc[frame["violation"] == FAIR, "rejected"]):
        numbers["fair predictions, all tests (0.0975 promised)"] = span(fair)
    pairs = [pair for found in of_items for pair in zip(of_pairs, found, strict=True)]
    return Finding(BY_MARGIN[within(pairs, POWER_MARGIN)], numbers)


def _rejected(
    results: Results,
    design: str,
    test: str,
    quantity: str = "either",
    *,
    small: float = 1.0,
    **keys: float,
) -> dict[tuple[float, float], Mean]:
    """Return how often a test rejects in a design of the calibration, by items and pairs per item.

    They are in increasing order, 0 pairs for all. Samples of 100 items are left out, and those of
    which more than a share, `small`, have a small cell.
    """
    frame = table(results, "tables/calibration/rejections.csv")
    frame = frame[(frame["n"] > 100) & ~(frame["small"] > small)].fillna({"pairs_per_item": 0})
    found = rows(frame, design=design, test=test, quantity=quantity, **keys)
    cells = found.sort_values(["n", "pairs_per_item"], kind="stable")
    return {
        (n, per_item): share(rejected, used)
        for n, per_item, rejected, used in cells[
            ["n", "pairs_per_item", "rejected", "used"]
        ].itertuples(index=False)
    }


def _rates(results: Results, design: str, test: str, quantity: str) -> list[Mean]:
    """Return how often a test rejects, but where most samples have a small cell."""
    return [*_rejected(results, design, test, quantity, small=0.5).values()]


def _more_than_promised(rates: Iterable[Mean]) -> bool:
    return 1 in differences([(rate, PROMISED) for rate in rates])
