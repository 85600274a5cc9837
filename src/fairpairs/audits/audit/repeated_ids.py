"""A note, or a refusal, if several rows seem to be of one person, and no cluster is named.

What is predicted shows beyond doubt that rows of one person are alike: this is refused. Else it is
noted: clusters of one group whose rows are alike make a test at the level α reject with the chance
2 Φ(z / √D), z being the quantile of α / 2, and D the design effect 1 + (g − 1) ICC, where g is the
mean number of rows of the person of a row.

See L. Kish (1965), *Survey Sampling*, section 5.4.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from fairpairs.audits.audit.criterion_names import plain_names
from fairpairs.audits.audit.roles import as_numbers
from fairpairs.base.arrays import Array, Floats, Integers, without_gaps
from fairpairs.base.columns import Column, PartialColumn, partial_column
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.related_rows import resemblance

#: Last words of the name of a column that says whose a row is: a person, a case or a document,
ID = re.compile(
    r"(^|_)(?:(?P<person>person|user|subject|patient|customer|client|household|student|pupil|participant"
    r"|respondent|applicant|candidate|employee|worker|defendant|borrower|account|member|driver"
    r"|voter|tenant|case|session|prompt|question|document|kunde|bewerber|mitarbeiter|schüler)"
    r"(?:_?(?:ids?|no|nr|num|number|nummer|key|name))?"
    # a register's or a program's number of one
    r"|ids?|uid|uuid|guid|ssn|mrn|pid|e_?mail|[a-zäöüß]+nummer)$"
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
#: Classes that are looked at, the most frequent ones.
MOST_CLASSES = 10
#: Rows are related beyond doubt at this level, if a test at its level rejects so many times as
#: often.
DOUBT, MATTERS = 1e-4, 1.2


def looks_like_an_id(name: str) -> bool:
    """Return whether the name of a column suggests that it identifies a person or the like.

    >>> [name for name in ("userId", "Patient", "paid", "user_age") if looks_like_an_id(name)]
    ['userId', 'Patient']
    """
    return ID.search(_plain(name)) is not None


def rows_of_a_person(sizes: Integers) -> float | None:
    """Return the mean number of rows of a row's person from the rows of each value, or None.

    None means that the values are unlike ids: all different, only a few, or of very many rows each.
    """
    n = int(sizes.sum())
    if len(sizes) == n or len(sizes) < FEWEST or n > MOST_ROWS * len(sizes):
        return None
    return float(np.square(sizes).sum() / n)


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
    used = {name: option for name, option in options.items() if option in _used(criterion)}
    notes: list[str] = []
    refused: list[tuple[float, str]] = []
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
        refused += related(
            what, ids, roles, alpha, f"{text}, or drop the column if it is no id", name
        )
        notes += _note_on(ids.known.sizes(), f"Column `{name}`", text, alpha)
    if refused:
        raise InputError(max(refused)[1])
    return notes[:1]


def copied_rows(times: int) -> list[str]:
    """Return what to check where each row of a file occurs so many times."""
    return [
        f"Every row occurs at least {times} times, the same in all columns, and copies are taken "
        "for independent rows: keep each once."
    ] * (times > 1)


def repeated_index(
    arrays: Mapping[str, tuple[str, Any]],
    alpha: float,
    criterion: object = None,
    remedy: str = "give clusters={}.index",
) -> list[str]:
    """Return the same for an index of pandas; `arrays` are by name, each with its option."""
    given = {name: one for name, one in arrays.items() if one[1] is not None}
    name, (_, values) = next(iter(given.items()))
    index = getattr(values, "index", None)
    if not isinstance(index, pd.Index) or index.is_unique:
        return []
    code = index.factorize()[0].astype(np.int64)
    ids = PartialColumn(Column(code[code >= 0]), code >= 0)
    what, text = f"The index of {name}", remedy.format(name)
    if {len(array) for _, array in given.values()} == {len(code)}:
        roles = {
            f"`{name}`": (option, partial_column(array, name))
            for name, (option, array) in given.items()
            if option in _used(criterion)
        }
        for _, refusal in related(what, ids, roles, alpha, f"{text}, or reset it if it is no id"):
            raise InputError(refusal)
    return _note_on(ids.known.sizes(), what, text, alpha)


def _used(criterion: object) -> Sequence[str]:
    """Return the options of what rows are compared by, without labels for a rate of all rows."""
    labels = () if "demographic_parity" in plain_names(criterion) else LABELS
    return (*VALUES, *labels, *GROUPS, FREQUENCY)


def related(
    what: str, ids: PartialColumn, roles: Roles, alpha: float, remedy: str, name: str = ""
) -> list[tuple[float, str]]:
    """Return the refusal of rows of one id that are alike beyond doubt in what is predicted.

    It comes with the level of a test that takes them for independent. They are compared within the
    groups and labels of `roles`; `name` is that of the ids.
    """
    if not any(option in VALUES for option, _ in roles.values()):
        return []
    code, of_rows = _coded(ids)[0], ids.known.sizes()
    counts = next((_numbers(part) for option, part in roles.values() if option == FREQUENCY), None)
    counts = np.ones(len(ids)) if counts is None else np.maximum(counts, 0)
    sizes = np.bincount(code[ids.where], counts[ids.where])
    n = sizes.sum()
    category = (found := ID.search(_plain(name))) is not None and not found["person"]
    if not FEWEST <= len(sizes) < of_rows.sum() or (category and n > MOST_ROWS * len(sizes)):
        return []
    cells, label = _cells(roles, len(sizes))
    tests = []
    for one, values in _values(roles):
        where = ids.where & np.isfinite(values + label)
        if not where.any():
            continue
        y, x = values[where], label[where]
        if len(np.unique(x)) > DEGREE:
            y = y - np.polyval(np.polyfit(x, y, DEGREE), x)
        codes = [without_gaps(one[where])[0] for one in (code, *cells)]
        tests.append((resemblance(codes[0], y, codes[1:], counts[where]), one))
    if not tests:
        return []
    (icc, pvalue), one = min(tests, key=lambda test: test[0].pvalue)
    if pvalue * len(tests) > DOUBT:
        return []
    rows = float(np.square(sizes).sum() / n)
    level = rejected(rows, alpha, icc)
    if level < MATTERS * alpha:
        return []
    text = (
        f"{what} repeats, {rows:.1f} rows to a value, and rows of one value resemble each other in "
        f"{one} far more than other rows of their group and label (ICC {icc:.2g}): a test at "
        f"{alpha:g} that takes rows for independent rejects about {level:.2f} of fair models; "
        f"{remedy}."
    )
    return [(level, text)]


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


def _cells(roles: Roles, ids: int) -> tuple[list[Integers], Floats]:
    """Return what rows are compared within: cells, and a label of numbers, or zeros.

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
    return [_joined(base, code) for code in attributes] if many else [joint], label


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


def _plain(name: str) -> str:
    """Return a name in small letters, with _ between its words."""
    return BETWEEN_WORDS.sub("_", name).strip("_").lower()


def _note_on(sizes: Integers, what: str, remedy: str, alpha: float) -> list[str]:
    """Note the error rate if rows of one person are treated as independent."""
    rows = rows_of_a_person(sizes)
    if rows is None:
        return []
    return [
        f"{what} repeats, {rows:.1f} rows to a value on average over the rows, and rows are taken "
        f"for independent: if those of one value are alike (ICC {ICC:g}) and of one group, a test "
        f"at {alpha:g} rejects {rejected(rows, alpha):.2f} of fair models; {remedy}."
    ]


def rejected(rows: float, alpha: float, icc: float = ICC) -> float:
    """Return the level of a test that wrongly takes a person's rows for independent.

    >>> round(rejected(5, 0.05), 2)
    0.26
    """
    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(1 + (rows - 1) * icc)))
