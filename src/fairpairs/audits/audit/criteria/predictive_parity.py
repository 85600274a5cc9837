"""Predictive parity of decisions, and rates of errors: other rates of the same four cells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairpairs.audits.audit.cell_rates import FALSE_OMISSION_RATE, FDR, FNR, PRECISION
from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.criteria.separation import needs_decisions
from fairpairs.audits.audit.rows import Measure, Row
from fairpairs.mathematics.inference.sampling.gaps import Gap

OF_PREDICTED = (
    Measure(
        "precision",
        "precision of {a} = that of {b}",
        rate=PRECISION,
        of="precision",
    ),
    Measure(
        "false omission rate",
        "false omission rate of {a} = that of {b}",
        rate=FALSE_OMISSION_RATE,
        of="FOR",
    ),
)
OF_ERRORS = (
    Measure("FNR", "FNR({a}) = FNR({b})", rate=FNR, of="FNR", favours=-1),
    Measure("FDR", "FDR({a}) = FDR({b})", rate=FDR, of="FDR"),
)


def predictive_parity(comparison: Comparison) -> Iterator[Row]:
    """Test precision and false omission rate of binary predictions."""
    yield from comparison.rows_of_rates(OF_PREDICTED)


def predictive_gaps(comparison: Comparison) -> Iterator[Gap]:
    """Yield the differences of precision and false omission rate, with their influence."""
    roles = comparison.all_items.roles
    predictions = roles.y_pred.astype(np.int64)
    for prediction in (1, 0):
        yield comparison.gap(roles.y_true, predictions, prediction)


def error_rates(comparison: Comparison) -> Iterator[Row]:
    """Test FNR and FDR of binary predictions."""
    yield from comparison.rows_of_rates(OF_ERRORS)


def error_gaps(comparison: Comparison) -> Iterator[Gap]:
    """Yield the differences of FNR and FDR, with the influence of each item."""
    roles = comparison.all_items.roles
    yield comparison.gap(1 - roles.y_pred, roles.y_true.astype(np.int64), 1)
    yield comparison.gap(1 - roles.y_true, roles.y_pred.astype(np.int64), 1)


PREDICTIVE_PARITY = Criterion(
    "predictive_parity",
    "Predictive parity",
    "Among those with the same prediction, is the label positive as often in both groups? "
    "Precision compares those predicted positive, the false omission rate those predicted "
    "negative. Groups that differ in labels satisfy both this and separation only by a perfect "
    "model.",
    OF_PREDICTED,
    predictive_parity,
    why_not=needs_decisions,
    gaps=predictive_gaps,
)
ERROR_RATES = Criterion(
    "error_rates",
    "Error rates",
    "How often are positive labels predicted negative (FNR = 1 − TPR), and positive predictions "
    "wrong (FDR = 1 − precision)? The tests are those of TPR and precision, the differences of "
    "opposite sign.",
    OF_ERRORS,
    error_rates,
    why_not=needs_decisions,
    gaps=error_gaps,
)
