"""Which rows to label next: those that take away most of the variance of what counts.

A cell is a combination of groups, decision and cheap label. By the human labels so far, and the
cheap ones where there are few, each cell has a share of positives, and so does what its rows add to
the differences that count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fairpairs.audits.criteria.rates import OF_RATES
from fairpairs.audits.criteria.rows import CellRate
from fairpairs.audits.items.columns import columns_by_role, columns_of_table, split
from fairpairs.audits.items.few_labels import chances, cheap_numbers, check_draw, filled, row_kinds
from fairpairs.audits.items.groups import Attribute, by_name
from fairpairs.audits.items.messages import Wording, file_wording
from fairpairs.audits.items.read import check_threshold, read_items
from fairpairs.audits.items.roles import Values
from fairpairs.audits.items.settings import AuditColumns, Settings, plain_names
from fairpairs.audits.options import CHOSEN_COLUMNS
from fairpairs.base import inputs
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.columns import PartialColumn, column, partial_column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.guesses import understood
from fairpairs.base.one_dimensional import missing_values
from fairpairs.base.reading.table import Table
from fairpairs.mathematics.inference.sampling.two_phases import (
    draw_rows,
    joint_chance,
    neyman_allocation,
)

#: Share of positive human labels that is expected where the cheap one is negative, or positive.
EXPECTED = np.array([0.1, 0.9])
#: Human labels that this expectation counts for.
WORTH = 4.0
#: What `cells` of a choice tell beside the groups.
OF_CELLS = ("decision", "cheap", "rows", "labelled", "chosen", "chance")
#: The criteria that rows can be chosen for.
CRITERIA = {criterion.name: criterion for criterion in OF_RATES}
#: The columns that are written: whether a row is to be labelled now, and its chance.
CHOSEN, CHANCE = CHOSEN_COLUMNS
#: Columns that may be named.
ROLES = ("prediction", "score", "cheap_label", "chance", "drawn_within")


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
    """Choose rows; `columns.y_true` is None, or missing, where nobody looked."""
    inputs.whole(n, wording.option("n"), 1)
    rates = _rates(settings, wording)
    if columns.y_pred is None and settings.threshold is None:
        raise InputError(f"{wording.prediction} is None: give the decisions.")
    if columns.cheap_label is None:
        raise InputError(f"{wording.cheap_label} is None: give a label that every row has.")
    y_true: Any = columns.y_true
    columns.check_same_items(wording)
    human = None if y_true is None else _in_part(y_true, wording)
    cheap = Values(column(columns.cheap_label, wording.cheap_label))
    label = cheap.column if human is None else filled(human, cheap, wording)
    roles, attributes, _ = read_items(replace(columns, y_true=label), settings, wording)
    if taken := {one.name for one in attributes} & {*OF_CELLS}:
        raise InputError(
            f"The attribute `{min(taken)}` has the name of a column of cells: rename it."
        )
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
    rng = np.random.default_rng(settings.seed)
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


def choose_in_file(
    path: Path, n: int, options: Mapping[str, Any]
) -> tuple[Choice, pd.DataFrame, list[str]]:
    """Return the choice, the file with its two columns, and notes on how it was read.

    A column `chance` from an earlier round is used without being named. Raises InputError for rows
    that were chosen earlier and have no label, whose chance would be wrong.
    """
    table = Table(path)
    named, settings = split(options)
    chance = named.chance
    if chance is None and named.drawn_within is None and {CHOSEN, CHANCE} <= {*table.columns}:
        chance = CHANCE
    named = replace(named, chance=chance)
    roles = {name: getattr(named, name) for name in ("label", *ROLES) if getattr(named, name)}
    attributes = table.named(named.sensitive, "--sensitive")
    given = table.check_roles(roles, attributes)
    wording = file_wording(path, str(named.label), **{role: getattr(named, role) for role in ROLES})
    label = named.label
    without = table.missing(label) if label is not None else np.ones(len(table), dtype=bool)
    if label is not None and CHOSEN in table.columns:
        _check_labelled(table, label, without)
    first = bool(without.all())
    in_table = {name: role for name, role in given.items() if name != label}
    columns = columns_of_table(table, in_table, wording, settings.missing_group)
    y_true: Any = None if first or label is None else table.coded_in_part(label, number=True)
    by_role = replace(named, chance=None if first else chance)
    audited = columns_by_role(columns, y_true, by_role, attributes)
    settings.check(wording)
    wording = check_threshold(audited, settings, wording)
    choice = choose_rows(audited, n, settings, wording)
    rows = table.frame()
    rows = rows.assign(**{CHOSEN: choice.chosen.astype(int), CHANCE: choice.chance})
    return choice, rows, [*table.notes.values()]


def _check_labelled(table: Table, label: str, without: np.ndarray[Any, Any]) -> None:
    chosen = table.coded_in_part(CHOSEN, number=True)
    marked = np.zeros(len(without), dtype=bool)
    marked[chosen.where] = chosen.known.of_items(chosen.known.kinds == 1)
    left = int((marked & without).sum())
    if left:
        raise InputError(
            f"{table.called}: {left:,} rows that were chosen have no `{label}` yet: label them "
            "first, as chances hold only where all that were drawn are labelled."
        )


@understood
def choose(
    y_true: ArrayLike | None,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike | Mapping[str, ArrayLike],
    cheap_label: ArrayLike,
    n: int,
    chance: ArrayLike | None = None,
    drawn_within: ArrayLike | None = None,
    criterion: str | Sequence[str] | None = None,
    positive: object = None,
    missing_group: bool = False,
    random_state: int = 0,
) -> Choice:
    """Choose which rows people should label next, for an audit with a cheap label.

    Rows are drawn at random within combinations of groups, decision and cheap label, more of those
    whose labels make the differences that count more precise (Neyman's allocation), and some of
    all, so that no row has a chance of 0.

    Parameters
    ----------
    y_true, y_pred
        Labels by people, missing (None or NaN) where nobody looked, or None before the first round;
        and decisions, shape (n,), of two values each.
    sensitive_features
        Group of each row, shape (n,); or several attributes, as for `audit`.
    cheap_label
        Label that every row has, such as a language model's, in the values of `y_true`.
    n
        How many rows to choose.
    chance, drawn_within
        How the rows with a `y_true` were drawn, as for `audit`: in a second round, `chance` of the
        first one.
    criterion
        The criteria that are to be precise, of rates of decisions; by default separation.
    positive
        Value of the label that is positive; None for 1 or true.
    missing_group
        Whether rows without a value of an attribute are a group of their own.
    random_state
        Seed, a whole number from 0 on.

    Returns
    -------
    Choice
        `chosen`, the rows to label; `chance`, which `audit` and the next round need; `cells`.

    Raises
    ------
    InputError
        Labels or decisions of other than two values, criteria that compare no rates of decisions,
        and what `audit` refuses of cheap labels and chances.

    References
    ----------
    Neyman (1934), On the two different aspects of the representative method.

    Examples
    --------
    >>> judge, approved = [1, 0, 1, 0] * 100, [1, 1, 0, 0] * 100
    >>> sex = ["m"] * 300 + ["f"] * 100
    >>> choice = choose(None, approved, sensitive_features={"sex": sex}, cheap_label=judge, n=80)
    >>> int(choice.chosen.sum()), choice.cells.groupby("sex")["chosen"].sum().to_dict()
    (80, {'f': 38, 'm': 42})
    """
    labels: Any = y_true
    columns = AuditColumns(
        labels,
        y_pred,
        by_name(sensitive_features),
        cheap_label=cheap_label,
        chance=chance,
        drawn_within=drawn_within,
    )
    settings = Settings(
        positive=positive, criterion=criterion, missing_group=missing_group,
        seed=random_state,
    )  # fmt: skip
    settings.check(Wording())
    return choose_rows(columns, n, settings, Wording())
