"""The numbers that papers print, read from `config/published/<study>/`."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fairpairs.base import schemas
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import listed, meant
from fairpairs.papers.published.source import Source

#: The identity of a published number: names and values of the row, the column and the table.
Key = Content
#: What is known of a printed number.
CELL = ("row", "column", "published", "digits", "kind")
#: Mark behind a significant number.
MARK = "*"


@dataclass(frozen=True)
class PublishedTable:
    """A table as a paper prints it."""

    path: Path
    #: The study and the file: `comparative_separation/table_5`.
    name: str
    #: `table` or `section`, `title`, `source`, `runs`, `remarks`.
    spec: Record
    source: Source
    #: A row per cell: the labels `row` and `column`, the rest of `CELL`, `published_mark`, `key`.
    cells: pd.DataFrame
    #: A row per cell of the text columns: `row`, `column`, `published` and `key`.
    texts: pd.DataFrame
    #: The labels of the columns with numbers.
    columns: list[str]

    @property
    def study(self) -> str:
        """The study of the paper."""
        return self.source.study

    @property
    def of_one_run(self) -> bool:
        """Whether its simulated numbers are of a single run, such as one split or one seed."""
        return bool(self.spec.get("runs") == 1)

    @property
    def number(self) -> str:
        """The name of its file: `table_5`, `section_4_1_2`, or a name."""
        return self.name.rpartition("/")[2]

    @property
    def heading(self) -> str:
        """Its name in the paper: "Table 5" or "Section 4.1.2"; else that of its file, in words."""
        if isinstance(table := self.spec.get("table"), str):
            return table.replace("_", " ").capitalize()
        if table is not None:
            return f"Table {table}"
        return f"Section {self.spec['section']}"


def read_published(path: str | Path, schema: str | Path) -> PublishedTable:
    """Read a published table; InputError if its labels, keys or values do not fit together."""
    path = Path(path)
    content = schemas.read_checked_yaml(path, schema)
    source = Source.of(path.parent.name, content.pop("from"))
    shared = content.pop("key", {})
    columns = _labelled(path, "column", content.pop("columns"))
    rows = _labelled(path, "row", content.pop("rows"))
    texts = _labelled(path, "column", content.pop("texts", []), taken=columns)
    cells = []
    for row, entry in rows.items():
        per_column = [
            entry[field] if isinstance(entry[field], list) else [entry[field]] * len(columns)
            for field in ("values", "digits", "kind")
        ]
        if any(len(values) != len(columns) for values in per_column):
            raise InputError(
                f"{path}: the row `{row}` must have {len(columns)} values, one per column."
            )
        for column, value, digits, kind in zip(columns, *per_column, strict=True):
            if value is None:  # the table has no number there
                continue
            text = str(value)
            printed = text.removesuffix(MARK)
            key = _joined(path, (row, column), shared, entry, columns[column])
            mark = text[len(printed) :]
            cells.append((row, column, float(printed), int(digits), kind, mark, key))
    frame = pd.DataFrame(cells, columns=[*CELL, "published_mark", "key"])
    if (frame["kind"] == "simulated").any() and "runs" not in content:
        raise InputError(f"{path}: it has simulated cells, so `runs` must say from how many runs.")
    return PublishedTable(
        path,
        f"{source.study}/{path.stem}",
        content,
        source,
        frame,
        _read_texts(path, texts, rows, shared),
        list(columns),
    )


def _labelled(
    path: Path, axis: str, entries: list[Any], *, taken: Content | None = None
) -> dict[str, Record]:
    """Return the entries of rows or columns by their labels."""
    labelled: dict[str, Record] = {}
    for entry in entries:
        label = entry if isinstance(entry, str) else entry["name"]
        if label in labelled or label in (taken or {}):
            raise InputError(f"{path}: two {axis}s are called `{label}`: rename or drop one.")
        labelled[label] = {} if isinstance(entry, str) else entry
    return labelled


def _read_texts(path: Path, texts: Content, rows: Content, shared: Key) -> pd.DataFrame:
    """Return the cells of the text columns."""
    cells = []
    for column, entry in texts.items():
        for row, text in entry["values"].items():
            if row not in rows:
                raise InputError(
                    f"{path}: texts: the column `{column}` has a text for the row `{row}`"
                    f"{meant(row, rows)}: name one of {listed(rows)}."
                )
            key = _joined(path, (row, column), shared, rows[row], entry)
            cells.append((row, column, text, key))
    return pd.DataFrame(cells, columns=["row", "column", "published", "key"])


def _joined(path: Path, cell: tuple[str, str], shared: Key, *entries: Key) -> Key:
    """Return the key of a cell: that of the table, of its row and of its column."""
    key = dict(shared)
    for entry in entries:
        for name, value in entry.get("key", {}).items():
            if name in key:
                raise InputError(
                    f"{path}: the key of the cell ({'; '.join(cell)}) has `{name}` twice: leave "
                    "it out of the row, the column or the table."
                )
            key[name] = value
    return key


#: Name of a key → its values: those listed, or all of a type.
Vocabulary = Mapping[str, Collection[Any] | type]


def check_keys(
    table: PublishedTable,
    *,
    cards: Mapping[str, Content],
    treatments: Collection[str],
    tests: Collection[str],
    vocabulary: Vocabulary,
    datasets: Collection[str] = (),
) -> None:
    """Check that the keys of a published table are known, and all different.

    `cards` are by name; `vocabulary` has the other names that the keys of the study may have. An
    attribute without a data set is one of `datasets`, on which the table rests.
    """
    attributes = {name for dataset in datasets for name in cards[dataset].get("sensitive", {})}
    known: Vocabulary = {
        **vocabulary,
        "dataset": cards.keys(),
        "treatment": treatments,
        "test": tests,
        "experiment": table.source.experiments,
        "attribute": str,
    }
    without_dataset: Vocabulary = {**known, "attribute": attributes} if attributes else known
    seen: dict[frozenset[Any], str] = {}
    for cells in (table.cells, table.texts):
        for row, column, key in cells[["row", "column", "key"]].itertuples(index=False):
            cell = f"config/published/{table.name}.yaml: the cell ({row}; {column})"
            values = known if "dataset" in key else without_dataset
            for name, value in key.items():
                if name not in values:
                    raise InputError(f"{cell}: unknown key `{name}`{_remedy(name, values)}")
                _check_value(f"{cell}: `{name}`", value, values[name])
            if "attribute" in key and "dataset" in key:
                allowed = cards[key["dataset"]].get("sensitive", {})
                _check_value(f"{cell}: `attribute` of {key['dataset']}", key["attribute"], allowed)
            same = frozenset(key.items())
            if same in seen:
                raise InputError(f"{cell} has the key of {seen[same]}: tell them apart.")
            seen[same] = f"({row}; {column})"


def _check_value(where: str, value: Any, values: Collection[Any] | type) -> None:
    if isinstance(values, type):
        if not isinstance(value, values):
            raise InputError(
                f"{where} must be of type {values.__name__}, and is {_with_type(value)}."
            )
    elif value not in values and str(value) in map(str, values):
        remedy = "without quotes" if isinstance(value, str) else "in quotes"
        raise InputError(f"{where} is {_with_type(value)}: write it {remedy}.")
    elif value not in values:
        raise InputError(f"{where}: there is no `{value}`{_remedy(str(value), map(str, values))}")


def _with_type(value: Any) -> str:
    return f"the {'text' if isinstance(value, str) else 'number'} `{value}`"


def _remedy(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    return f"{meant(name, names)}: write one of {listed(names)}."
