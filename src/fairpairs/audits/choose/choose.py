"""Which rows to label next: those that take away most of the variance of what counts.

A cell is a combination of groups, decision and cheap label. By the human labels so far, and the
cheap ones where there are few, each cell has a share of positives, and so does what its rows add to
the differences that count.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.audit.cell_rates import CellRate
from fairpairs.audits.audit.criteria.rates import OF_RATES
from fairpairs.audits.audit.criterion_names import plain_names
from fairpairs.audits.audit.few_labels import (
    chances,
    cheap_numbers,
    check_draw,
    filled,
    row_kinds,
)
from fairpairs.audits.audit.groups import Attribute
from fairpairs.audits.audit.items import read_items
from fairpairs.audits.audit.messages import Wording
from fairpairs.audits.audit.settings import AuditColumns, Settings
from fairpairs.audits.audit.values import Values
from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.columns import PartialColumn, column, partial_column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.one_dimensional import missing_values
from fairpairs.mathematics.inference.sampling.allocation import (
    draw_rows,
    joint_chance,
    neyman_allocation,
)

#: Share of positive human labels that is expected where the cheap one is negative, or positive.
EXPECTED = np.array([0.1, 0.9])
#: Human labels that this expectation counts for.
WORTH = 4.0
#: The criteria that rows can be chosen for.
CRITERIA = {criterion.name: criterion for criterion in OF_RATES}


@dataclass(frozen=True, repr=False)
class Choice:
    """The rows to label next; returned by `choose`.

    Attributes
    ----------
    chosen
        Whether each row is to be labelled, shape (n,).
    chance
        Chance of each row to get a human label in this round or an earlier one, for
        `audit(chance=)`, shape (n,).
    cells
        One row per combination of groups, decision and cheap label: `rows`, those `labelled` so
        far, those `chosen` now, and the `chance` in this round.
    """

    chosen: NDArray[np.bool_]
    chance: Floats
    cells: pd.DataFrame

    def __repr__(self) -> str:
        return f"{int(self.chosen.sum()):,} of {len(self.chosen):,} rows are chosen: .cells"


def choose_rows(columns: AuditColumns, n: int, settings: Settings, wording: Wording) -> Choice:
    """Choose rows; `columns.y_true` is None, or missing, where nobody looked.

    Raises InputError for labels and decisions of other than two values, criteria without rates, and
    what `read_few_labels` refuses.
    """
    inputs.whole(n, wording.option("n"), 1)
    rates = _rates(settings, wording)
    if columns.y_pred is None and settings.threshold is None:
        raise InputError(f"{wording.prediction} is None: give the decisions.")
    if columns.cheap_label is None:
        raise InputError(f"{wording.cheap_label} is None: give a label that every row has.")
    y_true: Any = columns.y_true
    given = {
        wording.label: y_true,
        wording.prediction: columns.y_pred,
        wording.cheap_label: columns.cheap_label,
    }
    inputs.same_items(**{name: values for name, values in given.items() if values is not None})
    human = None if y_true is None else _in_part(y_true, wording)
    cheap = Values(column(columns.cheap_label, wording.cheap_label))
    label = cheap.column if human is None else filled(human, cheap, wording)
    roles, attributes, _ = read_items(replace(columns, y_true=label), settings, wording)
    if roles.label != "binary" or roles.prediction != "binary":
        raise InputError(
            f"{wording.option('cheap_label')}: rows are chosen for labels and decisions of two "
            f"values: of numbers, draw as many of each group at random, and name the group in "
            f"{wording.option('drawn_within')}; of a score, give {wording.option('threshold')}."
        )
    known = np.zeros(len(label), dtype=bool) if human is None else human.where
    before = None
    if human is not None:
        before = chances(columns.chance, columns.drawn_within, human.where, wording)
    decision = roles.y_pred.astype(np.int64)
    judged = cheap_numbers(cheap, roles).astype(np.int64)
    if before is not None:
        check_draw(row_kinds(roles, attributes, judged.astype(float)), known, before, wording)
    cell, table = _cells(attributes, decision, judged)
    k = len(table)
    rows, labelled = (np.bincount(cell[kept], minlength=k) for kept in (slice(None), known))
    positive = np.bincount(cell[known], roles.y_true[known], minlength=k)
    decided, cheap_of = (np.asarray(table[name], dtype=np.int64) for name in ("decision", "cheap"))
    share = (positive + WORTH * EXPECTED[cheap_of]) / (labelled + WORTH)
    squares = np.zeros(k)
    for attribute in attributes:
        group = np.asarray(table[attribute.name], dtype=np.int64)
        for rate in rates:
            squares += _variances(rate, attribute, group, decided, rows, share)
    left = rows - labelled
    if not left.any():
        raise InputError(f"{wording.label} has a value in every row: there is nothing to choose.")
    expected = neyman_allocation(np.sqrt(squares), labelled, left, n)
    rng = np.random.default_rng(settings.random_state)
    drawn = draw_rows(cell, np.flatnonzero(~known), expected, rng)
    chosen = np.zeros(len(known), dtype=bool)
    chosen[drawn] = True
    now = expected / np.maximum(left, 1)
    names = {one.name: np.array(one.names)[np.asarray(table[one.name])] for one in attributes}
    written = table.assign(
        **names,
        rows=rows,
        labelled=labelled,
        chosen=np.bincount(cell[drawn], minlength=k),
        chance=now,
    )
    return Choice(chosen, joint_chance(before, now[cell]), written)


def _in_part(y_true: Any, wording: Wording) -> PartialColumn | None:
    """Return the human labels; None where there is none yet."""
    if not isinstance(y_true, PartialColumn) and missing_values(y_true, wording.label).all():
        return None
    return partial_column(y_true, wording.label)


def _rates(settings: Settings, wording: Wording) -> list[CellRate]:
    """Return the rates of the criteria that count; by default those of separation."""
    names = plain_names(settings.criterion) if settings.criterion is not None else ("separation",)
    for name in names:
        if not isinstance(name, str) or name not in CRITERIA:
            raise InputError(
                f"{wording.option('criterion')}: {shown(name)} compares no rates of decisions: "
                f"name one of {', '.join(CRITERIA)}."
            )
    measures = [measure for name in names for measure in CRITERIA[str(name)].measures]
    return [measure.rate for measure in measures if measure.rate is not None]


def _cells(
    attributes: list[Attribute], decision: Integers, cheap: Integers
) -> tuple[Integers, pd.DataFrame]:
    """Return the cell of each row, and the codes of each cell."""
    codes = [*(one.group for one in attributes), decision, cheap]
    names = [*(one.name for one in attributes), "decision", "cheap"]
    shape = tuple(int(code.max()) + 1 for code in codes)
    taken, cell = np.unique(np.ravel_multi_index(tuple(codes), shape), return_inverse=True)
    values = np.unravel_index(taken, shape)
    return cell.astype(np.int64), pd.DataFrame(dict(zip(names, values, strict=True)))


def _variances(
    rate: CellRate,
    attribute: Attribute,
    group: Integers,
    decision: Integers,
    rows: Integers,
    share: Floats,
) -> Floats:
    """Return what a single label of each cell leaves of the variance of a rate's differences."""
    among, counted = (np.array(cells)[:, decision] for cells in (rate.of, rate.counted))
    weights = np.array([1 - share, share]) * rows
    result = np.zeros(len(rows))
    for code in range(len(attribute.names)):
        inside = group == code
        total = float((weights * among)[:, inside].sum())
        if total > 0:
            theta = float((weights * among * counted)[:, inside].sum()) / total
            negative, positive = among * (counted - theta) / total
            times = (
                len(attribute.others) if attribute.compared or code == attribute.reference else 1
            )
            variance = times * (rows * (positive - negative)) ** 2 * share * (1 - share)
            result += np.where(inside, variance, 0.0)
    return result
