"""Adjusted p-values and verdicts: of each row, and of the criteria that count for the whole audit.

A row is judged within its family, all hypotheses of one attribute and one criterion. The whole is
judged by the criteria that count, over all attributes together, so that a fair model is called
violated in at most the level. With a margin, each row is also tested for lying within it and for
exceeding it, and a model whose differences lie within it is called violated in at most the level.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.criteria import ALL_CRITERIA
from fairpairs.audits.criteria.rows import Row
from fairpairs.audits.lines.verdicts import (
    MEASURED,
    NOT_TESTED,
    adjusted_within,
    among,
    families,
    ladder,
    over_all,
    shown_within,
    smallest,
)
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import ROUNDING, UNVARYING
from fairpairs.mathematics.inference.contrasts.score import AnchoredContrast, at_once
from fairpairs.mathematics.inference.results import Correction, adjusted

NO_MARGIN_TEST = f"{NOT_TESTED} against the margin"


def judge(
    rows: Sequence[Row], alpha: float, correction: Correction, margins: Mapping[str, float]
) -> pd.DataFrame:
    """Return rows as a table, with the p-values adjusted within each family, and the verdicts.

    `margins` are those of the criteria that have one. The table also has the unadjusted p-value of
    a difference within the margin, `beyond`, which `judge_all` adjusts.
    """
    table = pd.DataFrame([vars(row) for row in rows])
    estimate, pvalue = (table[name].to_numpy(dtype=float) for name in ("estimate", "pvalue"))
    notes, each = [row.note for row in rows], families((r.attribute, r.criterion) for r in rows)
    shuffles, needed = table["shuffles"].to_numpy(), np.zeros(len(rows), dtype=np.int64)
    for family in each if shuffles.any() else ():
        needed[family] = _shuffles_needed(pvalue[family], shuffles[family], alpha, correction)
    # equal rates without variance, as of a perfect model, have p 1, and are no hypotheses
    equal = np.array([note.startswith(UNVARYING) for note in notes], dtype=bool)
    unvarying = equal & (np.abs(estimate) <= ROUNDING)
    pvalue_adjusted = np.where(unvarying, 1.0, adjusted_within(each, pvalue, correction))
    tested = np.isfinite(pvalue_adjusted)
    margin = np.array([margins.get(row.criterion, np.nan) for row in rows])
    margin_low, margin_high, within, beyond = np.full((4, len(rows)), np.nan)
    pvalue_beyond = beyond
    if margins:
        margin_low, margin_high, within, beyond = _test_margins(rows, each, notes, margin, alpha)
        pvalue_beyond = adjusted_within(each, beyond, correction)
    measured = np.array([ALL_CRITERIA[row.criterion].measured for row in rows])
    verdict = ladder(
        np.isfinite(estimate),
        tested & (needed == 0),
        found=tested & (pvalue_adjusted < alpha),
        beyond=pvalue_beyond < alpha,
        within=within < alpha,
        untested=np.where(measured & (needed == 0), MEASURED, NOT_TESTED),
    )
    for i in np.flatnonzero(needed > 0):
        if verdict[i] == NOT_TESTED:
            notes[i] += f"; too few for a p below {alpha:g}: at least {needed[i]:,} are needed"
    return table.assign(
        pvalue=np.where(unvarying, 1.0, pvalue),
        note=notes,
        pvalue_adjusted=pvalue_adjusted,
        margin=margin,
        margin_low=margin_low,
        margin_high=margin_high,
        pvalue_within=within,
        beyond=beyond,
        pvalue_beyond=pvalue_beyond,
        verdict=verdict,
        unvarying=unvarying,
    )


def _test_margins(
    rows: Sequence[Row],
    families: Iterable[Sequence[int]],
    notes: list[str],
    margins: Floats,
    alpha: float,
) -> Floats:
    """Test each row against its margin, NaN for none; a row without such a test gets a note.

    Return both limits and the p-values of `within` and `beyond`, shape (4, rows).
    """
    tests = np.full((4, len(rows)), np.nan)
    for family in families:
        margin = float(margins[family[0]])
        if np.isnan(margin):
            continue
        contrasts = (rows[i].contrast for i in family)
        plain = (one.other if isinstance(one, AnchoredContrast) else one for one in contrasts)
        at_once(plain, [2 * alpha], [margin, -margin])
        for i in family:
            contrast = rows[i].contrast
            if contrast is not None and np.isfinite(rows[i].estimate):
                within = contrast.within_and_interval(margin, alpha)
                tests[:, i] = [*within, contrast.beyond(margin)]
            elif np.isfinite(rows[i].estimate):
                notes[i] = f"{notes[i]}; {NO_MARGIN_TEST}" if notes[i] else NO_MARGIN_TEST
    return tests


def judge_all(
    table: pd.DataFrame, counted: tuple[str, ...], alpha: float
) -> tuple[Record, int, bool]:
    """Adjust the p-values of the criteria that count over all attributes.

    Return what `about` has of the gate; the number of shuffles needed if there are too few for a p
    below the level, else 0; and whether there are too few for all hypotheses.

    `pvalue_gate` is that of a difference. `pvalue_beyond_gate`, with a margin, is that of a
    difference beyond it, and of any difference for rows of a criterion without one.
    """
    counts = among(table, counted)
    pvalue, margin, beyond, within = (
        table[name].to_numpy(dtype=float)
        for name in ("pvalue", "margin", "beyond", "pvalue_within")
    )
    unvarying, shuffles = (table[name].to_numpy() for name in ("unvarying", "shuffles"))
    with_margin = not np.isnan(margin).all()
    decides = np.where(np.isnan(margin), pvalue, beyond)
    table["pvalue_gate"] = deciding = over_all(pvalue, counts, unvarying)
    if with_margin:
        deciding = over_all(decides, counts, unvarying)
    table["pvalue_beyond_gate"] = deciding if with_margin else np.nan
    hypotheses = np.where(counts & ~unvarying, decides, np.nan)
    needed = np.zeros(len(table), dtype=np.int64)
    if shuffles.any():
        needed = _shuffles_needed(hypotheses, shuffles, alpha, "holm")
    untested = int(np.isnan((within if with_margin else deciding)[counts]).sum())
    largest = float(np.fmax.reduce(within[counts], initial=np.nan))
    return (
        {
            "criteria": list(counted),
            "lines": int(counts.sum()),
            "hypotheses": int((counts & ~np.isnan(deciding) & ~unvarying).sum()),
            "untested": untested,
            "within": int((within[counts] < alpha).sum()) if with_margin else None,
            "beyond": int((deciding[counts] < alpha).sum()) if with_margin else None,
            "pvalue": smallest(deciding),
            "pvalue_within": None if untested or np.isnan(largest) else largest,
            "shown": shown_within(within, counts, alpha) if with_margin else None,
        },
        int(needed.max()),
        bool(needed.any() and needed[np.isfinite(hypotheses)].all()),
    )


def _shuffles_needed(
    observed: Floats, shuffles: Integers, alpha: float, correction: Correction
) -> NDArray[np.int64]:
    """Return the shuffles that a row needs if its p cannot be below the level, else 0.

    The p of B shuffles is at least 1 / (B + 1), which is then adjusted with the rest of its family.
    """
    family = int(np.isfinite(observed).sum())
    needed = np.zeros(len(observed), dtype=np.int64)
    for i in np.flatnonzero(np.isfinite(observed) & (shuffles > 0)):
        best = observed.copy()
        best[i] = 1 / (shuffles[i] + 1)
        if adjusted(best, correction)[i] >= alpha:
            share = {
                "none": alpha,
                "holm": alpha / family,
                "sidak": -np.expm1(np.log1p(-alpha) / family),
            }[correction]
            needed[i] = math.floor(1 / share + 1e-9)
    return needed
