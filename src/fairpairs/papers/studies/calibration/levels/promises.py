"""Promises of a test: level, coverage and power, and whether what was measured keeps them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import betaincinv

from fairpairs.base.arrays import Floats
from fairpairs.base.plain_values import Record

#: A promise counts as broken if chance alone explains the measured number with a probability below
#: 1 minus this.
CONFIDENCE = 0.99
#: Least coverage of an interval of 95 %, without and with a note.
COVERAGE = (0.93, 0.90)
#: The power may lie this far below the planned power.
POWER_MARGIN = 0.03

COLUMNS = (
    "test",
    "case",
    "promise",
    "of",
    "noted",
    "promised",
    "measured",
    "standard_error",
    "bound",
    "sets",
    "kept",
)


def level_row(of: str, noted: bool, rejected: int, sets: int, alpha: float) -> Record:
    """Judge a number of wrong rejections; twice the level is allowed with a note."""
    rate = rejected / sets
    error = np.sqrt(rate * (1 - rate) / sets)
    return _row("level", of, noted, 2 * alpha if noted else alpha, rejected, rate, error, sets)


def coverage_row(of: str, noted: bool, shares: Floats, alpha: float) -> Record:
    """Judge the share of covered truths in each data set (intervals of one set are dependent)."""
    sets, rate = len(shares), float(shares.mean())
    promised = 1 - (1 - COVERAGE[noted]) * alpha / 0.05
    error = shares.std(ddof=1) / np.sqrt(sets) if sets > 1 else np.nan
    return _row("coverage", of, noted, promised, rate * sets, rate, error, sets)


def power_row(planned: float, detected: int, sets: int) -> Record:
    """Judge how many studies of the planned size detected the violation."""
    rate = detected / sets
    error = np.sqrt(rate * (1 - rate) / sets)
    promised = planned - POWER_MARGIN
    return _row("power", f"{planned:g}", False, promised, detected, rate, error, sets)


def margin_row(of: str, rejected: int, sets: int, alpha: float) -> Record:
    """Judge a number of rejections at the margin; a note does not allow more."""
    rate = rejected / sets
    error = np.sqrt(rate * (1 - rate) / sets)
    return _row("margin", of, False, alpha, rejected, rate, error, sets)


def _row(
    promise: Literal["level", "coverage", "power", "margin"],
    of: str,
    noted: bool,
    promised: float,
    count: float,
    rate: float,
    error: float,
    sets: int,
) -> Record:
    """Compare Clopper and Pearson's one-sided bound, in favour of the test, with the promise."""
    at_most = promise in ("level", "margin")
    if at_most:
        bound = 0.0 if count == 0 else betaincinv(count, sets - count + 1, 1 - CONFIDENCE)
    else:
        bound = 1.0 if count >= sets else betaincinv(count + 1, sets - count, CONFIDENCE)
    return {
        "promise": promise,
        "of": of,
        "noted": noted,
        "promised": promised,
        "measured": rate,
        "standard_error": float(error),
        "bound": float(bound),
        "sets": sets,
        "kept": bool(bound <= promised if at_most else bound >= promised),
    }
