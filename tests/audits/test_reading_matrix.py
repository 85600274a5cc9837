"""One small table in every form, style of numbers and type gives each command the same result.

A cell is a command, a role of it, the values of that role, and a form of the file or table. Its
result is that of the plain CSV, or a refusal. All cells are made from tables, here and in
`reading_matrix.py`: the readers have all values in all forms, the commands all kinds of values in
forms by turns.
"""

import csv
import itertools
import json
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, strategies as st

from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.items.roles import Values as Label
from fairpairs.base.errors import InputError
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.reading.table import Table
from fairpairs.base.words import words
from tests.audits.counting.made import joined
from tests.audits.reading_commands import COMMANDS, IN_PART, beside, codes, plain
from tests.audits.reading_matrix import (
    ALWAYS,
    AS_A_POINT,
    CHANCE,
    EVERY,
    FILES,
    FORMS,
    IF_NAMED,
    LACKING,
    NEVER,
    NUMBER,
    STYLES,
    VALUES,
    Values,
    csv_file,
    made,
    texts,
)

pytestmark = pytest.mark.slow
CODES = np.arange(24) % 12
#: Every so many rows lack a value in columns where some do.
SOME = 7

# ----------------------------------------------------------------------------------- the readers

#: Programs that make floats of long codes beside a missing value, which are refused as names.
LOSING = ("csv of pandas", "Parquet of pandas", "pandas", "pandas, categories")
#: Programs that write floats with exponents in another way in a CSV, where names are texts.
OTHER_EXPONENTS = {
    ("small floats", "csv of Arrow"), ("small floats", "csv of Polars"),
    ("large floats", "csv of Arrow"),
}  # fmt: skip
#: Where DuckDB reads the only decimals of more than 38 digits as floats, which are refused.
JOINED_BY_DUCKDB = ("Parquet", "Parquet of pandas")


def is_lost(name, form, *, some):
    return form in LOSING and some and name in ("codes of 2^60", "codes of 2^63")


def columns(form):
    """The columns of a form: all values, all known and some missing."""
    return {
        f"{name} {every}": (name, every)
        for name, values in EVERY.items()
        for every in (0, SOME)
        if form not in LACKING.get(str(values.kind), ())
    }


def everything(form, folder):
    named = columns(form)
    arrays = {name: EVERY[of].array(CODES, every=every) for name, (of, every) in named.items()}
    return made(form, pa.table({"row": np.arange(len(CODES)), **arrays}), folder)


def opened(given):
    return Table(given) if hasattr(given, "suffix") else Table.of(given, "data")


def rows_of(given):
    return Rows.of_files([given]) if hasattr(given, "suffix") else Rows.of_table(given, "data")


def known(every):
    return [i for i in range(len(CODES)) if not every or i % every != 1]


def names_of(column, role="x"):
    return np.array(words(column.kinds, role), dtype=object)[
        np.arange(len(column)) if column.code is None else column.code
    ].tolist()


def refusal(read, *arguments):
    """The sentence with which something is refused."""
    with pytest.raises(InputError) as raised:
        read(*arguments)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def assert_same(found, expected):
    assert not {
        name: [(one, two) for one, two in zip(found[name], values, strict=True) if one != two][:2]
        for name, values in expected.items()
        if found[name] != values
    }


@pytest.mark.parametrize("form", FORMS)
def test_names_and_numbers_are_those_of_the_values_in_each_form(tmp_path, form):
    table = opened(everything(form, tmp_path))
    found, expected = {}, {}
    for column, (name, every) in columns(form).items():
        if (name, form) in OTHER_EXPONENTS:
            continue
        if is_lost(name, form, some=every):
            said = refusal(table.coded_with_missing, column)
            assert f"column `{column}` holds floats such as" in said
            continue
        expected[column] = [EVERY[name].name(code) for code in CODES[known(every)].tolist()]
        found[column] = table.categories_in_part(column).dropna().tolist()
        groups = names_of(table.coded_with_missing(column))
        expected[f"{column}, as a group"] = expected[column]
        found[f"{column}, as a group"] = [groups[i] for i in known(every)]
        missing = len(CODES) - len(known(every))
        assert groups.count("missing") == table.missing(column).sum() == missing
        if every:
            said = refusal(table.numbers, column, "")
            assert f"column `{column}` has {missing} missing value(s)" in said
        elif "2^" in name:
            said = refusal(table.numbers, column, "")
            assert f"column `{column}` holds numbers above 2^53 that differ, but" in said
        elif NUMBER in EVERY[name].roles or name == "true and false":
            numbers = [float(EVERY[name].of(code)) for code in CODES.tolist()]
            expected[f"{column}, as a number"] = numbers
            found[f"{column}, as a number"] = table.numbers(column, "").tolist()
            if name != "true and false":
                expected[f"{column}, as a label"] = numbers
                label = Label(table.coded(column, number=True))
                found[f"{column}, as a label"] = label.of_items.tolist()
    assert_same(found, expected)


def counted_numbers(rows, names):
    """The numbers of columns, which DuckDB sorts, in the order of the rows."""
    cells = rows.cells(["row"], names)
    numbers, cell, _ = joined(rows, names, cells)
    row = np.array(names_of(cells.columns["row"]), dtype=int)[cell]
    return dict(zip(names, numbers[np.argsort(row)].T.tolist(), strict=True))


#: Forms that DuckDB reads each in its own way.
COUNTED = (
    "csv", "csv, ;", "csv, gzip", "JSON lines", "Parquet", "Parquet of pandas",
    "Parquet of DuckDB", "Parquet of texts", "Arrow", "Arrow, in chunks", "pandas",
    "pandas, objects", "pandas, of Arrow", "pandas, categories", "Polars", "Polars, lazy",
)  # fmt: skip


@pytest.mark.parametrize("form", COUNTED)
def test_counts_are_of_the_values_in_each_form(tmp_path, form):
    read = {
        column: (name, every)
        for column, (name, every) in columns(form).items()
        if not is_lost(name, form, some=every)
        and (name, form) not in OTHER_EXPONENTS
        and not (name == "wide decimals of 2^130" and form in JOINED_BY_DUCKDB)
    }
    numbers = [
        column
        for column, (name, every) in read.items()
        if not every and "2^" not in name and NUMBER in EVERY[name].roles
    ]
    rows = rows_of(everything(form, tmp_path))
    if form in JOINED_BY_DUCKDB:
        said = refusal(rows.cells, ["wide decimals of 2^130 0"], [])
        assert "DuckDB cannot tell those of more than 15 digits apart" in said
    cells = rows.cells(["row", *read], [], missing_group=list(read), names=list(read))
    order = np.argsort(np.array(names_of(cells.columns["row"]), dtype=int))
    found, expected = {}, {}
    for column, (name, every) in read.items():
        expected[column] = [EVERY[name].name(code) for code in CODES.tolist()]
        for i in set(range(len(CODES))) - {*known(every)}:
            expected[column][i] = "missing"
        names = names_of(cells.columns[column])
        found[column] = [names[i] for i in order]
    counted = counted_numbers(rows_of(everything(form, tmp_path)), numbers)
    for column in numbers:
        of = EVERY[read[column][0]].of
        expected[f"{column}, a number"] = [float(of(code)) for code in CODES.tolist()]
        found[f"{column}, a number"] = counted[column]
    assert_same(found, expected)


def refused_as(style, form, mark):
    """What is said of a style that is refused, None where it is read."""
    if style.read == NEVER:
        return "must hold finite numbers and holds"
    if mark is None and (style.read == IF_NAMED or (style.read == AS_A_POINT and form == "csv, ;")):
        return "marks decimals, "
    return None


def numbers_of(style, mark):
    """The numbers of a style, as a named mark, or none, says."""
    numbers = [style.number(code) for code in CODES.tolist()]
    if mark is None and style.read == AS_A_POINT:
        return [float(style.text(number)) for number in numbers]
    return [float(number) for number in numbers]


#: Forms, and decimal marks that are named, if any, by turns.
MARKED = [*zip(COUNTED, itertools.cycle([".", None, ",", None]), strict=False)]


@pytest.mark.parametrize(("form", "mark"), MARKED)
def test_styles_of_numbers_are_read_or_refused_in_each_form(tmp_path, form, mark):
    styles = {name: style for name, style in STYLES.items() if mark in (None, style.mark)}
    texts = {
        name: [style.text(style.number(code)) for code in CODES.tolist()]
        for name, style in styles.items()
    }
    content = pa.table({"row": np.arange(len(CODES)), **texts})
    with read_as(decimal=mark):
        table = opened(made(form, content, tmp_path))
        found, expected, notes = {}, {}, {}
        for name, style in styles.items():
            names = table.coded(name)  # which are never numbers
            stripped = [text.strip() for text in texts[name]]
            assert names.of_items(names.kinds).tolist() == stripped
            if said := refused_as(style, form, mark):
                assert said in refusal(table.numbers, name, "correct it")
                continue
            expected[name] = numbers_of(style, mark)
            found[name] = table.numbers(name, "").tolist()
            if "," in "".join(texts[name]) or (style.mark == "," and mark == ","):
                notes[name] = f"Column `{name}"
        assert_same(found, expected)
        assert {name: note[: note.index("`: ")] for name, note in table.notes.items()} == notes
        rows = rows_of(made(form, content, tmp_path))
        assert_same(counted_numbers(rows, list(expected)), expected)
        assert [*rows.source.notes.values()] == [*table.notes.values()]
        if form in ("csv", "csv, ;", "Parquet", "Arrow"):
            for name in styles.keys() - expected.keys():
                said = refusal(rows.cells, ["row"], [name])
                assert refused_as(styles[name], form, mark) in said


# ---------------------------------------------------------------------------------- the commands


class Cell(NamedTuple):
    """A role of a command, and what it holds: values, in a form, perhaps some missing."""

    command: str
    role: str
    values: Values
    form: str
    #: What the values are called.
    name: str
    some: bool = False
    #: The values as a plain CSV has them, and the decimal mark that is named.
    plain: Values | None = None
    mark: str | None = None

    @property
    def columns(self):
        """The columns that hold the values; items of judgments are in two tables."""
        several = self.role.split()
        return [*several, "id"] if "best" in several else several

    def options(self):
        """The options that name a value by its code."""
        options, values = COMMANDS[self.command].roles[self.role].options, self.plain or self.values
        return {
            option: float(values.of(code)) if option == "threshold" else values.name(code)
            for option, code in options.items()
        }

    def table(self, columns, values):
        """Return columns of the rows, by the names that they have in codes()."""
        arrays = {}
        for name, column in columns.items():
            varied = name in self.columns
            every = 2 if name in IN_PART else SOME if varied and self.some else 0
            kind = values if varied else PLAIN_CHANCES if name == "chance" else WHOLE_NUMBERS
            arrays[name] = kind.array(codes()[column], every=every)
        return pa.table(arrays)

    def tables(self, values):
        """Return the table that is read, and the other one of a command of two."""
        command = COMMANDS[self.command]
        main = self.table(beside(command.columns), values)
        if command.other is None:
            return main, None
        other = self.table(command.other, values)
        return main, pa.concat_tables([other[50:], other[:50]]) if command.moved else other

    def outcome(self, values, form, mark, folder):
        """Return the result as a text, or the sentence of a refusal."""
        main, other = self.tables(values)
        plain_other = None if other is None else csv_file(other, folder / "other.csv")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of skewed or few rows
            try:
                with read_as(decimal=mark):
                    given = made(form, main, folder)
                    found = COMMANDS[self.command].run(given, plain_other, **self.options())
            except InputError as error:
                return Refused(str(error))
        called = str(given) if isinstance(given, Path) else "data"
        return json.dumps(plain(found), default=str).replace(f'"{called}: ', '"')

    def expected(self, folder):
        """Return the outcome of the plain CSV, which many cells share."""
        values = self.plain or self.values
        content = [None if one is None else texts(one).to_csv() for one in self.tables(values)]
        key = self.command, *content, *self.options().items()
        if key not in EXPECTED:
            EXPECTED[key] = self.outcome(values, "csv", None, folder)
        return EXPECTED[key]


class Refused(str):
    """The sentence of a refusal."""


EXPECTED = {}
PLAIN_CHANCES, WHOLE_NUMBERS = EVERY["tenths of float64"], EVERY["int64"]
FLOATING = EVERY["whole float64"]


def styled(name):
    """Return values in a style, what a plain CSV holds for them, and the mark to be named."""
    style = STYLES[name]
    mark = style.mark if style.read in (IF_NAMED, AS_A_POINT) else None
    values = Values(pa.string(), lambda code: style.text(style.number(code)))
    in_csv = Values(pa.string(), lambda code: str(style.number(code)))
    return {"name": name, "values": values, "plain": in_csv, "mark": mark}


def cells():
    """Yield all cells; classes of values, their members, forms and styles take turns."""
    turns = defaultdict(itertools.count)

    def turn(name, some, step=1):
        return some[next(turns[name]) * step % len(some)]

    def cell(command, role, values, **rest):
        forms = [
            form
            for form in (FILES if COMMANDS[command].files else FORMS)
            if form != "csv"
            and form not in LACKING.get(str(values.kind), ())
            and (rest["name"], form) not in OTHER_EXPONENTS
        ]
        return Cell(command, role, values, turn("form", forms, 7), **rest)

    for name, command in COMMANDS.items():
        for role, (kind, _, missing, as_names) in command.roles.items():
            fitting = {
                group: members
                for group, values in VALUES.items()
                if (members := [member for member, one in values.items() if kind in one.roles])
            }
            start = next(turns[kind]) % command.thinned
            for group, members in [*fitting.items()][start :: command.thinned]:
                member = turn(group, members)
                some = missing and turn("some", [False, True])
                yield cell(name, role, EVERY[member], name=member, some=some)
            yield cell(name, role, FLOATING, name="some are missing", some=True)
            reads = (ALWAYS, NEVER) if turn("style", [False, True]) else (IF_NAMED, AS_A_POINT)
            for read in reads if kind == NUMBER else ():
                if not (read == NEVER and as_names):
                    styles = [style for style, one in STYLES.items() if one.read == read]
                    # where texts are names, zeros first make codes
                    styles = [style for style in styles if not as_names or style != "zeros first"]
                    style = turn(read, styles)
                    yield cell(name, role, **styled(style))
            if kind == CHANCE:
                yield cell(name, role, **styled("tenths after a comma"))


CELLS = defaultdict(list)
for one in cells():
    CELLS[one.command].append(one)


@pytest.mark.usefixtures("few_sets")
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_reads_the_same_or_refuses(tmp_path, command):
    wrong = {}
    for cell in CELLS[command]:
        expected = cell.expected(tmp_path)
        found = cell.outcome(cell.values, cell.form, cell.mark, tmp_path)
        lost = is_lost(cell.name, cell.form, some=cell.some)
        style = STYLES.get(cell.name)
        if isinstance(expected, Refused) or lost or (style and style.read == NEVER):
            if not isinstance(found, Refused):
                wrong[cell.name, cell.role, cell.form] = "read", expected, found[:200]
        elif found != expected:
            wrong[cell.name, cell.role, cell.form, cell.some] = difference(expected, found)
    assert not wrong


def difference(expected, found):
    if isinstance(found, Refused):
        return found
    start = next(i for i, (x, y) in enumerate(zip(expected, found, strict=False)) if x != y)
    return expected[start - 60 : start + 60], found[start - 60 : start + 60]


# -------------------------------------------------------------------------------- broken CSVs

ENDS, BETWEEN = ("\n", "\r\n", "\r"), (",", ";", "\t", "|")
CELL = st.text(st.sampled_from("ab0 é,;.\"'"), max_size=4)
LINES = st.lists(st.tuples(CELL, CELL, CELL), min_size=2, max_size=8)


def of_lines(lines, between=",", end="\n", quoting=csv.QUOTE_ALL):
    frame = pd.DataFrame(lines, columns=["first", "second", "third"])
    return frame.to_csv(index=False, sep=between, lineterminator=end, quoting=quoting)


def lines_of(text, between=","):
    """The cells that are read of a CSV, without blanks around them."""
    with tempfile.TemporaryDirectory() as folder, read_as(between):
        path = Path(folder, "t.csv")
        path.write_bytes(text.encode())
        frame = Table(path).frame()
    return [tuple(map(str.strip, row)) for row in frame.fillna("").itertuples(index=False)]


def stripped(lines):
    return [tuple(map(str.strip, line)) for line in lines]


@given(LINES, st.sampled_from(ENDS), st.sampled_from(BETWEEN), st.booleans())
def test_separators_quotes_and_line_ends_change_no_cell(lines, end, between, every):
    quoting = csv.QUOTE_ALL if every else csv.QUOTE_MINIMAL
    lines = [*lines, ("x", "y", "z")]
    assert lines_of(of_lines(lines, between, end, quoting), between) == stripped(lines)


@given(LINES, st.data(), st.sampled_from(BETWEEN), st.booleans())
def test_the_header_in_the_middle_is_refused(lines, data, between, every):
    quoting = csv.QUOTE_ALL if every else csv.QUOTE_MINIMAL
    header, *rest = of_lines(lines, between, "\n", quoting).splitlines(keepends=True)
    at = data.draw(st.integers(0, len(rest)))
    with pytest.raises(InputError, match=f"line {at + 2} is the header again: delete it"):
        lines_of("".join([header, *rest[:at], header, *rest[at:]]), between)


@given(LINES, st.integers(0, 10**6), st.booleans())
@example([("", "", ""), ("", ",0", "")], 0, False)  # two rows become one
@example([("", "", ",,0"), ("", "", "")], 0, False)  # cells of a row move
def test_a_quote_more_or_less_is_refused_or_changes_no_row(lines, place, dropped):
    text = of_lines(lines)
    start = text.index("\n") + 1
    if dropped:
        quotes = [at for at in range(start, len(text)) if text[at] == '"']
        at = quotes[place % len(quotes)]
        changed = text[:at] + text[at + 1 :]
    else:
        at = start + place % (len(text) + 1 - start)
        changed = text[:at] + '"' + text[at:]
    try:
        found = lines_of(changed)
    except InputError:
        return
    assert without_quotes(found) == without_quotes(stripped(lines))


def without_quotes(lines):
    return [tuple(cell.replace('"', "") for cell in line) for line in lines]
