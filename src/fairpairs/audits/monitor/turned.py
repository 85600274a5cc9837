"""Whether decisions, or a score, of a batch are turned round against its labels."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from fairpairs.audits.audit.turned_round import decisions_turned, scores_turned
from fairpairs.audits.monitor.feeding import Items
from fairpairs.audits.monitor.normal_tracks import BINS
from fairpairs.audits.monitor.plan import Plan
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.texts import listed


@dataclass
class Turned:
    """Labelled items of a batch: counts by attribute, of each group, label and decision or bin."""

    plan: Plan
    decisions: dict[str, Integers] = field(default_factory=dict)
    bins: dict[str, Integers] = field(default_factory=dict)

    def add(self, items: Items) -> None:
        """Count the items that have a label of two values."""
        plan, label = self.plan, items.label
        if label is None or plan.label is None or not plan.label.binary:
            return
        known = ~np.isnan(label)
        decided = plan.threshold is not None or (
            plan.prediction is not None and plan.prediction.binary
        )
        for name, group in items.groups.items():
            cell = (2 * group + np.where(known, label, 0).astype(np.int64))[known]
            groups = 2 * len(plan.groups[name].names)
            for counts, values, number in (
                (self.decisions, items.prediction if decided else None, 2),
                (self.bins, items.bins, BINS),
            ):
                if values is not None:
                    kinds = number * cell + values[known].astype(np.int64)
                    found = np.bincount(kinds, minlength=number * groups)
                    counts[name] = counts.get(name, 0) + found.reshape(-1, 2, number)

    def notes(self, called: str) -> list[str]:
        """Return what to check of a batch."""
        columns, alpha = self.plan.columns, self.plan.alpha
        label = f"column `{columns['label']}`"
        decided, ranked = columns["prediction"], columns["score"] or columns["prediction"]
        texts = decisions_turned(self.decisions, f"column `{decided or ranked}`", label, alpha)
        aucs = {name: _aucs(counts, alpha) for name, counts in self.bins.items()}
        positive = listed(self.plan.label.ones) if self.plan.label is not None else ""
        texts += scores_turned(aucs, f"column `{ranked}`", label, positive)
        return [f"{called}: {text}" for text in texts]


def _aucs(counts: Integers, alpha: float) -> tuple[Floats, Floats]:
    """Return the AUC of each group, and the upper end of its interval as if it were one half."""
    negative, positive = counts[:, 0], counts[:, 1]
    m, n = negative.sum(axis=1), positive.sum(axis=1)
    below = np.cumsum(negative, axis=1) - negative / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        auc = (positive * below).sum(axis=1) / (m * n)
        error = np.sqrt((m + n + 1) / (12 * m * n))
    return auc, auc - float(ndtri(alpha / 2)) * error
