"""The items that columns hold: labels, predictions, groups, how they were sampled, strata."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.audits.items.class_roles import ClassRoles, read_classes
from fairpairs.audits.items.coding import read_roles
from fairpairs.audits.items.groups import Attribute, read_attributes
from fairpairs.audits.items.messages import Wording, no_frequency, short
from fairpairs.audits.items.roles import Roles, Values
from fairpairs.audits.items.settings import AuditColumns, AuditLabelKind, Settings
from fairpairs.audits.items.strata import Strata, read_strata
from fairpairs.base.arrays import Array, Integers
from fairpairs.base.columns import Column, column
from fairpairs.base.errors import InputError
from fairpairs.base.inputs import MAX_GROUPS
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.arguments.read import SamplingNames, read_sample

R = TypeVar("R", Roles, ClassRoles)
Read = tuple[R, list[Attribute], SamplingDesign]


def counted_items(
    models: Sequence[R],
    attributes: Sequence[Attribute],
    design: SamplingDesign,
    strata: Strata | None = None,
) -> tuple[list[R], list[Attribute], SamplingDesign, Strata | None]:
    """Return one item for all that are alike, in an order that is not that of the input.

    `models` have the predictions of one model, or of several, for the same independent items.
    """
    keys: list[Array] = [one.group for one in attributes]
    keys += [] if strata is None else [strata.code]
    for roles in models:
        keys += roles.keys
    # small types are sorted faster
    keys = [key.astype(np.min_scalar_type(key.max())) if key.dtype == int else key for key in keys]
    order = np.lexsort(keys)
    ordered = (key[order] for key in keys)
    other = reduce(np.logical_or, (key[1:] != key[:-1] for key in ordered))
    start = np.flatnonzero(np.append(True, other))
    first, count = order[start], np.add.reduceat(design.weights[order], start)
    return (
        [roles.take(first) for roles in models],
        [one.take(first, one.sizes) for one in attributes],
        SamplingDesign(len(first), None, count, "frequency"),
        None if strata is None else replace(strata.take(first), items=count),
    )


def read_items(
    columns: AuditColumns, settings: Settings, wording: Wording, *, most: int = MAX_GROUPS
) -> Read[Roles]:
    """Return what the columns hold: roles, groups, and how the items were sampled.

    Items that frequencies say stand for several are repeated. An attribute has at most `most`
    groups.
    """
    roles = read_roles(columns.y_true, predicted(columns), columns.y_score, settings, wording)
    roles = replace(roles, with_label=columns.with_label)
    return _sampled(roles, columns, settings, wording, most)


def strata_of(columns: AuditColumns, settings: Settings, wording: Wording) -> Strata | None:
    """Return what groups are compared within, of the items that are audited; None for nothing."""
    if not columns.control:
        return None
    n = len(columns.y_true)
    repeated = columns.sample_weight is not None and settings.weight_kind == "frequency"
    rows = positions(columns, settings, n) if repeated else None
    return read_strata(columns.control, n, wording, rows)


def positions(columns: AuditColumns, settings: Settings, n: int) -> Integers:
    """Return the index of each item that is audited; frequencies repeat it."""
    if columns.sample_weight is None or settings.weight_kind != "frequency":
        return np.arange(n)
    weights = columns.sample_weight
    values = weights.of_items(weights.kinds) if isinstance(weights, Column) else weights
    return np.repeat(np.arange(n), np.asarray(values, dtype=float).astype(np.int64))


def predicted(columns: AuditColumns) -> ArrayLike | Column:
    """Return the predictions, or the score that a threshold makes decisions of."""
    predicted = columns.y_score if columns.y_pred is None else columns.y_pred
    assert predicted is not None
    return predicted


def check_threshold(columns: AuditColumns, settings: Settings, wording: Wording) -> Wording:
    """Return the wording, in which the score is the prediction where a threshold decides.

    Raises unless there are predictions, or a score with a threshold for the decisions, and all
    columns are of the same items.
    """
    columns.check_same_items(wording)
    if settings.threshold is None:
        if columns.y_pred is None:
            raise InputError(
                f"{wording.prediction} is missing: give predictions, or {wording.score} with "
                f"{wording.option('threshold')}, from which score on the decision is positive."
            )
    elif columns.y_pred is not None or columns.y_score is None:
        raise InputError(no_score_alone(wording))
    else:
        wording = replace(wording, prediction=wording.score)
    return wording


def without_label(
    columns: AuditColumns, settings: Settings, wording: Wording
) -> tuple[AuditColumns, Settings, Wording]:
    """Return the same with the prediction as the label, by which only predictions are compared."""
    columns.check_same_items(wording)
    if columns.y_pred is None or columns.y_score is not None or columns.cheap_label is not None:
        raise InputError(
            f"{wording.label} is missing: without a label, predictions alone are compared: give "
            f"{wording.option('prediction')}, and no score, threshold or cheap label."
        )
    prediction = column(columns.y_pred, wording.prediction)
    if settings.label_kind == "auto" and settings.positive is None:
        kind: AuditLabelKind = "auto" if len(Values(prediction).kinds) == 2 else "number"
        settings = replace(settings, label_kind=kind)
    columns = replace(columns, y_true=prediction, y_pred=prediction, with_label=False)
    return columns, settings, replace(wording, label=wording.prediction)


def no_score_alone(wording: Wording) -> str:
    """Refuse a threshold without a score, or with predictions."""
    return (
        f"{wording.option('threshold')} makes decisions of a score: give {wording.score}, and "
        "leave out "
        f"{wording.prediction}."
    )


def read_class_items(
    columns: AuditColumns, settings: Settings, wording: Wording
) -> Read[ClassRoles] | None:
    """Return the same of a label of several classes; None of another label."""
    with_score = columns.y_score is not None
    roles = read_classes(
        columns.y_true, predicted(columns), settings, wording, with_score=with_score
    )
    return None if roles is None else _sampled(roles, columns, settings, wording)


def _sampled(
    roles: R, columns: AuditColumns, settings: Settings, wording: Wording, most: int = MAX_GROUPS
) -> Read[R]:
    """Return roles with the groups of the items; frequencies repeat them."""
    if columns.sample_weight is None and settings.weight_kind not in ("sampling", "cluster"):
        raise InputError(
            f"{wording.option('weight_kind', settings.weight_kind)} says what weights mean, and "
            "none are given: name them, or leave it out."
        )
    sample = read_sample(
        columns.clusters,
        columns.sample_weight,
        settings.weight_kind,
        called=SamplingNames(
            wording.clusters, wording.weight, partial(wording.option, "weight_kind")
        ),
        **{wording.label: columns.y_true},
    )
    if sample.repeated is not None:
        roles = roles.take(sample.repeated)
        if np.ptp(roles.y_true) == 0:
            raise InputError(no_frequency(f"all but one value of {short(wording.label)}", wording))
    attributes = read_attributes(
        columns.sensitive_features,
        settings=settings,
        wording=wording,
        count=columns.count,
        weight=None if sample.design is None else sample.design.weight,
        repeated=sample.repeated,
        most=most,
    )
    count = None if columns.count is None else columns.count.astype(float)
    alike = SamplingDesign(len(roles.y_true), None, count, "frequency")
    return roles, attributes, sample.design or alike
