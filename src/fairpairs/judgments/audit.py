"""Comparative separation, tested on the judgments of each attribute and of all together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import fairpairs
from fairpairs.arrays import Floats
from fairpairs.errors import InputError, shown
from fairpairs.fairness.comparative import ComparativeSeparationResult
from fairpairs.fairness.comparative_judgments import comparative_separation_from_judgments
from fairpairs.fairness.estimates import equal_without_variance
from fairpairs.fairness.inputs import MAX_GROUPS
from fairpairs.fairness.pairs.rates import Ties
from fairpairs.fairness.results import Correction, adjusted, verdict
from fairpairs.files import plain_rows
from fairpairs.judgments.read import Judgments

#: Version of the JSON.
FORMAT = 1
FILES = ("judgments.html", "judgments.json", "hypotheses.csv", "rates.csv", "report.txt")


@dataclass(frozen=True)
class JudgmentsResult:
    """Results of the audit of scores by judgments, for each attribute.

    Attributes
    ----------
    judgments
        The judgments.
    by_attribute
        The result of each attribute, and of their combination.
    ties
        What a tie of two scores counts.
    alpha, correction
        Level of the tests; adjustment of p over the hypotheses of one attribute.
    """

    judgments: Judgments
    by_attribute: Mapping[str, ComparativeSeparationResult]
    ties: Ties
    alpha: float
    correction: Correction

    @cached_property
    def gate(self) -> dict[str, Floats]:
        """The p-values of each attribute, by Holm over the hypotheses of all attributes."""
        results = self.by_attribute
        pvalues = adjusted(
            np.concatenate([result.difference.pvalue for result in results.values()]), "holm"
        )
        ends = np.cumsum([len(result.difference.pvalue) for result in results.values()])
        return {
            name: np.where(equal_without_variance(result.difference), 1.0, of_attribute)
            for (name, result), of_attribute in zip(
                results.items(), np.split(pvalues, ends[:-1]), strict=True
            )
        }

    @property
    def pvalue(self) -> float:
        """The smallest p-value of the gate; NaN when no hypothesis could be tested."""
        pvalues = np.concatenate(list(self.gate.values()))
        return float(np.nanmin(pvalues)) if np.isfinite(pvalues).any() else float("nan")

    @property
    def violated(self) -> bool | None:
        """Whether any hypothesis is violated, by Holm over all; None when none can be tested."""
        return verdict(self.pvalue, self.alpha)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each attribute and hypothesis."""
        return _together({
            name: result.to_frame().assign(pvalue_gate=self.gate[name])
            for name, result in self.by_attribute.items()
        })  # fmt: skip

    def rates(self) -> pd.DataFrame:
        """Return one row for each attribute and two groups."""
        return _together({name: result.rates() for name, result in self.by_attribute.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values; what is missing is None."""
        pvalue = self.pvalue
        return {
            "format": FORMAT,
            "about": {
                "version": fairpairs.__version__,
                "files": [
                    {"file": table.path.name, "sha256": table.sha256}
                    for table in self.judgments.tables
                ],
                "judgments": len(self.judgments.outcome),
                "items": len(self.judgments.items),
                "score": self.judgments.scores[0],
                "groups": {
                    name: [str(group) for group in result.groups]
                    for name, result in self.by_attribute.items()
                },
                "ties": self.ties,
                "alpha": self.alpha,
                "correction": self.correction,
            },
            "violated": self.violated,
            "pvalue": None if np.isnan(pvalue) else pvalue,
            "tests": plain_rows(self.to_frame()),
            "rates": plain_rows(self.rates()),
        }


def _together(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(frames, names=["attribute", None]).reset_index("attribute")


def audit_scores(
    judgments: Judgments,
    *,
    intersections: bool = False,
    ties: Ties = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> JudgmentsResult:
    """Test comparative separation on each attribute (and, with `intersections`, on all at once).

    Raises
    ------
    InputError
        One group among the judged items, too many, or one attribute only to combine.
    """
    results = {
        name: comparative_separation_from_judgments(
            judgments.left, judgments.right, judgments.outcome,
            judgments.items[judgments.scores[0]], sensitive_features=groups, ties=ties,
            alpha=alpha, correction=correction,
        )
        for name, groups in _groups(judgments, intersections).items()
    }  # fmt: skip
    return JudgmentsResult(judgments, results, ties, alpha, correction)


def _groups(judgments: Judgments, intersections: bool) -> dict[str, pd.Series[str] | pd.DataFrame]:
    """Return the groups of the judged items, for each attribute that is tested."""
    items, attributes, path = judgments.items, judgments.attributes, judgments.tables[1].path
    tested: dict[str, pd.Series[str] | pd.DataFrame] = {name: items[name] for name in attributes}
    if intersections:
        if len(attributes) < 2:
            raise InputError(
                "--intersections: there is one attribute only: name another --sensitive."
            )
        tested[" & ".join(attributes)] = items[list(attributes)]
    for name, groups in tested.items():
        n = len(groups.drop_duplicates())
        if n == 1:
            raise InputError(
                f"{path}: column `{name}` has one group among the judged items, "
                f"{shown(items[name].iloc[0])}: a test compares two, so add judgments of another."
            )
        if n > MAX_GROUPS:
            raise InputError(
                f"{path}: `{name}` has {n} groups among the judged items, more than {MAX_GROUPS}: "
                "join some, such as ages to classes."
            )
    return tested
