"""A note, or a refusal, if several rows seem to be of one person, and no cluster is named.

What is predicted shows beyond doubt that rows of one person are alike, and that this makes a
difference between groups vary more: this is refused. Else it is noted: clusters of one group whose
rows are alike make a test at the level α reject with the chance 2 Φ(z / √D), z being the quantile
of α / 2, and D the design effect, which is 1 + (g − 1) ICC if each person is of one group, where g
is the mean number of rows of the person of a row.

See L. Kish (1965), *Survey Sampling*, section 5.4.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.roles import as_numbers
from fairpairs.audits.items.settings import plain_names
from fairpairs.base.arrays import Array, Floats, Integers, without_gaps
from fairpairs.base.columns import Column, PartialColumn, partial_column
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table
from fairpairs.mathematics.inference.related_rows import Resemblance, resemblance, residuals

#: Last words of the name of a column that says whose a row is: a person, a case or a document,
ID = re.compile(
    r"(^|_)(?:(?P<person>person|user|subject|patient|customer|client|household|student|pupil|participant"
    r"|respondent|applicant|candidate|employee|worker|defendant|borrower|account|member|driver"
    r"|voter|tenant|case|session|prompt|question|document|kunde|bewerber|mitarbeiter|schüler"
    r"|family|teacher|physician|doctor|officer|visitor|panelist|conversation|dialogue|dossier"
    # what is judged, and what versions of it are made from
    r"|text|template|passage|essay|article|tweet|comment|thread|dialog|interview|scenario|vignette"
    r"|stimulus|instruction|vacancy|posting|job_ad|doc|url)"
    r"(?:_?(?:ids?|no|nr|num|number|nummer|key|name))?"
    # a register's or a program's number of one, or a place of people
    r"|office|ids?|uid|uuid|guid|ssn|mrn|pid|e_?mail|[a-zäöüß]+nummer)$"
)
#: Where words of a name meet: user_id, userId.
BETWEEN_WORDS = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|[\W_]+")
#: Share of the variance that rows of one person are supposed to have in common.
ICC = 0.5
#: With more rows of each on average, values are categories rather than persons.
MOST_ROWS = 100
#: And with fewer values.
FEWEST = 20
#: Options of what is predicted, of labels, and of what rows are alike by.
VALUES, LABELS = ("prediction", "score"), ("label", "cheap_label")
GROUPS = ("sensitive", "control", "drawn_within")
#: The option of weights that are numbers of equal rows.
FREQUENCY = "frequency"
#: Numeric labels of more values are no classes: a polynomial of this degree is taken out.
MOST_LABELS, DEGREE = 100, 3
#: Rows are compared within combinations of groups if there are so many ids of each.
IDS_OF_A_CELL = 5
#: Classes and groups that are looked at, the most frequent ones.
MOST_CLASSES, MOST_GROUPS = 10, 10
#: Rows are related beyond doubt at this level, if a test at its level rejects so many times as
#: often.
DOUBT, MATTERS = 1e-4, 1.2


def looks_like_an_id(name: str) -> bool:
    """Return whether the name of a column suggests that it identifies a person or the like.

    >>> [name for name in ("userId", "Patient", "paid", "user_age") if looks_like_an_id(name)]
    ['userId', 'Patient']
    """
    return _id_in(name) is not None


def _id_in(name: str) -> re.Match[str] | None:
    """Return what of a name, in small letters with _ between its words, is that of an id."""
    return ID.search(BETWEEN_WORDS.sub("_", name).strip("_").lower())


class Related(NamedTuple):
    """How often a test rejects that takes rows of one id for independent, and what to say.

    Not `refused` are categories, which may be all that there are.
    """

    level: float
    text: str
    refused: bool


class Known(Protocol):
    """Columns by their names."""

    def known(self, name: str, *, number: bool = False) -> PartialColumn:
        """Return the known values of a column; with `number`, texts of numbers are numbers."""


class Columns(Protocol):
    """A table, as far as ids are looked at."""

    called: str
    columns: list[str]

    def of_some(self, name: str, others: Sequence[str]) -> Known:
        """Return some columns; of many rows, those of some values of the first one."""


#: Option and values of each column with a role, by its name in messages.
Roles = Mapping[str, tuple[str, PartialColumn]]


def repeated_ids(
    table: Columns,
    options: Mapping[str, str],
    alpha: float = 0.05,
    remedy: str = "give --cluster {}",
    criterion: object = None,
    more: Roles | None = None,
) -> list[str]:
    """Return a note for the first column without a role whose values look like ids that repeat.

    `options` has the option of each column with a role, `more` what is no column. InputError if
    rows of one id are related in what the `criterion` rests on.
    """
    of_rows = _used(criterion)
    used = {name: option for name, option in options.items() if option in of_rows}
    notes: list[str] = []
    found: list[Related] = []
    for name in table.columns:
        if name in options or not looks_like_an_id(name):
            continue
        some = table.of_some(name, [*used])
        roles = {
            f"`{one}`": (option, some.known(one, number=option not in GROUPS))
            for one, option in used.items()
        } | dict(more or {})
        ids, text = some.known(name), remedy.format(name)
        what = f"{table.called}: column `{name}`"
        found += related(what, ids, roles, alpha, text, name)
        notes += _note_on(ids.known.sizes(), f"Column `{name}`", text, alpha)
    if refused := [one for one in found if one.refused]:
        raise InputError(max(refused).text)
    return [one.text for one in sorted(found, reverse=True)[:1]] or notes[:1]


def copied_rows(data: Rows, sizes: Iterable[Integers] = ()) -> list[str]:
    """Return what to check where rows are copies of others."""
    copies, rows = data.copies(sizes)
    return [
        f"{copies:,} of {rows:,} rows are copies of others, the same in all columns, and are "
        "taken for independent rows: keep each once."
    ] * (copies > 0)


def copies_in(table: Table) -> list[str]:
    """Return the same for a table in memory."""
    return copied_rows(Rows.of_table(table.frame(), table.called))


def repeated_index(
    arrays: Mapping[str, tuple[str, Any]],
    alpha: float,
    criterion: object = None,
) -> list[str]:
    """Return the same for an index of pandas; `arrays` are by name, each with its option."""
    given = {name: one for name, one in arrays.items() if one[1] is not None}
    name, (_, values) = next(iter(given.items()))
    index = getattr(values, "index", None)
    if not isinstance(index, pd.Index) or index.is_unique:
        return []
    code = index.factorize()[0].astype(np.int64)
    ids = PartialColumn(Column(code[code >= 0]), code >= 0)
    what, text = f"The index of {name}", f"give clusters={name}.index"
    if {len(array) for _, array in given.values()} == {len(code)}:
        roles = {
            f"`{name}`": (option, partial_column(array, name))
            for name, (option, array) in given.items()
            if option in _used(criterion)
        }
        for found in related(what, ids, roles, alpha, f"{text}, or reset it if it is no id"):
            raise InputError(found.text)
    return _note_on(ids.known.sizes(), what, text, alpha)


def _used(criterion: object) -> Sequence[str]:
    """Return the options of what rows are compared by, without labels for a rate of all rows."""
    labels = () if "demographic_parity" in plain_names(criterion) else LABELS
    return (*VALUES, *labels, *GROUPS, FREQUENCY)


def related(
    what: str, ids: PartialColumn, roles: Roles, alpha: float, remedy: str, name: str = ""
) -> list[Related]:
    """Return what to say if rows of one id are alike beyond doubt in what is predicted.

    They are compared within the groups and labels of `roles`; `name` is that of the ids.
    """
    if not any(option in VALUES for option, _ in roles.values()):
        return []
    code, of_rows = _coded(ids)[0], ids.known.sizes()
    counts = next((_numbers(part) for option, part in roles.values() if option == FREQUENCY), None)
    counts = np.ones(len(ids)) if counts is None else np.maximum(counts, 0)
    sizes = np.bincount(code[ids.where], counts[ids.where])
    n = sizes.sum()
    if not FEWEST <= len(sizes) < of_rows.sum():
        return []
    cells, label, classes = _cells(roles, len(sizes))
    attributes = [_coded(part)[0] for option, part in roles.values() if option == "sensitive"]
    tests = []
    for one, values in _values(roles):
        where = ids.where & np.isfinite(values + label)
        if not where.any():
            continue
        y, x = values[where], label[where]
        if len(np.unique(x)) > DEGREE:
            y = y - np.polyval(np.polyfit(x, y, DEGREE), x)
        of_label, rows = without_gaps(classes[where])[0], counts[where]
        within = [without_gaps(cell[where])[0] for cell in cells]
        residual = residuals(y, within, rows)
        for groups in attributes:
            between = _in_differences(code[where], residual, groups[where], of_label, rows)
            tests += [(test, one) for test in between]
    beyond_doubt = [test for test in tests if test[0].pvalue * len(tests) <= DOUBT]
    if not beyond_doubt:
        return []
    (icc, _, effect), one = max(beyond_doubt, key=lambda test: test[0].effect)
    level = rejected(effect, alpha)
    if level < MATTERS * alpha:
        return []
    category = (words := _id_in(name)) is not None and not words["person"]
    refused = not category or n <= MOST_ROWS * len(sizes)
    repeats = f"repeats, {np.square(sizes).sum() / n:.1f} rows to a value"
    matters = (
        f"(ICC {icc:.2g}): a test at {alpha:g} that takes rows for independent rejects about "
        f"{level:.2f} of fair models"
    )
    if refused:
        drop = ", or drop the column if it is no id" if name else ""
        text = (
            f"{what} {repeats}, and rows of one value resemble each other in {one} far more than "
            f"other rows of their group and label {matters}; {remedy}{drop}."
        )
    else:
        text = (
            f"Column `{name}` {repeats}, which resemble each other in {one} {matters}, if there "
            f"are more such values; {remedy}."
        )
    return [Related(level, text, refused)]


def _in_differences(
    ids: Integers, residual: Floats, groups: Integers, label: Integers, counts: Floats
) -> Iterator[Resemblance]:
    """Yield how alike rows of one id are, as the difference between each two groups counts them.

    Rows of different labels are apart, and each label weighs as many rows as it has.
    """
    sizes = np.bincount(groups - groups.min(), counts)
    largest = np.argsort(-sizes, kind="stable")[:MOST_GROUPS] + groups.min()
    for first, second in combinations(largest.tolist(), 2):
        where = (groups == first) | (groups == second)
        own, of_label, rows = groups[where] == first, without_gaps(label[where])[0], counts[where]
        ratio = np.sqrt(
            np.bincount(of_label, rows * ~own) / np.maximum(np.bincount(of_label, rows * own), 1)
        )[of_label]
        weights = np.where(own, ratio, -1 / np.where(ratio > 0, ratio, np.inf))
        pair = without_gaps(_joined(ids[where], of_label))[0]
        cell = without_gaps(_joined(own.astype(np.int64), of_label))[0]
        yield resemblance(pair, residual[where], cell, rows, weights)


def _coded(part: PartialColumn) -> tuple[Integers, Array]:
    """Return the code of the value of each row, −1 for a missing one, and the values."""
    found, kinds = pd.factorize(part.known.kinds)
    code = np.full(len(part), -1, dtype=np.int64)
    code[part.where] = part.known.of_items(found)
    return code, np.asarray(kinds)


def _numbers(part: PartialColumn) -> Floats | None:
    """Return values as numbers by row, NaN for a missing one; None if they are none."""
    numbers = as_numbers(part.known.kinds)
    if numbers is None:
        return None
    by_row = np.full(len(part), np.nan)
    by_row[part.where] = part.known.of_items(numbers)
    return by_row


def _cells(roles: Roles, ids: int) -> tuple[list[Integers], Floats, Integers]:
    """Return what rows are compared within: cells, a label of numbers, or zeros, and of classes.

    With few ids for each combination of groups, each attribute has cells of its own.
    """
    n = len(next(iter(roles.values()))[1])
    base, label, attributes = np.zeros(n, dtype=np.int64), np.zeros(n), []
    for option, part in roles.values():
        code, kinds = _coded(part)
        if option in GROUPS:
            attributes.append(code)
        elif option in LABELS:
            numbers = _numbers(part) if len(kinds) > MOST_LABELS else None
            if numbers is None:
                base = _joined(base, code)
            else:
                label = (numbers - np.nanmean(numbers)) / np.nanstd(numbers)
    joint = reduce(_joined, attributes, base)
    many = IDS_OF_A_CELL * (joint.max() + 1) > ids
    return [_joined(base, code) for code in attributes] if many else [joint], label, base


def _joined(first: Integers, second: Integers) -> Integers:
    """Return the combinations of codes from −1 on."""
    return without_gaps((first + 1) * (second.max() + 2) + second + 1)[0]


def _values(roles: Roles) -> Iterator[tuple[str, Floats]]:
    """Yield what is predicted, as numbers by row, NaN for a missing one; of classes, each."""
    for name, (option, part) in roles.items():
        if option not in VALUES:
            continue
        if (numbers := _numbers(part)) is not None:
            yield name, numbers
            continue
        code, kinds = _coded(part)
        often = np.argsort(-np.bincount(code[code >= 0]), kind="stable")[:MOST_CLASSES]
        for kind in often[: 1 if len(kinds) == 2 else None]:
            yield name, np.where(code < 0, np.nan, code == kind)


def _note_on(sizes: Integers, what: str, remedy: str, alpha: float) -> list[str]:
    """Note the error rate if rows of one person are treated as independent."""
    n = int(sizes.sum())
    # values that are all different, only a few, or of very many rows each are no ids
    if len(sizes) == n or len(sizes) < FEWEST or n > MOST_ROWS * len(sizes):
        return []
    rows = float(np.square(sizes).sum() / n)  # of a row's person
    return [
        f"{what} repeats, {rows:.1f} rows to a value on average over the rows, and rows are taken "
        f"for independent: if those of one value resemble each other (ICC {ICC:g}) and are of one "
        f"group, a test at {alpha:g} rejects {rejected(1 + (rows - 1) * ICC, alpha):.2f} of fair "
        f"models; {remedy}."
    ]


def rejected(effect: float, alpha: float) -> float:
    """Return the level of a test that takes rows for independent, by the design effect.

    >>> round(rejected(3, 0.05), 2)
    0.26
    """
    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(effect)))
