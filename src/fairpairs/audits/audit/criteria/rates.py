"""Criteria that compare rates of decisions, and nothing else: one entry of `OF_RATES` each."""

from fairpairs.audits.audit import cell_rates
from fairpairs.audits.audit.criteria.criterion import Criterion
from fairpairs.audits.audit.roles import Roles
from fairpairs.audits.audit.rows import Measure

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


def needs_decisions(roles: Roles) -> str:
    """Return why a real prediction has no rates; "" for decisions."""
    return NO_DECISIONS if roles.prediction == "real" else ""


def of_rates(name: str, title: str, question: str, *measures: Measure) -> Criterion:
    """Return a criterion whose measures all compare a rate of decisions."""
    return Criterion(
        name,
        title,
        question,
        measures,
        lambda comparison: comparison.differences_of_rates(measures),
        needs_decisions,
        controlled=True,
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
