"""The conclusions on real data (section 4.2): classification (Table V), story points (VIII)."""

import math

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claim_tests import Mean, differences, precise, share, within
from fairpairs.papers.plan.claims import FAILS, HOLDS, IN_PART, UNTOLD, Claim, Finding, row, table
from fairpairs.papers.plan.results import Results

CLASSIFICATION, STORY_POINTS = "tables/classification.csv", "tables/story_points.csv"
TEXT = ("dataset", "attribute", "treatment", "test", "quantity")
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


def check_treatments(results: Results) -> Finding:
    """Compare the violations found without and with a treatment, by both tests."""
    frame = table(results, CLASSIFICATION, text=TEXT)
    pairs, signs = _reductions(frame, (SEPARATION, COMPARATIVE))
    _, sound = _reductions(frame, (ALL_PAIRS, DYADIC))
    changes = [a.value - b.value for a, b in pairs]
    fewer = signs.count(1)
    reason = (
        f"FairBalance and Reweighing lower the share of violations in {fewer} of {len(signs)} "
        f"comparisons (Holm), by {_span(changes)}. By the tests of all pairs and of dyads, which "
        f"hold their level, they do in {sound.count(1)} of {len(sound)}."
    )
    if fewer == sound.count(1) == len(signs):
        return Finding(HOLDS, reason, (CLASSIFICATION,))
    open_ones = [pair for pair, sign in zip(pairs, signs, strict=True) if not sign]
    if -1 not in signs and not precise(open_ones, SIZE):
        return Finding(UNTOLD, f"{reason} Too few repeats for the others.", (CLASSIFICATION,))
    return Finding(IN_PART if fewer else FAILS, reason, (CLASSIFICATION,))


def check_consistent(results: Results) -> Finding:
    """Compare the directions that the two tests find in Table V; the reason states the rates."""
    frame = table(results, CLASSIFICATION, text=TEXT)
    cells = [(*column, treatment) for column in COLUMNS for treatment in ("none", *TREATED)]
    pairs = [(_rate(frame, SEPARATION, *cell), _rate(frame, COMPARATIVE, *cell)) for cell in cells]
    other = sum(map(bool, differences(pairs)))
    widest = max(pairs, key=lambda pair: abs(pair[0].value - pair[1].value))
    falls = [_reductions(frame, (test,)) for test in (SEPARATION, COMPARATIVE)]
    ways = [
        signs + _between(frame, test)
        for (_, signs), test in zip(falls, (SEPARATION, COMPARATIVE), strict=True)
    ]
    opposite = sum(a * b < 0 for a, b in zip(*ways, strict=True))
    same_way = sum(a == b == 1 for a, b in zip(falls[0][1], falls[1][1], strict=True))
    sound = [_rate(frame, ALL_PAIRS, *cell).value for cell in cells if cell[2] != "none"]
    reason = (
        f"Both tests find fewer violations with a treatment in {same_way} of {len(falls[0][1])} "
        f"cases, and in {opposite} of {len(ways[0])} comparisons of treatments they find opposite "
        f"directions. The rates themselves differ in {other} of {len(pairs)} cells (Holm), as the "
        f"printed ones do, most where separation has {decimals(widest[0].value, 3)} and pairs "
        f"{decimals(widest[1].value, 3)}: the pairs share items, so that their test finds more "
        "than 0.0975 of fair classifiers unfair. The test of all pairs, which holds its level, "
        f"finds {_span(sound)} with a treatment (0.05, Holm)."
    )
    if opposite:
        return Finding(FAILS, reason, (CLASSIFICATION,))
    if same_way == len(falls[0][1]):
        return Finding(HOLDS, reason, (CLASSIFICATION,))
    open_ones = [pair for both in falls for pair, sign in zip(*both, strict=True) if not sign]
    decided = precise(open_ones, SIZE)
    return Finding(IN_PART if decided else UNTOLD, reason, (CLASSIFICATION,))


def check_information(results: Results) -> Finding:
    """Compare I_sep with and without FairReweighing; the reason states its permutation test."""
    before, after = (_story(results, "I_sep", t) for t in STORY_TREATMENTS)
    (sign,) = differences([(before, after)])
    rates = [_story_rate(results, INFORMATION, t) for t in STORY_TREATMENTS]
    reason = (
        f"I_sep is {_with_error(before)} without and {_with_error(after)} with it, over trainings "
        "on one split (printed: 0.011 and 0.006). By its permutation test, separation is violated "
        f"in {decimals(rates[0].value, 2)} and {decimals(rates[1].value, 2)} of the trainings"
    )
    none = rates[0].value < SHOWN
    reason += ": the measure falls, but no violation is shown that could fall." if none else "."
    if sign == 1:
        return Finding(HOLDS, reason, (STORY_POINTS,))
    decided = sign or precise([(before, after)], SHARE * before.value)
    return Finding(FAILS if decided else UNTOLD, reason, (STORY_POINTS,))


def check_hardly_lower(results: Results) -> Finding:
    """Ask whether FairReweighing lowers the rate of Table VIII slightly at most."""
    before, after = (_story_rate(results, COMPARATIVE, t) for t in STORY_TREATMENTS)
    (sign,) = differences([(before, after)])
    slight = within([(before, after)], SIZE)
    reason = (
        f"The paper's test finds a violation in {_with_error(before)} of the draws without and in "
        f"{_with_error(after)} with FairReweighing (printed: 0.334 and 0.313). The difference is "
        f"{_with_error(_minus(before, after))}, which "
        f"{'is more than chance' if sign else 'chance alone explains'}, and "
        f"{'not shown to be' if slight is None else 'is' if slight else 'is not'} at most {SIZE:g}."
    )
    if sign == -1 or slight is False:
        return Finding(FAILS, reason, (STORY_POINTS,))
    return Finding(HOLDS if slight else UNTOLD, reason, (STORY_POINTS,))


def check_little_bias(results: Results) -> Finding:
    """Look for violations by sound tests: few items may contradict little bias, not show it."""
    rates = [_story_rate(results, COMPARATIVE, t) for t in STORY_TREATMENTS]
    shuffled = [_story_rate(results, f"{COMPARATIVE}_permuted", t) for t in STORY_TREATMENTS]
    sound = [
        _story_rate(results, test, t).value
        for t in STORY_TREATMENTS
        for test in (DYADIC, ALL_PAIRS, PERMUTATION, INFORMATION)
    ]
    frame = table(results, CLASSIFICATION, text=TEXT)
    treated = [_rate(frame, COMPARATIVE, *column, t) for column in COLUMNS for t in TREATED]
    shown = max(sound) >= SHOWN
    reason = (
        "The tests that hold their level (dyadic, all pairs, two permutation tests, one of I_sep) "
        f"find a violation in {_span(sound)} of the draws or trainings, with and without "
        f"FairReweighing. The paper's test finds one in {_span([rate.value for rate in rates])} "
        f"(FairBalance and Reweighing in Table V: {_span([rate.value for rate in treated])}), and "
        f"in {_span([rate.value for rate in shuffled])} if groups are shuffled within "
        "labels, so that nothing is violated. "
        f"{'This contradicts' if shown else 'Nothing contradicts'} little bias"
        f"{'.' if shown else '; but the few test items would show a large one only.'}"
    )
    evidence = (STORY_POINTS, CLASSIFICATION)
    return Finding(FAILS if shown else UNTOLD, reason, evidence)


def check_other_criterion(results: Results) -> Finding:
    """Check whether FairReweighing affects sound tests of the two criteria differently."""
    none, treated = STORY_TREATMENTS
    rates = [
        (_story_rate(results, test, none), _story_rate(results, test, treated))
        for test in (INFORMATION, ALL_PAIRS)
    ]
    words = [
        f"{decimals(a.value, 2)} without and {decimals(b.value, 2)} with FairReweighing"
        for a, b in rates
    ]
    reason = (
        "The rate that hardly falls is that of a test that does not hold its level on these pairs. "
        f"By tests that do, separation (permutation test of I_sep) is violated in {words[0]}, "
        f"comparative separation (all pairs) in {words[1]}, as shares of the trainings."
    )
    if all(before.value < SHOWN for before, _ in rates):
        reason += " As neither is shown to be violated, these data cannot say whether they differ."
        return Finding(UNTOLD, reason, (STORY_POINTS,))
    signs = differences(rates)
    if signs[0] != signs[1]:
        return Finding(HOLDS, reason, (STORY_POINTS,))
    return Finding(FAILS if precise(rates, SIZE) else UNTOLD, reason, (STORY_POINTS,))


def _reductions(
    frame: pd.DataFrame, tests: tuple[str, ...]
) -> tuple[list[tuple[Mean, Mean]], list[int]]:
    """Return the shares without and with each treatment, and the signs of shown reductions."""
    pairs = [
        (_rate(frame, test, *column, "none"), _rate(frame, test, *column, treatment))
        for test in tests
        for column in COLUMNS
        for treatment in TREATED
    ]
    return pairs, differences(pairs)


def _between(frame: pd.DataFrame, test: str) -> list[int]:
    """Return, for each column, which treatment is shown to have more violations (1: the first)."""
    first, second = (
        [_rate(frame, test, *column, treatment) for column in COLUMNS] for treatment in TREATED
    )
    return differences(list(zip(first, second, strict=True)))


def _rate(frame: pd.DataFrame, test: str, dataset: str, attribute: str, treatment: str) -> Mean:
    keys = {"dataset": dataset, "attribute": attribute, "treatment": treatment, "test": test}
    cell = row(frame, **keys, quantity="violated")
    return share(cell["value"], cell["tested"])


def _story(results: Results, quantity: str, treatment: str) -> Mean:
    frame = table(results, STORY_POINTS, text=TEXT)
    cell = row(frame, treatment=treatment, quantity=quantity)
    return Mean(cell["value"], cell["standard_error"], cell["repeats"])


def _story_rate(results: Results, test: str, treatment: str) -> Mean:
    """Return the share of draws with a violation, a mean over trainings."""
    frame = table(results, STORY_POINTS, text=TEXT)
    cell = row(frame, treatment=treatment, test=test, quantity="violated")
    return Mean(cell["value"], cell["standard_error"], cell["repeats"])


def _span(values: list[float]) -> str:
    low, high = decimals(min(values), 3), decimals(max(values), 3)
    return low if low == high else f"{low} to {high}"


def _minus(first: Mean, second: Mean) -> Mean:
    return Mean(first.value - second.value, math.hypot(first.error, second.error))


def _with_error(mean: Mean) -> str:
    return f"{decimals(mean.value, 4)} ± {decimals(mean.error, 4)}"


EXPERIMENT_CLAIMS = [
    Claim(
        "treatments-reduce-violations",
        "FairBalance and Reweighing make violations of separation and of comparative separation "
        "much rarer.",
        "section 4.2.1, observation 1",
        check_treatments,
        quote="with training data pre-processed by FairBalance or Reweighing, the probabilities "
        "of the trained model violating separation or comparative separation become significantly "
        "lower",
    ),
    Claim(
        "tests-agree-on-real-data",
        "On COMPAS and German credit, comparative separation and separation lead to consistent "
        "results: their tests find the same directions.",
        "section 4.2.1, observation 2",
        check_consistent,
        quote="The evaluation results of comparative separation are consistent with those of "
        "separation.",
    ),
    Claim(
        "fair-reweighing-lowers-information",
        "On story points, FairReweighing significantly reduces I_sep, a measure of how far "
        "separation is violated.",
        "section 4.2.2",
        check_information,
        quote="metric for separation … is significantly reduced after applying FairReweighing",
    ),
    Claim(
        "story-points-hardly-lower",
        "On story points, FairReweighing lowers the probability to find a violation of "
        "comparative separation slightly at most.",
        "section 4.2.2",
        check_hardly_lower,
        quote="the probability of violating comparative separation for FairReweighing is only "
        "slightly lower than that of None",
    ),
    Claim(
        "story-points-little-bias",
        "One of two possibilities: on story points the models of both treatments have little bias, "
        "so that FairReweighing has little to reduce.",
        "section 4.2.2, possibility 1",
        check_little_bias,
        quote="The learned models of both None and FairReweighing treatments have little bias so "
        "that the bias mitigation treatment FairReweighing has little impact.",
    ),
    Claim(
        "other-criterion-in-regression",
        "The other possibility: on story points I_sep falls and the rate of violations hardly "
        "does, because comparative separation is not equivalent to separation in regression.",
        "section 4.2.2, possibility 2",
        check_other_criterion,
        quote="It is also possible that comparative separation is not equivalent to separation "
        "when the dependent variables are continuous",
    ),
]
