"""Checks of the paper's conclusions on caps of probabilities, for regressors of real data sets."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from fairpairs.base.texts import decimals
from fairpairs.papers.plan.claim_tests import Mean
from fairpairs.papers.plan.claims import CannotTellError, Finding, row, table
from fairpairs.papers.plan.results import Results
from fairpairs.papers.published.verdicts import FAILS, HOLDS, IN_PART
from fairpairs.papers.studies.density_ratio.regressor_checks import (
    ALIKE,
    ON_ONE_SPLIT,
    PAIRS,
    correlations,
    words_of,
)
from fairpairs.papers.studies.density_ratio.synthetic_checks import (
    CAP,
    CHANGE,
    KERNEL_FORM,
    classifiers,
    forms_of,
)

CAPS, SECTION_5 = (f"tables/density_ratio/{name}.csv" for name in ("caps", "section_5"))


def check_cap_on_data(results: Results) -> Finding:
    """Ask which correlations on real data a cap raises, leaves as they are, and lowers."""
    words, counts = [], []
    frame = correlations(results, coefficient=None, cap=None)
    for form in forms_of(frame):
        parts = []
        for coefficient in ("spearman", "kendall"):
            _, change = _capped(frame, form, coefficient)
            counted = [(change > 0).sum(), (change == 0).sum(), (change < 0).sum()]
            counts.append(counted)
            parts.append(
                f"{counted[0]}, {counted[1]} and {counted[2]} ({coefficient.capitalize()}; the "
                f"largest fall is {decimals(max(-change.min(), 0), 2)}, {(change < -CHANGE).sum()} "
                f"fall by more than {CHANGE:g})"
            )
        words.append(" and ".join(parts))
    reason = (
        f"Of {sum(counts[0])} correlations of two classifiers a cap of {CAP:g} raises, leaves as "
        f"they are and lowers {f'; {KERNEL_FORM} '.join(words)}. On one split."
    )
    mixed = [min(counted) > 0 for counted in counts]
    some = any(counted[0] and sum(counted[1:]) for counted in counts)
    verdict = HOLDS if all(mixed) else IN_PART if some else FAILS
    return Finding(verdict, reason, (PAIRS,))


def check_other_factors(results: Results) -> Finding:
    """Check whether classifiers disagree if a cap on probabilities changes nothing."""
    frame = correlations(results, cap=None)
    before, change = _capped(frame, "", "spearman")
    after = before + change
    unlike = after < ALIKE
    untouched = unlike & (change == 0)
    items = table(results, CAPS, text=("dataset", "regressor"))
    without = items.loc[(items["cap"] == CAP) & (items["items"] == 0), "dataset"]
    uncapped = untouched[untouched.index.get_level_values("dataset").isin(without)]
    reason = (
        f"With a cap of {CAP:g}, {unlike.sum()} of {len(after)} correlations of classifiers are "
        f"below {ALIKE:g} (without it {(before < ALIKE).sum()}), and the cap does not change "
        f"{untouched.sum()} of them. {uncapped.sum()} of these are of data sets on which logistic "
        f"regression states no probability above {CAP:g} ({', '.join(map(words_of, without))}). "
        f"{ON_ONE_SPLIT}"
    )
    verdict = HOLDS if untouched.any() else IN_PART if unlike.any() else FAILS
    return Finding(verdict, reason, (PAIRS, CAPS))


def check_values(results: Results) -> Finding:
    """Ask how a cap changes the independence of linear regression on Communities."""
    frame = table(results, CAPS, text=("dataset", "regressor"))
    keys = {"dataset": "communities", "regressor": "linear"}
    rows = [row(frame, cap=cap, **keys) for cap in (0.0, 0.999, 0.99, 0.9)]
    values = [Mean(float(cells["independence"])).value for cells in rows]
    printed = table(results, SECTION_5, text=("row",))
    capped = ", ".join(decimals(value, 1) for value in values[1:])
    texts = ", ".join(decimals(value, 2) for value in printed["Independence (published)"])
    items, theirs = rows[1]["items"], printed["Items above 0.999 (published)"].max()
    reason = (
        f"The independence of linear regression is {decimals(values[0], 1)} without a cap, and "
        f"{capped} with caps of 0.999, 0.99 and 0.9 (printed: {texts}, of a regressor that is not "
        f"named). A cap of 0.999 changes {decimals(items, 0)} of our "
        f"{decimals(rows[1]['tested'], 0)} test items; the paper has {decimals(theirs, 0)} items "
        "above it."
    )
    falls = sum(a > 2 * b for a, b in pairwise(values))
    any_half = max(values) > 2 * min(values)
    verdict = HOLDS if falls == 3 else IN_PART if any_half else FAILS
    return Finding(verdict, reason, (CAPS, SECTION_5))


def _capped(
    frame: pd.DataFrame, form: str, coefficient: str
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return the correlations of classifiers without a cap, and how a cap changes them."""
    keys, names = ["dataset", "measure", "first", "second"], classifiers(form)
    chosen = (frame["form"] == "published") & (frame["coefficient"] == coefficient)
    rows = frame[chosen & frame["first"].isin(names) & frame["second"].isin(names)]
    before, after = (rows[rows["cap"] == cap].set_index(keys)["value"] for cap in (0.0, CAP))
    change = (after - before).dropna()
    if change.empty:
        raise CannotTellError(f"results/{PAIRS} has no cap of {CAP:g}.", PAIRS)
    return before.loc[change.index], change
