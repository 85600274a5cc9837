"""Checks of the paper's conclusions on synthetic data: the gap between groups, and caps."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claim_tests import Mean, differences, precise
from fairpairs.papers.plan.claims import CannotTellError, Finding, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD

SYNTHETIC, TABLE_4 = (f"tables/density_ratio/{name}.csv" for name in ("correlations", "table_4"))
LINEAR_CLASSIFIERS = ("logistic", "ridge", "lasso")
KERNEL_CLASSIFIERS = ("kernel_gaussian", "kernel_polynomial")
CLASSIFIERS = (*LINEAR_CLASSIFIERS, *KERNEL_CLASSIFIERS)
#: Means of the privileged group, from the smallest to the largest gap.
INTERVALS = ("0 - 0.9", "1 - 1.9", "2 - 2.9", "3 - 3.9")
FIRST, LAST = INTERVALS[0], INTERVALS[-1]
CAP = 0.99
#: The true independence of the synthetic data.
TRUTH = "population"
#: How reasons name kernels in the form of the package that the paper cites.
KERNEL_FORM = "with the kernels of the cited R package, which lack the intercept,"
#: A change of a correlation that counts.
CHANGE = 0.1
#: The columns of text in the table of correlations.
TEXT = ("measure", "interval", "coefficient")


def check_gap(results: Results) -> Finding:
    """Compare the agreement of classifiers at the smallest and the largest gap."""
    reason = "From means of 0 to 0.9 to means of 3 to 3.9 the correlation falls in"
    cells = [(0.0, interval) for interval in INTERVALS]
    return _in_both_forms(results, cells, reason, "in the four intervals", falls=True)


def check_cap(results: Results) -> Finding:
    """Compare the agreement of classifiers at the largest gap, with and without a cap."""
    reason = f"At means of 3 to 3.9 a cap of {CAP:g} raises the correlation in"
    cells = [(0.0, LAST), (CAP, LAST)]
    return _in_both_forms(results, cells, reason, "without and with it", falls=False)


def check_truth(results: Results) -> Finding:
    """Compare the correlations of classifiers with the true independence, by the gap."""
    frame = table(results, SYNTHETIC, text=TEXT)
    pairs, words = [], []
    for form in forms_of(frame):
        by_interval = [_with_truth(frame, interval, form) for interval in INTERVALS]
        means = [_mean_of(classifier_means) for classifier_means in by_interval]
        pairs.append((means[0], means[-1]))
        last = pd.Series([mean.value for mean in by_interval[-1]])
        words.append(f"{_listed(means)} (in the last, {span(last)} by classifier)")
    printed = table(results, TABLE_4, text=("row",)).filter(like="(published)").mean(axis=1)
    reason = (
        "In the four intervals of means, the mean correlation of five classifiers with the "
        f"population's value is {f'; {KERNEL_FORM} '.join(words)}. Printed: "
        f"{', '.join(decimals(value, 2) for value in printed)}."
    )
    return Finding(_by_signs(pairs, differences(pairs)), reason, (SYNTHETIC, TABLE_4))


def forms_of(frame: pd.DataFrame) -> list[str]:
    """Return the endings of the names of kernel classifiers: right form, and published one."""
    return [""] + ["_published"] * bool(frame["first"].eq("kernel_gaussian_published").any())


def classifiers(form: str) -> list[str]:
    """Return the names of the paper's classifiers, with kernels in a form."""
    return [*LINEAR_CLASSIFIERS, *(f"{name}{form}" for name in KERNEL_CLASSIFIERS)]


def span(values: pd.Series[float]) -> str:
    """Write the smallest and the largest value."""
    return f"{decimals(values.min(), 2)} to {decimals(values.max(), 2)}"


def _in_both_forms(
    results: Results,
    cells: list[tuple[float, str]],
    reason: str,
    comparison: str,
    *,
    falls: bool,
) -> Finding:
    """Compare the first with the last of some (cap, interval), in both kernel forms."""
    frame = table(results, SYNTHETIC, text=TEXT)
    verdicts, words = [], []
    for form in forms_of(frame):
        means = [
            [mean for m in ("independence", "separation") for mean in _pairs(frame, m, *cell, form)]
            for cell in cells
        ]
        larger, smaller = (means[0], means[-1]) if falls else (means[-1], means[0])
        pairs = list(zip(larger, smaller, strict=True))
        signs = differences(pairs)
        verdicts.append(_by_signs(pairs, signs))
        words.append(
            f"{signs.count(1)} of {len(pairs)} pairs of classifiers (the other way in "
            f"{signs.count(-1)}, Holm; {comparison}, the mean is {_listed(map(_mean_of, means))})"
        )
    verdict = verdicts[0] if len(set(verdicts)) == 1 else IN_PART
    return Finding(verdict, f"{reason} {f'; {KERNEL_FORM} in '.join(words)}.", (SYNTHETIC,))


def _pairs(frame: pd.DataFrame, measure: str, cap: float, interval: str, form: str) -> list[Mean]:
    """Return the mean correlation of each two classifiers over the seeds."""
    names = classifiers(form)
    rows = _spearman(frame, measure, cap, interval)
    rows = rows[rows["first"].isin(names) & rows["second"].isin(names)]
    if len(rows) < math.comb(len(names), 2) or (rows["repeats"] < 2).any():
        raise CannotTellError(
            f"results/{SYNTHETIC} has too little on {measure} at a cap of {cap:g} and means of "
            f"{interval}.",
            SYNTHETIC,
        )
    return _means(rows.sort_values(["first", "second"]))


def _with_truth(frame: pd.DataFrame, interval: str, form: str) -> list[Mean]:
    """Return the mean correlation of each classifier with the population's independence."""
    rows = _spearman(frame, "independence", 0, interval)
    rows = rows[rows["first"].isin(classifiers(form)) & (rows["second"] == TRUTH)]
    if len(rows) < len(CLASSIFIERS) or (rows["repeats"] < 2).any():
        raise CannotTellError(f"results/{SYNTHETIC} has too little on the true value.", SYNTHETIC)
    return _means(rows)


def _spearman(frame: pd.DataFrame, measure: str, cap: float, interval: str) -> pd.DataFrame:
    chosen = (frame["measure"] == measure) & (frame["cap"] == cap)
    return frame[chosen & (frame["interval"] == interval) & (frame["coefficient"] == "spearman")]


def _means(rows: pd.DataFrame) -> list[Mean]:
    return [
        Mean(mean, sd / math.sqrt(n), n)
        for mean, sd, n in rows[["mean", "sd", "repeats"]].itertuples(index=False)
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
    if not precise([p for p, sign in zip(pairs, signs, strict=True) if not sign], CHANGE):
        return UNTOLD
    return IN_PART if any(signs) else FAILS


def _listed(means: Iterable[Mean]) -> str:
    return ", ".join(decimals(mean.value, 2) for mean in means)
