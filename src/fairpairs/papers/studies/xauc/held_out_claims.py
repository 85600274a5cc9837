"""Checks of conclusions on all held-out items: the ranking and the calibration of the scores."""

from statistics import NormalDist

import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.base.texts import decimals, p_equals
from fairpairs.papers.plan.claim_tests import LEVEL, Mean, differences, within
from fairpairs.papers.plan.claims import CannotTellError, Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART, UNTOLD
from fairpairs.papers.studies.xauc.claim_tables import (
    ADULT,
    CALIBRATION,
    COMPAS,
    FRAMINGHAM,
    HELD_OUT,
    LEAK,
    NAMES,
    TEN_YEARS,
    TEXT,
    WITHOUT_FOLLOWUP,
    held_out,
    held_out_mean,
    signs,
    size,
    with_error,
)

#: The data sets that the abstract names.
OF_ABSTRACT = (COMPAS, ADULT, FRAMINGHAM)
#: Scores of a group at most this far from the shares of label 1 are "well-calibrated".
CALIBRATED = 0.05
#: A disparity that is smaller does not "persist".
NEGLIGIBLE = 0.01
#: The largest rounding error of a sum of rates with six digits.
ROUNDING = 1e-5
#: The rates of the first, the second and the third decomposition.
PARTS = (
    *("AUC(0)", "AUC(1)", "xAUC(0,1)", "xAUC(1,0)"),
    *("xAUC_1(0)", "xAUC_1(1)", "xAUC_0(0)", "xAUC_0(1)"),
)


def check_within(results: Results) -> Finding:
    """Check which disparities are significant, and whether the AUCs within groups show them."""
    rows = {n: [held_out(results, n, m) for m in ("ΔxAUC", "ΔAUC")] for n in OF_ABSTRACT}
    shown = signs(difference for gaps in rows.values() for difference in gaps)
    hidden, evident, words = [], [], []
    for (name, gaps), across, inside in zip(rows.items(), shown[::2], shown[1::2], strict=True):
        hidden.append(across not in (0, inside))
        evident.append(across != 0 and inside == across)
        text = f"{NAMES[name]}{' as printed' * (name == FRAMINGHAM)}: {_both(*gaps)}"
        words.append(text + ", for the other group" * (across * inside < 0))
    reason = f"On all held-out items, {'; '.join(words)}. {_framingham(results)}".strip()
    in_part = any(hidden) and any(evident)
    verdict = HOLDS if all(hidden) else FAILS if all(evident) else IN_PART if in_part else UNTOLD
    return Finding(verdict, reason, (HELD_OUT,))


def check_auc(results: Results) -> Finding:
    """Ask for which group of COMPAS the AUC is higher."""
    difference = held_out(results, COMPAS, "ΔAUC")
    (sign,) = signs([difference])
    first, second = (held_out_mean(results, COMPAS, f"AUC({group})") for group in (0, 1))
    reason = (
        f"On all held-out items the AUC is {with_error(first)} for everyone but white people and "
        f"{with_error(second)} for white people ({p_equals(difference['pvalue'])})."
    )
    return Finding(HOLDS if sign > 0 else FAILS if sign < 0 else UNTOLD, reason, (HELD_OUT,))


def check_persist(results: Results) -> Finding:
    """Ask whether there is a disparity on each data set."""
    rows = [held_out(results, name, "ΔxAUC") for name in NAMES]
    shown = signs(rows)
    words = "; ".join(f"{name} {_one(gap)}" for name, gap in zip(NAMES.values(), rows, strict=True))
    reason = f"ΔxAUC on all held-out items: {words}. {_framingham(results)}".strip()
    if all(shown):
        return Finding(HOLDS, reason, (HELD_OUT,))
    none = Mean(0.0)
    small = [
        bool(within([(Mean(gap["estimate"], gap["standard_error"]), none)], NEGLIGIBLE))
        for gap in rows
    ]
    verdict = FAILS if all(small) else IN_PART if any(small) else UNTOLD
    return Finding(verdict, reason, (HELD_OUT,))


def check_balanced(results: Results) -> Finding:
    """Compare the two balanced disparities on COMPAS."""
    negatives, positives = (
        size(held_out_mean(results, COMPAS, kind)) for kind in ("ΔxAUC_0", "ΔxAUC_1")
    )
    (sign,) = differences([(negatives, positives)])
    reason = (
        f"On all held-out items |ΔxAUC_0| is {with_error(negatives)} and |ΔxAUC_1| "
        f"{with_error(positives)}."
    )
    return Finding(HOLDS if sign > 0 else FAILS if sign < 0 else UNTOLD, reason, (HELD_OUT,))


def check_calibration(results: Results) -> Finding:
    """Compare the scores on COMPAS with the shares of label 1, of all and of each group."""
    frame = table(results, CALIBRATION, text=TEXT)
    dataset, attribute = COMPAS
    rows = {
        words: row(frame, dataset=dataset, attribute=attribute, group=group)
        for group, words in (("all", "all"), ("1", "white people"), ("0", "everyone else"))
    }
    means = {
        words: Mean(cells["deviation"], cells["standard_error"]) for words, cells in rows.items()
    }
    # one-sided, by Bonferroni; chance alone makes a deviation larger, so the lower bound is doubled
    times = NormalDist().inv_cdf(1 - LEVEL / len(means))
    right = [mean.value + times * mean.error <= CALIBRATED for mean in means.values()]
    wrong = [mean.value - 2 * times * mean.error > CALIBRATED for mean in means.values()]
    deviations = ", ".join(f"{with_error(mean)} ({words})" for words, mean in means.items())
    slopes = ", ".join(_slope(words, cells) for words, cells in rows.items())
    reason = (
        "Over ten bins of the score, the mean distance from the share of people who do not "
        f"reoffend is {deviations}, on all held-out items. Well-calibrated: at most "
        f"{CALIBRATED:g}, with one-sided 95 % bounds. Strictly, the scores are a little too "
        f"extreme where the calibration slope is below 1: {slopes}."
    )
    verdict = HOLDS if all(right) else FAILS if all(wrong) else IN_PART if any(wrong) else UNTOLD
    return Finding(verdict, reason, (CALIBRATION,))


def check_decomposition(results: Results) -> Finding:
    """Compute the AUC of each data set from the parts of Proposition 1."""
    frame = table(results, HELD_OUT, text=TEXT)
    off = []
    for _, rows in frame.groupby(["dataset", "attribute"], sort=False):
        rates = rows.set_index("measure")
        if not {*PARTS, "AUC"} <= set(rates.index) or rates["estimate"].isna().any():
            raise CannotTellError("The run has not all numbers that it rests on.", HELD_OUT)
        off += [abs(value - float(rates["estimate"]["AUC"])) for value in _decompositions(rates)]
    if not off:
        raise CannotTellError("The run has not all numbers that it rests on.", HELD_OUT)
    reason = (
        "By the numbers of items in each group, the AUC of all held-out items is the weighted mean "
        "of xAUC and AUC, that of xAUC_1 and that of xAUC_0, up to rounding, on all "
        f"{len(off) // 3} data sets and attributes. It is a law of conditional probability, and "
        "every ranking of the run is checked for it."
    )
    return Finding(HOLDS if max(off) < ROUNDING else FAILS, reason, (HELD_OUT,))


def _decompositions(rates: pd.DataFrame) -> list[float]:
    pairs = rates["positives"] * rates["negatives"]
    shares = rates["estimate"] * pairs / pairs["AUC"]
    parts = (PARTS[:4], PARTS[4:6], PARTS[6:])
    return [float(shares[list(part)].sum()) for part in parts]


def _framingham(results: Results) -> str:
    """Return the disparities on Framingham without later knowledge; empty without such rows."""
    frame = table(results, HELD_OUT, text=TEXT)
    if not {WITHOUT_FOLLOWUP[0], TEN_YEARS[0]} <= set(frame["dataset"]):
        return ""
    without, ten_years = (
        _both(*(held_out(results, name, m) for m in ("ΔxAUC", "ΔAUC")))
        for name in (WITHOUT_FOLLOWUP, TEN_YEARS)
    )
    return (
        f"The printed numbers of Framingham {LEAK}. Without that feature: {without}; with the "
        f"label of the text, within ten years: {ten_years}."
    )


def _both(across: Series, inside: Series) -> str:
    return f"ΔxAUC {_one(across)}, ΔAUC {_one(inside)}"


def _one(difference: Series) -> str:
    return f"{decimals(difference['estimate'], 3, sign=True)} ({p_equals(difference['pvalue'])})"


def _slope(words: str, cells: Series) -> str:
    return f"{decimals(cells['slope'], 2)} ± {decimals(cells['slope_error'], 2)} ({words})"
