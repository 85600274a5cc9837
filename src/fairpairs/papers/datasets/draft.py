"""Draft the card of a data set from its file; what only a person can know is asked."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.files import MISSING, file_sha256
from fairpairs.base.named_columns import NamedColumns, split_names
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.arrow import kind_of
from fairpairs.base.reading.opening import is_parquet
from fairpairs.base.texts import listed, named_twice
from fairpairs.base.words import named
from fairpairs.papers.datasets.prepared import is_reserved
from fairpairs.papers.datasets.raw_table import as_texts, open_parquet, read_csv

#: Further texts that often mean a missing value.
UNKNOWN = ("?",)
#: A label or an attribute has at most so many values; a text feature so many.
MOST_VALUES, MOST_LEVELS = 12, 100
#: Of a feature so many values may be missing, as their rows are dropped.
MOST_LACKING = 0.5
#: Names of columns that number the rows.
NUMBERS_ROWS = re.compile(r"(^|[_ ])(id|index|nr|no|number|row)$|^Unnamed|^$", re.IGNORECASE)
SEPARATORS = (",", ";", "\t")
#: What columns of a Parquet file may hold that is no text.
NO_TEXTS = ("lists", "records", "bytes")


class RawFile(NamedColumns):
    """A raw file, all of its cells as texts, NaN for a missing value."""

    def __init__(self, path: Path, separators: Sequence[str], called: str) -> None:
        self.called = called
        self.read: dict[str, Any] = {}
        #: Columns whose cells are no texts, and what they hold.
        self.others: dict[str, str] = {}
        if is_parquet(path):
            source = open_parquet(path, {})
            kinds = {name: kind_of(source.type_of(name)) for name in source.columns}
            self.others = {name: kind for name, kind in kinds.items() if kind in NO_TEXTS}
            table = as_texts(source, [name for name in kinds if name not in self.others])
        else:
            rows = {m: read_csv(path, {"read": {"separator": m}}, nrows=1) for m in separators}
            mark = max(rows, key=lambda mark: rows[mark].shape[1])
            self.read = {} if mark == "," else {"separator": mark}
            table = read_csv(path, {"read": self.read}, na_values=list(MISSING))
        self.columns = list(map(str, table.columns))
        unknown = [text for text in UNKNOWN if table.isin([text]).any(axis=None)]
        if unknown:
            self.read["missing_values"] = unknown
        self.table = table.mask(table.isin(unknown))

    def check_column(self, name: str, option: str) -> None:
        """Raise InputError when there is no such column, or its cells are no texts."""
        if name in self.others:
            raise InputError(
                f"{self.called}: column `{name}` holds {self.others[name]}: write it as text or "
                f"numbers, or correct {option}."
            )
        super().check_column(name, option)

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
    label: str | None = None,
    sensitive: Collection[str] = (),
    positive: str | None = None,
    numeric: bool = False,
    above: Mapping[str, float] | None = None,
    at_least: Mapping[str, float] | None = None,
    groups: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    reference: Mapping[str, str] | None = None,
    features: Collection[str] | None = None,
    separators: Sequence[str] = SEPARATORS,
    published: Record | None = None,
    notes: Sequence[str] = (),
    called: str = "",
) -> str:
    """Return the card of a CSV or Parquet file as YAML.

    Parameters
    ----------
    path
        The file; a CSV with a header.
    label
        Its column with the outcome.
    sensitive
        Its columns with groups.
    positive
        The value of the label that is 1, or several with commas.
    numeric
        Whether the label is a number.
    above, at_least
        By column of numbers, above what, or from what on, the label is 1 or the group is group 1.
    groups
        By attribute the groups, each with its values; ["others"] is every other value.
    reference
        By attribute the reference group; by default the largest.
    features
        The columns that may be features; by default all.
    separators
        Of columns of a CSV; what gives the most columns is taken.
    published
        Who publishes the table (`openml` or `fairml`), and keys of the card that they answer.
    notes
        What is said at the top of the card.
    called
        The name of the file in messages.

    Raises
    ------
    InputError
        When the file cannot be read, or what is asked is not said; it lists what can be.
    """
    file = Path(path)
    raw = RawFile(file, separators, called or str(path))
    bounds = _bounds({"above": above, "at_least": at_least})
    groups, reference = groups or {}, reference or {}
    if label is None:
        two = [name for name in raw.columns if len(raw.values(name)) == 2]
        raise InputError(
            f"{raw.called}: which column is the outcome? Name it by --label; of two values are "
            f"{listed(two) or 'none'}."
        )
    raw.check_column(label, "--label")
    if not sensitive:
        few = [name for name in raw.columns if 2 <= len(raw.values(name)) <= MOST_VALUES]
        raise InputError(
            f"{raw.called}: which columns have the groups? Name them by --sensitive; few values "
            f"have {listed(name for name in few if name != label) or 'none'}."
        )
    names = raw.named(sensitive, "--sensitive")
    allowed = raw.columns if features is None else raw.named(features, "--features")
    if unknown := ({*bounds} - {label, *names}) | ({*groups, *reference} - {*names}):
        raise InputError(
            f"{raw.called}: `{min(unknown)}` is neither the label nor an attribute: correct it, or "
            "name it by --sensitive."
        )
    kinds, left_out = _features(raw, label, names, allowed)
    notes = [*notes, *left_out]
    renamed = {name: _free(name, raw.columns) for name in kinds if is_reserved(name)}
    coded = {name: renamed.get(name, name) for name in (label, *names)}
    lacking = [name for name in (label, *kinds) if raw.table[name].isna().any()]
    known = dict(published or {})
    source: Record = {key: known.pop(key) for key in ("openml", "fairml") if key in known}
    card = {
        "title": known.pop("title", file.stem),
        "citation": known.pop("citation", "Who made the data, and where."),
        "licence": known.pop("licence", "The terms under which it may be used."),
        **known,
        "files": [
            {
                "name": re.sub("[^A-Za-z0-9._-]", "_", file.name),
                "bytes": file.stat().st_size,
                "sha256": file_sha256(file),
                **(source or {"urls": []}),
            }
        ],
        **({"read": raw.read} if raw.read else {}),
        **({"rename": renamed} if renamed else {}),
        **({"missing": {renamed.get(n, n): "drop" for n in lacking}} if lacking else {}),
        "features": {renamed.get(name, name): kind for name, kind in kinds.items()},
        "label": {"column": coded[label]} | _label(raw, label, positive, numeric, bounds),
        "sensitive": {
            coded[name]: {"column": coded[name]}
            | _attribute(raw, name, bounds, groups.get(name), reference.get(name))
            for name in names
        },
    }
    left = len(raw.table.dropna(subset=lacking))
    if lacking:
        notes.append(f"{len(raw.table) - left} of {len(raw.table)} rows lack a value: dropped.")
    yours = "the names of labels and groups, and which features are known"
    if not source:
        yours = f"title, citation, licence, urls (may stay empty), {yours}"
    lines = [
        f"# {line}"
        for line in textwrap.wrap(
            f"Drafted from {raw.called}. Yours to say: {yours} before the outcome.", 98
        )
    ]
    lines += [f"# {note}" for note in notes]
    text = yaml.safe_dump(card, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join([*lines, text])


def _bounds(given: Mapping[str, Mapping[str, float] | None]) -> dict[str, tuple[str, float]]:
    """Return by column the key of a card that makes two groups of numbers, and its number."""
    bounds: dict[str, tuple[str, float]] = {}
    for key, numbers in given.items():
        for name, number in (numbers or {}).items():
            if name in bounds:
                raise InputError(f"`{name}` is named by --above and by --at-least: choose one.")
            bounds[name] = (key, number)
    return bounds


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name for a column that a prepared data set could not have."""
    free = f"column_{name}"
    return _free(free, taken) if free in taken else free


def _features(
    raw: RawFile, label: str, sensitive: Collection[str], allowed: Collection[str]
) -> tuple[dict[str, str], list[str]]:
    """Return the kind of each feature, attributes last, and why other columns are none."""
    features = {}
    notes = [f"`{name}` is left out: it holds {kind}." for name, kind in raw.others.items()]
    for name in raw.columns:
        values = raw.values(name)
        if name == label or name in sensitive:
            continue
        if name not in allowed:
            notes.append(f"`{name}` is left out: it was not named among the features.")
        elif len(values) < 2:
            notes.append(f"`{name}` is left out: it has one value.")
        elif (lacking := float(raw.table[name].isna().mean())) > MOST_LACKING:
            notes.append(f"`{name}` is left out: {lacking:.0%} of its values are missing.")
        elif len(values) == len(raw.table) and NUMBERS_ROWS.search(name):
            notes.append(f"`{name}` is left out: it numbers the rows.")
        elif raw.numbers(name):
            features[name] = "numeric"
        elif len(values) <= MOST_LEVELS:
            features[name] = "categorical"
        else:
            notes.append(f"`{name}` is left out: it has {len(values):,} different texts.")
    return features | dict.fromkeys(sensitive, "sensitive"), notes


def _label(
    raw: RawFile,
    name: str,
    positive: str | None,
    numeric: bool,
    bounds: Mapping[str, tuple[str, float]],
) -> Record:
    values = raw.values(name)
    if numeric and name in bounds:
        raise InputError(
            f"{raw.called}: `{name}` is kept as a number by --numeric, and made 0 and 1 by "
            f"--{bounds[name][0].replace('_', '-')}: choose one."
        )
    if name in bounds or numeric:
        return _of_numbers(raw, name, bounds.get(name))
    if len(values) < 2:
        raise InputError(f"{raw.called}: the label `{name}` has one value: name another column.")
    ones = [] if positive is None else _given([positive], values)
    if not ones or not {*ones} < {*values}:
        wrong = next((one for one in ones if one not in values), None)
        given = "" if wrong is None else f"it has no value {shortened(wrong)}; "
        number = ", or --numeric for the number itself" if raw.numbers(name) else ""
        raise InputError(
            f"{raw.called}: which value of `{name}` is 1, the favourable outcome? {given}"
            f"give --positive one of {listed(values)}{number}."
        )
    others = [value for value in values if value not in ones]
    zero = others[0] if len(others) == 1 else "Other"
    return {
        "one": ones,
        "zero": others if len(others) == 1 else "others",
        "names": {"one": ", ".join(ones), "zero": zero},
    }


def _attribute(
    raw: RawFile,
    name: str,
    bounds: Mapping[str, tuple[str, float]],
    groups: Mapping[str, Sequence[str]] | None,
    reference: str | None,
) -> Record:
    values = raw.values(name)
    if name in bounds:
        return _of_numbers(raw, name, bounds[name])
    if groups is None:
        if not 2 <= len(values) <= MOST_VALUES:
            raise InputError(
                f"{raw.called}: `{name}` has {len(values):,} values: say above which number group "
                f"1 is, as --above {name}=25, join values to groups, as --group "
                f"{name}.one={shortened(next(iter(values), 'a'))} --group {name}.two=others, or "
                "name another column."
            )
        listing: Mapping[str, Sequence[str]] = {value: [value] for value in values}
    else:
        listing = _listing(raw, name, groups)
    sizes = {group: int(raw.table[name].isin(members).sum()) for group, members in listing.items()}
    reference = max(sizes, key=lambda group: sizes[group]) if reference is None else reference
    if reference not in listing:
        raise InputError(
            f"{raw.called}: `{name}` has no group {shortened(reference)}: name one of "
            f"{listed(listing)} by --reference."
        )
    shown = {
        group: "others" if groups and list(groups[group]) == ["others"] else list(members)
        for group, members in listing.items()
    }
    if len(listing) > 2:
        if groups is None:  # in the order of `fp.experiment`
            shown = dict(sorted(shown.items(), key=lambda item: (item[0] == reference, item[0])))
        return {"groups": shown, "reference": reference}
    other = next(group for group in listing if group != reference)
    if shown[reference] == "others":  # which only group 0 may be
        shown[reference] = list(listing[reference])
    return {
        "one": shown[reference],
        "zero": shown[other],
        "names": {"one": reference, "zero": other},
    }


def _listing(
    raw: RawFile, name: str, groups: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Return the values of each group, those of `others` too."""
    values = raw.values(name)
    given = {
        group: [] if list(members) == ["others"] else _given(members, values)
        for group, members in groups.items()
    }
    members = [value for listed_values in given.values() for value in listed_values]
    if twice := named_twice(members):
        raise InputError(f"{raw.called}: `{name}` has {twice} in two groups: drop it in one.")
    if unknown := [value for value in members if value not in values]:
        raise InputError(
            f"{raw.called}: `{name}` has no value {shortened(unknown[0])}; it has {listed(values)}:"
            " correct --group."
        )
    rest = [value for value in values if value not in members]
    empty = [group for group, listed_values in given.items() if not listed_values]
    if len(groups) < 2 or bool(rest) != bool(empty) or len(empty) > 1:
        others = f"--group {name}.other=others"
        raise InputError(
            f"{raw.called}: the groups of `{name}` leave "
            f"{listed(rest) if rest else 'no value for others'}: each value is of one of two "
            f"groups or more, of which one may be the rest, as {others}."
        )
    return {group: listed_values or rest for group, listed_values in given.items()}


def _given(texts: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return the values that texts name: as they are, or a list of them with commas."""
    return [
        named(one, values)
        for text in texts
        for one in ([text] if named(text, values) in values else split_names(text))
    ]


def _of_numbers(raw: RawFile, name: str, bound: tuple[str, float] | None) -> Record:
    """Return what a card says of a column of numbers, as they are or from one of them on."""
    if not raw.numbers(name):
        raise InputError(
            f"{raw.called}: `{name}` has texts, and --above, --at-least and --numeric are for "
            "numbers."
        )
    if bound is None:
        return {"numeric": True}
    key, number = bound
    signs = (">", "≤") if key == "above" else ("≥", "<")
    names = {"one": f"{name} {signs[0]} {number:g}", "zero": f"{name} {signs[1]} {number:g}"}
    return {key: number, "names": names}
