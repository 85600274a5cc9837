"""Draft the card of a data set from its file; what only a person can know is asked."""

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
from fairpairs.base.reading.sources import Source
from fairpairs.base.texts import listed
from fairpairs.base.words import named
from fairpairs.papers.datasets.prepared import is_reserved
from fairpairs.papers.datasets.raw_table import as_texts, check_lines, open_parquet, read_csv

#: Further texts that often mean a missing value.
UNKNOWN = ("?",)
SEPARATORS = (",", ";", "\t")
#: What columns of a Parquet file or a table in memory may hold that is no text.
NO_TEXTS = ("lists", "records", "bytes")


class RawFile(NamedColumns):
    """A raw file, all of its cells as texts, NaN for a missing value."""

    def __init__(self, path: Path, separators: Sequence[str], called: str) -> None:
        self.called = called
        self.read: dict[str, Any] = {}
        #: Columns whose cells are no texts, and what they hold.
        self.others: dict[str, str] = {}
        if is_parquet(path):
            table, self.others = texts_and_others(open_parquet(path, {}))
        else:
            rows = {m: read_csv(path, {"read": {"separator": m}}, nrows=1) for m in separators}
            mark = max(rows, key=lambda mark: rows[mark].shape[1])
            self.read = {} if mark == "," else {"separator": mark}
            card = {"read": self.read}
            check_lines(path, card, list(read_csv(path, card, nrows=1, header=None).iloc[0]))
            table = read_csv(path, card, na_values=list(MISSING))
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


def texts_and_others(source: Source) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the columns of texts and numbers as texts, and what each other column holds."""
    kinds = {name: kind_of(source.type_of(name)) for name in source.columns}
    others = {name: kind for name, kind in kinds.items() if kind in NO_TEXTS}
    return as_texts(source, [name for name in kinds if name not in others]), others


#: A text feature has at most so many values, and an attribute of numbers without a bound.
MOST_LEVELS, MOST_VALUES = 100, 12
#: Keys that make two groups of numbers → the signs of both.
SIGNS = {"above": (">", "≤"), "at_least": ("≥", "<"), "below": ("<", "≥"), "at_most": ("≤", ">")}
#: Of a feature so many values may be missing, as their rows are dropped.
MOST_LACKING = 0.5
#: Names of columns that number the rows.
NUMBERS_ROWS = re.compile(r"(^|[_ ])(id|index|nr|no|number|row)$|^Unnamed|^$", re.IGNORECASE)


class _Dumper(yaml.SafeDumper):
    """Writes lists of values in one line, as people do."""


_Dumper.add_representer(
    list,
    lambda dumper, values: dumper.represent_sequence(
        "tag:yaml.org,2002:seq", values, flow_style=not any(isinstance(v, dict) for v in values)
    ),
)


def draft_card(
    path: str | Path,
    *,
    label: str | None = None,
    sensitive: Collection[str] = (),
    positive: str | None = None,
    numeric: bool = False,
    bounds: Mapping[str, Mapping[str, float]] | None = None,
    reference: Mapping[str, str] | None = None,
    features: Collection[str] | None = None,
    separators: Sequence[str] = SEPARATORS,
    openml: int | None = None,
    about: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    others: Mapping[str, str] | None = None,
    called: str = "",
) -> str:
    """Return the card of a CSV or Parquet file as YAML; InputError for what is not said.

    The arguments are those of `card`, texts of a file with the first of `separators` that gives
    the most columns. The file is `called` so in messages; `about` are keys of the card that its
    publisher answers, `notes` what is said at its top, and `others` the columns that the file
    lacks, with what they hold in the table that it was made of.
    """
    file = Path(path)
    raw = RawFile(file, separators, called or str(path))
    raw.others |= others or {}
    bounded = _bounds_by_column(bounds or {})
    reference = reference or {}
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
    if label in names:
        raise InputError(
            f"{raw.called}: `{label}` is the label, and no attribute: name another column by "
            "--sensitive."
        )
    allowed = raw.columns if features is None else raw.named(features, "--features")
    if unknown := ({*bounded} - {label, *names}) | ({*reference} - {*names}):
        raise InputError(
            f"{raw.called}: `{min(unknown)}` is neither the label nor an attribute: correct it, or "
            "name it by --sensitive."
        )
    kinds, left_out = _features(raw, label, names, allowed)
    notes = [*notes, *left_out]
    renamed = {name: _free(name, raw.columns) for name in kinds if is_reserved(name)}
    coded = {name: renamed.get(name, name) for name in (label, *names)}
    lacking = [name for name in (label, *kinds) if raw.table[name].isna().any()]
    card = {
        "title": file.stem,
        "citation": "Who made the data, and where.",
        "licence": "The terms under which it may be used.",
        **(about or {}),
        "files": [
            {
                "name": re.sub("[^A-Za-z0-9._-]", "_", file.name),
                "bytes": file.stat().st_size,
                "sha256": file_sha256(file),
                **({"urls": []} if openml is None else {"openml": openml}),
            }
        ],
        **({"read": raw.read} if raw.read else {}),
        **({"rename": renamed} if renamed else {}),
        **({"missing": {renamed.get(n, n): "drop" for n in lacking}} if lacking else {}),
        "features": {renamed.get(name, name): kind for name, kind in kinds.items()},
        "label": {"column": coded[label]} | _label(raw, label, positive, numeric, bounded),
        "sensitive": {
            coded[name]: {"column": coded[name]}
            | _attribute(raw, name, bounded, reference.get(name))
            for name in names
        },
    }
    left = len(raw.table.dropna(subset=lacking))
    if lacking:
        notes.append(f"{len(raw.table) - left} of {len(raw.table)} rows lack a value: dropped.")
    yours = "the names of labels and groups, and which features are known"
    if openml is None:
        yours = f"title, citation, licence, urls (may stay empty), {yours}"
    lines = [
        f"# {line}"
        for line in textwrap.wrap(
            f"Drafted from {raw.called}. Yours to say: {yours} before the outcome.", 98
        )
    ]
    lines += [f"# {note}" for note in notes]
    text = yaml.dump(card, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join([*lines, text])


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


def _bounds_by_column(given: Mapping[str, Mapping[str, float]]) -> dict[str, tuple[str, float]]:
    """Return by column the key of a card that makes two groups of numbers, and its number."""
    bounds: dict[str, tuple[str, float]] = {}
    for key, numbers in given.items():
        for name, number in numbers.items():
            if name in bounds:
                other = _option(bounds[name][0])
                raise InputError(
                    f"`{name}` is named by --{other} and by --{_option(key)}: choose one."
                )
            bounds[name] = (key, number)
    return bounds


def _label(
    raw: RawFile,
    name: str,
    positive: str | None,
    numeric: bool,
    bounds: Mapping[str, tuple[str, float]],
) -> Record:
    """Return what a card says of its label; InputError when that is not said."""
    values = raw.values(name)
    if numeric and name in bounds:
        raise InputError(
            f"{raw.called}: `{name}` is kept as a number by --numeric, and made 0 and 1 by "
            f"--{_option(bounds[name][0])}: choose one."
        )
    if name in bounds or numeric:
        return _of_numbers(raw, name, bounds.get(name))
    if len(values) < 2:
        raise InputError(f"{raw.called}: the label `{name}` has one value: name another column.")
    ones = [] if positive is None else _given([positive], values)
    if not ones or not {*ones} < {*values}:
        wrong = next((one for one in ones if one not in values), None)
        given = "" if wrong is None else f"it has no value {shortened(wrong)}; "
        if raw.numbers(name) and len(values) > MOST_VALUES:
            raise InputError(
                f"{raw.called}: {given}`{name}` holds {len(values):,} numbers: give the favourable "
                f"ones by --at-least {name}=NUMBER (or --above, --at-most, --below), or --numeric "
                "for the number itself."
            )
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
    raw: RawFile, name: str, bounds: Mapping[str, tuple[str, float]], reference: str | None
) -> Record:
    """Return what a card says of a sensitive attribute; InputError when that is not said."""
    values = raw.values(name)
    if name in bounds:
        return _of_numbers(raw, name, bounds[name])
    if not 2 <= len(values) <= (MOST_VALUES if raw.numbers(name) else MOST_LEVELS):
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
    if len(values) > 2:  # in the order of `fp.experiment`
        ordered = sorted(values, key=lambda value: (value == reference, value))
        return {"groups": {value: [value] for value in ordered}, "reference": reference}
    (other,) = {*values} - {reference}
    return {
        "one": [reference],
        "zero": [other],
        "names": {"one": reference, "zero": other},
    }


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
            f"{raw.called}: `{name}` has texts, and --above, --at-least, --below, --at-most and "
            "--numeric are for numbers."
        )
    if bound is None:
        return {"numeric": True}
    key, number = bound
    one, zero = SIGNS[key]
    names = {"one": f"{name} {one} {number:g}", "zero": f"{name} {zero} {number:g}"}
    return {key: number, "names": names}


def _option(key: str) -> str:
    return key.replace("_", "-")
