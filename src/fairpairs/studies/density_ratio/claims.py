"""The conclusions of the paper on density ratios, with checks on real and synthetic data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import pandas as pd

from fairpairs.plan.claim_tests import Mean, differences, precise
from fairpairs.plan.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    UNTOLD,
    CannotTellError,
    Claim,
    Finding,
    row,
    table,
)
from fairpairs.plan.results import Results
from fairpairs.texts import decimals

CONCLUSIONS, CAPS, SYNTHETIC, PAIRS = (
    f"tables/density_ratio/{name}.csv"
    for name in ("conclusions", "caps", "correlations", "regressor_correlations")
)
#: What the paper calls a high correlation: two estimators rank regressors alike.
ALIKE = 0.85
#: Rows of the table of conclusions.
LINEAR, KERNEL = "linear classifiers among one another", "linear with kernel classifiers"
MATCHING = ("linear classifiers with uLSIF and RuLSIF", "uLSIF and RuLSIF among one another")
LINEAR_CLASSIFIERS = ("logistic", "ridge", "lasso")
KERNEL_CLASSIFIERS = ("kernel_gaussian", "kernel_polynomial")
CLASSIFIERS = (*LINEAR_CLASSIFIERS, *KERNEL_CLASSIFIERS)
FIRST, LAST = "0 - 0.9", "3 - 3.9"
CAP = 0.99
#: The true independence of the synthetic data.
TRUTH = "population"
#: What is said of kernels in the form of the package that the paper cites.
KERNEL_FORM = " with the kernels of the cited R package, which lack the intercept"
#: A change of a correlation on one split counts from here, one of a synthetic mean in general.
CHANGE = 0.1
ON_ONE_SPLIT = (
    "Spearman correlations over our own choice of regressors, on one split; alike from 0.85."
)


def check_linear(results: Results) -> Finding:
    """Ask whether linear classifiers agree everywhere."""
    found = _groups(results, LINEAR)["smallest"]
    alike = int((found > ALIKE).sum())
    reason = (
        f"The smallest of {3 * len(found)} correlations is {decimals(found.min(), 2)}; above 0.85 "
        f"in {alike} of {len(found)} cases (three data sets, three measures). {ON_ONE_SPLIT}"
    )
    return Finding(_by_count(alike, len(found)), reason, (CONCLUSIONS,))


def check_kernel(results: Results) -> Finding:
    """Ask where linear and kernel classifiers do not agree."""
    found = _groups(results, KERNEL)
    unlike = int((found["mean"] < ALIKE).sum())
    reason = (
        f"Their mean correlations are {_span(found['mean'])} (the smallest of a pair: "
        f"{decimals(found['smallest'].min(), 2)}), below 0.85 in {unlike} of {len(found)} cases. "
        f"{_exceptions(found, 'mean')}{ON_ONE_SPLIT} The paper does not give its kernels; "
        "the Gaussian one of the package that it cites lacks the intercept, and then agrees less."
    )
    return Finding(_by_most(unlike, len(found)), reason, (CONCLUSIONS,))


def check_matching(results: Results) -> Finding:
    """Ask where ratio matching does not agree, in the published form and in the right one."""
    published, right = (
        pd.concat([_groups(results, pairs, form) for pairs in MATCHING])
        for form in ("published", "quotient")
    )
    unlike = [int((found["mean"] < ALIKE).sum()) for found in (published, right)]
    reason = (
        f"With linear classifiers and with one another, as published, their mean correlations are "
        f"{_span(published['mean'])}, below 0.85 in {unlike[0]} of {len(published)} cases. That "
        "form multiplies ratios that must be divided; in the right one they are "
        f"{_span(right['mean'])}, below 0.85 in {unlike[1]} of {len(right)}. "
        f"{_exceptions(right, 'mean')}{ON_ONE_SPLIT} What the paper calls LSIF and uLSIF is uLSIF "
        "and RuLSIF."
    )
    verdicts = [_by_most(u, len(f)) for u, f in zip(unlike, (published, right), strict=True)]
    verdict = verdicts[0] if verdicts[0] == verdicts[1] else IN_PART
    return Finding(verdict, reason, (CONCLUSIONS,))


def check_gap(results: Results) -> Finding:
    """Compare the agreement of classifiers at the smallest and the largest gap."""
    reason = "From means of 0 to 0.9 to means of 3 to 3.9 the correlation falls in"
    return _in_both_forms(results, (0.0, FIRST), (0.0, LAST), reason, falls=True)


def check_truth(results: Results) -> Finding:
    """Compare how far classifiers rank data sets as the true independence does, by the gap."""
    frame = table(results, SYNTHETIC, text=("measure", "interval", "coefficient"))
    pairs, words = [], []
    for form in _forms(frame):
        near, far = (_with_truth(frame, interval, form) for interval in (FIRST, LAST))
        pairs.append((_mean_of(near), _mean_of(far)))
        own = [decimals(mean.value, 2) for mean in pairs[-1]]
        span = _span(pd.Series([mean.value for mean in far]))
        words.append(
            f"from {own[0]} to {own[1]} (then {span} by classifier){KERNEL_FORM * bool(form)}"
        )
    reason = (
        "From means of 0 to 0.9 to means of 3 to 3.9, the mean correlation of five classifiers "
        f"with the population's value changes {', and '.join(words)}. Printed: 0.94 and 0.66."
    )
    return Finding(_by_signs(pairs, differences(pairs)), reason, (SYNTHETIC,))


def check_cap(results: Results) -> Finding:
    """Compare the agreement of classifiers at the largest gap, with and without a cap."""
    reason = f"At means of 3 to 3.9 a cap of {CAP:g} raises the correlation in"
    return _in_both_forms(results, (CAP, LAST), (0.0, LAST), reason, falls=False)


def _in_both_forms(
    results: Results,
    larger: tuple[float, str],
    smaller: tuple[float, str],
    reason: str,
    *,
    falls: bool,
) -> Finding:
    """Compare two places, with kernels as published, if the run has them, and in the right form."""
    frame = table(results, SYNTHETIC, text=("measure", "interval", "coefficient"))
    verdicts, words = [], []
    for form in _forms(frame):
        pairs = [
            pair
            for measure in ("independence", "separation")
            for pair in _both(results, measure, larger, smaller, form)
        ]
        signs = differences(pairs)
        verdicts.append(_by_signs(pairs, signs))
        ends = [_average(a for a, _ in pairs), _average(b for _, b in pairs)]
        start, end = ends if falls else reversed(ends)
        words.append(
            f"{signs.count(1)} of {len(pairs)} pairs of classifiers{KERNEL_FORM * bool(form)} "
            f"(the other way in {signs.count(-1)}, Holm; on average from {start} to {end})"
        )
    verdict = verdicts[0] if len(set(verdicts)) == 1 else IN_PART
    return Finding(verdict, f"{reason} {', and in '.join(words)}.", (SYNTHETIC,))


def check_cap_on_data(results: Results) -> Finding:
    """Ask which correlations on real data a cap raises, and which it lowers."""
    frame = table(results, PAIRS, text=("dataset", "form", "measure", "coefficient"))
    keys = ["dataset", "measure", "first", "second"]
    own = frame[(frame["form"] == "published") & (frame["coefficient"] == "spearman")
                & frame["first"].isin(CLASSIFIERS) & frame["second"].isin(CLASSIFIERS)]  # fmt: skip
    before, after = (own[own["cap"] == cap].set_index(keys)["value"] for cap in (0.0, CAP))
    change = (after - before).dropna()
    if change.empty:
        raise CannotTellError(f"results/{PAIRS} has no cap of {CAP:g}.", PAIRS)
    raised, lowered = int((change > CHANGE).sum()), int((change < -CHANGE).sum())
    reason = (
        f"Of {len(change)} correlations of classifiers a cap of {CAP:g} raises {raised} by more "
        f"than {CHANGE:g}, and lowers {lowered} by as much (the largest fall is "
        f"{decimals(max(-change.min(), 0), 2)}). {ON_ONE_SPLIT.split(';', maxsplit=1)[0]}."
    )
    verdict = HOLDS if raised and lowered else IN_PART if raised or lowered else FAILS
    return Finding(verdict, reason, (PAIRS,))


def check_values(results: Results) -> Finding:
    """Ask how a cap changes the independence of linear regression on Communities."""
    frame = table(results, CAPS, text=("dataset", "regressor"))
    keys = {"dataset": "communities", "regressor": "linear"}
    found = [row(frame, cap=cap, **keys) for cap in (0.0, 0.999, 0.99, 0.9)]
    values = [Mean(float(own["independence"])).value for own in found]
    capped = ", ".join(decimals(value, 1) for value in values[1:])
    items = decimals(float(found[1]["items"]), 0)
    reason = (
        f"The independence of linear regression is {decimals(values[0], 1)} without a cap, and "
        f"{capped} with caps of 0.999, 0.99 and 0.9 (printed: 79.78, 46.17, 8.19, 0.94, of a "
        f"regressor that is not named); {items} items have a probability above 0.999."
    )
    falls = sum(a > 2 * b for a, b in pairwise(values))
    any_half = max(values) > 2 * min(values)
    return Finding(HOLDS if falls == 3 else IN_PART if any_half else FAILS, reason, (CAPS,))


def _groups(results: Results, pairs: str, form: str = "published") -> pd.DataFrame:
    """Return the mean and smallest correlation of pairs of estimators, by data and measure."""
    frame = table(results, CONCLUSIONS, text=("dataset", "measure", "form", "pairs of estimators"))
    found = frame[(frame["form"] == form) & (frame["cap"] == 0)
                  & (frame["pairs of estimators"] == pairs)]  # fmt: skip
    own = found.dropna(subset=["mean", "smallest"])
    if own.empty:
        raise CannotTellError(f"results/{CONCLUSIONS} has no {pairs}.", CONCLUSIONS)
    return own


def _both(
    results: Results, measure: str, one: tuple[float, str], other: tuple[float, str], form: str
) -> list[tuple[Mean, Mean]]:
    """Return the mean correlations of each two classifiers at two caps and intervals."""
    first, second = (_synthetic(results, measure, *place, form) for place in (one, other))
    pairs = [(first[names], second[names]) for names in first if names in second]
    if not pairs:
        raise CannotTellError(f"results/{SYNTHETIC} has no {measure} of both.", SYNTHETIC)
    return pairs


def _synthetic(
    results: Results, measure: str, cap: float, interval: str, form: str
) -> dict[tuple[str, str], Mean]:
    """Return the mean correlation of each two classifiers over the seeds."""
    names = _names(form)
    frame = table(results, SYNTHETIC, text=("measure", "interval", "coefficient"))
    own = frame[(frame["measure"] == measure) & (frame["cap"] == cap)
                & (frame["interval"] == interval) & (frame["coefficient"] == "spearman")
                & frame["first"].isin(names) & frame["second"].isin(names)]  # fmt: skip
    if own.empty or (own["repeats"] < 2).any():  # or only one mean
        raise CannotTellError(
            f"results/{SYNTHETIC} has too little on {measure} at a cap of {cap:g} and means of "
            f"{interval}.",
            SYNTHETIC,
        )
    return {
        (str(first), str(second)): Mean(mean, sd / math.sqrt(n), n)
        for first, second, mean, sd, n in own[
            ["first", "second", "mean", "sd", "repeats"]
        ].itertuples(index=False)
    }


def _forms(frame: pd.DataFrame) -> list[str]:
    """Return what the names of kernel classifiers end in: the right form, and the published one."""
    return [""] + ["_published"] * bool(frame["first"].eq("kernel_gaussian_published").any())


def _with_truth(frame: pd.DataFrame, interval: str, form: str) -> list[Mean]:
    """Return the mean correlation of each classifier with the population's independence."""
    own = frame[(frame["measure"] == "independence") & (frame["cap"] == 0)
                & (frame["interval"] == interval) & (frame["coefficient"] == "spearman")
                & frame["first"].isin(_names(form)) & (frame["second"] == TRUTH)]  # fmt: skip
    if len(own) < len(CLASSIFIERS) or (own["repeats"] < 2).any():
        raise CannotTellError(f"results/{SYNTHETIC} has too little on the true value.", SYNTHETIC)
    return [
        Mean(mean, sd / math.sqrt(n), n)
        for mean, sd, n in own[["mean", "sd", "repeats"]].itertuples(index=False)
    ]


def _mean_of(means: list[Mean]) -> Mean:
    """Return the mean of means of the same repeats; its error is at most the mean of theirs."""
    number = len(means)
    return Mean(sum(mean.value for mean in means) / number,
                sum(mean.error for mean in means) / number, means[0].runs)  # fmt: skip


def _names(form: str) -> list[str]:
    return [*LINEAR_CLASSIFIERS, *(f"{name}{form}" for name in KERNEL_CLASSIFIERS)]


def _by_count(number: int, cases: int) -> str:
    return HOLDS if number == cases else IN_PART if number else FAILS


def _by_most(number: int, cases: int) -> str:
    return HOLDS if 2 * number > cases else IN_PART if number else FAILS


def _by_signs(pairs: list[tuple[Mean, Mean]], signs: list[int]) -> str:
    """Say whether the first is larger in most pairs, and smaller in none."""
    if -1 in signs:
        return IN_PART if 1 in signs else FAILS
    if 2 * signs.count(1) > len(signs):
        return HOLDS
    if not precise([p for p, sign in zip(pairs, signs, strict=True) if not sign], CHANGE):
        return UNTOLD
    return IN_PART if any(signs) else FAILS


def _exceptions(found: pd.DataFrame, column: str) -> str:
    """Name the cases that are alike."""
    alike = found[found[column] >= ALIKE]
    if alike.empty:
        return ""
    words = [
        f"{measure} on {dataset.replace('_', ' ')} ({decimals(value, 2)})"
        for dataset, measure, value in alike[["dataset", "measure", column]].itertuples(index=False)
    ]
    return f"Alike: {', '.join(words)}. "


def _span(values: pd.Series[float]) -> str:
    return f"{decimals(values.min(), 2)} to {decimals(values.max(), 2)}"


def _average(means: Iterable[Mean]) -> str:
    values = [mean.value for mean in means]
    return decimals(sum(values) / len(values), 2)


CLAIMS = [
    Claim(
        "linear-classifiers-alike",
        "Logistic regression, ridge and lasso rank regressors alike: correlations above 0.85.",
        "introduction; section on the choice of classifier (Table 1)",
        check_linear,
    ),
    Claim(
        "kernels-disagree",
        "Kernel classifiers mostly rank regressors otherwise than linear ones do, so the result "
        "can depend on the classifier.",
        "abstract; introduction; section on the choice of classifier (Table 1)",
        check_kernel,
    ),
    Claim(
        "ratio-matching-disagrees",
        "Ratio matching (LSIF and uLSIF) mostly agrees neither among one another nor with "
        "classifiers, so the result can depend on the estimator.",
        "abstract; introduction; section on the choice of estimator (Table 2); conclusion",
        check_matching,
    ),
    Claim(
        "worse-with-a-gap",
        "Classifiers agree less the larger the gap between the groups is.",
        "introduction; section on potential reasons, step 1 (Tables 3 and 5)",
        check_gap,
    ),
    Claim(
        "further-from-the-truth",
        "The larger the gap between the groups is, the less classifiers agree with the true "
        "independence.",
        "section on potential reasons, step 1 (Table 4)",
        check_truth,
    ),
    Claim(
        "a-cap-helps-on-synthetic-data",
        "On synthetic data with a large gap, a cap of 0.99 on probabilities raises agreement.",
        "section on potential reasons, step 2 (Tables 6 and 7)",
        check_cap,
    ),
    Claim(
        "a-cap-is-mixed-on-real-data",
        "On real data, a cap of 0.99 raises agreement in some cases only, and lowers it in others.",
        "section on potential reasons, step 2",
        check_cap_on_data,
    ),
    Claim(
        "probabilities-near-1-decide",
        "A few probabilities near 1 decide the measure: on Communities, independence falls "
        "severalfold with a cap.",
        "section on potential reasons (Figure 3)",
        check_values,
    ),
]
