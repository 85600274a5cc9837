"""Items of which all have a cheap label, such as a judge's, and some a human one.

The human labels decide: those of a cell (group, decision, cheap label) stand for all of it. They
must have been drawn by known chances, which what they look like is checked against.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.groups import Attribute
from fairpairs.audits.items.messages import Wording, short
from fairpairs.audits.items.read import read_class_items, read_items
from fairpairs.audits.items.roles import Roles, Values
from fairpairs.audits.items.settings import AuditColumns, Settings
from fairpairs.base.arrays import Floats, Integers
from fairpairs.base.columns import Column, PartialColumn, column, partial_column
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import listed
from fairpairs.base.words import word
from fairpairs.mathematics.arguments.design import SamplingDesign, label_cells, two_phase_design

#: Standard deviations by which the number of human labels may differ from the one that chances give
#: before the chances are taken for wrong.
FAR = 6.0
#: The smallest variance that it counts with, as kinds of few rows may be many.
LEAST = 4.0
#: Kinds of weights that do not go with cheap labels, with what to do.
NOT_IN_PART = {
    "frequency": "frequencies: repeat the rows",
    "cluster": "clusters that count once: leave out one of both",
}
#: The smallest chance of a label, so that weights stay moderate.
LEAST_CHANCE = 1e-15
DRAWN = (
    "Only human labels that were drawn by the chances named correct a cheap label: if somebody "
    "chose which rows to look at, the results are wrong."
)


@dataclass(frozen=True)
class RowKinds:
    """What rows are told apart by: each axis with its values, and the cell of each row, (N,)."""

    axes: list[tuple[str, list[str]]]
    code: Integers


def read_few_labels(
    columns: AuditColumns, settings: Settings, wording: Wording
) -> list[AttributeItems]:
    """Read items with cheap labels; InputError unless the human ones can stand for all.

    They must be of two values or numbers, of two groups or more, and as many of each decision,
    cheap label and group as their chances give.
    """
    if settings.weight_kind in NOT_IN_PART:
        raise InputError(
            f"{wording.option('cheap_label')} does not go with {NOT_IN_PART[settings.weight_kind]}."
        )
    y_true: Any = columns.y_true
    human = partial_column(y_true, wording.label)
    assert columns.cheap_label is not None
    if human.where.all():
        raise InputError(
            f"{wording.label} has a value in every row, so cheap labels add nothing: leave out "
            f"{wording.option('cheap_label')}."
        )
    cheap = Values(column(columns.cheap_label, wording.cheap_label))
    columns = replace(columns, y_true=filled(human, cheap, wording))
    if read_class_items(columns, settings, wording) is not None:
        raise InputError(
            f"{wording.option('cheap_label')} is for labels of two values and numbers, and "
            f"{short(wording.label)} has several classes: name one, "
            f"{wording.option('positive', 'C')}."
        )
    roles, attributes, design = read_items(columns, settings, wording)
    labels = cheap_numbers(cheap, roles)
    chance = chances(columns.chance, columns.drawn_within, human.where, wording)
    check_draw(row_kinds(roles, attributes, labels), human.where, chance, wording)
    labelled = np.flatnonzero(human.where)
    for attribute in attributes:
        known = np.bincount(attribute.group[labelled], minlength=len(attribute.names))
        if (known > 0).sum() < 2 or not known[attribute.reference]:
            without = attribute.names[int(known.argmin())]
            raise InputError(
                f"{wording.label}: the group {shown(without)} of {attribute.name} has no human "
                "label, and a difference needs some of both groups: label rows of it."
            )
    # an order that does not depend on that of the input
    keys = [labels, roles.y_pred, roles.y_true, *(one.group for one in attributes)]
    keys += [] if roles.y_score is None else [roles.y_score]
    labelled = labelled[np.lexsort([one[labelled] for one in keys])]
    everybody = [AttributeItems(roles, one, settings, design) for one in attributes]
    return [_labelled(one, labels, labelled, chance[labelled]) for one in everybody]


def _labelled(
    everybody: AttributeItems, cheap: Floats, positions: Integers, chance: Floats
) -> AttributeItems:
    """Return the items with a human label, at some positions, and how they were drawn."""
    roles, attribute, settings = everybody.roles, everybody.attribute, everybody.settings
    binary, decided = roles.label == "binary", roles.prediction == "binary"
    decision = roles.y_pred.astype(np.int64) if decided else np.zeros_like(attribute.group)
    splits = [decision] if decided else []
    number = roles.score
    if binary:
        splits.append(cheap.astype(np.int64))
    else:
        number = roles.y_pred - cheap
    here = roles.take(positions)
    design = two_phase_design(
        label_cells(attribute.group, positions, splits, number),
        2 * attribute.group + decision,
        positions,
        chance,
        label=here.y_true.astype(np.int64) if binary else None,
        design=None if everybody.design.independent else everybody.design,
    )
    ranges = {"y_pred": roles.range_of("y_pred")}
    if roles.y_score is not None:
        ranges["y_score"] = roles.range_of("y_score")
    here = replace(here, ranges=ranges)
    inside = attribute.take(positions)
    alike = everybody.design.independent and bool((chance == chance[0]).all())
    plain = SamplingDesign(len(positions))
    return AttributeItems(
        here,
        inside,
        settings,
        design,
        everybody=everybody,
        cheap=cheap[positions],
        alone=AttributeItems(here, inside, settings, plain) if alike else None,
    )


def _check_values(human: Values, cheap: Values, wording: Wording) -> None:
    """Raise where cheap labels have values that a human label of two values does not have."""
    known = {word(value) for value in human.kinds}
    if len(known) == 1:
        raise InputError(
            f"{wording.label} is {shown(*known)} in every row that has a value: label more rows."
        )
    if len(known) > 2 and human.numbers is not None and cheap.numbers is not None:
        return
    others = [value for value in map(word, cheap.kinds) if value not in known]
    if others:
        raise InputError(
            f"{wording.cheap_label} holds {shown(others[0])}, and {short(wording.label)} only "
            f"{listed(sorted(known))}: write both in the same values (cut a score at a threshold)."
        )


def cheap_numbers(cheap: Values, roles: Roles) -> Floats:
    """Return the cheap labels, coded as the human ones are."""
    if roles.label != "binary":
        return cheap.of_items
    return cheap.equal_to(roles.positive if cheap.numbers is None else float(roles.positive))


def filled(human: PartialColumn, cheap_values: Values, wording: Wording) -> Column:
    """Return the human labels, and cheap ones where there are none, which have the same values."""
    _check_values(Values(human.known), cheap_values, wording)
    cheap = cheap_values.column
    both = [Values(one).numbers for one in (human.known, cheap)]
    if both[0] is not None and both[1] is not None:
        numbers = cheap.of_items(both[1]).copy()
        numbers[human.where] = human.known.of_items(both[0])
        return Column(numbers)
    (code, kinds), (cheap_code, cheap_kinds) = human.known.coded(), cheap.coded()
    codes = cheap_code + len(kinds)
    codes[human.where] = code
    texts = [str(kind) for kind in (*kinds, *cheap_kinds)]
    return Column(np.array(texts, dtype=object), codes)


def chances(
    chance_column: Any, drawn_within: Any, known: NDArray[np.bool_], wording: Wording
) -> Floats:
    """Return the chance of each item to get a human label, shape (N,)."""
    if chance_column is not None and drawn_within is not None:
        raise InputError(
            f"{wording.option('chance')} holds the chances that {wording.option('drawn_within')} "
            "computes: leave out one of the two."
        )
    if chance_column is None:
        strata = np.zeros(len(known), dtype=np.int64)
        if drawn_within is not None:
            strata, _ = column(drawn_within, wording.drawn_within).coded()
        share = np.bincount(strata, known) / np.maximum(np.bincount(strata), 1)
        if (share == 0).any():
            raise InputError(
                f"{wording.drawn_within}: a stratum has no human label, so that nothing stands for "
                "its rows: label some of them, or drop them."
            )
        return np.asarray(share[strata], dtype=np.float64)
    chances = Values(column(chance_column, wording.chance))
    if chances.numbers is None:
        raise InputError(f"{wording.chance} must hold the chance of each row, a number up to 1.")
    chance: Floats = chances.of_items
    wrong = ~((chance >= LEAST_CHANCE) & (chance <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"{wording.chance} holds {chance[row]:g} in row {row + 1}: a chance to get a human "
            f"label is above 0 and at most 1; rows that can get none, or with less than "
            f"{LEAST_CHANCE:g}, are not audited, so drop them."
        )
    return chance


def row_kinds(roles: Roles, attributes: Sequence[Attribute], cheap: Floats) -> list[RowKinds]:
    """Return the decisions, cheap labels and groups of all rows, by attribute."""
    parts = []
    if roles.prediction == "binary":
        parts.append(("decision", roles.y_pred))
    if roles.label == "binary":
        parts.append(("cheap label", cheap))
    axes, values = [(name, ["0", "1"]) for name, _ in parts], [one.astype(int) for _, one in parts]
    kinds = []
    for attribute in attributes:
        shape = (*(2 for _ in parts), len(attribute.names))
        code = np.ravel_multi_index((*values, attribute.group), shape)
        kinds.append(RowKinds([*axes, (attribute.name, list(attribute.names))], code))
    return kinds


def check_draw(
    kinds: Sequence[RowKinds], known: NDArray[np.bool_], chance: Floats, wording: Wording
) -> None:
    """Raise where rows of a kind have far more or fewer human labels than their chances give."""
    alike = bool((chance == chance[0]).all())
    for kind in kinds:
        shape = [len(values) for _, values in kind.axes]
        sums = partial(np.bincount, minlength=int(np.prod(shape)))
        if alike:
            expected = sums(kind.code) * chance[0]
            variance = expected * (1 - chance[0])
        else:
            expected, variance = (sums(kind.code, x) for x in (chance, chance * (1 - chance)))
        cells = np.stack([sums(kind.code[known]), expected, variance]).reshape(3, *shape)
        every = range(len(shape))
        for kept in ((), *((axis,) for axis in every), tuple(every)):
            others = tuple(axis + 1 for axis in every if axis not in kept)
            _check_cells(cells.sum(axis=others), [kind.axes[axis] for axis in kept], wording)


def _check_cells(cells: Floats, axes: list[tuple[str, list[str]]], wording: Wording) -> None:
    """Raise where human labels, their expected number and its variance, (3, …), do not agree."""
    labels, expected, variance = cells
    far = np.abs(labels - expected) > FAR * np.sqrt(np.maximum(variance, LEAST))
    if not far.any():
        return
    index = np.unravel_index(int(np.argmax(far)), far.shape)
    values = [f"{name} {known[i]}" for (name, known), i in zip(axes, index, strict=True)]
    which = f"rows with {' and '.join(values)}" if values else "all rows"
    raise InputError(
        f"{wording.label}: {which} have {labels[index]:,.0f} human labels, and by their chances "
        f"about {expected[index]:,.0f}: name how they were drawn ({wording.option('chance')}, "
        f"{wording.option('drawn_within')}); labels that somebody chose to look at cannot be "
        "corrected for."
    )
