"""Both bridges between two sets of decisions, and the fit of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

import fairpairs
from fairpairs.audits.bridge.read import Decisions
from fairpairs.base.files import plain_rows
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.fairness.bridges import (
    Errors,
    biased_bridge,
    bridge_model,
    unbiased_bridge,
)
from fairpairs.mathematics.fairness.differential_parity import DifferentialParityResult

#: Version of the JSON.
FORMAT = 2


@dataclass(frozen=True)
class BridgeComparison:
    """Whether the decisions R_0 favour a group more than R_1 do, by both bridges."""

    #: The decisions of both files.
    decisions: Decisions
    #: Results of the bridges: without and with trust in the model.
    biased: DifferentialParityResult
    unbiased: DifferentialParityResult
    #: R² of the model on items that it was not fitted on.
    explained: float
    #: Source of the errors on the first items (see `fairpairs.biased_bridge`).
    errors: Errors

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each bridge, of the second group minus the first, by name."""
        frames = {"biased": self.biased.to_frame(), "unbiased": self.unbiased.to_frame()}
        return pd.concat(frames, names=["bridge", None]).reset_index("bridge")

    def to_dict(self) -> Record:
        """Return all of it as plain values; what is missing is None."""
        decisions = self.decisions
        return {
            "format": FORMAT,
            "about": {
                "version": fairpairs.__version__,
                "files": [
                    {
                        "file": table.path.name,
                        "sha256": table.sha256,
                        "decision": column,
                        "groups": {str(k): int(n) for k, n in groups.value_counts().items()},
                    }
                    for table, column, groups in zip(
                        decisions.tables, decisions.columns, decisions.groups, strict=True
                    )
                ],
                "features": [*decisions.features[0].columns],
                "unused": decisions.unused,
                "errors": self.errors,
                "alpha": self.biased.alpha,
                "notes": [*decisions.notes, *decisions.checks],
            },
            "explained": self.explained,
            "tests": plain_rows(self.to_frame()),
        }


def compare(
    decisions: Decisions, *, errors: Errors, folds: int, seed: int, alpha: float
) -> BridgeComparison:
    """Compare two sets of decisions by both bridges (see `fairpairs.biased_bridge`)."""
    (x_0, x_1), (r_0, r_1), (a_0, a_1) = decisions.features, decisions.decisions, decisions.groups
    arrays: Any = (x_0, r_0, x_1, r_1)
    biased = biased_bridge(
        *arrays,
        sensitive_features_0=a_0,
        sensitive_features_1=a_1,
        errors=errors,
        folds=folds,
        random_state=seed,
        alpha=alpha,
    )
    unbiased = unbiased_bridge(*arrays, sensitive_features_1=a_1, alpha=alpha)
    explained = _explained(x_0, r_0, folds, seed)
    return BridgeComparison(decisions, biased, unbiased, explained, errors)


def _explained(x: pd.DataFrame, decisions: pd.Series[float], folds: int, seed: int) -> float:
    """Return R² of the model on items that it was not fitted on."""
    from sklearn.metrics import r2_score  # noqa: PLC0415  (slow)
    from sklearn.model_selection import KFold, cross_val_predict  # noqa: PLC0415

    split = KFold(folds, shuffle=True, random_state=seed % 2**32)
    predicted = cross_val_predict(bridge_model(None, x), x, decisions, cv=split)
    return float(r2_score(decisions, predicted))
