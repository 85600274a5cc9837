"""The items of an audit of many groups, counted by groups, label and prediction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from fairpairs.audits.counting.opening import frequencies, selected_and_not
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.criteria.turned_round import decisions_turned
from fairpairs.audits.groups.settings import MOST_GROUPS, GroupSettings
from fairpairs.audits.items.about import checks_on_values
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.columns import (
    columns_by_role,
    columns_of_counts,
    columns_of_table,
    names_of_series,
    source_of,
)
from fairpairs.audits.items.groups import Attribute, by_name
from fairpairs.audits.items.messages import Wording, file_wording, or_missing_group, short
from fairpairs.audits.items.read import read_items
from fairpairs.audits.items.repeated_ids import copied_rows, repeated_ids, repeated_index
from fairpairs.audits.items.roles import Roles, Values
from fairpairs.audits.items.settings import AuditColumns, ColumnNames, Settings
from fairpairs.audits.items.strata import Strata, read_strata
from fairpairs.base.arrays import Integers
from fairpairs.base.columns import Column, column
from fairpairs.base.errors import InputError
from fairpairs.mathematics.arguments.design import SamplingDesign

#: What has no form where rows of a cluster are dependent.
NO_CLUSTERS = (
    "--cluster needs a row per person, and has no form with --control, --selected or counts files: "
    "leave one of the two out."
)


@dataclass(frozen=True)
class CountedGroups:
    """Items by label, prediction and groups of each attribute; a row is for `count` items, (C,)."""

    #: Label and prediction of each row, shape (C,); without labels, both are the prediction.
    roles: Roles
    attributes: Sequence[Attribute]
    count: Integers
    with_label: bool
    #: What groups are compared within; None for nothing.
    strata: Strata | None = None
    #: The clusters of the rows; None if rows are independent.
    design: SamplingDesign | None = None
    #: The good outcome, as the label writes it; None where none is named.
    favourable: str | None = None
    #: Where the items come from, for `about`.
    source: Mapping[str, str] = field(default_factory=dict)
    #: What to check in the input.
    checks: Sequence[str] = ()


def count_arrays(
    y_true: ArrayLike | None,
    y_pred: ArrayLike | None,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    settings: GroupSettings,
    control: ArrayLike | Mapping[str, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
) -> CountedGroups:
    """Return the items of arrays in memory (see `fairpairs.audit_groups`)."""
    if y_pred is None:
        raise InputError("y_pred is missing: give predictions, one for each row.")
    attributes = by_name(sensitive_features)
    settings.check(len(attributes), with_label=y_true is not None)
    controls = {} if control is None else by_name(control, "control")
    if clusters is not None and controls:
        raise InputError(NO_CLUSTERS)
    columns = AuditColumns(y_true, y_pred, attributes, clusters=clusters, control=controls)
    counted = _read(columns, settings, Wording())
    ids: list[str] = []
    if clusters is None:
        ids = repeated_index(columns.with_options, settings.alpha, settings.criterion)
    source = names_of_series(label=y_true, prediction=y_pred)
    return replace(counted, checks=[*ids, *counted.checks], source=source)


def count_rows(data: Rows, named: ColumnNames, settings: GroupSettings) -> CountedGroups:
    """Return the items of named columns of files or a table; counts files know their columns."""
    if data.roles is not None:
        named = columns_of_counts(data, named)
        if data.roles.missing_group:
            settings = replace(settings, missing_group=True)
    label, prediction, cluster = named.label, named.prediction, named.cluster
    counts = data.roles is not None or named.selected is not None or named.of is not None
    if cluster is not None and (named.control or counts):
        raise InputError(NO_CLUSTERS)
    if named.selected is not None or named.of is not None:
        return _counts(data, named, settings)
    if prediction is None or not named.sensitive:
        raise InputError(
            f"{data.called}: the columns are not named: give --prediction, --sensitive and --label "
            "(without --label, only selection rates are compared)."
        )
    attributes = data.named(named.sensitive, "--sensitive")
    roles = {"prediction": prediction} | ({} if label is None else {"label": label})
    roles |= {} if cluster is None else {"cluster": cluster}
    control = data.named(named.control, "--control")
    options = data.check_roles(roles, attributes, control)
    settings.check(len(attributes), with_label=label is not None)
    wording = file_wording(data.called, prediction if label is None else label, prediction)
    notes: dict[str, str] = {}
    # most rows are in a cell of their own
    if control or cluster or (data.small and data.roles is None):
        table = data.table(list(options))
        columns, count = columns_of_table(table, options, wording, settings.missing_group), None
        notes = table.notes
    else:
        data.progress = True
        decisions = data.with_few(roles.values())
        for name in roles.values():
            if name not in decisions:
                raise InputError(_no_decisions(f"{data.called}: column `{name}`"))
        cells = data.cells(
            [*roles.values(), *attributes],
            [],
            missing_group=attributes if settings.missing_group else (),
            names=attributes,
            remedy=or_missing_group(wording),
        )
        columns, count, wording = cells.columns, cells.count, replace(wording, rows=False)
    ids: list[str] = []
    if cluster is None:
        ids = repeated_ids(data, options, settings.alpha, criterion=settings.criterion)
    sizes = [count] if count is not None else (column.sizes() for column in columns.values())
    ids += copied_rows(data, sizes)
    y_true = None if label is None else columns[label]
    by_role = columns_by_role(columns, y_true, replace(named, score=None), attributes, control)
    counted = _read(replace(by_role, count=count), settings, wording)
    source = source_of(data, roles)
    checks = list(
        dict.fromkeys([*ids, *notes.values(), *data.source.notes.values(), *counted.checks])
    )
    return replace(counted, source=source, checks=checks)


def _counts(data: Rows, named: ColumnNames, settings: GroupSettings) -> CountedGroups:
    """Return the people of rows that have how many were selected, of how many."""
    selected, of = named.selected, named.of
    if selected is None or of is None or named.label or named.prediction or not named.sensitive:
        raise InputError(
            f"{data.called}: give --selected, --of and --sensitive, and no --label or --prediction."
        )
    attributes = data.named(named.sensitive, "--sensitive")
    control = data.named(named.control, "--control")
    roles = {"selected": selected, "of": of}
    options = data.check_roles(roles, attributes, control)
    settings.check(len(attributes), with_label=False)
    table = data.table(list(options))
    wording = file_wording(data.called, selected, selected)
    several = {name: option for name, option in options.items() if name not in roles.values()}
    columns = columns_of_table(table, several, wording, settings.missing_group)
    count = selected_and_not(table, selected, of, frequencies(table, of))
    some = np.flatnonzero(count)
    columns = {name: one.take(some % len(table)) for name, one in columns.items()}
    chosen = Column((some < len(table)).astype(float))
    groups, controls = ({name: columns[name] for name in names} for names in (attributes, control))
    people = AuditColumns(None, chosen, groups, control=controls, count=count[some])
    counted = _read(people, settings, wording)
    checks = list(
        dict.fromkeys([*table.notes.values(), *data.source.notes.values(), *counted.checks])
    )
    source = source_of(data, {}) | {"prediction": selected}
    return replace(counted, source=source, checks=checks)


def _read(columns: AuditColumns, settings: GroupSettings, wording: Wording) -> CountedGroups:
    columns.check_same_items(wording)
    with_label = columns.y_true is not None
    if not with_label:
        columns = replace(columns, y_true=columns.y_pred)
        wording = replace(wording, label=wording.prediction)
    label = column(columns.y_true, wording.label)
    values = len(Values(label).kinds)
    if values > 2 and settings.positive is None:
        number = f"{values:,}" if wording.rows else "more than two"
        raise InputError(
            f"{wording.label} has {number} values, and groups are compared by rates of decisions: "
            "give two values, or name by --positive the one that is compared with the rest."
        )
    of_audit = Settings(positive=settings.positive, missing_group=settings.missing_group)
    roles, attributes, design = read_items(columns, of_audit, wording, most=MOST_GROUPS)
    for kind, role in ((roles.label, wording.label), (roles.prediction, wording.prediction)):
        if kind != "binary":
            raise InputError(_no_decisions(role))
    count = columns.count
    counts = np.ones(len(roles.y_true), dtype=np.int64) if count is None else count
    strata = read_strata(columns.control, len(counts), wording)
    if strata is not None:
        strata = replace(strata, items=counts.astype(float), everyone=True)
        strata.check(attributes, wording)
    turned = []
    if with_label:
        alike = SamplingDesign(len(counts), None, counts.astype(float), "frequency")
        cells = {one.name: AttributeItems(roles, one, of_audit, alike).counts for one in attributes}
        texts = short(wording.prediction), short(wording.label)
        turned = decisions_turned(cells, *texts, settings.alpha)
    return CountedGroups(
        roles,
        attributes,
        counts,
        with_label,
        strata,
        None if design.independent else design,
        roles.favourable(settings.favourable, wording),
        checks=[*checks_on_values((), attributes, roles, short(wording.label)), *turned],
    )


def _no_decisions(role: str) -> str:
    """Refuse numbers, which have no rates of decisions."""
    return (
        f"{role} holds numbers, and groups are compared by rates of decisions: give two values, "
        "such as whether a score is above a threshold."
    )
