"""The audit of the predictions of one model: every criterion that applies, on every group.

Every group is compared with a reference group, the largest one unless another is named. p-values
are adjusted over a family: all hypotheses of one attribute and one criterion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairpairs.auditing import messages, notes
from fairpairs.auditing.about import about_items
from fairpairs.auditing.adjustment import Gate, judge, judge_all
from fairpairs.auditing.attribute_items import AttributeItems
from fairpairs.auditing.class_items import ClassItems
from fairpairs.auditing.class_roles import AuditLabelKind
from fairpairs.auditing.classes import audit_classes
from fairpairs.auditing.comparison import comparisons
from fairpairs.auditing.counted import MOST_ITEMS, count_items, in_order
from fairpairs.auditing.criteria import CRITERIA, criteria_that_count, not_applicable
from fairpairs.auditing.groups import Attribute, by_name
from fairpairs.auditing.items import read_class_items, read_items
from fairpairs.auditing.margins import criteria_without_margin, read_margins
from fairpairs.auditing.messages import Wording
from fairpairs.auditing.rates import group_rates, ranks_backwards
from fairpairs.auditing.ratios import four_fifths
from fairpairs.auditing.repeated_ids import note_on
from fairpairs.auditing.result import AuditResult
from fairpairs.auditing.roles import Roles
from fairpairs.auditing.rows import Row
from fairpairs.auditing.sampled_rates import with_sampling
from fairpairs.auditing.sampling_notes import notes_on_design
from fairpairs.auditing.settings import AuditColumns, Settings
from fairpairs.auditing.tables import COLUMNS
from fairpairs.errors import InputError
from fairpairs.fairness import inputs
from fairpairs.fairness.results import Correction
from fairpairs.fairness.sampling.design import WeightKind

#: The names of the arguments of `audit` in messages.
WORDING = Wording(classes="label_kind='classes'")
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
    label_kind: AuditLabelKind = "auto",
    order: Sequence[object] | None = None,
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
    n_permutations: int = 0,
    random_state: int = 0,
    data: object = None,
) -> AuditResult:
    """Run every test of fairness that applies to the predictions of a model.

    Binary labels and predictions: separation (EOD, the difference of the FPR), average odds (AOD),
    comparative separation, demographic and differential parity, I_sep and the density ratio of
    separation from the counts. Real predictions: the same but for separation and average odds, with
    I_sep and the density ratio by logistic regressions. Binary labels with a score: also xAUC.
    Classes: separation, demographic and predictive parity, of all classes and all groups at once,
    and of each class against the rest.

    Items must be independent, or `clusters` names those that are not.

    Parameters
    ----------
    y_true, y_pred
        Labels and predictions, shape (n,): two values of any kind, numbers, or the same three to 50
        classes.
    sensitive_features
        Group of each item, shape (n,); or several attributes, each of which is audited: a DataFrame
        or an array of shape (n, attributes), or a mapping from names.
    y_score
        Score, for a binary label, shape (n,). A real prediction of a binary label is the score
        unless there is another one.
    positive
        Value of the label (and of a binary prediction) that is positive; None for 1 or true. Of
        more than two classes (words or whole numbers), only this one is audited, against the rest;
        a real prediction is its score.
    label_kind
        "binary", "number", "classes" or "ordinal" (classes in an order); "auto" treats two values
        as binary, three or more words as classes, and other numbers as numbers. A label of three to
        ten whole numbers, which may be classes, is refused.
    order
        The classes of an ordinal label, the lowest first; by default that of whole numbers.
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
        "predictive_parity", "error_rates", "calibration", "calibration_slope",
        "information_separation", "density_ratio_separation". By default separation where the
        predictions are binary and xAUC where there is a score; comparative separation for a real
        label. Of classes "separation_all_classes", which counts by default,
        "demographic_parity_all_classes", "predictive_parity_all_classes", or "separation",
        "demographic_parity", "predictive_parity" of each class against the rest; ordinal ones also
        "comparative_separation". All criteria are shown, whatever counts.
    margin
        Largest difference that does not matter, between 0 and 1 for rates: each line is then also
        tested for being within it, and beyond it. One for all rates, or one by criterion, which may
        also be in units of the label. `shown` of the result is True when all that counts is shown
        to be within it, and `violated` when something is shown to be beyond it.
    clusters
        Cluster of each item, such as the person of several rows, shape (n,): items of different
        clusters are independent.
    sample_weight
        Weight of each item, 0 or more, shape (n,).
    weight_kind
        "sampling", inverse chances to be sampled; "importance", ratios of the chances of an item in
        the population of interest and in that sampled; "frequency", numbers of equal rows.
    missing_group
        Whether items without a value of an attribute are a group of their own, "missing".
    n_permutations
        Shuffles of the groups within labels for p-values of I_sep and of the density ratio of real
        predictions; 0 for none. On many items they take long.
    random_state
        Seed, a whole number from 0 on.
    data
        A table of pandas, Polars or Arrow, a relation of DuckDB, or paths of CSV or Parquet files,
        of any size. The other arguments then name its columns: `y_true`, `y_pred`, `y_score`,
        `clusters` and `sample_weight` one each, `sensitive_features` one or several.

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
        not apply, a margin that is no number above 0 (for rates, and below 1), too few permutations
        for any p that counts to be below the level.

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

    With a margin, an audit can show that differences are small:

    >>> y_true, y_pred = [1, 1, 1, 0, 0, 0] * 200, [1, 1, 0, 0, 0, 1] * 200
    >>> sex = (["m"] * 6 + ["f"] * 6) * 100
    >>> audit(y_true, y_pred, sensitive_features={"sex": sex}, margin=0.1).shown
    True
    """
    settings = Settings(
        positive=positive, label_kind=label_kind, order=order, missing_group=missing_group,
        intersections=intersections, reference={} if reference is None else reference,
        weight_kind=weight_kind, alpha=alpha, correction=correction, criterion=criterion,
        margin=margin, n_permutations=n_permutations, random_state=random_state,
    )  # fmt: skip
    if data is not None:
        from fairpairs.auditing.read import audit_data, column_names  # noqa: PLC0415  (which needs this)

        named = column_names(
            y_true=y_true, y_pred=y_pred, sensitive_features=sensitive_features, y_score=y_score,
            clusters=clusters, sample_weight=sample_weight,
        )  # fmt: skip
        return audit_data(data, named, settings)
    columns = AuditColumns(
        y_true, y_pred, by_name(sensitive_features), y_score, clusters, sample_weight
    )
    index = getattr(y_true, "index", None)
    ids = []
    if clusters is None and isinstance(index, pd.Index) and not index.is_unique:
        sizes = np.asarray(index.value_counts(), dtype=np.int64)
        ids = note_on(sizes, "The index of y_true", "give clusters=y_true.index", alpha)
    return audit_columns(columns, settings, WORDING, more_notes=ids)


def audit_columns(
    columns: AuditColumns,
    settings: Settings,
    wording: Wording,
    *,
    source: Mapping[str, Any] | None = None,
    more_notes: Sequence[str] = (),
) -> AuditResult:
    """Audit named columns (see `audit`); `wording` has their names in messages.

    Parameters
    ----------
    source
        Where they come from, for `about`.
    more_notes
        More notes on the whole audit.
    """
    settings.check(wording)
    classes = read_class_items(columns, settings, wording)
    if classes is not None:
        of_classes, attributes, design = classes
        in_classes = [ClassItems(of_classes, of, settings, design) for of in attributes]
        return audit_items(in_classes, settings, wording, source=source, more_notes=more_notes)
    roles, attributes, design = read_items(columns, settings, wording)
    if design is None and len(roles.y_true) > MOST_ITEMS:
        items = count_items(roles, attributes, settings)
    else:
        if design is None:
            roles, attributes = in_order(roles, attributes)
        items = [AttributeItems(roles, attribute, settings, design) for attribute in attributes]
    return audit_items(items, settings, wording, source=source, more_notes=more_notes)


def audit_items(
    items: Sequence[AttributeItems] | Sequence[ClassItems],
    settings: Settings,
    wording: Wording,
    *,
    source: Mapping[str, Any] | None = None,
    more_notes: Sequence[str] = (),
) -> AuditResult:
    """Audit items with the groups of each attribute (see `audit_columns`)."""
    if isinstance(items[0], ClassItems):
        return audit_classes(
            cast(Sequence[ClassItems], items), settings, wording, source=source,
            more_notes=more_notes,
        )  # fmt: skip
    items = cast(Sequence[AttributeItems], items)
    roles, design = items[0].roles, items[0].design
    attributes = [of_attribute.attribute for of_attribute in items]
    _check_time(roles, attributes, settings.n_permutations, wording)
    left_out = not_applicable(roles)
    margins = read_margins(settings, roles, left_out, wording)
    counted = criteria_that_count(roles, settings.criterion, settings.n_permutations, wording)
    tests, rates, rule = [], [], []
    for of_attribute in items:
        attribute = of_attribute.attribute
        rows = _rows(of_attribute)
        rule += four_fifths(of_attribute, rows["demographic_parity"])
        tests.append(judge(rows, attribute, settings.alpha, settings.correction, margins))
        of_groups = group_rates(of_attribute)
        rates.append(of_groups if design is None else with_sampling(of_groups, of_attribute))
    table, all_rates = (pd.concat(parts, ignore_index=True) for parts in (tests, rates))
    gate = judge_all(table, counted, settings.alpha)
    if gate.none_can_be_below:
        raise InputError(
            messages.shuffles_too_few(
                settings.n_permutations, gate.shuffles_needed, counted, settings.alpha, wording
            )
        )
    kinds = {
        "label": roles.label,
        "positive": roles.positive,
        "rest": list(roles.rest),
        "prediction": roles.prediction,
        "score": roles.y_score is not None,
    }
    about = about_items(kinds, attributes, settings, design) | {
        "margin": margins or None,
        "family": notes.FAMILY,
        "four_fifths": rule,
        "gate": gate.to_dict(),
        "not_applicable": left_out,
        "notes": [
            *more_notes,
            *_notes(roles, settings, gate, margins, wording),
            *([] if design is None else notes_on_design(design, attributes)),
            *([notes.TURNED_ROUND] if ranks_backwards(all_rates) else []),
        ],
        "source": dict(source or {}),
    }
    return AuditResult(table[list(COLUMNS)], all_rates, about)


def _rows(items: AttributeItems) -> dict[str, list[Row]]:
    """Return the rows of each criterion that applies, for each group against the reference."""
    left_out = not_applicable(items.roles)
    rows: dict[str, list[Row]] = {name: [] for name in CRITERIA if name not in left_out}
    for comparison in comparisons(items):
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
        SECONDS[0] + SECONDS[1] * np.isin(attribute.group, [place, attribute.reference]).sum()
        for attribute in attributes
        for place in attribute.others
    )
    if n_permutations * seconds > LONGEST:
        raise InputError(messages.shuffles_too_long(n_permutations, seconds, LONGEST, wording))


def schema() -> Path:
    """Return the path of the JSON schema of audit.json."""
    return Path(str(files("fairpairs.auditing") / "audit.schema.json"))


def _notes(
    roles: Roles, settings: Settings, gate: Gate, margins: Mapping[str, float], wording: Wording
) -> list[str]:
    """Return the notes on the whole audit."""
    n_permutations, label_kind = settings.n_permutations, settings.label_kind
    found = []
    if roles.only_predicted:
        found.append(messages.only_predicted(roles.only_predicted, roles.positive, wording))
    if margins and (without := criteria_without_margin(margins, roles, not_applicable(roles))):
        found.append(notes.without_margin(without))
    if gate.shuffles_needed:
        found.append(notes.some_shuffles_too_few(n_permutations, gate.shuffles_needed))
    if roles.prediction == "real" or roles.y_score is not None:
        found.append(notes.HIGHER_IS_POSITIVE)
    if roles.prediction == "real" and not n_permutations:
        found.append(notes.NO_PERMUTATIONS)
    if roles.label == "real" and label_kind == "auto" and roles.levels <= inputs.MAX_GROUPS:
        found.append(notes.taken_for_numbers(roles.levels))
    return found
