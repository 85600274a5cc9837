"""Comparative separation on comparative judgments alone, without labels."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.base import inputs
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.guesses import understood
from fairpairs.base.one_dimensional import one_dimensional
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.pairs.given import orient_pairs, verdicts
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.fairness.comparative import TernaryTies, check_whole_ties
from fairpairs.mathematics.fairness.comparative_result import (
    ComparativeSeparationResult,
    build_result,
    three_outcomes,
)
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.given import (
    JudgesAs,
    TiesInOutcome,
    question_to_judges,
    read_item_clusters,
    read_judgments,
)
from fairpairs.mathematics.judgments.related import Relations, related_pairs
from fairpairs.mathematics.judgments.shares import stratified_gaps

#: Arguments with a value for each judgment.
JUDGMENT_COLUMNS = ("predicted", "judges", "clusters", "strata")


@understood
def comparative_separation_from_judgments(
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    sensitive_features: ArrayLike,
    predicted: ArrayLike | None = None,
    judges: ArrayLike | None = None,
    judges_as: JudgesAs | None = None,
    clusters: ArrayLike | None = None,
    item_clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    ties_in_outcome: TiesInOutcome = "drop",
    variance: Literal["auto", "dyadic", "binomial"] = "auto",
    ties: TernaryTies = "wrong",
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> ComparativeSeparationResult:
    """Test comparative separation from comparative judgments alone; no item needs a label.

    Judgments may share items, may recur, and repeated ones may contradict each other. Without
    labels, a model that treats groups differently cannot be distinguished from groups whose labels
    are distributed differently, unless labels are binary: see
    docs/explanation/comparative-separation.md.

    Wrong judgments make violations where the groups have other base rates, even if the mistakes and
    the scores favour no group: to conclude that separation is violated, judgments must be right or
    base rates equal (docs/explanation/judgments.md has how often fair scores are reported).

    Judgments of one judge or of one prompt, person or session resemble each other: name them in
    `judges` and `clusters`, else the test rejects too often. Two versions of one text, judged for
    one prompt, are a pair: with the prompt in `clusters` the test of their rates is a paired one.

    Parameters
    ----------
    left, right
        Positions of the two items of each judgment, shape (m,).
    outcome
        +1 where the left item has the higher label, −1 where the right one has. 0 is a tie (see
        `ties_in_outcome`). An item against itself is no judgment.
    y_score
        Prediction or score of each item, shape (n,).
    sensitive_features
        Group of each item, shape (n,) or (n, columns).
    predicted
        In place of `y_score`: what an audited judge prefers, +1 for left, −1 for right, 0 for
        neither; shape (m,).
    judges
        Judge of each judgment, values of any kind, shape (m,).
    judges_as
        "fixed": the test is about these judges, and what they have in common is no chance.
        "sample": about judges like them. By default it is "fixed" below 20 judges.
    clusters
        Prompt, person or session of each judgment, shape (m,).
    item_clusters
        Cluster of each item, shape (n,), such as the person who wrote it: items of one cluster
        count as one item.
    strata
        Stratum of each judgment, such as the category of the prompt, shape (m,): gaps are of
        judgments of one stratum, combined with the weights of Mantel and Haenszel; `heterogeneity`
        of the result tests whether they are the same in all strata. `rates()` are of all judgments.
    ties_in_outcome
        "drop": a tie is no judgment. "half": it is two judgments of weight one half, one each way.
    variance
        "dyadic" ("auto"): judgments that share an item, a judge or a cluster are correlated.
        "binomial": equation (20).
    ties, alpha, correction
        As in `comparative_separation_test`.

    Returns
    -------
    ComparativeSeparationResult

    Raises
    ------
    InputError
        When the arrays do not go together, hold a missing value or another outcome, when a
        position is none of an item, when no judgment is left, when one judge or one cluster has
        all, or when there is one group only.

    Examples
    --------
    >>> result = comparative_separation_from_judgments(
    ...     [0, 2, 1], [1, 3, 2], [1, -1, 1], [3.0, 1.0, 0.5, 2.0],
    ...     sensitive_features=["a", "b", "a", "b"],
    ... )
    >>> result.right.tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    if (y_score is None) == (predicted is None):
        raise InputError("Give either y_score or predicted: one of them is what is audited.")
    scores = None if y_score is None else inputs.numeric(y_score, "y_score")
    group, names = inputs.groups(sensitive_features)
    if y_score is not None:
        inputs.same_items(y_score=y_score, sensitive_features=sensitive_features)
    inputs.level(alpha)
    inputs.one_of(ties, "ties", get_args(TernaryTies))
    inputs.one_of(variance, "variance", ("auto", "dyadic", "binomial"))
    check_whole_ties(ties, variance)
    inputs.one_of(ties_in_outcome, "ties_in_outcome", get_args(TiesInOutcome))
    columns = {"judges": judges, "clusters": clusters, "strata": strata}
    if variance == "binomial":
        _check_binomial(ties_in_outcome, columns | {"item_clusters": item_clusters})
    columns |= {"predicted": predicted}
    judgments = read_judgments(
        left, right, outcome, len(group), **columns, ties_in_outcome=ties_in_outcome
    )
    if judges_as is not None:
        inputs.one_of(judges_as, "judges_as", get_args(JudgesAs))
    if (
        judges is not None
        and question_to_judges(int(judgments.shared[0].max()) + 1, judges_as) == "fixed"
    ):
        judgments = replace(judgments, shared=judgments.shared[1:])
    cluster_codes = read_item_clusters(item_clusters, sensitive_features)
    tie: Ties = "half" if ties == "half" else "wrong"
    sides = judgments.left, judgments.right
    kind = "binomial" if variance == "binomial" else "dyadic"

    def test_verdicts(predicted: Floats) -> ComparativeSeparationResult:
        """Test by what the scores, or the audited judge, say of each judgment."""
        oriented = orient_pairs(judgments.outcome, predicted, *sides, ties=tie)
        pairs = *oriented, group, len(names)
        rates = related_pairs(
            *pairs, weights=judgments.weights, shared=judgments.shared, item_clusters=cluster_codes
        )
        result = build_result(
            rates, names, kind, balanced=False, alpha=alpha, correction=correction
        )
        if judgments.strata is None:
            return result
        units = np.arange(len(group)) if cluster_codes is None else cluster_codes
        relations = Relations(units[judgments.left], units[judgments.right], judgments.shared)
        difference, heterogeneity = stratified_gaps(
            *pairs, judgments.strata, relations, weights=judgments.weights, alpha=alpha
        )
        return replace(result, difference=difference, joint=None, heterogeneity=heterogeneity)

    verdict = np.asarray(judgments.predicted) if scores is None else verdicts(scores, *sides)
    if ties != "outcome":
        return test_verdicts(verdict)
    tied = bool(((verdict == 0) & (judgments.outcome != 0)).any())
    return three_outcomes(test_verdicts(verdict), test_verdicts(-verdict), tied=tied)


def _check_binomial(ties_in_outcome: str, related: Mapping[str, ArrayLike | None]) -> None:
    """Raise where the binomial variance, of independent whole judgments, is not applicable."""
    for name, values in related.items():
        if values is not None:
            raise InputError(
                f"{name} does not go with variance='binomial', which takes judgments as "
                "independent: take 'dyadic'."
            )
    if ties_in_outcome == "half":
        raise InputError(
            "ties_in_outcome='half' does not go with variance='binomial', which counts whole "
            "judgments: take 'dyadic'."
        )


def comparative_separation_by(
    parts: ArrayLike,
    left: ArrayLike,
    right: ArrayLike,
    outcome: ArrayLike,
    y_score: ArrayLike | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Test comparative separation on each part of the judgments, such as those of a judge.

    p-values are adjusted within a part. Of many parts some differ by chance: for a verdict on all
    of them see `strata` and `judges` of `comparative_separation_from_judgments`.

    Parameters
    ----------
    parts
        Part of each judgment, shape (m,).
    left, right, outcome, y_score
        As in `comparative_separation_from_judgments`.
    **settings
        Its other arguments, such as `sensitive_features` and `judges`. Judges, clusters or strata
        of which a part has one only are left out there.

    Returns
    -------
    pandas.DataFrame
        One row per part and hypothesis: `part`, `judgments` (ties among them), then the columns of
        `ComparativeSeparationResult.to_frame`. A part of ties only has no row.

    Examples
    --------
    >>> table = comparative_separation_by(
    ...     ["x", "x", "y", "y"], [0, 2, 0, 2], [1, 3, 1, 3], [1, 1, 1, -1], [3.0, 1.0, 2.0, 0.5],
    ...     sensitive_features=["a", "a", "b", "b"],
    ... )
    >>> table[["part", "hypothesis", "estimate"]]
      part           hypothesis  estimate
    0    x  TPR(b,a) = TPR(a,b)       NaN
    1    x  TPR(b,b) = TPR(a,a)       0.0
    2    y  TPR(b,a) = TPR(a,b)       NaN
    3    y  TPR(b,b) = TPR(a,a)      -1.0
    """
    # all judgments together are checked first, so that messages speak of them
    comparative_separation_from_judgments(left, right, outcome, y_score, **settings)
    if settings.get("judges") is not None:
        judges = len(pd.unique(one_dimensional(settings["judges"], "judges")))
        settings["judges_as"] = question_to_judges(judges, settings.get("judges_as"))
    inputs.same_items(outcome=outcome, parts=parts)
    values, code = inputs.levels(parts, "parts")
    one, two, signs = (np.asarray(side) for side in (left, right, outcome))
    tables = []
    for part, value in enumerate(values):
        rows = np.flatnonzero(code == part)
        if not ((signs[rows] != 0) & (one[rows] != two[rows])).any():
            continue
        result = comparative_separation_from_judgments(
            one[rows], two[rows], signs[rows], y_score, **_part_settings(settings, rows)
        )
        table = result.to_frame()
        table.insert(0, "part", value)
        table.insert(1, "judgments", len(rows))
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _part_settings(settings: Record, rows: np.ndarray[Any, Any]) -> Record:
    """Return the settings of some judgments, without columns that have one value in all of them."""
    result = dict(settings)
    for name in JUDGMENT_COLUMNS:
        if settings.get(name) is None:
            continue
        values = one_dimensional(settings[name], name)[rows]
        if name != "predicted" and len(pd.unique(values)) == 1:
            del result[name]
        else:
            result[name] = values
    return result
