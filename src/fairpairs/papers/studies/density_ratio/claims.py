"""The checks of the conclusions of claims.yaml: on real data, then on synthetic data."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.plan import claim_tests as tests
from fairpairs.papers.plan.claim_numbers import CannotTellError, Count, Mean, Numbers, Printed, span
from fairpairs.papers.plan.claims import Finding, row, rows, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.density_ratio.regressor_tables import GROUPS, LINEAR, MATCHED

#: Pairs of tables of the paper with Spearman's and Kendall's coefficient of the same values.
COEFFICIENTS = ((1, 8), (2, 9), (3, 10), (4, 12), (5, 11), (6, 13), (7, 14))
#: What the paper calls a high correlation: two estimators rank regressors alike.
ALIKE = 0.85
#: A correlation below it is low: the paper's examples of low ones reach 0.49.
LOW = 0.5
#: The two coefficients show the same if their ranks correlate at least by this.
SIMILAR = 0.95
#: A penalty hardly changes a measure if it changes it by less than this share.
HARDLY = 0.05
#: A correlation of fewer regressors says nothing; a change of one that counts.
ENOUGH, CHANGE = 10, 0.1
#: Column of the table of conclusions, and some of its rows.
PAIRS_OF = "pairs of estimators"
AMONG_LINEAR, KERNEL, KERNEL_PUBLISHED, *_ = GROUPS
KERNEL_CLASSIFIERS = ("kernel_gaussian", "kernel_polynomial")
#: The estimators of Table 2.
OF_TABLE_2 = ("logistic", "kernel_polynomial", *MATCHED)
#: Form of a ratio → what its numbers are called.
FORMS = {"published": "as published", "quotient": "in the right form"}
#: What numbers with kernels in the form of the package that the paper cites are called.
AS_IN_PACKAGE = ", kernels of the cited R package"
#: Means of the privileged group, from the smallest to the largest gap.
INTERVALS = ("0 - 0.9", "1 - 1.9", "2 - 2.9", "3 - 3.9")
CAP = 0.99
SPEARMAN = {"coefficient": "spearman"}


def choice_decides_the_ranking(results: Results) -> Finding:
    """Ask whether two estimators rank regressors in opposite orders."""
    verdicts, numbers = [], Numbers()
    for form, words in FORMS.items():
        pairs = _spearman(results, form=form)
        unlike, negative = Count.of(pairs["value"] < ALIKE), pairs["value"] < 0
        shown = negative & (adjusted(pairs["pvalue"].to_numpy(np.float64), "holm") < tests.LEVEL)
        verdicts.append(HOLDS if shown.any() else IN_PART if unlike.number else FAILS)
        numbers |= {
            f"correlations below {ALIKE:g}, {words}": unlike,
            f"negative correlations, {words}": Count.of(negative),
            f"significantly negative (Holm), {words}": shown.sum(),
        }
    return Finding(verdicts[0], numbers)


def linear_classifiers_alike(results: Results) -> Finding:
    """Ask whether linear classifiers agree everywhere."""
    smallest = _groups(results, AMONG_LINEAR)["smallest"]
    alike = Count.of(smallest > ALIKE)
    name = f"cases (data set, measure) with all above {ALIKE:g}"
    return Finding(tests.by_all(*alike), {name: alike, "smallest correlation": smallest.min()})


def few_inputs_make_a_penalty_harmless(results: Results) -> Finding:
    """Give how much a penalty changes the measures; the number of inputs is never varied."""
    changes = [
        Mean((part[f"{name}, {measure}"] / part[f"logistic, {measure}"] - 1).abs().median()).value
        for _, part in table(results, "regressors").groupby("dataset")
        for measure in ("independence", "separation", "sufficiency")
        for name in ("ridge", "lasso")
    ]
    by_gap = rows(table(results, "estimators"), cap=0)
    ends = (INTERVALS[0], INTERVALS[-1])
    ridge, logistic = (
        [row(by_gap, interval=interval, estimator=name)["bias"] for interval in ends]
        for name in ("ridge", "logistic")
    )
    over = [math.exp(Mean(a - b).value) for a, b in zip(ridge, logistic, strict=True)]
    small = Count.of(change < HARDLY for change in changes)
    numbers = {
        "measures that ridge or lasso changes by less than 5 % (median)": small,
        "largest such change, as a share": max(changes),
        f"ridge over logistic regression, synthetic data, means of {' and '.join(ends)}": over,
    }
    return Finding(UNTOLD, numbers)


def kernels_disagree(results: Results) -> Finding:
    """Ask where linear and kernel classifiers do not agree, in both forms of the kernels."""
    verdicts, numbers = [], Numbers()
    for group, kernels in _kernel_groups(results).items():
        means = _groups(results, group)["mean"]
        unlike = Count.of(means < ALIKE)
        verdicts.append(tests.by_most(*unlike))
        numbers[f"cases (data set, measure) below {ALIKE:g}{kernels}"] = unlike
        numbers[f"mean correlations{kernels}"] = span(means)
    return Finding(tests.agreeing(verdicts), numbers)


def kernels_have_other_boundaries(results: Results) -> Finding:
    """Give where kernels disagree with linear classifiers: by boundary or penalty is not parted."""
    means = _groups(results, KERNEL)["mean"]
    unlike = Count.of(means < ALIKE)
    numbers: Numbers = {f"cases (data set, measure) below {ALIKE:g}": unlike}
    if KERNEL_PUBLISHED in _kernel_groups(results):
        lower = Count.of(_groups(results, KERNEL_PUBLISHED)["mean"] - means < -CHANGE)
        numbers[f"cases lower by more than {CHANGE:g}{AS_IN_PACKAGE}"] = lower
    return Finding(UNTOLD, numbers)


def ratio_matching(results: Results, names: Sequence[str] = MATCHED) -> Finding:
    """Ask how little ratio matching correlates with others, as published and in right form.

    With classifiers most correlations are said to be low, among itself some.
    """
    verdicts, numbers = [], Numbers()
    for form, words in FORMS.items():
        values = _spearman(results, form=form, first=names, second=MATCHED)["value"]
        if values.empty:
            raise CannotTellError(f"The run has not enough regressors in the {form} form.")
        low = Count.of(values < LOW)
        some = HOLDS if low.number else FAILS
        verdicts.append(some if names == MATCHED else tests.by_most(*low))
        spread = [values.min(), values.median(), values.max()]
        numbers[f"correlations below {LOW:g}, {words}"] = low
        numbers[f"smallest, median and largest, {words}"] = spread
    return Finding(tests.agreeing(verdicts), numbers)


def agreement_varies_between_data_sets(results: Results) -> Finding:
    """Ask whether two estimators agree more on one data set than on another."""
    keys, both = ["measure", "first", "second"], {"first": OF_TABLE_2, "second": OF_TABLE_2}
    sources = {
        f"ours, {words}": _spearman(results, form=form, **both) for form, words in FORMS.items()
    }
    if any(frame.empty for frame in sources.values()):
        raise CannotTellError("The run has not enough regressors.")
    number = max(frame["n"].max() for frame in sources.values())
    printed = _printed(results, 2).assign(n=number)
    printed[["measure", "first"]] = printed["row"].str.split(", ", expand=True)
    printed[["second", "dataset"]] = printed["column"].str.split(", ", expand=True)
    verdicts, numbers = [], Numbers()
    for source, frame in (sources | {"printed": printed}).items():
        pairs = [
            (group, (_fisher(*one), _fisher(*other)))
            for group, part in frame.groupby(keys, sort=False)
            for one, other in combinations(part[["value", "n"]].dropna().to_numpy(), 2)
        ]
        groups, means = [group for group, _ in pairs], [pair for _, pair in pairs]
        shown = {g for g, sign in zip(groups, tests.differences(means), strict=True) if sign}
        verdicts.append(HOLDS if shown else UNTOLD)
        ranges = frame.groupby(keys)["value"].agg(np.ptp)
        name = f"pairs that differ beyond the error of the regressors (Holm), {source}"
        numbers[name] = Count(len(shown), len(set(groups)))
        numbers[f"median and largest range, {source}"] = [ranges.median(), ranges.max()]
    return Finding(verdicts[0], numbers)


def probabilities_near_1_decide(results: Results) -> Finding:
    """Ask how a cap changes the independence of linear regression on Communities."""
    frame, caps = table(results, "caps"), (0.0, 0.999, 0.99, 0.9)
    by_cap = [row(frame, cap=cap, dataset="communities", regressor="linear") for cap in caps]
    values = [Mean(float(cells["independence"])).value for cells in by_cap]
    printed = table(results, "section_5")
    in_text, items = (
        printed[f"{name} (published)"] for name in ("Independence", "Items above 0.999")
    )
    numbers = {
        "independence without a cap, with caps of 0.999, 0.99 and 0.9": Printed(
            values, in_text.tolist()
        ),
        "items above 0.999": Printed(by_cap[1]["items"], items.max()),
        "test items": by_cap[1]["tested"],
    }
    falls, half = sum(a > 2 * b for a, b in pairwise(values)), max(values) > 2 * min(values)
    return Finding(HOLDS if falls == 3 else IN_PART if half else FAILS, numbers)


def worse_with_a_gap(results: Results, caps: Sequence[float], intervals: Sequence[str]) -> Finding:
    """Compare the agreement of classifiers at the smallest and the largest gap, or with a cap."""
    frame, falls = table(results, "correlations"), len(intervals) > 1
    more, where = "more and less with the cap", "without and with it"
    if falls:
        more, where = "less and more at the largest gap", "in the four intervals"
    verdicts, numbers = [], Numbers()
    for form, kernels in _forms_of(frame).items():
        names = _classifiers(form)
        pair = {"measure": ["independence", "separation"], "first": names, "second": names}
        number = 2 * math.comb(len(names), 2)
        means = [
            _means(frame, number, cap=cap, interval=interval, **pair)
            for cap in caps
            for interval in intervals
        ]
        larger, smaller = (means[0], means[-1]) if falls else (means[-1], means[0])
        pairs = list(zip(larger, smaller, strict=True))
        signs = tests.differences(pairs)
        verdicts.append(_by_most_signs(pairs, signs))
        counts = [Count(signs.count(sign), len(pairs)) for sign in (1, -1)]
        numbers[f"pairs of classifiers that agree {more} (Holm){kernels}"] = counts
        numbers[f"mean correlation {where}{kernels}"] = [_mean_of(part).value for part in means]
    return Finding(tests.agreeing(verdicts), numbers)


def further_from_the_truth(results: Results) -> Finding:
    """Compare the correlation of each classifier with the true independence, by the gap."""
    frame = table(results, "correlations")
    printed = table(results, "table_4").filter(like="(published)").mean(axis=1)
    pairs, numbers = [], Numbers()
    for form, kernels in _forms_of(frame).items():
        names = _classifiers(form)
        keys = {"measure": "independence", "cap": 0, "first": names, "second": "population"}
        means = [_means(frame, len(names), interval=interval, **keys) for interval in INTERVALS]
        signs = tests.differences(list(zip(means[0], means[-1], strict=True)))
        pairs.append((_mean_of(means[0]), _mean_of(means[-1])))
        counts = [Count(signs.count(sign), len(signs)) for sign in (1, -1)]
        numbers[f"classifiers that agree less and more at the largest gap (Holm){kernels}"] = counts
        ours = [_mean_of(part).value for part in means]
        numbers[f"mean correlation in the four intervals{kernels}"] = Printed(
            ours, printed.tolist()
        )
    return Finding(_by_most_signs(pairs, tests.differences(pairs)), numbers)


def a_cap_is_mixed_on_real_data(results: Results) -> Finding:
    """Ask which correlations on real data a cap raises, leaves as they are, and lowers."""
    frame = _correlations(results)
    counts, numbers = [], Numbers()
    for form, kernels in _forms_of(frame).items():
        for coefficient in ("spearman", "kendall"):
            _, change = _capped(frame, form, coefficient)
            counts.append([(change > 0).sum(), (change == 0).sum(), (change < 0).sum()])
            name, far = f"{coefficient.capitalize()}{kernels}", (change < -CHANGE).sum()
            numbers[f"correlations raised, unchanged and lowered, {name}"] = counts[-1]
            numbers[f"correlations lowered by more than {CHANGE:g}, {name}"] = far
    some = any(raised and same + lowered for raised, same, lowered in counts)
    mixed = all(min(counted) > 0 for counted in counts)
    return Finding(HOLDS if mixed else IN_PART if some else FAILS, numbers)


def other_factors_than_probabilities_near_1(results: Results) -> Finding:
    """Check whether classifiers disagree if a cap on probabilities changes nothing."""
    before, change = _capped(_correlations(results), "", "spearman")
    unlike = before + change < ALIKE
    untouched = unlike & (change == 0)
    items = table(results, "caps")
    without = items.loc[(items["cap"] == CAP) & (items["items"] == 0), "dataset"]
    uncapped = untouched.index.get_level_values("dataset").isin(without)
    numbers = {
        f"correlations below {ALIKE:g} with a cap of {CAP:g}": Count.of(unlike),
        "of these unchanged by the cap": untouched.sum(),
        "of these on data without a probability above it": (untouched & uncapped).sum(),
    }
    return Finding(HOLDS if untouched.any() else IN_PART if unlike.any() else FAILS, numbers)


def kendall_shows_the_same(results: Results) -> Finding:
    """Ask whether Kendall's coefficient is high and low where Spearman's is."""
    keys = ["measure", "first", "second"]
    real = _correlations(results, cap=0, form="published")
    synthetic = table(results, "correlations")
    printed = {number: _printed(results, number) for number in range(1, 15)}
    merged = [printed[one].merge(printed[two], on=["row", "column"]) for one, two in COEFFICIENTS]
    both = pd.concat(merged)[["value_x", "value_y"]]
    pairs = {
        "on real data": real.pivot(index=["dataset", *keys], columns="coefficient", values="value"),
        "on synthetic data": synthetic.pivot(
            index=[*keys, "cap", "interval"], columns="coefficient", values="mean"
        ),
        "as printed": both.set_axis(["spearman", "kendall"], axis=1),
    }
    likeness, numbers = [], Numbers()
    for where, wide in pairs.items():
        both = wide.dropna()
        likeness.append(Mean(both["spearman"].corr(both["kendall"], "spearman")).value)
        against = (both["spearman"] * both["kendall"] < 0) & (both.abs() > CHANGE).all(axis=1)
        numbers[f"correlation of their ranks {where}"] = likeness[-1]
        numbers[f"opposite signs beyond {CHANGE:g} {where}"] = Count.of(against)
    return Finding(tests.by_all(*Count.of(value >= SIMILAR for value in likeness)), numbers)


def _correlations(results: Results, **keys: Any) -> pd.DataFrame:
    """Return the correlations of two estimators with these values."""
    return rows(table(results, "regressor_correlations"), **keys)


def _spearman(results: Results, **keys: Any) -> pd.DataFrame:
    """Return Spearman's correlations without a cap of enough regressors."""
    frame = _correlations(results, **SPEARMAN, cap=0, **keys)
    return frame[frame["n"] >= ENOUGH].dropna(subset=["value"])


def _forms_of(frame: pd.DataFrame) -> dict[str, str]:
    """Return the endings of the names of kernel classifiers, and what their numbers are called."""
    published = frame["first"].eq("kernel_gaussian_published").any()
    return {"": "", **({"_published": AS_IN_PACKAGE} if published else {})}


def _classifiers(form: str) -> list[str]:
    """Return the names of the paper's classifiers, with kernels in a form."""
    return [*LINEAR, *(f"{name}{form}" for name in KERNEL_CLASSIFIERS)]


def _capped(frame: pd.DataFrame, form: str, coefficient: str) -> "tuple[pd.Series, pd.Series]":
    """Return the correlations of classifiers without a cap, and how a cap changes them."""
    keys, names = ["dataset", "measure", "first", "second"], _classifiers(form)
    chosen = {"form": "published", "coefficient": coefficient, "first": names, "second": names}
    before, after = (rows(frame, cap=cap, **chosen).set_index(keys)["value"] for cap in (0.0, CAP))
    change = (after - before).dropna()
    if change.empty:
        raise CannotTellError(
            f"results/tables/density_ratio/regressor_correlations.csv has no cap of {CAP:g}."
        )
    return before.loc[change.index], change


def _fisher(value: float, n: float) -> Mean:
    """Return Fisher's z of a Spearman correlation, with the error of Fieller et al. (1957)."""
    z = float(np.arctanh(np.clip(value, -1 + 1e-6, 1 - 1e-6)))
    return Mean(z, math.sqrt(1.06 / (n - 3)))


def _printed(results: Results, number: int) -> pd.DataFrame:
    """Return the printed numbers of a table: `row`, `column` and `value`."""
    frame = table(results, f"table_{number}")
    columns = [column for column in frame if str(column).endswith(" (published)")]
    cells = frame.melt("row", columns, var_name="column").dropna()
    if cells.empty:
        raise CannotTellError(f"results/{frame.attrs['path']} has no numbers.")
    cells["column"] = cells["column"].str.removesuffix(" (published)")
    parts = (cells["row"] + ", " + cells["column"]).str.split(", ").map(frozenset)
    return cells[~parts.duplicated()]  # a table of pairs has each twice


def _kernel_groups(results: Results) -> Mapping[str, str]:
    """Return the groups of linear with kernel classifiers of the run, and their numbers' names."""
    known = set(table(results, "conclusions")[PAIRS_OF])
    return {KERNEL: "", **({KERNEL_PUBLISHED: AS_IN_PACKAGE} if KERNEL_PUBLISHED in known else {})}


def _groups(results: Results, pairs: str) -> pd.DataFrame:
    """Return the mean and smallest correlation of pairs of estimators, by data and measure."""
    frame = table(results, "conclusions").dropna(subset=["mean", "smallest"])
    found = rows(frame, form="published", cap=0, **{PAIRS_OF: pairs})
    return found.set_index(["dataset", "measure"])


def _means(frame: pd.DataFrame, number: int, **keys: Any) -> list[Mean]:
    """Return the mean correlation over the seeds of a number of pairs of estimators."""
    found = rows(frame, **keys, **SPEARMAN).sort_values(["measure", "first", "second"])
    if len(found) < number or (found["repeats"] < 2).any():
        raise CannotTellError(
            "results/tables/density_ratio/correlations.csv has too few classifiers or repeats."
        )
    return [
        Mean(mean, sd / math.sqrt(n), n)
        for mean, sd, n in found[["mean", "sd", "repeats"]].itertuples(index=False)
    ]


def _mean_of(means: list[Mean]) -> Mean:
    """Return the mean of means of the same repeats; its error is at most the mean of theirs."""
    value = sum(mean.value for mean in means) / len(means)
    error = sum(mean.error for mean in means) / len(means)
    return Mean(value, error, means[0].runs)


def _by_most_signs(pairs: list[tuple[Mean, Mean]], signs: list[int]) -> str:
    """Return whether the first is larger in most pairs, and smaller in none."""
    if -1 in signs:
        return IN_PART if 1 in signs else FAILS
    if 2 * signs.count(1) > len(signs):
        return HOLDS
    return UNTOLD if tests.undecided(pairs, signs, CHANGE) else IN_PART if any(signs) else FAILS
