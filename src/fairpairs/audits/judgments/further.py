"""Further tests of judgments: ties, the item shown first, strata, and judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.fields import DIFFER, JUDGES
from fairpairs.audits.judgments.settings import Judgments, JudgmentSettings
from fairpairs.audits.judgments.tables import FIRST_PLACE, LEAN, TIES
from fairpairs.base.plain_values import Content, Record
from fairpairs.mathematics.judgments.agreement import judge_agreement
from fairpairs.mathematics.judgments.comparative_judgments import comparative_separation_by
from fairpairs.mathematics.judgments.questions import (
    first_place_test,
    judge_lean_test,
    outcome_ties_test,
)
from fairpairs.mathematics.judgments.shares import SharesResult

#: With more judges or strata, the gaps of each are left out.
MAX_PARTS = 50


@dataclass(frozen=True)
class Further:
    """Further tests of an audit; `tables` has the columns `SHARES`, `JUDGES` and `DIFFER`."""

    #: Lines as those of the audit, with the question in `criterion`.
    tests: list[pd.DataFrame] = field(default_factory=list)
    shares: list[pd.DataFrame] = field(default_factory=list)
    judges: list[pd.DataFrame] = field(default_factory=list)
    #: Whether judges differ.
    differ: list[pd.DataFrame] = field(default_factory=list)
    #: How far judges agree; None without several judges.
    agreement: Record | None = None

    def add(self, result: SharesResult, **about: str) -> None:
        """Add the lines and shares of a test."""
        frame = result.to_frame().rename(columns={"pvalue": "pvalue_adjusted"})
        self.tests.append(frame.assign(**about, pvalue=result.difference.pvalue))
        self.shares.append(result.shares().assign(**about))


def sampled_judges(judgments: Judgments, settings: JudgmentSettings) -> pd.Series[str] | None:
    """Return the judges whose judgments are related; None where the audit is about these judges.

    What a judge has in common is then no chance, and judgments are related by items alone.
    """
    judge = judgments.judge
    if judge is None or settings.judges_as(judge.nunique()) == "fixed":
        return None
    return judge


def further_tests(judgments: Judgments, settings: JudgmentSettings, groups: Content) -> Further:
    """Test what the data and the settings allow, for each attribute."""
    outcome = judgments.outcome
    further = Further(agreement=_agreement(judgments, settings))
    for name, item_groups in groups.items():
        shared: Record = {
            "sensitive_features": item_groups,
            "judges": sampled_judges(judgments, settings),
            "clusters": judgments.cluster,
            "item_clusters": judgments.item_cluster,
            "alpha": settings.alpha,
            "correction": settings.correction,
        }
        sides = judgments.left, judgments.right
        if (outcome == 0).any():
            tied = outcome_ties_test(*sides, outcome, **shared)
            further.add(tied, criterion=TIES, attribute=name, model="")
        if settings.order:
            for model, verdicts in {"": outcome, **judgments.verdicts}.items():
                if np.any(verdicts):
                    first = first_place_test(*sides, verdicts, **shared)
                    further.add(first, criterion=FIRST_PLACE, attribute=name, model=model)
        if judgments.judge is not None and _across(judgments, item_groups):
            lean = judge_lean_test(
                *sides, outcome, **shared | {"judges": judgments.judge},
                judges_as=settings.judges,
            )  # fmt: skip
            further.add(lean, criterion=LEAN, attribute=name, model="")
            further.judges.append(lean.judged.assign(attribute=name)[list(JUDGES)])
            further.differ.append(lean.differ.assign(attribute=name)[list(DIFFER)])
    return further


def parts(judgments: Judgments) -> Iterator[tuple[str, pd.Series[str]]]:
    """Yield the parts of the judgments that are audited alone: few strata, or few judges."""
    for part, values in (("stratum", judgments.stratum), ("judge", judgments.judge)):
        if values is not None and values.nunique() <= MAX_PARTS:
            yield part, values


def lines_of_parts(judgments: Judgments, values: pd.Series[str], **given: Any) -> pd.DataFrame:
    """Return the lines of each part, with p-values that are not adjusted."""
    frame = comparative_separation_by(
        values,
        judgments.left,
        judgments.right,
        judgments.outcome,
        **{**given, "correction": "none"},
    )
    return frame.drop(columns="judgments").rename(columns={"part": "value"})


def _across(judgments: Judgments, item_groups: Any) -> bool:
    """Whether a judgment with a winner is of items of two groups."""
    code = (
        item_groups.groupby(list(item_groups)).ngroup()
        if item_groups.ndim == 2
        else (pd.Series(pd.factorize(item_groups)[0]))
    )
    group = code.to_numpy()
    across = group[judgments.left] != group[judgments.right]
    return bool((across & (judgments.outcome != 0)).any())


def _agreement(judgments: Judgments, settings: JudgmentSettings) -> Record | None:
    if judgments.judge is None:
        return None
    agreement = judge_agreement(
        judgments.left,
        judgments.right,
        judgments.outcome,
        judges=judgments.judge,
        alpha=settings.alpha,
    )
    if not agreement.pairs:
        return None
    names = ("kappa", "ci_low", "ci_high", "agreement")
    numbers = {name: float(getattr(agreement, name)) for name in names}
    return {
        **{name: value if np.isfinite(value) else None for name, value in numbers.items()},
        "pairs": agreement.pairs,
        "judgments": agreement.judgments,
    }


def table(parts: list[pd.DataFrame], columns: Iterable[str]) -> pd.DataFrame:
    """Concatenate tables, with these columns."""
    if not parts:
        return pd.DataFrame(columns=list(columns))
    return pd.concat(parts, ignore_index=True)[list(columns)]
