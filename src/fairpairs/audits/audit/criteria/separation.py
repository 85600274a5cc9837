"""Separation of decisions: TPR and FPR of both groups (equalized odds)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairpairs.audits.audit.cell_rates import FPR, TPR
from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.notes import NO_DECISIONS
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.rows import Measure, Row
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.fairness.separation import separation_contrasts, separation_from_counts
from fairpairs.mathematics.inference.sampling.gaps import Gap

MEASURES = (
    Measure("TPR", "TPR({a}) = TPR({b})", rate=TPR, of="TPR", favours=1),
    Measure("FPR", "FPR({a}) = FPR({b})", rate=FPR, of="FPR", favours=1),
)


def rate_differences(comparison: Comparison) -> Estimates:
    """Return the differences of TPR and FPR."""
    return separation_from_counts(comparison.counts, alpha=comparison.alpha, method="auto")


def needs_decisions(roles: Roles) -> str:
    """Return why a real prediction has no rates; "" for decisions."""
    return NO_DECISIONS if roles.prediction == "real" else ""


def separation(comparison: Comparison) -> Iterator[Row]:
    """Test TPR and FPR of binary predictions."""
    yield from comparison.rows(
        MEASURES, rate_differences(comparison), "h", separation_contrasts(comparison.counts)
    )


def rate_gaps(comparison: Comparison) -> Iterator[Gap]:
    """Yield the differences of TPR and FPR, with the influence of each item."""
    roles = comparison.all_items.roles
    labels = roles.y_true.astype(np.int64)
    for label in (1, 0):
        yield comparison.gap(roles.y_pred, labels, label)


SEPARATION = Criterion(
    "separation",
    "Separation (equalized odds)",
    "Among those with the same label, are both groups predicted positive as often? TPR "
    "compares those with a positive label, the FPR those with a negative one.",
    MEASURES,
    separation,
    why_not=needs_decisions,
    gaps=rate_gaps,
)
