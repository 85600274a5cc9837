"""The checks on real data (section 4.2): classification (Table V), story points (VIII)."""

import math

import pandas as pd

from fairpairs.papers.plan.claim_numbers import Count, Mean, Printed, span
from fairpairs.papers.plan.claim_tests import differences, precise, share, undecided, within
from fairpairs.papers.plan.claims import Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD

CLASSIFICATION, STORY_POINTS = "tables/classification.csv", "tables/story_points.csv"
#: Columns of Table V.
COLUMNS = (("compas", "sex"), ("compas", "race"), ("german", "age"), ("german", "sex"))
TREATED = ("fairbalance", "reweighing")
#: The two tests of the paper, and those that hold their level on pairs with shared items.
SEPARATION, COMPARATIVE = "separation", "comparative_separation"
ALL_PAIRS, DYADIC = "comparative_separation_all_pairs", "comparative_separation_dyadic"
#: The permutation tests of separation, and of I_sep, which hold their level on story points.
PERMUTATION, INFORMATION = "separation_permutation", "information_separation_permutation"
STORY_TREATMENTS = ("none", "fair_reweighing")
#: A violation is shown when at least this share of the trainings finds it.
SHOWN = 0.5
#: Two shares are called the same if a difference of this size would have been found.
SIZE = 0.1
#: Likewise two values of I_sep, as a share of them.
SHARE = 0.25


def treatments_reduce_violations(results: Results) -> Finding:
    """Compare the violations found without and with a treatment, by both tests."""
    frame = table(results, CLASSIFICATION)
    pairs, signs = _reductions(frame, SEPARATION, COMPARATIVE)
    _, sound = _reductions(frame, ALL_PAIRS, DYADIC)
    fewer, soundly = (Count.of(sign > 0 for sign in found) for found in (signs, sound))
    numbers = {
        "comparisons with fewer violations with a treatment (Holm)": fewer,
        "fall of the share of violations": span(a.value - b.value for a, b in pairs),
        "the same by tests that hold their level (all pairs, dyads)": soundly,
    }
    if fewer.number == soundly.number == len(signs):
        return Finding(HOLDS, numbers)
    if -1 not in signs and undecided(pairs, signs, SIZE):
        return Finding(UNTOLD, numbers)
    return Finding(IN_PART if fewer.number else FAILS, numbers)


def tests_agree_on_real_data(results: Results) -> Finding:
    """Compare the directions that the two tests find in Table V, and their rates."""
    frame = table(results, CLASSIFICATION)
    cells = [(*column, treatment) for column in COLUMNS for treatment in ("none", *TREATED)]
    pairs = [(_rate(frame, SEPARATION, *cell), _rate(frame, COMPARATIVE, *cell)) for cell in cells]
    widest = max(pairs, key=lambda pair: abs(pair[0].value - pair[1].value))
    falls, ways = [], []
    for test in (SEPARATION, COMPARATIVE):
        falls.append(_reductions(frame, test))
        # which of the two treatments is shown to have more violations
        one, two = ([_rate(frame, test, *cell, name) for cell in COLUMNS] for name in TREATED)
        ways.append(falls[-1][1] + differences(list(zip(one, two, strict=True))))
    opposite = Count.of(a * b < 0 for a, b in zip(*ways, strict=True))
    same = Count.of(a == b for a, b in zip(*ways, strict=True))
    same_way = Count.of(a == b == 1 for a, b in zip(falls[0][1], falls[1][1], strict=True))
    numbers = {
        "comparisons, with None and of two treatments, in which both tests find the same": same,
        "cases with fewer violations by both tests": same_way,
        "comparisons of treatments with opposite directions": opposite,
        "rates that differ (Holm)": Count.of(differences(pairs)),
        "rates of the most different ones, separation and pairs": widest,
        "rates with a treatment by the test of all pairs (0.05)": span(
            _rate(frame, ALL_PAIRS, *cell) for cell in cells if cell[2] != "none"
        ),
    }
    if opposite.number or same.number == same.cases:
        return Finding(FAILS if opposite.number else HOLDS, numbers)
    if same_way.number == same_way.cases:
        return Finding(IN_PART, numbers)
    open_ones = any(undecided(*both, SIZE) for both in falls)
    return Finding(UNTOLD if open_ones else IN_PART, numbers)


def fair_reweighing_lowers_information(results: Results) -> Finding:
    """Compare I_sep with and without FairReweighing; its permutation test is a number."""
    before, after = _story(results, quantity="I_sep")
    (sign,) = differences([(before, after)])
    numbers = {
        "I_sep without and with FairReweighing": Printed([before, after], [0.011, 0.006]),
        "share of trainings that violate separation, by its permutation test": [
            rate.value for rate in _story(results, INFORMATION)
        ],
    }
    decided = sign or precise([(before, after)], SHARE * before.value)
    return Finding(HOLDS if sign == 1 else FAILS if decided else UNTOLD, numbers)


def story_points_hardly_lower(results: Results) -> Finding:
    """Ask whether FairReweighing lowers the rate of Table VIII slightly at most."""
    before, after = _story(results, COMPARATIVE)
    (sign,) = differences([(before, after)])
    slight = within([(before, after)], SIZE)
    difference = Mean(before.value - after.value, math.hypot(before.error, after.error))
    numbers = {
        "violation found without and with FairReweighing": Printed([before, after], [0.334, 0.313]),
        f"difference (slight up to {SIZE:g})": difference,
    }
    contradicted = sign == -1 or slight is False
    return Finding(FAILS if contradicted else HOLDS if slight else UNTOLD, numbers)


def story_points_little_bias(results: Results) -> Finding:
    """Look for violations by sound tests: few items may contradict little bias, not show it."""
    paper, shuffled = _story(results, COMPARATIVE), _story(results, f"{COMPARATIVE}_permuted")
    tests = (DYADIC, ALL_PAIRS, PERMUTATION, INFORMATION)
    sound = span(rate for test in tests for rate in _story(results, test))
    frame = table(results, CLASSIFICATION)
    numbers = {
        "violation found by tests that hold their level": sound,
        "by the paper's test": span(paper),
        "by the paper's test, groups shuffled within labels": span(shuffled),
        "by the paper's test in Table V, with a treatment": span(
            _rate(frame, COMPARATIVE, *column, t) for column in COLUMNS for t in TREATED
        ),
    }
    return Finding(FAILS if sound.high >= SHOWN else UNTOLD, numbers)


def other_criterion_in_regression(results: Results) -> Finding:
    """Check whether FairReweighing affects sound tests of the two criteria differently."""
    rates = [_story(results, test) for test in (INFORMATION, ALL_PAIRS)]
    names = ("separation, permutation test of I_sep", "comparative separation, all pairs")
    numbers = {
        f"violated without and with FairReweighing ({name})": [before.value, after.value]
        for name, (before, after) in zip(names, rates, strict=True)
    }
    separation, comparative = differences(rates)
    if all(before.value < SHOWN for before, _ in rates):
        return Finding(UNTOLD, numbers)
    if separation != comparative:
        return Finding(HOLDS, numbers)
    return Finding(FAILS if precise(rates, SIZE) else UNTOLD, numbers)


def _reductions(frame: pd.DataFrame, *tests: str) -> tuple[list[tuple[Mean, Mean]], list[int]]:
    """Return the shares without and with each treatment, and the signs of shown reductions."""
    pairs = [
        (_rate(frame, test, *column, "none"), _rate(frame, test, *column, treatment))
        for test in tests
        for column in COLUMNS
        for treatment in TREATED
    ]
    return pairs, differences(pairs)


def _rate(frame: pd.DataFrame, test: str, dataset: str, attribute: str, treatment: str) -> Mean:
    keys = {"dataset": dataset, "attribute": attribute, "treatment": treatment, "test": test}
    cell = row(frame, **keys, quantity="violated")
    return share(cell["value"], cell["tested"])


def _story(results: Results, test: str = "", quantity: str = "violated") -> tuple[Mean, Mean]:
    """Return a mean over trainings without and with FairReweighing, as of draws that violate."""
    frame = table(results, STORY_POINTS)
    keys = {"quantity": quantity, **({"test": test} if test else {})}
    found = [row(frame, treatment=name, **keys) for name in STORY_TREATMENTS]
    before, after = (Mean.of(cells, "value") for cells in found)
    return before, after
