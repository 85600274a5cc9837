"""The audit of models by comparative judgments: each model on each attribute.

Further tests are of the judgments themselves: ties, the item shown first, strata, and judges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import fairpairs
from fairpairs.audits.judgments.cheap import about_cheap_outcomes, judged_in_part, separation
from fairpairs.audits.judgments.fields import DIFFER, JUDGES, RATES, SHARES, TESTS
from fairpairs.audits.judgments.notes import Results, family, notes, turned_round
from fairpairs.audits.judgments.result import JudgmentsResult
from fairpairs.audits.judgments.settings import Judgments, JudgmentSettings, check_order
from fairpairs.audits.judgments.tables import ACROSS, ALL, FIRST_PLACE, LEAN, TIES, WITHIN
from fairpairs.audits.lines.verdicts import ladder, over_all
from fairpairs.base import inputs
from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.inputs import MAX_GROUPS, group_name
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import named_twice
from fairpairs.mathematics.estimates.estimates import equal_without_variance, magnitude
from fairpairs.mathematics.fairness.comparative_result import ComparativeSeparationResult
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.mathematics.judgments.agreement import judge_agreement
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_by,
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.judgments.questions import (
    first_place_test,
    judge_lean_test,
    outcome_ties_test,
)
from fairpairs.mathematics.judgments.shares import SharesResult
from fairpairs.mathematics.judgments.two_phases import JudgedInPartResult

InPart = dict[tuple[str, str], JudgedInPartResult]
#: With more judges or strata, the gaps of each are left out.
MAX_PARTS = 50


def audit_judged(judgments: Judgments, settings: JudgmentSettings) -> JudgmentsResult:
    """Test comparative separation of each model on each attribute."""
    if settings.judges is not None and judgments.judge is None:
        raise InputError(
            f"--judges {settings.judges} says which judges the audit is about, and none are given: "
            "name their column by --judge, or leave --judges out."
        )
    if settings.order:
        check_order(judgments)
    groups = _groups(judgments, intersections=settings.intersections)
    given = {
        (model, name): arguments_of_test(judgments, model, groups[name], settings)
        for name in groups
        for model in judgments.models
    }
    sides = judgments.left, judgments.right, judgments.outcome
    in_part: InPart = {}
    parts: dict[str, pd.Series[str]] = {}
    if judgments.cheap is None:
        results = {
            key: comparative_separation_from_judgments(*sides, **arguments)
            for key, arguments in given.items()
        }
        parts = _parts(judgments)
        further = further_tests(judgments, settings, groups)
    else:
        judged = judged_in_part(judgments, judgments.cheap, settings)
        in_part = {
            (model, name): separation(judgments, judged, model, groups[name], arguments)
            for (model, name), arguments in given.items()
        }
        results = {key: result.result for key, result in in_part.items()}
        further = Further()
    lines = [_lines(*key, result) for key, result in results.items()]
    part_lines = [
        _part_lines(
            line,
            part,
            comparative_separation_by(values, *sides, **{**arguments, "correction": "none"}),
        )
        for line, arguments in zip(lines, given.values(), strict=True)
        for part, values in parts.items()
    ]
    tests = pd.concat([*lines, *part_lines, *further.tests], ignore_index=True)
    tests = _completed(tests, settings)
    cells = pd.concat(
        [
            result.rates().assign(model=model, attribute=name)
            for (model, name), result in results.items()
        ],
        ignore_index=True,
    )
    return JudgmentsResult(
        tests[list(TESTS)],
        cells[list(RATES)],
        _about(judgments, settings, groups, results)
        | {"agreement": further.agreement, **about_cheap_outcomes(judgments, in_part)},
        table(further.shares, SHARES),
        table(further.judges, JUDGES),
        table(further.differ, DIFFER),
    )


def arguments_of_test(
    judgments: Judgments, model: str, groups: Any, settings: JudgmentSettings
) -> Record:
    """Return the arguments of the test of a model, except for the judgments."""
    verdicts = judgments.verdicts.get(model)
    return {
        "y_score": judgments.items[model] if verdicts is None else None,
        "predicted": verdicts,
        "sensitive_features": groups,
        "judges": settings.sampled(judgments.judge),
        "judges_as": "sample",
        "clusters": judgments.cluster,
        "item_clusters": judgments.item_cluster,
        "strata": judgments.stratum,
        "ties_in_outcome": settings.ties_in_outcome,
        "ties": settings.ties,
        "alpha": settings.alpha,
        "correction": settings.correction,
    }


def _lines(model: str, attribute: str, result: ComparativeSeparationResult) -> pd.DataFrame:
    """Return one row per hypothesis, with its groups."""
    frame, difference = result.to_frame(), result.difference
    names = [group_name(group) for group in result.groups]
    pairs = [(high, low) for a, low in enumerate(names) for high in names[a + 1 :]]
    return frame.assign(
        model=model,
        attribute=attribute,
        part=ALL,
        value="",
        criterion=[ACROSS, WITHIN] * len(pairs),
        group=[high for high, _ in pairs for _ in range(2)],
        reference=[low for _, low in pairs for _ in range(2)],
        pvalue=difference.pvalue,
        pvalue_adjusted=np.nan,
        pvalue_strata=np.nan if result.heterogeneity is None else result.heterogeneity,
        unvarying=equal_without_variance(difference),
    )


def _parts(judgments: Judgments) -> dict[str, pd.Series[str]]:
    """Return the parts of the judgments that are audited alone: few strata, or few judges."""
    named = {"stratum": judgments.stratum, "judge": judgments.judge}
    return {
        part: values
        for part, values in named.items()
        if values is not None and values.nunique() <= MAX_PARTS
    }


def _part_lines(lines: pd.DataFrame, part: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of each part, with the hypotheses' names from the lines of all judgments.

    Their p-values are not adjusted.
    """
    named = lines[["model", "attribute", "criterion", "group", "reference", "hypothesis"]]
    frame = frame.drop(columns="judgments").rename(columns={"part": "value"})
    return frame.assign(part=part, value=frame["value"].astype(str), unvarying=False).merge(
        named, on="hypothesis", how="left"
    )


def _completed(tests: pd.DataFrame, settings: JudgmentSettings) -> pd.DataFrame:
    """Return all lines with their adjusted p-values, sizes of effects and verdicts."""
    empty = {"part": ALL, "value": "", "group": "", "reference": "", "unvarying": False}
    tests = tests.fillna(empty).astype({"unvarying": bool})
    counts = (tests["part"] == ALL) & tests["criterion"].isin([ACROSS, WITHIN])
    gaps = tests["criterion"].isin([ACROSS, WITHIN])
    pvalues = tests["pvalue"]
    family = [tests.loc[gaps, name] for name in ("attribute", "part")]
    adjusted_pvalue = (
        pvalues[gaps]
        .groupby(family, sort=False)
        .transform(lambda pvalues: adjusted(pvalues.to_numpy(), settings.correction))
    )
    sized = np.isfinite(tests["effect_size"])
    tests = tests.assign(
        pvalue_adjusted=adjusted_pvalue.reindex(tests.index)
        .mask(tests["unvarying"], 1.0)
        .fillna(tests["pvalue_adjusted"].where(~gaps)),
        pvalue_gate=over_all(pvalues, counts, tests["unvarying"]),
        magnitude=np.where(sized, magnitude(tests["effect_size"], "h"), ""),
    )
    pvalues = tests["pvalue_adjusted"]
    found = pvalues < settings.alpha
    return tests.assign(verdict=ladder(tests["estimate"].notna(), pvalues.notna(), found=found))


def _about(
    judgments: Judgments, settings: JudgmentSettings, groups: Content, results: Results
) -> Record:
    """Return what was audited, for `about`."""

    def kinds(values: Any) -> int | None:
        return None if values is None else int(values.nunique())

    tested = [np.isfinite(result.difference.pvalue).sum() for result in results.values()]
    human = True if judgments.cheap is None else judgments.cheap.human
    return {
        "version": fairpairs.__version__,
        "files": [
            {
                "file": table.path.name,
                "sha256": table.sha256,
                "rows": len(table),
                "holds": "items" if judgments.own_items and i == 1 else "judgments",
                "group": judgments.groups[i] if judgments.groups else None,
            }
            for i, table in enumerate(judgments.tables)
        ],
        "judgments": len(judgments.outcome),
        "without_winner": int(((judgments.outcome == 0) & human).sum()),
        "items": len(judgments.items),
        "models": {model: _agreement(judgments, model) for model in judgments.models},
        "attributes": {name: _counts(item_groups) for name, item_groups in groups.items()},
        "judges": kinds(judgments.judge),
        "judges_as": (
            None if judgments.judge is None else settings.judges_as(judgments.judge.nunique())
        ),
        "clusters": kinds(judgments.cluster),
        "item_clusters": kinds(judgments.item_cluster),
        "strata": None if judgments.stratum is None else _counts(judgments.stratum),
        "ties": settings.ties,
        "ties_in_outcome": settings.ties_in_outcome,
        "order": settings.order,
        "alpha": float(settings.alpha),
        "correction": settings.correction,
        "family": family(len(judgments.models)),
        "hypotheses": int(sum(tested)),
        "joint": [
            {"model": model, "attribute": name, "pvalue": float(result.joint.pvalue)}
            for (model, name), result in results.items()
            if result.joint is not None and np.isfinite(result.joint.pvalue)
        ],
        "checks": [
            *(f"{one.called}: {note}" for one in judgments.tables for note in one.notes.values()),
            *turned_round(judgments),
        ],
        "notes": notes(judgments, settings, results),
    }


def _counts(values: Series | pd.DataFrame) -> dict[str, int]:
    """Return how often each value occurs, by its name, sorted."""
    counts = values.value_counts()
    return {group_name(value): int(n) for value, n in sorted(counts.items(), key=str) if n}


def _agreement(judgments: Judgments, model: str) -> Record:
    """Return the number of judgments that a model agrees with."""
    agreement = judgments.predicted(model) * judgments.outcome
    return {
        "kind": "preference" if model in judgments.verdicts else "score",
        "judgments": int((judgments.outcome != 0).sum()),
        "agrees": int((agreement > 0).sum()),
        "contradicts": int((agreement < 0).sum()),
    }


def _groups(judgments: Judgments, *, intersections: bool) -> Record:
    """Return the groups of the judged items, for each attribute that is tested."""
    items, attributes, path = judgments.items, judgments.attributes, judgments.tables[-1].path
    tested: Record = {name: items[name] for name in attributes}
    if intersections:
        if len(attributes) < 2:
            raise InputError(
                "--intersections: there is one attribute only: name another --sensitive."
            )
        of_all = items[list(attributes)]
        kinds = of_all.drop_duplicates().itertuples(index=False, name=None)
        name = " & ".join(attributes)
        if (twice := named_twice(map(group_name, kinds))) is not None:
            raise InputError(
                f"{path}: `{name}` has two groups that are called {shortened(twice)}: rename one."
            )
        tested[name] = of_all
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


def further_tests(judgments: Judgments, settings: JudgmentSettings, groups: Content) -> Further:
    """Test what the data and the settings allow, for each attribute."""
    outcome = judgments.outcome
    further = Further(agreement=_agreement_of_judges(judgments, settings))
    for name, item_groups in groups.items():
        shared: Record = {
            "sensitive_features": item_groups,
            "judges": settings.sampled(judgments.judge),
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


def _across(judgments: Judgments, item_groups: Any) -> bool:
    """Whether a judgment with a winner is of items of two groups."""
    group, _ = inputs.groups(item_groups)
    across = group[judgments.left] != group[judgments.right]
    return bool((across & (judgments.outcome != 0)).any())


def _agreement_of_judges(judgments: Judgments, settings: JudgmentSettings) -> Record | None:
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
