"""The conclusions of the paper on density ratios, with checks: on real data here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Mean, Numbers, Printed, span
from fairpairs.papers.plan.claim_tests import LEVEL, agreeing, by_all, by_most, differences
from fairpairs.papers.plan.claims import Claims, Finding, row, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.density_ratio.regressor_tables import GROUPS, MATCHED
from fairpairs.papers.studies.density_ratio.synthetic_claims import (
    AS_IN_PACKAGE,
    CAP,
    CHANGE,
    FIRST,
    LAST,
    SYNTHETIC,
    SYNTHETIC_CLAIMS,
    SYNTHETIC_TEXT,
    classifiers,
    forms_of,
)

CONCLUSIONS, PAIRS, REGRESSORS, ESTIMATORS, CAPS, SECTION_5 = (
    f"tables/density_ratio/{name}.csv"
    for name in (
        *("conclusions", "regressor_correlations", "regressors", "estimators"),
        *("caps", "section_5"),
    )
)
#: Pairs of tables of the paper with Spearman's and Kendall's coefficient of the same values.
COEFFICIENTS = ((1, 8), (2, 9), (3, 10), (4, 12), (5, 11), (6, 13), (7, 14))
#: The paper's tables of correlations, by number.
TABLES = {number: f"tables/density_ratio/table_{number}.csv" for number in range(1, 15)}
#: What the paper calls a high correlation: two estimators rank regressors alike.
ALIKE = 0.85
#: A correlation below it is low: the paper's examples of low ones reach 0.49.
LOW = 0.5
#: The two coefficients show the same if their ranks correlate at least by this.
SIMILAR = 0.95
#: A penalty hardly changes a measure if it changes it by less than this share.
HARDLY = 0.05
#: A correlation of fewer regressors says nothing.
ENOUGH = 10
#: Rows of the table of conclusions, and their column.
PAIRS_OF = "pairs of estimators"
LINEAR, KERNEL, KERNEL_PUBLISHED, *_ = GROUPS
#: The estimators of Table 2.
OF_TABLE_2 = ("logistic", "kernel_polynomial", *MATCHED)
#: Form of a ratio → what its numbers are called.
FORMS = {"published": "as published", "quotient": "in the right form"}
#: What the paper does not give, so that its tables of real data can be redone, not recomputed.
OURS = "the regressors, the kernels and the split"
PENALTIES = "the regressors, the penalties and the split"
ON_ONE_SPLIT = "Spearman correlations over 22 regressors, on one split."
MULTIPLIED = "The published form multiplies ratios that must be divided."
CLAIMS = Claims()


@CLAIMS.add(
    "The choice of the estimator can change which regressors are measured as fairer.",
    "abstract; introduction; conclusion",
    quote="the choice of density-ratio estimation core could significantly affect the outcome … "
    "and even, generate inconsistent results with respect to the relative fairness",
    redone=OURS,
    note=ON_ONE_SPLIT,
)
def choice_decides_the_ranking(results: Results) -> Finding:
    """Ask whether two estimators rank regressors in opposite orders."""
    verdicts, numbers = [], Numbers()
    for form, words in FORMS.items():
        pairs = _spearman(results, form=form)
        pvalues = adjusted(pairs["pvalue"].to_numpy(np.float64), "holm")
        unlike, negative = (pairs["value"] < ALIKE).sum(), pairs["value"] < 0
        shown = (negative & (pvalues < LEVEL)).sum()
        verdicts.append(HOLDS if shown else IN_PART if unlike else FAILS)
        numbers |= {
            f"correlations below {ALIKE:g}, {words}": Count(unlike, len(pairs)),
            f"negative correlations, {words}": Count(negative.sum(), len(pairs)),
            f"significantly negative (Holm), {words}": shown,
        }
    return Finding(verdicts[0], numbers)


@CLAIMS.add(
    "Logistic regression, ridge and lasso rank regressors alike: correlations above 0.85.",
    "introduction; section on the choice of classifier (Table 1)",
    quote="the use of non-kernel based classifiers (such as Logistic Regression, Lasso, and Ridge) "
    "consistently results in strong correlations among the estimated fairness values",
    redone=PENALTIES,
    note=ON_ONE_SPLIT,
)
def linear_classifiers_alike(results: Results) -> Finding:
    """Ask whether linear classifiers agree everywhere."""
    cases = _groups(results, LINEAR)
    alike = Count((cases["smallest"] > ALIKE).sum(), len(cases))
    numbers = {
        f"cases (data set, measure) with all above {ALIKE:g}": alike,
        "smallest correlation": cases["smallest"].min(),
    }
    return Finding(by_all(*alike), numbers)


@CLAIMS.add(
    "An explanation of the agreement of linear classifiers: with one or two inputs, a penalty may "
    "hardly change them.",
    "section on the choice of classifier",
    quote="because of small number of inputs … the use of regularization … could result in "
    "intangible change in the resulted linear classifier",
    redone=PENALTIES,
    note="On synthetic data independence has one input, and a penalty can matter if the groups are "
    "far apart.",
)
def few_inputs_make_a_penalty_harmless(results: Results) -> Finding:
    """Check how much a penalty changes the measures by linear classifiers of one or two inputs."""
    frame = table(results, REGRESSORS, text=("regressor", "dataset"))
    changes = [
        Mean((part[f"{name}, {measure}"] / part[f"logistic, {measure}"] - 1).abs().median()).value
        for _, part in frame.groupby("dataset")
        for measure in ("independence", "separation", "sufficiency")
        for name in ("ridge", "lasso")
    ]
    by_gap = table(results, ESTIMATORS, text=("interval", "estimator"))
    ridge, logistic = (
        [row(by_gap, cap=0, interval=i, estimator=name)["bias"] for i in (FIRST, LAST)]
        for name in ("ridge", "logistic")
    )
    small = Count(sum(change < HARDLY for change in changes), len(changes))
    numbers = {
        "measures that ridge or lasso changes by less than 5 % (median)": small,
        "largest such change, as a share": max(changes),
        f"ridge over logistic regression, synthetic data, means of {FIRST} and {LAST}": [
            math.exp(Mean(a - b).value) for a, b in zip(ridge, logistic, strict=True)
        ],
    }
    # the paper says "could", of the regressors of real data
    return Finding(by_most(*small), numbers)


@CLAIMS.add(
    "Kernel classifiers mostly rank regressors differently from linear ones.",
    "abstract; introduction; section on the choice of classifier (Table 1)",
    quote="the outcome of these methods are not highly correlated with that of models relying on "
    "kernel-based probabilistic classifiers",
    redone=OURS,
    note=ON_ONE_SPLIT,
)
def kernels_disagree(results: Results) -> Finding:
    """Ask where linear and kernel classifiers do not agree, in both forms of the kernels."""
    verdicts, numbers = [], Numbers()
    for group, kernels in _kernel_groups(results).items():
        means = _groups(results, group)["mean"]
        unlike = Count((means < ALIKE).sum(), len(means))
        verdicts.append(by_most(*unlike))
        numbers |= {
            f"cases (data set, measure) below {ALIKE:g}{kernels}": unlike,
            f"mean correlations{kernels}": span(means),
        }
    return Finding(agreeing(verdicts), numbers)


@CLAIMS.add(
    "An explanation of that: the boundary of a kernel classifier is not linear, so it states other "
    "probabilities.",
    "section on the choice of classifier",
    quote="to find non-linear classification boundaries, perhaps this could result in different "
    "output probability than the linear ones",
    redone=OURS,
    note="With the intercept, kernels differ from linear classifiers by boundary and penalty; "
    "without it, as in the R package, their width and penalty differ, too.",
)
def kernels_have_other_boundaries(results: Results) -> Finding:
    """Check whether kernels disagree with linear classifiers if only their boundary differs."""
    means = _groups(results, KERNEL)["mean"]
    unlike = Count((means < ALIKE).sum(), len(means))
    numbers: Numbers = {f"cases (data set, measure) below {ALIKE:g}": unlike}
    if KERNEL_PUBLISHED in _kernel_groups(results):
        right, without = (
            _groups(results, group).set_index(["dataset", "measure"])["mean"]
            for group in (KERNEL, KERNEL_PUBLISHED)
        )
        lower = Count((without - right < -CHANGE).sum(), len(right))
        numbers[f"cases lower by more than {CHANGE:g}{AS_IN_PACKAGE}"] = lower
    return Finding(by_most(*unlike), numbers)


@CLAIMS.add(
    "Ratio matching (LSIF and uLSIF) correlates little with classifiers, in general.",
    "abstract; introduction; section on the choice of estimator (Table 2)",
    quote="generally low correlation when comparing the ratio matching-based approach with the "
    "Probabilistic Classification-based ones",
    redone=OURS,
    note=f"{MULTIPLIED[:-1]}; what the paper calls LSIF and uLSIF is uLSIF and RuLSIF.",
)
def ratio_matching_disagrees(results: Results) -> Finding:
    """Ask how little ratio matching correlates with classifiers, in both forms."""
    lows, numbers = _lows(results, classifiers(""))
    return Finding(agreeing(by_most(*low) for low in lows), numbers)


@CLAIMS.add(
    "Two estimators that match ratios correlate little in some cases.",
    "introduction; section on the choice of estimator (Table 2); conclusion",
    quote="the output of ratio matching approaches seem to show a low level of correlation in some "
    "cases",
    redone="the regressors and the split",
    note=MULTIPLIED,
)
def ratio_matching_among_itself(results: Results) -> Finding:
    """Ask whether some estimators that match ratios correlate little with one another."""
    lows, numbers = _lows(results, MATCHED)
    return Finding(agreeing(HOLDS if low.number else FAILS for low in lows), numbers)


@CLAIMS.add(
    "How far the same two estimators agree differs between data sets.",
    "section on the choice of estimator (Table 2); appendix (Table 9)",
    quote="there is significant variation in correlation values across datasets, even within the "
    "same methods",
    redone=OURS,
    note=ON_ONE_SPLIT,
)
def agreement_varies_between_data_sets(results: Results) -> Finding:
    """Ask whether two estimators agree more on one data set than on another."""
    keys = ["measure", "first", "second"]
    chosen = {"coefficient": "spearman", "cap": 0, "form": "published"}
    ours = _correlations(results, **chosen, first=OF_TABLE_2, second=OF_TABLE_2)
    printed = _printed(results, 2)
    printed[["measure", "first"]] = printed["row"].str.split(", ", expand=True)
    printed[["second", "dataset"]] = printed["column"].str.split(", ", expand=True)
    verdicts, numbers = [], Numbers()
    for source, frame in (("ours", ours), ("printed", printed.assign(n=ours["n"].max()))):
        pairs = [
            (group, _fisher(*one), _fisher(*other))
            for group, part in frame.groupby(keys, sort=False)
            for one, other in combinations(part[["value", "n"]].dropna().to_numpy(), 2)
        ]
        signs = differences([(one, other) for _, one, other in pairs])
        shown = {group for (group, *_), sign in zip(pairs, signs, strict=True) if sign}
        verdicts.append(HOLDS if shown else UNTOLD)
        ranges = frame.groupby(keys)["value"].agg(np.ptp)
        numbers |= {
            f"pairs that differ beyond the error of the regressors (Holm), {source}": Count(
                len(shown), len({group for group, *_ in pairs})
            ),
            f"median and largest range, {source}": [ranges.median(), ranges.max()],
        }
    return Finding(verdicts[0], numbers)


@CLAIMS.add(
    "A few probabilities near 1 can decide the measure: on Communities, independence falls "
    "severalfold with a cap.",
    "section on potential reasons (Figure 3)",
    quote="Such sudden changes of ratios for just a few data points could significantly affect the "
    "overall Independence value",
    redone="the regressor, the sensitive attribute and the split",
    note="The paper does not name its regressor; ours is linear regression.",
)
def probabilities_near_1_decide(results: Results) -> Finding:
    """Ask how a cap changes the independence of linear regression on Communities."""
    frame = table(results, CAPS, text=("dataset", "regressor"))
    caps, keys = (0.0, 0.999, 0.99, 0.9), {"dataset": "communities", "regressor": "linear"}
    by_cap = [row(frame, cap=cap, **keys) for cap in caps]
    values = [Mean(float(cells["independence"])).value for cells in by_cap]
    printed = table(results, SECTION_5, text=("row",))
    numbers = {
        "independence without a cap, with caps of 0.999, 0.99 and 0.9": Printed(
            values, printed["Independence (published)"].tolist()
        ),
        "items above 0.999": Printed(
            by_cap[1]["items"], printed["Items above 0.999 (published)"].max()
        ),
        "test items": by_cap[1]["tested"],
    }
    falls, half = sum(a > 2 * b for a, b in pairwise(values)), max(values) > 2 * min(values)
    return Finding(HOLDS if falls == 3 else IN_PART if half else FAILS, numbers)


CLAIMS += SYNTHETIC_CLAIMS


@CLAIMS.add(
    "On real data, a cap of 0.99 raises agreement in some cases, and leaves it unchanged or lowers "
    "it in others.",
    "section on potential reasons, step 2",
    quote="thresholding improving correlations in some cases while leaving them unchanged or even "
    "reducing them in others",
    redone=OURS,
    note="On one split.",
)
def a_cap_is_mixed_on_real_data(results: Results) -> Finding:
    """Ask which correlations on real data a cap raises, leaves as they are, and lowers."""
    frame = _correlations(results)
    counts, numbers = [], Numbers()
    for form, kernels in forms_of(frame).items():
        for coefficient in ("spearman", "kendall"):
            _, change = _capped(frame, form, coefficient)
            counts.append([(change > 0).sum(), (change == 0).sum(), (change < 0).sum()])
            name = f"{coefficient.capitalize()}{kernels}"
            numbers |= {
                f"correlations raised, unchanged and lowered, {name}": counts[-1],
                f"correlations lowered by more than {CHANGE:g}, {name}": (change < -CHANGE).sum(),
            }
    some = any(raised and same + lowered for raised, same, lowered in counts)
    mixed = all(min(counted) > 0 for counted in counts)
    return Finding(HOLDS if mixed else IN_PART if some else FAILS, numbers)


@CLAIMS.add(
    "Something else than probabilities near 1 may make classifiers disagree, too.",
    "introduction; section on potential reasons, step 2",
    quote="factors beyond high probability values may contribute to inconsistencies",
    redone=OURS,
    note=ON_ONE_SPLIT,
)
def other_factors_than_probabilities_near_1(results: Results) -> Finding:
    """Check whether classifiers disagree if a cap on probabilities changes nothing."""
    before, change = _capped(_correlations(results), "", "spearman")
    unlike = before + change < ALIKE
    untouched = unlike & (change == 0)
    items = table(results, CAPS, text=("dataset", "regressor"))
    without = items.loc[(items["cap"] == CAP) & (items["items"] == 0), "dataset"]
    uncapped = untouched.index.get_level_values("dataset").isin(without)
    numbers = {
        f"correlations below {ALIKE:g} with a cap of {CAP:g}": Count(unlike.sum(), len(unlike)),
        "of these unchanged by the cap": untouched.sum(),
        "of these on data without a probability above it": (untouched & uncapped).sum(),
    }
    return Finding(HOLDS if untouched.any() else IN_PART if unlike.any() else FAILS, numbers)


@CLAIMS.add(
    "Kendall's coefficient is high and low where Spearman's is.",
    "appendix",
    quote="a similar pattern between the Spearman and Kendall correlation analyses, with both "
    "showing either strong or weak correlations in the same instances",
)
def kendall_shows_the_same(results: Results) -> Finding:
    """Ask whether Kendall's coefficient is high and low where Spearman's is."""
    keys = ["measure", "cap", "interval", "first", "second"]
    real = _correlations(results, cap=0, form="published")
    synthetic = table(results, SYNTHETIC, text=SYNTHETIC_TEXT)
    printed = {number: _printed(results, number) for number in TABLES}
    merged = [printed[one].merge(printed[two], on=["row", "column"]) for one, two in COEFFICIENTS]
    pairs = {
        "on real data": real.pivot(
            index=["dataset", *keys[:1], *keys[3:]], columns="coefficient", values="value"
        ),
        "on synthetic data": synthetic.pivot(index=keys, columns="coefficient", values="mean"),
        "as printed": pd.concat(merged)[["value_x", "value_y"]].set_axis(
            ["spearman", "kendall"], axis=1
        ),
    }
    likeness, numbers = [], Numbers()
    for where, wide in pairs.items():
        both = wide.dropna()
        likeness.append(Mean(both["spearman"].corr(both["kendall"], "spearman")).value)
        against = (both["spearman"] * both["kendall"] < 0) & (both.abs() > CHANGE).all(axis=1)
        numbers |= {
            f"correlation of their ranks {where}": likeness[-1],
            f"opposite signs beyond {CHANGE:g} {where}": Count(against.sum(), len(both)),
        }
    return Finding(by_all(sum(value >= SIMILAR for value in likeness), len(likeness)), numbers)


def _correlations(results: Results, **keys: Any) -> pd.DataFrame:
    """Return the correlations of two estimators with these values."""
    return rows(table(results, PAIRS, text=("dataset", "form", "measure", "coefficient")), **keys)


def _spearman(results: Results, **keys: Any) -> pd.DataFrame:
    """Return Spearman's correlations without a cap of enough regressors."""
    frame = _correlations(results, coefficient="spearman", cap=0, **keys)
    return frame[frame["n"] >= ENOUGH].dropna(subset=["value"])


def _capped(
    frame: pd.DataFrame, form: str, coefficient: str
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return the correlations of classifiers without a cap, and how a cap changes them."""
    keys, names = ["dataset", "measure", "first", "second"], classifiers(form)
    chosen = {"form": "published", "coefficient": coefficient, "first": names, "second": names}
    before, after = (rows(frame, cap=cap, **chosen).set_index(keys)["value"] for cap in (0.0, CAP))
    change = (after - before).dropna()
    if change.empty:
        raise CannotTellError(f"results/{PAIRS} has no cap of {CAP:g}.")
    return before.loc[change.index], change


def _lows(results: Results, names: Sequence[str]) -> tuple[list[Count], Numbers]:
    """Count the low correlations of ratio matching with others, as published and in right form."""
    lows, numbers = [], Numbers()
    for form, words in FORMS.items():
        values = _spearman(results, form=form, first=names, second=MATCHED)["value"]
        if values.empty:
            raise CannotTellError(f"results/{PAIRS} has no {form} form.")
        lows.append(Count((values < LOW).sum(), len(values)))
        numbers |= {
            f"correlations below {LOW:g}, {words}": lows[-1],
            f"smallest, median and largest, {words}": [values.min(), values.median(), values.max()],
        }
    return lows, numbers


def _fisher(value: float, n: float) -> Mean:
    """Return Fisher's z of a Spearman correlation, with the error of Fieller et al. (1957)."""
    z = float(np.arctanh(np.clip(value, -1 + 1e-6, 1 - 1e-6)))
    return Mean(z, math.sqrt(1.06 / (n - 3)))


def _printed(results: Results, number: int) -> pd.DataFrame:
    """Return the printed numbers of a table: `row`, `column` and `value`."""
    frame = table(results, TABLES[number], text=("row",))
    columns = [column for column in frame if str(column).endswith(" (published)")]
    cells = frame.melt("row", columns, var_name="column").dropna()
    if cells.empty:
        raise CannotTellError(f"results/{TABLES[number]} has no numbers.")
    cells["column"] = cells["column"].str.removesuffix(" (published)")
    parts = (cells["row"] + ", " + cells["column"]).str.split(", ").map(frozenset)
    return cells[~parts.duplicated()]  # a table of pairs has each twice


def _kernel_groups(results: Results) -> dict[str, str]:
    """Return the groups of linear with kernel classifiers of the run, and their numbers' names."""
    published = KERNEL_PUBLISHED in set(_conclusions(results)[PAIRS_OF])
    return {KERNEL: "", **({KERNEL_PUBLISHED: AS_IN_PACKAGE} if published else {})}


def _groups(results: Results, pairs: str) -> pd.DataFrame:
    """Return the mean and smallest correlation of pairs of estimators, by data and measure."""
    frame = _conclusions(results).dropna(subset=["mean", "smallest"])
    return rows(frame, form="published", cap=0, **{PAIRS_OF: pairs})


def _conclusions(results: Results) -> pd.DataFrame:
    return table(results, CONCLUSIONS, text=("dataset", "measure", "form", PAIRS_OF))
