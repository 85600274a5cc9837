"""Adjusted p-values and verdicts: of each row, and of the criteria that count for the whole audit.

A row is judged within its family, all hypotheses of one attribute and one criterion. The whole is
judged by the criteria that count, over all attributes together, so that a fair model is found to be
violated in no more than the level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.auditing.criteria import CRITERIA, Row, not_applicable
from fairpairs.auditing.roles import Attribute, Roles, Wording
from fairpairs.auditing.verdicts import (
    MEASURED,
    NOT_ESTIMATED,
    NOT_SHOWN,
    NOT_TESTED,
    VIOLATED,
    WITHOUT_TEST,
)
from fairpairs.errors import InputError, shown
from fairpairs.fairness.estimates import ROUNDING, UNVARYING
from fairpairs.fairness.results import Correction, adjusted


def criteria_that_count(
    roles: Roles,
    criterion: str | Sequence[str] | None,
    n_permutations: int,
    wording: Wording,
) -> tuple[str, ...]:
    """Return the criteria that count for the gate: those named, or one for each role.

    By default these test separation once for each role: decisions by their rates, scores by their
    ranking, and numbers by comparisons.

    Raises
    ------
    InputError
        When a named criterion is unknown, does not apply, or has no test.
    """
    left_out = not_applicable(roles)
    if criterion is None:
        decided = "separation" if roles.label == "binary" else "comparative_separation"
        return tuple(name for name in (decided, "xauc") if name not in left_out)
    single = isinstance(criterion, str) or not isinstance(criterion, Sequence)
    named = (criterion,) if single else tuple(criterion)
    known = ", ".join(name for name in CRITERIA if name not in left_out)
    if not named:
        raise InputError(f"{wording.criterion} is empty: name at least one of {known}.")
    for name in named:
        parts = [part.strip() for part in name.split(",")] if isinstance(name, str) else []
        if len(parts) > 1 and set(parts) <= set(CRITERIA):
            raise InputError(
                f"{wording.criterion}: {shown(name)} holds several criteria: give "
                f"{wording.several(parts)}."
            )
        if not isinstance(name, str) or name not in CRITERIA:
            raise InputError(
                f"{wording.criterion}: {shown(name)} is no criterion: name one of "
                f"{', '.join(CRITERIA)}."
            )
        if name in left_out:
            raise InputError(
                f"{wording.criterion} {name} does not apply ({left_out[name]}): name one of "
                f"{known}."
            )
        if name in WITHOUT_TEST and roles.prediction == "real" and not n_permutations:
            raise InputError(
                f"{wording.criterion} {name} has no test of real predictions without shuffles: "
                f"give {wording.permutations} too, such as 999."
            )
    return tuple(name for name in CRITERIA if name in named)


def judged(
    rows: Mapping[str, list[Row]], attribute: Attribute, alpha: float, correction: Correction
) -> pd.DataFrame:
    """Adjust the p-values of each criterion, and say what is found; group by group."""
    tables = []
    for of_criterion in rows.values():
        table = pd.DataFrame([vars(row) for row in of_criterion])
        pvalues = adjusted(table["pvalue"].to_numpy(dtype=float), correction)
        needed = _shuffles_needed(table, alpha, correction)
        unvarying = _unvarying(table)
        table["pvalue"] = table["pvalue"].mask(unvarying, 1.0)
        pvalues = np.where(unvarying, 1.0, pvalues)
        tested = np.isfinite(pvalues)
        measured = bool(table["criterion"].isin(WITHOUT_TEST).all())
        table["pvalue_adjusted"] = pvalues
        table["verdict"] = np.select(
            [~np.isfinite(table["estimate"]), tested & (pvalues < alpha), needed > 0, tested],
            [NOT_ESTIMATED, VIOLATED, NOT_TESTED, NOT_SHOWN],
            MEASURED if measured else NOT_TESTED,
        )
        too_few = table["verdict"].eq(NOT_TESTED) & (needed > 0)
        said = [f"; too few for a p below {alpha:g}: at least {n:,} are needed" for n in needed]
        table["note"] = table["note"].where(~too_few, table["note"] + np.array(said))
        tables.append(table)
    together = pd.concat(tables, ignore_index=True)
    order = {name: i for i, name in enumerate(attribute.names)}
    return together.sort_values("group", key=lambda group: group.map(order), kind="stable")


def _unvarying(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Say which rows compare equal rates without variance, as of a perfect model.

    Their p is 1, and they do not count in the number of hypotheses.
    """
    equal = table["note"].str.startswith(UNVARYING) & (table["estimate"].abs() <= ROUNDING)
    return equal.to_numpy(dtype=bool)


def judge_all(table: pd.DataFrame, counted: tuple[str, ...], alpha: float) -> dict[str, Any]:
    """Adjust the p-values of the criteria that count over all attributes, as `pvalue_gate`.

    Returns
    -------
    dict
        `criteria` that count, number of `hypotheses`, the smallest `pvalue`, `shuffles`: the
        number that is needed where there are too few for a p below the level, else 0, and whether
        there are `too_few` for all of them.
    """
    counts, unvarying = table["criterion"].isin(counted).to_numpy(), _unvarying(table)
    own = table.assign(pvalue=table["pvalue"].where(counts & ~unvarying))
    pvalues = adjusted(own["pvalue"].to_numpy(dtype=float), "holm")
    table["pvalue_gate"] = np.where(counts & unvarying, 1.0, pvalues)
    smallest = float(table["pvalue_gate"].min())
    needed = _shuffles_needed(own, alpha, "holm")
    return {
        "criteria": list(counted),
        "hypotheses": int(np.isfinite(pvalues).sum()),
        "pvalue": None if np.isnan(smallest) else smallest,
        "shuffles": int(needed.max()),
        "too_few": bool(needed.any() and needed[np.isfinite(pvalues)].all()),
    }


def _shuffles_needed(
    table: pd.DataFrame, alpha: float, correction: Correction
) -> NDArray[np.int64]:
    """Return how many shuffles a row needs if no p of its own could be below the level, else 0.

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
