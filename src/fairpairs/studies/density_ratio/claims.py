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
#: What is said of kernels in the form of the package that the paper cites.
KERNEL_FORM = " with kernels as published, which lack the intercept"
#: A change of a correlation on one split counts from here, one of a synthetic mean in general.
CHANGE = 0.1
ON_ONE_SPLIT = "Spearman correlations over regressors, on one split; alike from 0.85."


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
        f"{_exceptions(found, 'mean')}{ON_ONE_SPLIT} The paper does not give its kernels."
    )
    return Finding(_by_count(unlike, len(found)), reason, (CONCLUSIONS,))


def check_matching(results: Results) -> Finding:
    """Ask where ratio matching does not agree, in the published form and in the right one."""
    published, right = (
        pd.concat([_groups(results, pairs, form) for pairs in MATCHING])
        for form in ("published", "quotient")
    )
    unlike = [int((found["mean"] < ALIKE).sum()) for found in (published, right)]
    reason = (
        f"As published, mean correlations are {_span(published['mean'])}, below 0.85 in "
        f"{unlike[0]} of {len(published)} cases. That form multiplies ratios that must be divided; "
        f"in the right one they are {_span(right['mean'])}, below 0.85 in {unlike[1]} of "
        f"{len(right)}. {_exceptions(right, 'mean')}{ON_ONE_SPLIT}"
    )
    verdicts = [_by_count(u, len(f)) for u, f in zip(unlike, (published, right), strict=True)]
    verdict = verdicts[0] if verdicts[0] == verdicts[1] else IN_PART
    return Finding(verdict, reason, (CONCLUSIONS,))


def check_gap(results: Results) -> Finding:
    """Compare the agreement of classifiers at the smallest and the largest gap."""
    reason = "From means of 0 to 0.9 to means of 3 to 3.9 the correlation falls in"
    return _in_both_forms(results, (0.0, FIRST), (0.0, LAST), reason)


def check_cap(results: Results) -> Finding:
    """Compare the agreement of classifiers at the largest gap, with and without a cap."""
    reason = f"At means of 3 to 3.9 a cap of {CAP:g} raises the correlation in"
    return _in_both_forms(results, (CAP, LAST), (0.0, LAST), reason)


def _in_both_forms(
    results: Results, larger: tuple[float, str], smaller: tuple[float, str], reason: str
) -> Finding:
    """Compare two places, with kernels as published, if the run has them, and in the right form."""
    frame = table(results, SYNTHETIC, text=("measure", "interval", "coefficient"))
    forms = [""] + ["_published"] * bool(frame["first"].eq("kernel_gaussian_published").any())
    verdicts, words = [], []
    for form in forms:
        pairs = [
            pair
            for measure in ("independence", "separation")
            for pair in _both(results, measure, larger, smaller, form)
        ]
        signs = differences(pairs)
        verdicts.append(_by_signs(pairs, signs))
        low, high = sorted([_average(a for a, _ in pairs), _average(b for _, b in pairs)])
        words.append(
            f"{signs.count(1)} of {len(pairs)} pairs of classifiers{KERNEL_FORM * bool(form)} "
            f"(the other way in {signs.count(-1)}, Holm; on average {low} and {high})"
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
        f"than {CHANGE:g}, and lowers {lowered} (the largest fall is "
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
        f"It is {decimals(values[0], 1)} without a cap, and {capped} "
        f"with caps of 0.999, 0.99 and 0.9 (printed: 79.78, 46.17, 8.19, 0.94, of a regressor that "
        f"is not named); {items} items have a probability above 0.999."
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
    names = [*LINEAR_CLASSIFIERS, *(f"{name}{form}" for name in KERNEL_CLASSIFIERS)]
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


def _by_count(number: int, cases: int) -> str:
    return HOLDS if number == cases else IN_PART if number else FAILS


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
        "introduction; section on real data (Table 1)",
        check_linear,
    ),
    Claim(
        "kernels-disagree",
        "Kernel classifiers do not rank regressors as linear ones do, so the result depends on the "
        "classifier.",
        "abstract; introduction (Table 1)",
        check_kernel,
    ),
    Claim(
        "ratio-matching-disagrees",
        "Ratio matching (LSIF and uLSIF) agrees neither among one another nor with classifiers.",
        "introduction; conclusion (Table 2)",
        check_matching,
    ),
    Claim(
        "worse-with-a-gap",
        "Classifiers agree less the larger the gap between the groups is.",
        "introduction; synthetic data (Tables 3 to 5)",
        check_gap,
    ),
    Claim(
        "a-cap-helps-on-synthetic-data",
        "On synthetic data with a large gap, a cap of 0.99 on probabilities raises agreement.",
        "synthetic data (Tables 6 and 7)",
        check_cap,
    ),
    Claim(
        "a-cap-is-mixed-on-real-data",
        "On real data, a cap of 0.99 raises agreement in some cases, and lowers it in others.",
        "section on real data after a cap; conclusion",
        check_cap_on_data,
    ),
    Claim(
        "probabilities-near-1-decide",
        "A few probabilities near 1 decide the measure: on Communities, independence falls "
        "severalfold with a cap.",
        "section on high probabilities (Figure 3)",
        check_values,
    ),
]
