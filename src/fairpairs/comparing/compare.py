"""The comparison of two models: each line of the audit of one against that of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

import fairpairs
from fairpairs.auditing.attribute_items import AttributeItems
from fairpairs.auditing.criteria import CRITERIA, criteria_that_count, not_applicable
from fairpairs.auditing.groups import by_name
from fairpairs.auditing.items import read_items
from fairpairs.auditing.margins import read_margins
from fairpairs.auditing.messages import Wording
from fairpairs.auditing.notes import FAMILY, HIGHER_IS_POSITIVE
from fairpairs.auditing.roles import LabelKind, Roles
from fairpairs.auditing.settings import AuditColumns, Settings
from fairpairs.comparing import messages
from fairpairs.comparing.decisions import changed_decisions, changed_items
from fairpairs.comparing.lines import Models, change_lines, judge_change, judge_lines
from fairpairs.comparing.result import ComparisonResult
from fairpairs.comparing.tables import COLUMNS
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.columns import Column
from fairpairs.fairness.results import Correction
from fairpairs.fairness.sampling.design import SamplingDesign, WeightKind


@dataclass(frozen=True)
class ModelColumns:
    """The columns of the items of both models; shape (n,) each."""

    both: AuditColumns
    y_pred_new: ArrayLike | Column
    y_score_new: ArrayLike | Column | None = None
    items: ArrayLike | None = None


@dataclass(frozen=True)
class ModelWordings:
    """Names of the roles of both models in messages."""

    old: Wording
    new: Wording
    items: str = "items"


NAMES = ModelWordings(
    Wording(prediction="y_pred_old", score="y_score_old"),
    Wording(prediction="y_pred_new", score="y_score_new"),
)


def compare(
    y_true: ArrayLike,
    y_pred_old: ArrayLike,
    y_pred_new: ArrayLike,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    y_score_old: ArrayLike | None = None,
    y_score_new: ArrayLike | None = None,
    items: ArrayLike | None = None,
    positive: object = None,
    label_kind: LabelKind = "auto",
    intersections: bool = False,
    reference: Mapping[str, object] | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
    criterion: str | Sequence[str] | None = None,
    margin: float | Mapping[str, float] | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_kind: WeightKind = "sampling",
    missing_group: bool = False,
) -> ComparisonResult:
    """Compare the fairness of two models that predict the same items.

    Each measure of an audit that is a difference of two groups, the gap, is computed for both
    models. The change of the gap, new minus old, is tested with the variance that the shared items
    leave; so is whether the new gap is larger, whatever the signs of both.

    Parameters
    ----------
    y_true, y_pred_old, y_pred_new
        Labels, and predictions of the old and the new model, shape (n,): two values of any kind, or
        numbers.
    y_score_old, y_score_new
        Scores of both models, for a binary label, shape (n,).
    items
        What each item is called in `changed`, shape (n,); by default its place from 1 on.
    margin
        Largest increase of a gap that does not matter: one for all rates, or one by criterion. Each
        line is then also tested for not being worse by it, and for being worse by more.
    criterion
        What counts for `worse` and `shown`, as in `audit`.
    sensitive_features, positive, label_kind, intersections, reference, alpha, correction
        As in `audit`.
    clusters, sample_weight, weight_kind, missing_group
        As in `audit`.

    Returns
    -------
    ComparisonResult
        What cannot be estimated is a row with the reason.

    Raises
    ------
    InputError
        As for `audit`; a score of one model only, decisions of one model and numbers of the other,
        an item that is named twice, a criterion that counts but has no gap.

    Notes
    -----
    docs/explanation/methods.md has the tests and what their levels are.

    Examples
    --------
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0] * 40
    >>> y_old = [1, 0, 1, 0, 0, 0, 1, 0] * 40
    >>> y_new = [1, 1, 1, 1, 0, 0, 1, 0] * 40
    >>> sex = ["m", "f", "m", "f", "m", "f", "m", "f"] * 40
    >>> result = compare(y_true, y_old, y_new, sensitive_features={"sex": sex}, margin=0.1)
    >>> columns = ["group", "measure", "old", "new", "verdict"]
    >>> result.to_frame().loc[:1, columns].round(2)
      group         measure  old  new                  verdict
    0     m             EOD  1.0  0.0                 improved
    1     m  FPR difference  0.5  0.5  not worse by the margin
    """
    columns = ModelColumns(
        AuditColumns(
            y_true, y_pred_old, by_name(sensitive_features), y_score_old, clusters, sample_weight
        ),
        y_pred_new,
        y_score_new,
        items,
    )
    settings = Settings(
        positive=positive, label_kind=label_kind, missing_group=missing_group,
        intersections=intersections, reference={} if reference is None else reference,
        weight_kind=weight_kind, alpha=alpha, correction=correction, criterion=criterion,
        margin=margin,
    )  # fmt: skip
    return compare_columns(columns, settings, NAMES)


def compare_columns(
    columns: ModelColumns,
    settings: Settings,
    names: ModelWordings,
    *,
    source: Mapping[str, Any] | None = None,
) -> ComparisonResult:
    """Compare named columns (see `compare`); `names` has their names in messages.

    Parameters
    ----------
    source
        Where they come from, for `about`.
    """
    settings.check(names.old)
    both = columns.both
    if (both.y_score is None) != (columns.y_score_new is None):
        scores = names.old.score, names.new.score
        raise InputError(
            messages.one_score(*(scores if both.y_score is not None else scores[::-1]))
        )
    old, attributes, design = read_items(both, settings, names.old)
    new, _, _ = read_items(
        replace(both, y_pred=columns.y_pred_new, y_score=columns.y_score_new), settings, names.new
    )
    inputs.same_items(
        **{names.old.prediction: both.y_pred, names.new.prediction: columns.y_pred_new}
    )
    items = _items(columns, names)
    if old.prediction != new.prediction:
        raise InputError(
            messages.other_kinds(names.old.prediction, names.new.prediction, old.prediction)
        )
    margins = read_margins(settings, old, not_applicable(old), names.old)
    left_out = _left_out(old) | _left_out(new)
    counted = criteria_that_count(old, settings.criterion, settings.n_permutations, names.old)
    without = [name for name in counted if name in left_out]
    if without:
        raise InputError(messages.nothing_comparable(without))
    criteria = tuple(name for name in CRITERIA if name not in left_out)
    tests, decisions = [], []
    for attribute in attributes:
        models = Models(
            *(AttributeItems(roles, attribute, settings, design) for roles in (old, new))
        )
        lines = change_lines(models, criteria, margins)
        tests.append(judge_lines(lines, attribute, settings.alpha, settings.correction))
        decisions.append(changed_decisions(models, settings.alpha))
    table = pd.concat(tests, ignore_index=True)
    gate = judge_change(table, counted, settings.alpha, with_margin=bool(margins))
    single = attributes[: len(both.sensitive_features)]
    ranked = old.prediction == "real" or old.y_score is not None
    changed = changed_items((old, new), single, items, _positions(both, settings, len(items)))
    about = _about(old, attributes, settings, design) | {
        "changed": len(changed) if old.prediction == "binary" else None,
        "margin": margins or None,
        "family": FAMILY,
        "gate": asdict(gate),
        "left_out": left_out,
        "notes": [HIGHER_IS_POSITIVE] if ranked else [],
        "source": dict(source or {}),
    }
    return ComparisonResult(
        table[list(COLUMNS)], pd.concat(decisions, ignore_index=True), changed, about
    )


def _items(columns: ModelColumns, names: ModelWordings) -> NDArray[Any]:
    n = len(columns.both.y_true)  # type: ignore[arg-type]  # an array
    if columns.items is None:
        return np.arange(1, n + 1)
    items = inputs.one_dimensional(columns.items, names.items)
    if len(items) != n:
        raise InputError(messages.wrong_count_of_items(len(items), n))
    repeated = pd.Series(items).duplicated().to_numpy()
    if repeated.any():
        place = int(repeated.argmax())
        first = int((items == items[place]).argmax())
        raise InputError(messages.same_item(names.items, items[place], first, place))
    return items


def _positions(columns: AuditColumns, settings: Settings, n: int) -> NDArray[np.int64]:
    """Return the place of each item that is audited; frequencies repeat it."""
    if columns.sample_weight is None or settings.weight_kind != "frequency":
        return np.arange(n)
    weights = columns.sample_weight
    values = weights.of_items(weights.kinds) if isinstance(weights, Column) else weights
    return np.repeat(np.arange(n), np.asarray(values, dtype=float).astype(np.int64))


def _left_out(roles: Roles) -> dict[str, str]:
    """Return the criteria that are not compared: name → why."""
    without = {name: messages.NO_GAP for name, of in CRITERIA.items() if of.gaps is None}
    return without | not_applicable(roles)


def _about(
    roles: Roles, attributes: list[Any], settings: Settings, design: SamplingDesign | None
) -> dict[str, Any]:
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
        "alpha": float(settings.alpha),
        "correction": settings.correction,
        "clusters": None if design is None or design.cluster is None else design.n_clusters,
        "weights": None if design is None or design.weight is None else design.kind,
    }


def schema() -> Path:
    """Return the path of the JSON schema of compare.json."""
    return Path(str(files("fairpairs.comparing") / "compare.schema.json"))
