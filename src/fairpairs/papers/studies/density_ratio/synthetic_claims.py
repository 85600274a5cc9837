"""The conclusions of the paper on synthetic data: the gap between groups, and caps."""

import math

import pandas as pd

from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Mean, Numbers, Printed
from fairpairs.papers.plan.claim_tests import agreeing, differences, undecided
from fairpairs.papers.plan.claims import Claims, Finding, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD

SYNTHETIC, TABLE_4 = (f"tables/density_ratio/{name}.csv" for name in ("correlations", "table_4"))
LINEAR_CLASSIFIERS = ("logistic", "ridge", "lasso")
KERNEL_CLASSIFIERS = ("kernel_gaussian", "kernel_polynomial")
#: Means of the privileged group, from the smallest to the largest gap.
INTERVALS = ("0 - 0.9", "1 - 1.9", "2 - 2.9", "3 - 3.9")
FIRST, LAST = INTERVALS[0], INTERVALS[-1]
CAP = 0.99
#: The true independence of the synthetic data.
TRUTH = "population"
#: What numbers with kernels in the form of the package that the paper cites are called.
AS_IN_PACKAGE = ", kernels of the cited R package"
WITHOUT_INTERCEPT = "The kernels of the R package that the paper cites lack the intercept."
#: A change of a correlation that counts.
CHANGE = 0.1
#: The columns of text in the table of correlations.
SYNTHETIC_TEXT = ("measure", "interval", "coefficient")
CLASSIFIERS = "the penalties and the kernels"
SYNTHETIC_CLAIMS = Claims()


@SYNTHETIC_CLAIMS.add(
    "Overall, classifiers agree less where the gap between the groups is larger.",
    "introduction; section on potential reasons, step 1 (Tables 3 and 5)",
    quote="The overall trend suggests that as the mean value increases … the correlation between "
    "fairness values produced by different classifiers decreases",
    redone=CLASSIFIERS,
    note=WITHOUT_INTERCEPT,
)
def worse_with_a_gap(results: Results) -> Finding:
    """Compare the agreement of classifiers at the smallest and the largest gap."""
    cells = [(0.0, interval) for interval in INTERVALS]
    return _compared(results, cells, "that agree less and more at the largest gap", falls=True)


@SYNTHETIC_CLAIMS.add(
    "Overall, classifiers agree less with the true independence where the gap between the groups "
    "is larger.",
    "section on potential reasons, step 1 (Table 4)",
    quote="inconsistencies increase as the mean value rises",
    redone=CLASSIFIERS,
    note=WITHOUT_INTERCEPT,
)
def further_from_the_truth(results: Results) -> Finding:
    """Compare the correlations of classifiers with the true independence, by the gap."""
    frame = table(results, SYNTHETIC, text=SYNTHETIC_TEXT)
    printed = table(results, TABLE_4, text=("row",)).filter(like="(published)").mean(axis=1)
    pairs, numbers = [], Numbers()
    for form, kernels in forms_of(frame).items():
        means = [_mean_of(_with_truth(frame, interval, form)) for interval in INTERVALS]
        pairs.append((means[0], means[-1]))
        numbers[f"mean correlation in the four intervals{kernels}"] = Printed(
            [mean.value for mean in means], printed.tolist()
        )
    return Finding(_by_signs(pairs, differences(pairs)), numbers)


@SYNTHETIC_CLAIMS.add(
    "On synthetic data with a large gap, a cap of 0.99 on probabilities raises agreement.",
    "section on potential reasons, step 2 (Tables 6 and 7)",
    quote="applying a threshold can effectively improve correlation values",
    redone=CLASSIFIERS,
    note=WITHOUT_INTERCEPT,
)
def a_cap_helps_on_synthetic_data(results: Results) -> Finding:
    """Compare the agreement of classifiers at the largest gap, with and without a cap."""
    cells = [(0.0, LAST), (CAP, LAST)]
    return _compared(results, cells, "that agree more and less with the cap", falls=False)


def forms_of(frame: pd.DataFrame) -> dict[str, str]:
    """Return the endings of the names of kernel classifiers, and what their numbers are called."""
    published = frame["first"].eq("kernel_gaussian_published").any()
    return {"": "", **({"_published": AS_IN_PACKAGE} if published else {})}


def classifiers(form: str) -> list[str]:
    """Return the names of the paper's classifiers, with kernels in a form."""
    return [*LINEAR_CLASSIFIERS, *(f"{name}{form}" for name in KERNEL_CLASSIFIERS)]


def _compared(
    results: Results, cells: list[tuple[float, str]], name: str, *, falls: bool
) -> Finding:
    """Compare the first with the last of some (cap, interval), in both kernel forms."""
    frame = table(results, SYNTHETIC, text=SYNTHETIC_TEXT)
    verdicts, numbers = [], Numbers()
    for form, kernels in forms_of(frame).items():
        means = [
            [mean for m in ("independence", "separation") for mean in _pairs(frame, m, *cell, form)]
            for cell in cells
        ]
        larger, smaller = (means[0], means[-1]) if falls else (means[-1], means[0])
        pairs = list(zip(larger, smaller, strict=True))
        signs = differences(pairs)
        verdicts.append(_by_signs(pairs, signs))
        counts = [Count(signs.count(sign), len(pairs)) for sign in (1, -1)]
        numbers[f"pairs of classifiers {name} (Holm){kernels}"] = counts
        where = "in the four intervals" if falls else "without and with it"
        numbers[f"mean correlation {where}{kernels}"] = [_mean_of(part).value for part in means]
    return Finding(agreeing(verdicts), numbers)


def _pairs(frame: pd.DataFrame, measure: str, cap: float, interval: str, form: str) -> list[Mean]:
    """Return the mean correlation of each two classifiers over the seeds."""
    names = classifiers(form)
    keys = {"measure": measure, "cap": cap, "interval": interval, "coefficient": "spearman"}
    pairs = rows(frame, **keys, first=names, second=names).sort_values(["first", "second"])
    return _means(pairs, math.comb(len(names), 2))


def _with_truth(frame: pd.DataFrame, interval: str, form: str) -> list[Mean]:
    """Return the mean correlation of each classifier with the population's independence."""
    names = classifiers(form)
    keys = {"measure": "independence", "cap": 0, "interval": interval, "coefficient": "spearman"}
    return _means(rows(frame, **keys, first=names, second=TRUTH), len(names))


def _means(frame: pd.DataFrame, number: int) -> list[Mean]:
    if len(frame) < number or (frame["repeats"] < 2).any():
        raise CannotTellError(f"results/{SYNTHETIC} has too few classifiers or repeats.")
    return [
        Mean(mean, sd / math.sqrt(n), n)
        for mean, sd, n in frame[["mean", "sd", "repeats"]].itertuples(index=False)
    ]


def _mean_of(means: list[Mean]) -> Mean:
    """Return the mean of means of the same repeats; its error is at most the mean of theirs."""
    value = sum(mean.value for mean in means) / len(means)
    error = sum(mean.error for mean in means) / len(means)
    return Mean(value, error, means[0].runs)


def _by_signs(pairs: list[tuple[Mean, Mean]], signs: list[int]) -> str:
    """Return whether the first is larger in most pairs, and smaller in none."""
    if -1 in signs:
        return IN_PART if 1 in signs else FAILS
    if 2 * signs.count(1) > len(signs):
        return HOLDS
    return UNTOLD if undecided(pairs, signs, CHANGE) else IN_PART if any(signs) else FAILS
