"""Criteria that compare rates of decisions, and nothing else: one entry of `OF_RATES` each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from fairpairs.audits.audit import cell_rates
from fairpairs.audits.audit.comparison import Comparison
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.rows import Measure
from fairpairs.mathematics.inference.sampling.gaps import Gap

NO_DECISIONS = "the prediction is a number: give decisions of two values, as by a threshold"

TPR = Measure("TPR", "TPR({a}) = TPR({b})", rate=cell_rates.TPR, of="TPR", favours=1)
FPR = Measure("FPR", "FPR({a}) = FPR({b})", rate=cell_rates.FPR, of="FPR", favours=1)
FNR = Measure("FNR", "FNR({a}) = FNR({b})", rate=cell_rates.FNR, of="FNR", favours=-1)
FDR = Measure("FDR", "FDR({a}) = FDR({b})", rate=cell_rates.FDR, of="FDR")
PRECISION = Measure(
    "precision", "precision of {a} = that of {b}", rate=cell_rates.PRECISION, of="precision"
)
OMISSION = Measure(
    "false omission rate",
    "false omission rate of {a} = that of {b}",
    rate=cell_rates.FALSE_OMISSION_RATE,
    of="FOR",
)
ACCURACY = Measure(
    "accuracy", "accuracy of {a} = that of {b}", rate=cell_rates.ACCURACY, of="accuracy"
)
#: What a rate is of → the column, and its value, that say which items these are.
AMONG = {
    cell_rates.POSITIVE: ("y_true", 1),
    cell_rates.NEGATIVE: ("y_true", 0),
    cell_rates.PREDICTED: ("y_pred", 1),
    cell_rates.NOT_PREDICTED: ("y_pred", 0),
}


def needs_decisions(roles: Roles) -> str:
    """Return why a real prediction has no rates; "" for decisions."""
    return NO_DECISIONS if roles.prediction == "real" else ""


def rate_gaps(comparison: Comparison, measures: Iterable[Measure] = (TPR, FPR)) -> Iterator[Gap]:
    """Yield the difference of each rate, with the influence of each item."""
    roles = comparison.all_items.roles
    for measure in measures:
        assert measure.rate is not None
        values = np.array(measure.rate.counted, dtype=float).ravel()[roles.cell]
        if measure.rate.of == cell_rates.ALL:
            yield comparison.gap(values)
        else:
            column, value = AMONG[measure.rate.of]
            yield comparison.gap(values, getattr(roles, column).astype(np.int64), value)


def of_rates(name: str, title: str, question: str, *measures: Measure) -> Criterion:
    """Return a criterion whose measures all compare a rate of decisions."""
    return Criterion(
        name,
        title,
        question,
        measures,
        lambda comparison: comparison.rows_of_rates(measures),
        needs_decisions,
        gaps=lambda comparison: rate_gaps(comparison, measures),
    )


OF_RATES = (
    of_rates(
        "separation",
        "Separation (equalized odds)",
        "Among those with the same label, are both groups predicted positive as often? TPR "
        "compares those with a positive label, the FPR those with a negative one.",
        TPR,
        FPR,
    ),
    of_rates(
        "equal_opportunity",
        "Equal opportunity",
        "Among those with a positive label, are both groups predicted positive as often?",
        TPR,
    ),
    of_rates(
        "predictive_parity",
        "Predictive parity",
        "Among those with the same prediction, is the label positive as often in both groups? "
        "Precision compares those predicted positive, the false omission rate those predicted "
        "negative. Groups that differ in labels satisfy both this and separation only by a perfect "
        "model.",
        PRECISION,
        OMISSION,
    ),
    of_rates(
        "error_rates",
        "Error rates",
        "How often are positive labels predicted negative (FNR = 1 − TPR), and positive "
        "predictions wrong (FDR = 1 − precision)? The tests are those of TPR and precision, the "
        "differences of opposite sign.",
        FNR,
        FDR,
    ),
    of_rates(
        "accuracy",
        "Accuracy",
        "Is the prediction the label as often in both groups?",
        ACCURACY,
    ),
)
SEPARATION, PREDICTIVE_PARITY = OF_RATES[0], OF_RATES[2]
