"""The items of an audit that are too many to hold at once: counted, summed, and some drawn.

What comes from decisions comes from the items in each cell of groups, label and prediction. AUC,
xAUC, comparative separation of scores and means come from the items in the order of their numbers,
which pass by once. What needs the items themselves (the calibration slope, regressions, real
labels) gets some that are drawn at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from fairpairs.audits.audit.attribute_items import AttributeItems, CountedItems
from fairpairs.audits.audit.class_roles import MAX_CLASSES, OF_CLASSES, ClassRoles, read_classes
from fairpairs.audits.audit.classes import ClassItems
from fairpairs.audits.audit.coding import Coding
from fairpairs.audits.audit.groups import Attribute, read_attributes
from fairpairs.audits.audit.messages import Wording, or_missing_group, too_many_classes
from fairpairs.audits.audit.passes import Adding, Draw, Pass, drawn_positions, summed
from fairpairs.audits.audit.roles import FieldName, Roles, Values
from fairpairs.audits.audit.settings import Settings
from fairpairs.audits.counting.cells import Cells
from fairpairs.audits.counting.rows import Rows
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.estimates.pairs.rates import Ties

#: Up to this many items all are held in memory; of more, this many are drawn.
MOST_ITEMS = 1_000_000


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

    def items(self, wording: Wording) -> list[AttributeItems] | list[ClassItems]:
        """Return counts and sums of all items, and a sample of them, for each attribute's groups.

        Several classes are counted completely. Errors are those of `audit_columns`.
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
            ]
        return self.add_up(cells, roles, attributes)

    def add_up(
        self, cells: Cells, roles: Roles, attributes: Sequence[Attribute]
    ) -> list[AttributeItems]:
        """Return the items of each attribute from the roles and groups of the cells."""
        n = int(cells.count.sum())
        positions = drawn_positions(
            n, MOST_ITEMS, np.random.default_rng(self.settings.random_state)
        )
        passes, cell, numbers = self._passes(cells, roles, attributes, positions)
        here = [replace(attribute, group=attribute.group[cell]) for attribute in attributes]
        drawn, here = in_order(_drawn(roles, passes, cell, numbers), here)
        items = []
        for i, (attribute, drawn_attribute) in enumerate(zip(attributes, here, strict=True)):
            counted = _counted(roles, attribute, cells.count, passes, i)
            items.append(AttributeItems(drawn, drawn_attribute, self.settings, counted=counted))
        return items

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

    def _passes(
        self,
        cells: Cells,
        roles: Roles,
        attributes: Sequence[Attribute],
        positions: Integers,
    ) -> tuple[list[Pass], Integers, Floats]:
        """Sum over all items; also return the cell and the numbers of the items at some positions.

        The positions are those in the order of the first pass, or of the cells where there is none.
        """
        column: dict[FieldName, str | None] = {
            "y_true": self.label,
            "y_pred": self.prediction,
            "y_score": self.score,
        }
        orders: list[list[FieldName]] = []
        ties: list[tuple[Ties, ...]] = []
        if roles.label == "real":
            orders, ties = [["y_true", "y_pred"]], [()]
        elif roles.prediction == "real" and roles.y_score is None:
            orders, ties = [["y_pred"]], [("half", "wrong")]
        elif roles.prediction == "real":
            orders, ties = [["y_score", "y_pred"], ["y_pred"]], [("half",), ("wrong",)]
        elif roles.y_score is not None:
            orders, ties = [["y_score"]], [("half",)]
        draw = Draw(positions)
        if not orders:
            draw.take(np.zeros((len(cells.count), 0)), np.arange(len(cells.count)), cells.count)
        passes: list[Pass] = []
        for fields, way in zip(orders, ties, strict=True):
            adding = Adding(fields, way, cells.count, roles, attributes)
            for chunk in self.source.ordered([str(column[field]) for field in fields], cells):
                adding.add(chunk)
                if not passes:
                    draw.take(chunk.values, chunk.cell, chunk.count)
            passes.append(adding.total())
        return passes, *draw.drawn()


def count_items(
    roles: Roles, attributes: Sequence[Attribute], settings: Settings
) -> list[AttributeItems]:
    """Return the same as `Counting.items` for items in memory."""
    table: dict[str, Array] = {}
    coded: list[str] = []
    numbers: list[str] = []
    for name, values, kind in (
        ("label", roles.y_true, roles.label),
        ("prediction", roles.y_pred, roles.prediction),
        ("score", roles.y_score, "real"),
    ):
        if values is not None:
            table[name] = values if kind == "real" else values.astype(np.int8)
            (numbers if kind == "real" else coded).append(name)
    groups = [f"group {i}" for i in range(len(attributes))]
    table |= {name: attribute.group for name, attribute in zip(groups, attributes, strict=True)}
    source = Rows.of_table(pa.table(table), "the items")
    cells = source.cells([*coded, *groups], numbers)

    def coded_values(name: str) -> Array:
        values = cells.columns[name]
        return values.of_items(values.kinds)

    none = np.zeros(len(cells.count))
    roles_of_cells = replace(
        roles,
        y_true=coded_values("label").astype(float) if "label" in coded else none,
        y_pred=coded_values("prediction").astype(float) if "prediction" in coded else none,
        y_score=None if roles.y_score is None else none,
    )
    attributes_of_cells = [
        replace(attribute, group=coded_values(name).astype(np.int64), counted=attribute.sizes)
        for name, attribute in zip(groups, attributes, strict=True)
    ]
    score = None if roles.y_score is None else "score"
    counting = Counting(source, settings, "label", "prediction", score, groups)
    return counting.add_up(cells, roles_of_cells, attributes_of_cells)


def in_order(roles: Roles, attributes: Sequence[Attribute]) -> tuple[Roles, list[Attribute]]:
    """Return the items in an order that is independent of the order of the input."""
    numbers = [roles.y_pred, roles.y_true] + ([] if roles.y_score is None else [roles.y_score])
    order = np.lexsort([*(attribute.group for attribute in attributes), *numbers])
    return roles.take(order), [
        replace(attribute, group=attribute.group[order]) for attribute in attributes
    ]


def _drawn(roles: Roles, passes: Sequence[Pass], cell: Integers, numbers: Floats) -> Roles:
    """Return the roles of drawn items, with the ranges of all."""
    fields: Record = {"y_true": roles.y_true[cell], "y_pred": roles.y_pred[cell]}
    ranges: dict[str, tuple[float, float]] = {}
    for i, field in enumerate(passes[0].fields if passes else ()):
        fields[field] = numbers[:, i]
    for one in passes:
        ranges[one.fields[0]] = one.first, one.last
    if roles.label == "binary":
        ranges.setdefault("y_pred", (0.0, 1.0))
        ranges["y_true"] = (0.0, 1.0)
    return replace(roles, **fields, ranges=ranges)


def _counted(
    roles: Roles, attribute: Attribute, count: Integers, passes: Sequence[Pass], index: int
) -> CountedItems:
    """Return the counts and sums, by the groups of one attribute."""
    k, group = len(attribute.names), attribute.group
    moments = {name: cell_moments for one in passes for name, cell_moments in one.moments.items()}
    decisions, labels = None, None
    if roles.label == "binary":
        label = roles.y_true.astype(np.int64)
        labels = summed(count, 2 * group + label, 2 * k).reshape(k, 2)
        if "score" not in moments and "prediction" in moments:
            moments["score"] = moments["prediction"]
        if "score" in moments:
            moments["label less score"] = moments["score"].subtracted_from(roles.y_true)
        if roles.prediction == "binary":
            decided = 2 * label + roles.y_pred.astype(np.int64)
            decisions = summed(count, 4 * group + decided, 4 * k).reshape(k, 2, 2)
            error = roles.y_pred - roles.y_true
            cells = np.arange(len(count))
            moments["error"] = Moments.of(error, cells, len(count), count)
        else:
            negative_error = moments["prediction"].subtracted_from(roles.y_true)
            moments["error"] = negative_error.subtracted_from(np.zeros(len(count)))
    return CountedItems(
        decisions=decisions,
        labels=labels,
        moments={name: cell_moments.by(group, k) for name, cell_moments in moments.items()},
        placements={way: sums[index] for one in passes for way, sums in one.placements.items()},
    )
