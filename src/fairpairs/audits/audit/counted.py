"""The items of an audit that are too many to hold at once: rows that stand for several, counted.

What is tested depends only on how often each combination of groups, label, prediction and score
occurs. Of very many scores, each is taken for the mean of its bin. Of combinations of two numbers
(labels that are numbers, or a score beside predicted numbers) some items are drawn at random.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from fairpairs.audits.audit.attribute_items import AttributeItems, drawn_positions
from fairpairs.audits.audit.class_roles import MAX_CLASSES, OF_CLASSES, ClassRoles, read_classes
from fairpairs.audits.audit.classes import ClassItems
from fairpairs.audits.audit.coding import Coding
from fairpairs.audits.audit.groups import read_attributes
from fairpairs.audits.audit.items import in_order
from fairpairs.audits.audit.messages import Wording, or_missing_group, too_many_classes
from fairpairs.audits.audit.roles import Roles, Values
from fairpairs.audits.audit.settings import Settings
from fairpairs.audits.counting.cells import CHUNK, Cells, Ordered, joined
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.arrays import Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record

#: Rows that are held: of one number each, and of two.
MOST_ROWS, MOST_PAIRS = 1_000_000, 5_000_000
#: Bins of a number, where more rows differ in it; more of them with few groups.
FEWEST_BINS = 10_000


@dataclass(frozen=True)
class Counting:
    """Rows that are counted for an audit, and their columns; `weight` has frequencies."""

    source: Rows
    settings: Settings
    label: str
    prediction: str
    score: str | None
    attributes: Sequence[str]
    weight: str | None = None

    def items(self, wording: Wording) -> tuple[list[AttributeItems] | list[ClassItems], list[str]]:
        """Return all items as rows that stand for several, by attribute, and notes on them.

        Errors are those of `audit_columns`.
        """
        wording = replace(wording, rows=False)
        coded = self.source.with_few((self.label, self.prediction))
        cells = self._cells(coded, wording)
        classes = self._classes(cells, wording)
        roles: Roles | ClassRoles
        if classes is None:
            cells, roles = self._code(coded, cells, wording)
        else:
            roles = classes
        attributes = read_attributes(
            {name: cells.columns[name] for name in self.attributes},
            items={},
            settings=self.settings,
            wording=wording,
            count=cells.count,
        )
        if isinstance(roles, ClassRoles):
            return [
                ClassItems(roles, attribute, self.settings, count=cells.count)
                for attribute in attributes
            ], []
        roles, rows, notes = self._rows(cells, roles)
        order = in_order(roles, [one.group[rows.cell] for one in attributes])
        roles, cell, count = roles.take(order), rows.cell[order], rows.count[order]
        items = []
        for one in attributes:
            sizes = np.bincount(one.group[cell], count, len(one.names)).astype(np.int64)
            of_rows = one.take(cell, sizes)
            items.append(AttributeItems(roles, of_rows, self.settings, count=count))
        return items, notes

    def _cells(self, coded: Sequence[str], wording: Wording) -> Cells:
        """Return the cells of the groups and of the columns that are coded, not numbers."""
        numbers = [name for name in (self.label, self.prediction) if name not in coded]
        numbers += [self.score] if self.score else []
        return self.source.cells(
            [*coded, *self.attributes],
            numbers,
            weight=self.weight,
            missing_group=self.attributes if self.settings.missing_group else (),
            remedies=dict.fromkeys(self.attributes, or_missing_group(wording)),
            names=self.attributes,
        )

    def _classes(self, cells: Cells, wording: Wording) -> ClassRoles | None:
        """Return the classes of label and prediction of the cells; None for other kinds."""
        roles = (self.label, wording.label), (self.prediction, wording.prediction)
        for name, role in roles:
            if name not in cells.columns:
                if self.settings.label_kind in OF_CLASSES:
                    raise InputError(too_many_classes(role, MAX_CLASSES, wording))
                return None
        label, prediction = (cells.columns[name] for name, _ in roles)
        with_score = self.score is not None
        return read_classes(label, prediction, self.settings, wording, with_score=with_score)

    def _code(self, coded: Sequence[str], cells: Cells, wording: Wording) -> tuple[Cells, Roles]:
        """Return the cells of all columns but numbers, and their labels and predictions.

        `cells` are those of the columns that are `coded`, perhaps numbers too.
        """
        label, prediction = self._values(cells)
        coding = Coding.learn(
            label,
            prediction,
            self.settings,
            wording,
            with_score=self.score is not None,
        )
        predicted = coding.of_predictions(prediction, wording)
        kinds = {self.label: coding.kind, self.prediction: predicted.kind}
        decisions = [name for name in coded if kinds[name] == "binary"]
        if len(decisions) < len(coded):
            cells = self._cells(decisions, wording)
        none = np.zeros(len(cells.count))
        y_true, y_pred = (
            none if values is None else column_coding.apply(values)
            for values, column_coding in zip(self._values(cells), (coding, predicted), strict=True)
        )
        y_score = None if self.score is None else none
        return cells, coding.roles(predicted, y_true, y_pred, y_score)

    def _values(self, cells: Cells) -> list[Values | None]:
        """Return label and prediction of the cells; None for numbers, which cells do not have."""
        columns = [cells.columns.get(name) for name in (self.label, self.prediction)]
        return [None if column is None else Values(column) for column in columns]

    def _rows(self, cells: Cells, roles: Roles) -> tuple[Roles, Ordered, list[str]]:
        """Return the items as rows that stand for several, and notes on those that are drawn."""
        columns = {
            "y_true": self.label if roles.label == "real" else None,
            "y_score": self.score,
            "y_pred": self.prediction if roles.prediction == "real" else None,
        }
        numbers = {field: name for field, name in columns.items() if name is not None}
        n, number = int(cells.count.sum()), len(cells.count)
        if not numbers:
            return roles, Ordered(np.zeros((number, 0)), np.arange(number), cells.count), []
        chunks = self.source.ordered([*numbers.values()], cells)
        most, notes = MOST_ROWS if len(numbers) == 1 else MOST_PAIRS, []
        some = list(islice(chunks, most // CHUNK + 1))
        if sum(map(len, some)) <= most:
            rows = joined(some)
        elif len(numbers) == 1:
            rows = in_bins(chain(some, chunks), n, number, max(MOST_ROWS // number, FEWEST_BINS))
        else:
            rows = drawn_of(chain(some, chunks), drawn_positions(n, most, self.settings))
            notes = [f"The audit is of {most:,} rows, drawn at random of {n:,}."]
        fields: Record = {"y_true": roles.y_true[rows.cell], "y_pred": roles.y_pred[rows.cell]}
        fields |= {field: rows.values[:, i] for i, field in enumerate(numbers)}
        return replace(roles, **fields), rows, notes


def in_bins(chunks: Iterable[Ordered], n: int, cells: int, bins: int) -> Ordered:
    """Return rows of n items by bins of a number, each of which becomes the mean of its bin.

    Equal numbers are in one bin; the smallest and the largest have one of their own.
    """
    keys, counts, totals, before = [], [], [], 0

    def add(rows: Ordered, *, last: bool = False) -> None:
        value = rows.values[:, 0]
        new = np.append(True, value[1:] != value[:-1])
        start = before + (np.cumsum(rows.count) - rows.count)[new][np.cumsum(new) - 1]
        place = np.where(start == 0, 0, bins + 1 if last else 1 + start * bins // n)
        key, row = np.unique(place * cells + rows.cell, return_inverse=True)
        keys.append(key)
        counts.append(np.bincount(row, rows.count))
        totals.append(np.bincount(row, rows.count * value))

    held: list[Ordered] = []
    for chunk in chunks:
        rows = joined([*held, chunk])
        whole = int(np.searchsorted(rows.values[:, 0], rows.values[-1, 0]))
        if whole:
            add(rows.take(slice(whole)))
            before += int(rows.count[:whole].sum())
        held = [rows.take(slice(whole, None))]
    add(held[0], last=True)
    key, row = np.unique(np.concatenate(keys), return_inverse=True)
    count = np.bincount(row, np.concatenate(counts))
    place, cell = np.divmod(key, cells)
    _, place = np.unique(place, return_inverse=True)
    means = np.bincount(place[row], np.concatenate(totals)) / np.bincount(place, count)
    means[-1] = held[0].values[-1, 0]
    return Ordered(means[place][:, None], cell, count.astype(np.int64))


def drawn_of(chunks: Iterable[Ordered], positions: Integers) -> Ordered:
    """Return rows of the items at some positions among all."""
    parts, passed = [], 0
    for chunk in chunks:
        ends = passed + np.cumsum(chunk.count)
        first, last = np.searchsorted(positions, [passed, ends[-1]])
        rows = np.searchsorted(ends, positions[first:last], "right")
        row, count = np.unique(rows, return_counts=True)
        parts.append(Ordered(chunk.values[row], chunk.cell[row], count))
        passed = int(ends[-1])
    return joined(parts)
