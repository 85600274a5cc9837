"""Draft the card of a data set from its file; what only a person can know is asked."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.files import MISSING, file_sha256
from fairpairs.base.named_columns import NamedColumns
from fairpairs.base.texts import listed
from fairpairs.papers.datasets.prepared import is_reserved
from fairpairs.papers.datasets.raw_table import read_csv

#: Further texts that often mean a missing value.
UNKNOWN = ("?",)
#: A label or an attribute has at most so many values; a text feature so many.
MOST_VALUES, MOST_LEVELS = 12, 100
#: Names of columns that number the rows.
NUMBERS_ROWS = re.compile(r"(^|[_ ])(id|index|nr|no|number|row)$|^Unnamed|^$", re.IGNORECASE)
SEPARATORS = (",", ";", "\t")


class RawFile(NamedColumns):
    """A raw file, all of its cells as texts, NaN for a missing value."""

    def __init__(self, path: Path, separators: Sequence[str]) -> None:
        tables = [
            (read_csv(path, {"read": {"separator": mark}}, nrows=1), mark) for mark in separators
        ]
        header, mark = max(tables, key=lambda found: found[0].shape[1])
        self.called, self.columns = str(path), list(map(str, header))
        self.read: dict[str, Any] = {} if mark == "," else {"separator": mark}
        table = read_csv(path, {"read": self.read}, na_values=list(MISSING))
        unknown = [text for text in UNKNOWN if table.isin([text]).any(axis=None)]
        if unknown:
            self.read["missing_values"] = unknown
        self.table = table.mask(table.isin(unknown))

    def values(self, column: str) -> list[str]:
        """Return the different values of a column, the most frequent first."""
        return [str(value) for value in self.table[column].value_counts().index]

    def numbers(self, column: str) -> bool:
        """Whether all values of a column are numbers."""
        known = self.table[column].dropna()
        return bool(len(known)) and bool(pd.to_numeric(known, errors="coerce").notna().all())


def draft_card(
    path: str | Path,
    *,
    label: str | None,
    sensitive: Collection[str],
    positive: str | None = None,
    numeric: bool = False,
    above: Mapping[str, float] | None = None,
    reference: Mapping[str, str] | None = None,
    separators: Sequence[str] = SEPARATORS,
) -> str:
    """Return the card of a CSV file as YAML.

    Parameters
    ----------
    path
        The file, with a header.
    label
        Its column with the outcome.
    sensitive
        Its columns with groups.
    positive
        The value of the label that is 1.
    numeric
        Whether the label is a number.
    above
        By column of numbers, above what the label is 1, or the group is group 1.
    reference
        By attribute the reference group; by default the largest.
    separators
        Of columns; what gives the most columns is taken.

    Raises
    ------
    InputError
        When the file cannot be read, or what is asked is not said; it lists what can be.
    """
    raw, above = RawFile(Path(path), separators), dict(above or {})
    if label is None:
        two = [name for name in raw.columns if len(raw.values(name)) == 2]
        raise InputError(
            f"{path}: which column is the outcome? Name it by --label; of two values are "
            f"{listed(two) or 'none'}."
        )
    raw.check_column(label, "--label")
    if not sensitive:
        few = [name for name in raw.columns if 2 <= len(raw.values(name)) <= MOST_VALUES]
        raise InputError(
            f"{path}: which columns have the groups? Name them by --sensitive; few values have "
            f"{listed(name for name in few if name != label) or 'none'}."
        )
    names = raw.named(sensitive, "--sensitive")
    coded = {
        "label": _label(raw, label, positive, numeric, above.pop(label, None)),
        "sensitive": {
            name: _attribute(raw, name, above.pop(name, None), (reference or {}).get(name))
            for name in names
        },
    }
    if unknown := {*above, *(reference or {})} - {label, *names}:
        raise InputError(f"`{min(unknown)}` is neither the label nor an attribute: correct it.")
    features, notes = _features(raw, label, names)
    used = [label, *features]
    renamed = {
        name: f"column_{name}" for name in features if is_reserved(name) and name not in names
    }
    lacking = [name for name in used if raw.table[name].isna().any()]
    file = Path(path)
    card = {
        "title": file.stem,
        "citation": "Who made the data, and where.",
        "licence": "The terms under which it may be used.",
        "files": [
            {
                "name": re.sub("[^A-Za-z0-9._-]", "_", file.name),
                "bytes": file.stat().st_size,
                "sha256": file_sha256(file),
                "urls": [],
            }
        ],
        **({"read": raw.read} if raw.read else {}),
        **({"rename": renamed} if renamed else {}),
        **({"missing": {renamed.get(n, n): "drop" for n in lacking}} if lacking else {}),
        "features": {renamed.get(name, name): kind for name, kind in features.items()},
        **coded,
    }
    left = len(raw.table.dropna(subset=lacking))
    if lacking:
        notes.append(f"{len(raw.table) - left} of {len(raw.table)} rows lack a value: dropped.")
    lines = [
        f"# Drafted from {file.name}. Yours to say: title, citation, licence, urls (public",
        "# addresses of the same bytes, may stay empty), the names of labels and groups.",
        *(f"# {note}" for note in notes),
    ]
    text = yaml.safe_dump(card, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join([*lines, text])


def _features(
    raw: RawFile, label: str, sensitive: Collection[str]
) -> tuple[dict[str, str], list[str]]:
    """Return the kind of each feature, and why other columns are none."""
    features, notes = {}, []
    for name in raw.columns:
        values = raw.values(name)
        if name == label:
            continue
        if name in sensitive:
            features[name] = "sensitive"
        elif len(values) < 2:
            notes.append(f"`{name}` is left out: it has one value.")
        elif len(values) == len(raw.table) and NUMBERS_ROWS.search(name):
            notes.append(f"`{name}` is left out: it numbers the rows.")
        elif raw.numbers(name):
            features[name] = "numeric"
        elif len(values) <= MOST_LEVELS:
            features[name] = "categorical"
        else:
            notes.append(f"`{name}` is left out: it has {len(values):,} different texts.")
    return features, notes


def _label(
    raw: RawFile, name: str, positive: str | None, numeric: bool, above: float | None
) -> dict[str, Any]:
    values = raw.values(name)
    if above is not None or numeric:
        return _of_numbers(raw, name, above)
    if len(values) < 2:
        raise InputError(f"{raw.called}: the label `{name}` has one value: name another column.")
    if positive not in values:
        given = "" if positive is None else f"it has no value {shortened(positive)}; "
        number = ", or --numeric for the number itself" if raw.numbers(name) else ""
        raise InputError(
            f"{raw.called}: which value of `{name}` is 1, the favourable outcome? {given}"
            f"give --positive one of {listed(values)}{number}."
        )
    others = [value for value in values if value != positive]
    return {
        "column": name,
        "one": [positive],
        "zero": others if len(others) == 1 else "others",
        "names": {"one": positive, "zero": others[0] if len(others) == 1 else "Other"},
    }


def _attribute(
    raw: RawFile, name: str, above: float | None, reference: str | None
) -> dict[str, Any]:
    values = raw.values(name)
    if above is not None:
        return _of_numbers(raw, name, above)
    if not 2 <= len(values) <= MOST_VALUES:
        raise InputError(
            f"{raw.called}: `{name}` has {len(values):,} values: say above which number group 1 "
            f"is, as --above {name}=25, or name another column."
        )
    reference = values[0] if reference is None else reference
    if reference not in values:
        raise InputError(
            f"{raw.called}: `{name}` has no group {shortened(reference)}: name one of "
            f"{listed(values)} by --reference."
        )
    others = [value for value in values if value != reference]
    if len(others) == 1:
        names = {"one": reference, "zero": others[0]}
        return {"column": name, "one": [reference], "zero": others, "names": names}
    return {
        "column": name,
        "groups": {value: [value] for value in sorted(values)},
        "reference": reference,
    }


def _of_numbers(raw: RawFile, name: str, above: float | None) -> dict[str, Any]:
    """Return what a card says of a column of numbers, as they are or above one of them."""
    if not raw.numbers(name):
        raise InputError(
            f"{raw.called}: `{name}` has texts, and --above and --numeric are for numbers."
        )
    if above is None:
        return {"column": name, "numeric": True}
    names = {"one": f"{name} > {above:g}", "zero": f"{name} ≤ {above:g}"}
    return {"column": name, "above": above, "names": names}
