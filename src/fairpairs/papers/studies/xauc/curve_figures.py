"""The figures of an experiment with `curves`."""

from __future__ import annotations

#: Kind of figure → its name in a report.
FIGURES = {
    "xroc": "ROC curves within groups and xROC curves across them",
    "balanced_xroc": "Balanced xROC curves: one group against everyone",
    "score_densities": "Densities of the scores by group and label (first repeat)",
    "conditional_xauc": "Conditional xAUC of the negative items; dotted: its mean, the xAUC",
    "calibration": "Calibration by group, in bins that half of the repeats have",
}
