"""The audit of the predictions of one model: every criterion that applies, on every group.

Every group is compared with a reference group, the largest one unless another is named. p-values
are adjusted over a family: all hypotheses of one attribute and one criterion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

import fairpairs
from fairpairs.auditing import messages
from fairpairs.auditing.adjustment import Gate, judge, judge_all
from fairpairs.auditing.comparison import AttributeItems, Row
from fairpairs.auditing.criteria import CRITERIA, criteria_that_count, not_applicable
from fairpairs.auditing.groups import Attribute, by_name, read_attributes
from fairpairs.auditing.messages import Wording
from fairpairs.auditing.rates import group_rates
from fairpairs.auditing.result import AuditResult
from fairpairs.auditing.roles import LabelKind, Roles, read_roles
from fairpairs.auditing.tables import COLUMNS
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.columns import Column
from fairpairs.fairness.results import Correction

#: Seconds of a shuffle for each comparison, and for each item of it; roughly, on one core.
SECONDS = (5e-3, 1e-5)
#: Seconds that all shuffles may take, a day.
LONGEST = 86_400


def audit(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    y_score: ArrayLike | None = None,
    positive: object = None,
    label_kind: LabelKind = "auto",
    intersections: bool = False,
    reference: Mapping[str, object] | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
    criterion: str | Sequence[str] | None = None,
    n_permutations: int = 0,
    random_state: int = 0,
) -> AuditResult:
    """Run every test of fairness that applies to the predictions of a model.

    Binary labels and predictions: separation (EOD, the difference of the FPR), average odds (AOD),
    comparative separation, demographic and differential parity, I_sep and the density ratio of
    separation from the counts. Real predictions: the same but for separation and average odds, with
    I_sep and the density ratio by logistic regressions. Binary labels with a score: also xAUC.

    Items must be independent: clusters of one group make it reject too often (docs/questions.md).

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, shape (n,): two values of any kind, or numbers.
    sensitive_features
        Group of each item, shape (n,); or several attributes, each of which is audited: a DataFrame
        or an array of shape (n, attributes), or a mapping from names.
    y_score
        Score, for a binary label, shape (n,). A real prediction of a binary label is the score
        unless there is another one.
    positive
        Value of the label (and of a binary prediction) that is positive; None for 1 or true.
    label_kind
        "binary" or "number"; "auto" treats two values as binary, and other numbers as numbers. A
        label of three to ten whole numbers, which may be classes, is refused.
    intersections
        Whether the combinations of all attributes are audited too.
    reference
        Group that the others are compared with, by attribute; the largest one by default.
    alpha
        Level; intervals cover 1 − alpha and are not adjusted.
    correction
        "holm", "sidak" or "none", over all hypotheses of one attribute and criterion.
    criterion
        What counts for `violated`: one or more of "separation", "average_odds",
        "comparative_separation", "xauc", "demographic_parity", "differential_parity",
        "information_separation", "density_ratio_separation". By default separation where the
        predictions are binary and xAUC where there is a score; comparative separation for a real
        label. All criteria are shown, whatever counts.
    n_permutations
        Shuffles of the groups within labels for p-values of I_sep and of the density ratio of real
        predictions; 0 for none. On many items they take long.
    random_state
        Seed, a whole number from 0 on.

    Returns
    -------
    AuditResult
        What cannot be estimated is a row with the reason.

    Raises
    ------
    InputError
        Missing or infinite values, arrays of other lengths or with another index, one group or one
        value only, a third value of a label that is binary, a positive value that is not named, a
        label of a few whole numbers whose kind is not named, a criterion that is unknown or does
        not apply, too few permutations for any p that counts to be below the level.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 20
    >>> y_pred = [1, 1, 1, 0, 0, 0, 1, 0] * 20
    >>> sex = ["m", "f", "m", "f", "m", "f", "f", "m"] * 20
    >>> result = audit(y_true, y_pred, sensitive_features={"sex": sex})
    >>> columns = ["group", "measure", "estimate", "verdict"]
    >>> result.to_frame().loc[:2, columns].round(2)
      group         measure  estimate    verdict
    0     m             EOD       0.5   violated
    1     m  FPR difference      -0.5   violated
    2     m             AOD       0.0  not shown
    """
    return audit_columns(
        y_true, y_pred, y_score, by_name(sensitive_features), wording=Wording(),
        positive=positive, label_kind=label_kind, intersections=intersections,
        reference={} if reference is None else reference, alpha=alpha,
        correction=correction, criterion=criterion, n_permutations=n_permutations,
        random_state=random_state,
    )  # fmt: skip


def audit_columns(
    y_true: ArrayLike | Column,
    y_pred: ArrayLike | Column,
    y_score: ArrayLike | Column | None,
    sensitive_features: Mapping[str, ArrayLike | Column],
    *,
    wording: Wording,
    positive: object,
    label_kind: LabelKind = "auto",
    intersections: bool,
    reference: Mapping[str, object],
    alpha: float,
    correction: Correction,
    criterion: str | Sequence[str] | None = None,
    n_permutations: int,
    random_state: int,
    source: Mapping[str, Any] | None = None,
) -> AuditResult:
    """Audit named columns (see `audit`); `wording` has their names in messages.

    Parameters
    ----------
    source
        Where they come from, for `about`.
    """
    inputs.level(alpha, wording.alpha)
    inputs.whole(n_permutations, "n_permutations", 0, inputs.MAX_PERMUTATIONS)
    inputs.whole(random_state, "random_state", 0)
    inputs.flag(intersections, "intersections")
    inputs.one_of(correction, "correction", get_args(Correction))
    if not isinstance(reference, Mapping):
        raise InputError(messages.reference_is_no_mapping(reference))
    roles = read_roles(
        y_true, y_pred, y_score, positive=positive, label_kind=label_kind, wording=wording
    )
    items = {wording.label: y_true, wording.prediction: y_pred}
    if y_score is not None:
        items[wording.score] = y_score
    attributes = read_attributes(
        sensitive_features, items=items, reference=reference, intersections=intersections,
        wording=wording,
    )  # fmt: skip
    _check_time(roles, attributes, n_permutations, wording)
    counted = criteria_that_count(roles, criterion, n_permutations, wording)
    tests, rates = [], []
    for attribute in attributes:
        of_attribute = AttributeItems(roles, attribute, alpha, n_permutations, random_state)
        tests.append(judge(_rows(of_attribute), attribute, alpha, correction))
        rates.append(group_rates(roles, attribute, of_attribute.ranking, alpha=alpha))
    table = pd.concat(tests, ignore_index=True)
    gate = judge_all(table, counted, alpha)
    if gate.none_can_be_below:
        raise InputError(
            messages.shuffles_too_few(n_permutations, gate.shuffles_needed, counted, alpha, wording)
        )
    about = _about(roles, attributes) | {
        "alpha": float(alpha),
        "correction": correction,
        "family": messages.FAMILY,
        "gate": gate.to_dict(),
        "n_permutations": int(n_permutations),
        "not_applicable": not_applicable(roles),
        "notes": _notes(roles, label_kind, gate, n_permutations),
        "source": dict(source or {}),
    }
    return AuditResult(table[list(COLUMNS)], pd.concat(rates, ignore_index=True), about)


def _rows(items: AttributeItems) -> dict[str, list[Row]]:
    """Return the rows of each criterion that applies, for each group against the reference."""
    left_out = not_applicable(items.roles)
    rows: dict[str, list[Row]] = {name: [] for name in CRITERIA if name not in left_out}
    for comparison in items.comparisons:
        for name in rows:
            rows[name] += CRITERIA[name].rows(comparison)
    return rows


def _check_time(
    roles: Roles, attributes: list[Attribute], n_permutations: int, wording: Wording
) -> None:
    """Raise when the shuffles, which I_sep and density ratios of real predictions take, are many.

    Each fits logistic regressions to the two groups of each comparison.
    """
    if roles.prediction == "binary":
        return
    seconds = sum(
        SECONDS[0] + SECONDS[1] * float(attribute.sizes[[place, attribute.reference]].sum())
        for attribute in attributes
        for place in attribute.others
    )
    if n_permutations * seconds > LONGEST:
        raise InputError(messages.shuffles_too_long(n_permutations, seconds, LONGEST, wording))


def schema() -> Path:
    """Return the path of the JSON schema of audit.json."""
    return Path(str(files("fairpairs.auditing") / "audit.schema.json"))


def _about(roles: Roles, attributes: list[Attribute]) -> dict[str, Any]:
    """Return what was audited, for `about`."""
    return {
        "version": fairpairs.__version__,
        "items": len(roles.y_true),
        "label": roles.label,
        "positive": roles.positive,
        "prediction": roles.prediction,
        "score": roles.y_score is not None,
        "attributes": {
            attribute.name: {
                "groups": dict(zip(attribute.names, attribute.sizes.tolist(), strict=True)),
                "reference": attribute.names[attribute.reference],
            }
            for attribute in attributes
        },
    }


def _notes(roles: Roles, label_kind: LabelKind, gate: Gate, n_permutations: int) -> list[str]:
    """Return the notes on the whole audit."""
    notes = []
    if gate.shuffles_needed:
        notes.append(messages.some_shuffles_too_few(n_permutations, gate.shuffles_needed))
    if roles.prediction == "real" or roles.y_score is not None:
        notes.append(messages.HIGHER_IS_POSITIVE)
    if roles.prediction == "real" and not n_permutations:
        notes.append(messages.NO_PERMUTATIONS)
    levels = len(np.unique(roles.y_true))
    if roles.label == "real" and label_kind == "auto" and levels <= inputs.MAX_GROUPS:
        notes.append(messages.taken_for_numbers(levels))
    return notes
