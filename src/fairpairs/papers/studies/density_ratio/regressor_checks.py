"""Checks of the paper's conclusions on how estimators rank regressors of real data sets."""

import math
from itertools import combinations

import numpy as np
import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.plan.claim_tests import LEVEL, Mean, differences
from fairpairs.papers.plan.claims import CannotTellError, Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.density_ratio.regressor_tables import GROUPS, MATCHED
from fairpairs.papers.studies.density_ratio.synthetic_checks import (
    CHANGE,
    FIRST,
    INTERVALS,
    KERNEL_FORM,
    LAST,
    LINEAR_CLASSIFIERS,
    SYNTHETIC,
    classifiers,
    span,
)

CONCLUSIONS, PAIRS, REGRESSORS, ESTIMATORS = (
    f"tables/density_ratio/{name}.csv"
    for name in ("conclusions", "regressor_correlations", "regressors", "estimators")
)
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
#: A correlation of fewer regressors says nothing.
ENOUGH = 10
#: Rows of the table of conclusions.
LINEAR, KERNEL, KERNEL_PUBLISHED, *_ = GROUPS
#: The estimators of Table 2.
OF_TABLE_2 = ("logistic", "kernel_polynomial", *MATCHED)
ON_ONE_SPLIT = "Spearman correlations over 22 regressors, on one split."


def check_ranking(results: Results) -> Finding:
    """Ask whether two estimators rank regressors in opposite orders."""
    frame = correlations(results)
    frame = frame[frame["n"] >= ENOUGH].dropna(subset=["value"])
    published, right = (frame[frame["form"] == form] for form in ("published", "quotient"))
    unlike, shown = int((published["value"] < ALIKE).sum()), _reversed(published)
    reason = (
        f"As published, {unlike} of {len(published)} correlations of two estimators are below "
        f"{ALIKE:g}, and {(published['value'] < 0).sum()} are negative, {shown} of them "
        f"significantly (Holm; the smallest is {decimals(published['value'].min(), 2)}). With "
        f"ratios in the right form {(right['value'] < 0).sum()} of {len(right)} are negative, "
        f"{_reversed(right)} significantly. {ON_ONE_SPLIT}"
    )
    verdict = HOLDS if shown else IN_PART if unlike else FAILS
    return Finding(verdict, reason, (PAIRS,))


def check_linear(results: Results) -> Finding:
    """Ask whether linear classifiers agree everywhere."""
    rows = _groups(results, LINEAR)
    alike = int((rows["smallest"] > ALIKE).sum())
    reason = (
        f"The smallest of {rows['pairs'].sum()} correlations is "
        f"{decimals(rows['smallest'].min(), 2)}; all are above {ALIKE:g} in {alike} of {len(rows)} "
        f"cases (three data sets, three measures). {ON_ONE_SPLIT}"
    )
    verdict = HOLDS if alike == len(rows) else IN_PART if alike else FAILS
    return Finding(verdict, reason, (CONCLUSIONS,))


def check_penalty(results: Results) -> Finding:
    """Check how much a penalty changes the measures by linear classifiers of one or two inputs."""
    frame = table(results, REGRESSORS, text=("regressor", "dataset"))
    cases = {
        (measure, dataset): part[[f"{name}, {measure}" for name in LINEAR_CLASSIFIERS]]
        for dataset, part in frame.groupby(frame["dataset"].astype(str), sort=False)
        for measure in ("independence", "separation", "sufficiency")
    }
    changes = {
        (*case, name): Mean((part[f"{name}, {case[0]}"] / part.iloc[:, 0] - 1).abs().median()).value
        for case, part in cases.items()
        for name in LINEAR_CLASSIFIERS[1:]
    }
    small = sum(change < HARDLY for change in changes.values())
    (measure, dataset, name), most = max(changes.items(), key=lambda item: item[1])
    by_gap = table(results, ESTIMATORS, text=("interval", "estimator"))
    ratios = {
        interval: Mean(
            math.exp(
                row(by_gap, cap=0, interval=interval, estimator="ridge")["bias"]
                - row(by_gap, cap=0, interval=interval, estimator="logistic")["bias"]
            )
        ).value
        for interval in INTERVALS
    }
    reason = (
        f"On real data ridge and lasso change the measured value by less than {HARDLY:.0%} (median "
        f"over regressors) in {small} of {len(changes)} cases; the most is {most:.0%} ({measure} "
        f"on {words_of(dataset)}, {name}). On synthetic data independence has one input at every "
        f"gap: ridge's is {ratios[FIRST]:.0%} of logistic regression's at means of {FIRST} "
        f"(geometric mean), and {ratios[LAST]:.0%} at means of {LAST}. So a penalty can matter "
        "with one input, if the groups are far apart."
    )
    # the paper says "could", of the regressors of real data
    return Finding(_by_most(small, len(changes)), reason, (REGRESSORS, ESTIMATORS))


def check_kernel(results: Results) -> Finding:
    """Ask where linear and kernel classifiers do not agree, in both forms of the kernels."""
    verdicts, words, alike = [], [], ""
    for group in _kernel_groups(results):
        rows = _groups(results, group)
        unlike = int((rows["mean"] < ALIKE).sum())
        verdicts.append(_by_most(unlike, len(rows)))
        words.append(
            f"{span(rows['mean'])} (the smallest of a pair: {decimals(rows['smallest'].min(), 2)}"
            f"), below {ALIKE:g} in {unlike} of {len(rows)} cases"
        )
        alike = alike or _exceptions(rows)
    reason = f"Their mean correlations are {f'; {KERNEL_FORM} '.join(words)}. {alike}{ON_ONE_SPLIT}"
    verdict = verdicts[0] if len(set(verdicts)) == 1 else IN_PART
    return Finding(verdict, reason, (CONCLUSIONS,))


def check_boundaries(results: Results) -> Finding:
    """Check whether kernels disagree with linear classifiers if only their boundary differs."""
    rows = _groups(results, KERNEL)
    unlike = int((rows["mean"] < ALIKE).sum())
    reason = (
        "With the intercept, kernels differ from linear classifiers by their boundary and penalty, "
        f"and agree with them by less than {ALIKE:g} in {unlike} of {len(rows)} cases."
    )
    if KERNEL_PUBLISHED in _kernel_groups(results):
        keys = ["dataset", "measure"]
        right, without = (
            _groups(results, group).set_index(keys)["mean"] for group in (KERNEL, KERNEL_PUBLISHED)
        )
        lower = (without - right < -CHANGE).sum()
        reason += (
            f" The lack of an intercept can be a second reason: {KERNEL_FORM} the mean correlation "
            f"is lower by more than {CHANGE:g} in {lower} of {len(right)} cases (their width and "
            "penalty differ, too)."
        )
    reason += f" {ON_ONE_SPLIT}"
    return Finding(_by_most(unlike, len(rows)), reason, (CONCLUSIONS,))


def check_matching(results: Results) -> Finding:
    """Ask how little ratio matching correlates with classifiers, in both forms."""
    words, lows = _lows(results, (*classifiers(""),), MATCHED)
    reason = (
        f"With five classifiers, {words}. What the paper calls LSIF and uLSIF is uLSIF and RuLSIF. "
        f"{ON_ONE_SPLIT}"
    )
    verdicts = {_by_most(low, number) for low, number in lows}
    return Finding(verdicts.pop() if len(verdicts) == 1 else IN_PART, reason, (PAIRS,))


def check_matching_among(results: Results) -> Finding:
    """Ask whether some estimators that match ratios correlate little with one another."""
    words, lows = _lows(results, MATCHED, MATCHED)
    verdicts = {HOLDS if low else FAILS for low, _ in lows}
    verdict = verdicts.pop() if len(verdicts) == 1 else IN_PART
    return Finding(verdict, f"With one another, {words}. {ON_ONE_SPLIT}", (PAIRS,))


def check_data_sets(results: Results) -> Finding:
    """Ask whether two estimators agree more on one data set than on another."""
    keys = ["measure", "first", "second"]
    frame = correlations(results)
    in_table = frame["first"].isin(OF_TABLE_2) & frame["second"].isin(OF_TABLE_2)
    ours = frame[(frame["form"] == "published") & in_table]
    printed = _printed(results, 2)
    printed[["measure", "first"]] = printed["row"].str.split(", ", expand=True)
    printed[["second", "dataset"]] = printed["column"].str.split(", ", expand=True)
    printed = printed.assign(n=ours["n"].max())
    counts, words = [], []
    for source, rows in (("ours", ours), ("the printed ones", printed)):
        pairs = [
            [
                (group, _fisher(one, n), _fisher(other, m))
                for (one, n), (other, m) in combinations(
                    part[["value", "n"]].dropna().to_numpy(), 2
                )
            ]
            for group, part in rows.groupby(keys, sort=False)
        ]
        flat = [pair for group_pairs in pairs for pair in group_pairs]
        signs = differences([(one, other) for _, one, other in flat])
        shown = {group for (group, *_), sign in zip(flat, signs, strict=True) if sign}
        spread = rows.groupby(keys)["value"].agg(np.ptp)
        counts.append(len(shown))
        words.append(
            f"{source} by {decimals(spread.median(), 2)} in the median and "
            f"{decimals(spread.max(), 2)} at most, beyond the error of {ours['n'].max():.0f} "
            f"regressors for {len(shown)} of {sum(map(bool, pairs))} pairs (Holm)"
        )
    reason = (
        "Correlations of two estimators of Table 2 differ between the data sets: "
        f"{'; '.join(words)}. {ON_ONE_SPLIT}"
    )
    return Finding(HOLDS if counts[0] else UNTOLD, reason, (PAIRS, TABLES[2]))


def check_kendall(results: Results) -> Finding:
    """Ask whether Kendall's coefficient is high and low where Spearman's is."""
    keys = ["measure", "cap", "interval", "first", "second"]
    synthetic = table(results, SYNTHETIC, text=("measure", "interval", "coefficient"))
    real = correlations(results, coefficient=None).query("form == 'published'")
    pairs = {
        "on real data": real.pivot(
            index=["dataset", *keys[:1], *keys[3:]], columns="coefficient", values="value"
        ),
        "on synthetic data": synthetic.pivot(index=keys, columns="coefficient", values="mean"),
        "as printed": pd.concat(
            [
                _printed(results, one).merge(_printed(results, two), on=["row", "column"])
                for one, two in COEFFICIENTS
            ]
        )[["value_x", "value_y"]].set_axis(["spearman", "kendall"], axis=1),
    }
    words, likeness = [], []
    for where, both in pairs.items():
        rows = both.dropna()
        likeness.append(Mean(rows["spearman"].corr(rows["kendall"], "spearman")).value)
        against = (rows["spearman"] * rows["kendall"] < 0) & (rows.abs() > CHANGE).all(axis=1)
        words.append(
            f"{decimals(likeness[-1], 3)} {where} ({against.sum()} of {len(rows)} have opposite "
            f"signs beyond {CHANGE:g})"
        )
    reason = f"The ranks of the two coefficients correlate by {', '.join(words)}."
    alike = sum(value >= SIMILAR for value in likeness)
    verdict = HOLDS if alike == len(likeness) else IN_PART if alike else FAILS
    return Finding(verdict, reason, (PAIRS, SYNTHETIC, *TABLES.values()))


#: The paper's tables of correlations, by number.
TABLES = {
    number: f"tables/density_ratio/table_{number}.csv"
    for number in sorted(number for pair in COEFFICIENTS for number in pair)
}


def correlations(
    results: Results, *, coefficient: str | None = "spearman", cap: float | None = 0.0
) -> pd.DataFrame:
    """Return the correlations of two estimators, of one coefficient and cap or of all."""
    frame = table(results, PAIRS, text=("dataset", "form", "measure", "coefficient"))
    if coefficient is not None:
        frame = frame[frame["coefficient"] == coefficient]
    if cap is not None:
        frame = frame[frame["cap"] == cap]
    if frame.empty:
        raise CannotTellError(f"results/{PAIRS} has no such correlations.", PAIRS)
    return frame


def _reversed(rows: pd.DataFrame) -> int:
    """Count the correlations that are shown to be negative."""
    pvalues = adjusted(rows["pvalue"].to_numpy(np.float64), "holm")
    return int(((rows["value"] < 0) & (pvalues < LEVEL)).sum())


def _lows(
    results: Results, names: tuple[str, ...], others: tuple[str, ...]
) -> tuple[str, list[tuple[int, int]]]:
    """Count low correlations as published and in the right form: in words, and as numbers."""
    frame = correlations(results)
    chosen = frame["first"].isin(names) & frame["second"].isin(others) & (frame["n"] >= ENOUGH)
    rows = frame[chosen].dropna(subset=["value"])
    words, lows = [], []
    for form in ("published", "quotient"):
        values = rows.loc[rows["form"] == form, "value"]
        if values.empty:
            raise CannotTellError(f"results/{PAIRS} has no {form} form.", PAIRS)
        lows.append((int((values < LOW).sum()), len(values)))
        words.append(
            f"{lows[-1][0]} of {len(values)} correlations are below {LOW:g} (median "
            f"{decimals(values.median(), 2)}, {span(values)})"
        )
    return (
        f"as published, {words[0]}. That form multiplies ratios that must be divided; in the right "
        f"one, of the pairs with at least {ENOUGH} finite values, {words[1]}"
    ), lows


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
        raise CannotTellError(f"results/{TABLES[number]} has no numbers.", TABLES[number])
    cells["column"] = cells["column"].str.removesuffix(" (published)")
    parts = (cells["row"] + ", " + cells["column"]).str.split(", ").map(frozenset)
    return cells[~parts.duplicated()]  # a table of pairs has each twice


def _kernel_groups(results: Results) -> list[str]:
    """Return the groups of linear with kernel classifiers that the run has."""
    frame = table(results, CONCLUSIONS, text=("dataset", "measure", "form", "pairs of estimators"))
    present = set(frame["pairs of estimators"])
    return [KERNEL, *({KERNEL_PUBLISHED} & present)]


def _groups(results: Results, pairs: str) -> pd.DataFrame:
    """Return the mean and smallest correlation of pairs of estimators, by data and measure."""
    frame = table(results, CONCLUSIONS, text=("dataset", "measure", "form", "pairs of estimators"))
    chosen = (frame["form"] == "published") & (frame["cap"] == 0)
    chosen &= frame["pairs of estimators"] == pairs
    rows = frame[chosen].dropna(subset=["mean", "smallest"])
    if rows.empty:
        raise CannotTellError(f"results/{CONCLUSIONS} has no {pairs}.", CONCLUSIONS)
    return rows


def _by_most(number: int, cases: int) -> str:
    return HOLDS if 2 * number > cases else IN_PART if number else FAILS


def _exceptions(rows: pd.DataFrame) -> str:
    """Name the cases that are alike."""
    alike = rows[rows["mean"] >= ALIKE]
    words = [
        f"{measure} on {words_of(dataset)} ({decimals(value, 2)})"
        for dataset, measure, value in alike[["dataset", "measure", "mean"]].itertuples(index=False)
    ]
    return f"Alike: {', '.join(words)}. " if words else ""


def words_of(dataset: str) -> str:
    """Return the name of a data set as words."""
    return dataset.replace("_", " ")
