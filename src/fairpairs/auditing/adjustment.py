"""Adjusted p-values and verdicts: of each row, and of the criteria that count for the whole audit.

A row is judged within its family, all hypotheses of one attribute and one criterion. The whole is
judged by the criteria that count, over all attributes together, so that a fair model is called
violated in at most the level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.auditing.comparison import Row
from fairpairs.auditing.criteria import CRITERIA
from fairpairs.auditing.groups import Attribute
from fairpairs.auditing.messages import more_shuffles
from fairpairs.auditing.verdicts import (
    MEASURED,
    NOT_ESTIMATED,
    NOT_SHOWN,
    NOT_TESTED,
    VIOLATED,
)
from fairpairs.fairness.estimates import ROUNDING, UNVARYING
from fairpairs.fairness.results import Correction, adjusted

#: Columns of the tests against a margin.
MARGIN_COLUMNS = (
    "margin", "margin_low", "margin_high", "pvalue_within", "pvalue_beyond", "pvalue_beyond_gate"
)  # fmt: skip


@dataclass(frozen=True)
class Gate:
    """The criteria that count for the whole audit, and their joint verdict.

    Attributes
    ----------
    criteria
        That count.
    hypotheses
        Number of those that are tested.
    pvalue
        The smallest, adjusted over all of them; None when none could be tested.
    shuffles_needed
        The number of shuffles needed if there are too few for a p below the level, else 0.
    none_can_be_below
        Whether there are too few shuffles for all hypotheses.
    shown
        Whether all that counts is shown to lie within the margin; None without a margin.
    """

    criteria: list[str]
    hypotheses: int
    pvalue: float | None
    shuffles_needed: int
    none_can_be_below: bool
    shown: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return its entry in `about` of an audit."""
        return {
            "criteria": self.criteria, "hypotheses": self.hypotheses, "pvalue": self.pvalue,
            "shown": self.shown,
        }  # fmt: skip


def judge(
    rows: Mapping[str, list[Row]], attribute: Attribute, alpha: float, correction: Correction
) -> pd.DataFrame:
    """Adjust the p-values of each criterion, and give each row its verdict; group by group."""
    tables = []
    for name, of_criterion in rows.items():
        table = pd.DataFrame([vars(row) for row in of_criterion])
        table[list(MARGIN_COLUMNS)] = np.nan
        pvalues = adjusted(table["pvalue"].to_numpy(dtype=float), correction)
        needed = _shuffles_needed(table, alpha, correction)
        unvarying = _unvarying(table)
        table["pvalue"] = table["pvalue"].mask(unvarying, 1.0)
        pvalues = np.where(unvarying, 1.0, pvalues)
        tested = np.isfinite(pvalues)
        table["pvalue_adjusted"] = pvalues
        table["verdict"] = np.select(
            [~np.isfinite(table["estimate"]), tested & (pvalues < alpha), needed > 0, tested],
            [NOT_ESTIMATED, VIOLATED, NOT_TESTED, NOT_SHOWN],
            MEASURED if CRITERIA[name].measured else NOT_TESTED,
        )
        too_few = table["verdict"].eq(NOT_TESTED) & (needed > 0)
        more = np.array([more_shuffles(alpha, n) for n in needed])
        table["note"] = table["note"].where(~too_few, table["note"] + more)
        tables.append(table)
    together = pd.concat(tables, ignore_index=True)
    order = {name: i for i, name in enumerate(attribute.names)}
    return together.sort_values("group", key=lambda group: group.map(order), kind="stable")


def _unvarying(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows compare equal rates without variance, as of a perfect model.

    Their p is 1, and they do not count in the number of hypotheses.
    """
    equal = table["note"].str.startswith(UNVARYING) & (table["estimate"].abs() <= ROUNDING)
    return equal.to_numpy(dtype=bool)


def judge_all(table: pd.DataFrame, counted: tuple[str, ...], alpha: float) -> Gate:
    """Adjust the p-values of the criteria that count over all attributes, as `pvalue_gate`."""
    counts, unvarying = table["criterion"].isin(counted).to_numpy(), _unvarying(table)
    hypotheses = table.assign(pvalue=table["pvalue"].where(counts & ~unvarying))
    pvalues = adjusted(hypotheses["pvalue"].to_numpy(dtype=float), "holm")
    table["pvalue_gate"] = np.where(counts & unvarying, 1.0, pvalues)
    smallest = float(table["pvalue_gate"].min())
    needed = _shuffles_needed(hypotheses, alpha, "holm")
    return Gate(
        criteria=list(counted),
        hypotheses=int(np.isfinite(pvalues).sum()),
        pvalue=None if np.isnan(smallest) else smallest,
        shuffles_needed=int(needed.max()),
        none_can_be_below=bool(needed.any() and needed[np.isfinite(pvalues)].all()),
    )


def _shuffles_needed(
    table: pd.DataFrame, alpha: float, correction: Correction
) -> NDArray[np.int64]:
    """Return the shuffles that a row needs if its p cannot be below the level, else 0.

    The p of B shuffles is at least 1 / (B + 1), which is then adjusted with the rest of its family.
    """
    observed = table["pvalue"].to_numpy(dtype=float)
    shuffles = table["shuffles"].to_numpy(dtype=np.int64)
    family = int(np.isfinite(observed).sum())
    needed = np.zeros(len(table), dtype=np.int64)
    for place in np.flatnonzero(np.isfinite(observed) & (shuffles > 0)):
        best = observed.copy()
        best[place] = 1 / (shuffles[place] + 1)
        if adjusted(best, correction)[place] >= alpha:
            share = {
                "none": alpha, "holm": alpha / family, "sidak": -np.expm1(np.log1p(-alpha) / family)
            }[correction]  # fmt: skip
            needed[place] = math.floor(1 / share + 1e-9)
    return needed
