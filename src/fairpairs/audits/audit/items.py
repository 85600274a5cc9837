"""The items that columns hold: labels, predictions, groups, how they were sampled, strata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.audit.class_roles import ClassRoles, read_classes
from fairpairs.audits.audit.coding import read_roles
from fairpairs.audits.audit.groups import Attribute, read_attributes
from fairpairs.audits.audit.messages import Wording, no_frequency, short
from fairpairs.audits.audit.roles import Roles, as_numbers
from fairpairs.audits.audit.settings import AuditColumns, Settings
from fairpairs.base.arrays import MOST_COUNTED, Array, Floats, Integers, first_rows, without_gaps
from fairpairs.base.columns import MISSING_GROUP, Column, column_with_missing
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed
from fairpairs.base.words import has_leading_zero, words
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.arguments.read import SamplingNames, read_sample
from fairpairs.mathematics.inference.sampling.controlled import informative

R = TypeVar("R", Roles, ClassRoles)
Read = tuple[R, list[Attribute], SamplingDesign | None]
#: Amounts of more different values are put into bins of about as many items each.
MOST_VALUES, BINS = 20, 5
#: Whole numbers are amounts with fewer rows a value on average, and codes from so many on.
FEW_ROWS, CODE_ROWS = 2, 5
#: Why a criterion is not tested with a control.
NOT_CONTROLLED = "it has no form within strata, which a control asks for"


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each item, by the columns that are controlled for."""

    #: 0 to `count` − 1, shape (n,).
    code: Integers
    count: int
    #: Column → its values, or the bins of its numbers.
    values: dict[str, list[str]]
    #: How many equal items each one stands for, shape (n,); None for one each.
    items: Floats | None = None
    #: Whether a group is compared with everyone else, not with the reference.
    everyone: bool = False
    #: What to check in the input: the bins of amounts.
    binned: Sequence[str] = ()

    def take(self, rows: Integers) -> Strata:
        """Return the strata of some items, which may be repeated."""
        return Strata(self.code[rows], self.count, self.values, binned=self.binned)

    def about(self, attributes: list[Attribute]) -> Record:
        """Return what was controlled for, for `about` of an audit."""
        return {
            "columns": self.values,
            "strata": self.count,
            "left_out": {one.name: self._left_out(one) for one in attributes},
        }

    def checks(self, attributes: Sequence[Attribute]) -> list[str]:
        """Return what to check in the input: bins of amounts, and strata that hardly compare."""
        texts = list(self.binned)
        rows = len(self.code) if self.items is None else int(self.items.sum())
        names = listed(f"`{name}`" for name in self.values)
        for attribute in attributes:
            if (left := self._left_out(attribute)) > rows / 2:
                texts.append(
                    f"{left:,} of {rows:,} rows are left out, for their combinations of {names} "
                    f"have one group of `{attribute.name}` only: join values of {names}."
                )
        return texts

    def _left_out(self, attribute: Attribute) -> int:
        """Return how many items are in strata that have no two groups to compare."""
        used = self._compared(attribute)
        return int((~used).sum() if self.items is None else self.items[~used].sum())

    def _compared(self, attribute: Attribute) -> NDArray[np.bool_]:
        """Return which items are in a stratum with a group to compare with, shape (n,)."""
        if self.everyone:
            names = len(attribute.names)
            joint = self.code * names + attribute.group
            few = self.count * names < MOST_COUNTED
            kinds = np.flatnonzero(np.bincount(joint)) if few else pd.unique(joint)
            groups = np.bincount(kinds // names, minlength=self.count)
            return np.asarray(groups > 1)[self.code]
        used = np.zeros(len(self.code), dtype=bool)
        for code, other in [*attribute.pairs, *attribute.further_pairs]:
            member = members(attribute, code, other)
            used |= (member >= 0) & informative(member, self.code)[self.code]
        return used

    def check(self, attributes: Sequence[Attribute], wording: Wording) -> None:
        """Raise if, of an attribute, no stratum has two groups that are compared."""
        for attribute in attributes:
            if not self._compared(attribute).any():
                names = listed(f"`{name}`" for name in self.values)
                raise InputError(
                    f"{wording.option('control')}: {names} determines the group of "
                    f"`{attribute.name}`, for no stratum has two groups: control for less, or "
                    "drop the attribute."
                )


def note_on_strata(columns: Mapping[str, Sequence[str]]) -> str:
    """Return what the strata are, by the values of columns; rates of groups are over all rows."""
    names = "; ".join(f"{name}: {listed(values)}" for name, values in columns.items())
    return (
        "Differences are those within strata, put together by Mantel–Haenszel weights; the rates "
        f"of groups are over all rows. Controlled for are {names}."
    )


def in_order(roles: Roles, groups: Sequence[Integers]) -> Integers:
    """Return the positions of the items in an order that does not depend on that of the input."""
    numbers = [roles.y_pred, roles.y_true] + ([] if roles.y_score is None else [roles.y_score])
    return np.lexsort([*groups, *numbers])


def counted_decisions(
    models: Sequence[Roles], attributes: Sequence[Attribute], strata: Strata
) -> tuple[list[Roles], list[Attribute], Strata]:
    """Return one item for all that are alike, of binary labels and predictions without a score.

    `models` have the predictions of one model, or of several, for the same items.
    """
    code, number = strata.code, strata.count
    for roles in models:
        code, number = without_gaps(4 * code + roles.cell)
    for attribute in attributes:
        code, number = without_gaps(code * len(attribute.names) + attribute.group)
    count, first = np.bincount(code), first_rows(code, number)
    return (
        [roles.take(first) for roles in models],
        [one.take(first, one.sizes) for one in attributes],
        replace(strata.take(first), items=count.astype(float)),
    )


def members(attribute: Attribute, code: int, other: int | None = None) -> Integers:
    """Return 1 for items of a group, 0 for those of another or the reference, −1 for the rest."""
    other = attribute.reference if other is None else other
    group, reference = attribute.group == code, attribute.group == other
    return np.where(group, 1, np.where(reference, 0, -1)).astype(np.int8)


def read_strata(
    control: Mapping[str, ArrayLike | Column],
    n: int,
    wording: Wording,
    positions: Integers | None = None,
) -> Strata | None:
    """Return the strata of columns, None without any; a missing value is a value of its own.

    `positions` are the rows of items, where a row stands for several. Raises InputError for another
    length, for a column with one value, and for whole numbers that may be codes or amounts.
    """
    if not control:
        return None
    code, values, binned = np.zeros(n, dtype=np.int64), {}, []
    for name, given in control.items():
        role = wording.control(name)
        one = column_with_missing(given, role)
        if len(one) != n:
            raise InputError(f"{role} has {len(one):,} rows, and the label {n:,}: give as many.")
        kind, names, of_amounts = _kinds(one, role, n if positions is None else len(positions))
        if len(names) == 1:
            raise InputError(
                f"{role} is {names[0]} in every row: there is nothing to control for, so leave it "
                "out."
            )
        if of_amounts:
            binned.append(
                f"`{name}` is compared in {len(names)} ranges ({'; '.join(names)}): if it holds "
                "codes, write them as words, such as `code 17`."
            )
        code, count = without_gaps(code * len(names) + kind)
        values[name] = names
    strata = Strata(code, count, values, binned=binned)
    return strata if positions is None else strata.take(positions)


def _kinds(column: Column, role: str, rows: int) -> tuple[Integers, list[str], bool]:
    """Return the value, or the bin, of each item, their names, and whether they are bins."""
    code, kinds = column.coded()
    present = kinds != MISSING_GROUP if kinds.dtype == object else np.full(len(kinds), True)
    numbers = as_numbers(kinds[present])
    if numbers is not None and _are_amounts(kinds[present], numbers, role, rows):
        of_kinds = np.full(len(kinds), np.nan)
        of_kinds[present] = numbers
        return *_bins(of_kinds[code]), True
    texts = np.array(words(kinds, role), dtype=str)
    names, position = np.unique(texts, return_inverse=True)
    kind = position.reshape(-1)[code]
    used = np.flatnonzero(np.bincount(kind, minlength=len(names)))
    return without_gaps(kind)[0], names[used].tolist(), False


def _are_amounts(kinds: Array, numbers: Floats, role: str, rows: int) -> bool:
    """Return whether numbers are put into bins; raises where whole ones may be codes or amounts."""
    values = len(np.unique(numbers))
    if values <= MOST_VALUES or has_leading_zero(kinds):
        return False
    if (numbers % 1 != 0).any() or rows < FEW_ROWS * values:
        return True
    if rows < CODE_ROWS * values:
        raise InputError(
            f"{role} has {values:,} whole numbers in {rows:,} rows, which may be codes or amounts: "
            "write codes as words, such as `code 17`, or amounts as ranges, such as `20 to 29`."
        )
    return False


def _bins(numbers: Floats) -> tuple[Integers, list[str]]:
    """Return the bin of each number, of about as many items each, and what lies in it.

    Those that are missing (NaN) have a bin of their own, the last.
    """
    known = ~np.isnan(numbers)
    # the largest value alone may be most of them
    below = np.unique(numbers[known])[-2]
    ends = np.unique(np.minimum(np.quantile(numbers[known], np.arange(1, BINS) / BINS), below))
    kind = without_gaps(np.searchsorted(ends, np.where(known, numbers, np.inf), side="left"))[0]
    kind[~known] = kind[known].max() + 1
    parts = [numbers[known & (kind == code)] for code in range(kind[known].max() + 1)]
    names = [f"{part.min():,.6g} to {part.max():,.6g}" for part in parts]
    return kind, names + [MISSING_GROUP] * bool((~known).any())


def read_items(columns: AuditColumns, settings: Settings, wording: Wording) -> Read[Roles]:
    """Return what the columns hold: roles, groups, and how the items were sampled.

    Items that stand for several are repeated.
    """
    roles = read_roles(columns.y_true, predicted(columns), columns.y_score, settings, wording)
    return _sampled(roles, columns, settings, wording)


def strata_of(columns: AuditColumns, settings: Settings, wording: Wording) -> Strata | None:
    """Return what groups are compared within, of the items that are audited; None for nothing."""
    n = len(columns.y_true)  # type: ignore[arg-type]  # an array
    repeated = columns.sample_weight is not None and settings.weight_kind == "frequency"
    rows = positions(columns, settings, n) if repeated and columns.control else None
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

    Raises unless there are predictions, or a score with a threshold for the decisions.
    """
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


def _sampled(roles: R, columns: AuditColumns, settings: Settings, wording: Wording) -> Read[R]:
    """Return roles with the groups of the items; frequencies repeat them."""
    items = {wording.label: columns.y_true}
    if columns.y_pred is not None:
        items[wording.prediction] = columns.y_pred
    if columns.y_score is not None:
        items[wording.score] = columns.y_score
    if columns.sample_weight is None and settings.weight_kind != "sampling":
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
        items=items,
        settings=settings,
        wording=wording,
        count=columns.count,
        repeated=sample.repeated,
    )
    return roles, attributes, sample.design
