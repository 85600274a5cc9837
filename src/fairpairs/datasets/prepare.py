"""From a raw table and its card to a prepared data set: one row an item, everything coded."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.datasets.archive import FAULTS
from fairpairs.datasets.prepared import EMBEDDED
from fairpairs.errors import InputError
from fairpairs.texts import listed

logger = logging.getLogger(__name__)

#: Texts that mean a missing value, besides those of the card.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")
#: The largest number that a model is given; squares of larger ones overflow.
LARGEST = 1e100


def prepare(
    raw: str | Path, card: Mapping[str, Any], *, name: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a raw table by its card.

    Parameters
    ----------
    raw
        The raw file.
    card
        The card (see `fairpairs.datasets.card.read_card`).
    name
        Name of the data set, for messages.

    Returns
    -------
    frame
        One row an item: `item` (its row in the raw table, from 0 on), the features, `label`, and
        `sensitive_<attribute>` for each attribute, `decision_<name>` for each of the card's,
        `test` where the card has a split, and the columns that it keeps; nothing else of the raw
        file.
    about
        Roles of the columns, counts, source and licence.

    Raises
    ------
    InputError
        A missing column, an unknown or missing value, a group or a label without items, or a count
        that differs from the one on the card: the file, the column, the value and the remedy.
    """
    reader = _Reader(Path(raw), card)
    table = reader.rows()
    columns: dict[str, pd.Series[Any]] = {
        "item": pd.Series(table.index.astype(np.int32), index=table.index)
    }
    kinds: dict[str, str] = {}
    for column, kind in card["features"].items():
        if kind == "sensitive":  # the coded attribute stands in for the raw column
            kinds[f"sensitive_{column}"] = "numeric"
            continue
        kinds[column] = kind
        columns[column] = reader.feature(table, column, kind)
    label = card["label"]
    columns["label"] = reader.label(table)
    for attribute, rule in card["sensitive"].items():
        columns[f"sensitive_{attribute}"] = reader.attribute(table, attribute, rule)
    for column, attributes in card.get("interactions", {}).items():
        kinds[column] = "numeric"
        factors = pd.DataFrame({name: columns[f"sensitive_{name}"] for name in attributes})
        columns[column] = factors.prod(axis=1).astype(np.int8)
    for person in card.get("decisions", {}).get("columns", []):
        columns[f"decision_{person}"] = reader.decision(table, person)
    if "split" in card:
        tested = table[card["split"]["column"]].isin([str(v) for v in card["split"]["test"]])
        columns["test"] = tested
        if tested.nunique() < 2:
            raise InputError(
                f"{raw}: column `{card['split']['column']}` puts {tested.mean():.0%} of the rows "
                "into the test part: correct `split.test` of the card."
            )
        _check_halves(columns, card, raw, name)
    for column in card.get("keep", []):
        columns.setdefault(column, table[column])  # a feature is there already
    frame = pd.DataFrame(columns)
    counts = {
        "rows": len(frame),
        **({"label": int(frame["label"].sum())} if "one" in label else {}),
        **({"test": int(frame["test"].sum())} if "split" in card else {}),
        **_n_columns(frame, kinds),
        **{f"sensitive.{a}": int(frame[f"sensitive_{a}"].sum()) for a in card["sensitive"]},
    }
    reader.compare(counts)
    about = {
        "dataset": name,
        "title": card["title"],
        "licence": card["licence"],
        "citation": card["citation"],
        "warning": card.get("warning", "").strip(),
        "features": kinds,
        "label": label.get("names", {"name": label["column"], "values": _levels(frame["label"])}),
        "sensitive": {a: rule["names"] for a, rule in card["sensitive"].items()},
        "consensus": card.get("decisions", {}).get("consensus", []),
        "counts": counts,
        "raw_sha256": {entry["name"]: entry["sha256"] for entry in card["files"]},
    }
    return frame, about


class _Reader:
    """Reads columns of one raw file; every complaint names the file."""

    def __init__(self, raw: Path, card: Mapping[str, Any]) -> None:
        self.raw, self.card = raw, card

    def rows(self) -> pd.DataFrame:
        """Return the columns that the card names, without the rows that it drops."""
        card, read = self.card, self.card.get("read", {})
        wanted = [name for name, kind in card["features"].items() if kind != "sensitive"]
        wanted += self._coded()
        wanted += [row["column"] for row in card.get("keep_rows", [])]
        wanted += [*card.get("missing", {}), *card.get("keep", [])]
        wanted += card.get("decisions", {}).get("columns", [])
        wanted += [card["split"]["column"]] if "split" in card else []
        names = read.get("column_names")
        header = names or list(self._csv(nrows=1, header=None).iloc[0])
        for column in wanted:
            if column not in header:
                raise InputError(
                    f"{self.raw}: there is no column `{column}`; it has {listed(header)}: "
                    "correct the card or `read.separator`."
                )
        table = self._csv(
            header=None if names else 0,
            names=names,
            index_col=False,  # a row with a field too many is an error, not an index
            na_values=[*MISSING, *read.get("missing_values", [])],
        )
        for column in set(wanted):
            for i in range(1, header.count(column)):
                if not table[column].equals(table[f"{column}.{i}"].rename(column)):
                    raise InputError(
                        f"{self.raw}: the column `{column}` stands there twice, with other values: "
                        "drop one."
                    )
        table = table[list(dict.fromkeys(wanted))]
        dropped = [column for column, how in card.get("missing", {}).items() if how == "drop"]
        rows = len(table)
        table = pd.DataFrame(table.dropna(subset=dropped))
        if len(table) < rows:
            logger.info(
                "%s: %d of %d rows are dropped: a value of %s is missing",
                self.raw, rows - len(table), rows, ", ".join(dropped),
            )  # fmt: skip
        rules = card.get("keep_rows", [])
        self._check_missing(table, [rule["column"] for rule in rules if "values" not in rule])
        kept = [self._kept(table, rule) for rule in rules]
        table = table[np.logical_and.reduce(kept)] if kept else table
        if table.empty:
            raise InputError(f"{self.raw}: no row is left: check `keep_rows` and `missing`.")
        levels = [column for column, how in card.get("missing", {}).items() if how == "level"]
        features = [name for name, kind in card["features"].items() if kind != "sensitive"]
        needed = [column for column in features if column not in levels]
        self._check_missing(table, [*needed, *self._coded()])
        return pd.DataFrame(table)

    def _coded(self) -> list[str]:
        """Return the columns of the label and the attributes."""
        label, rules = self.card["label"], self.card["sensitive"].values()
        within = [label["within"]["column"]] if "within" in label else []
        return [label["column"], *(rule["column"] for rule in rules), *within]

    def _csv(self, **options: Any) -> pd.DataFrame:
        """Read the raw file; what is wrong with it becomes one sentence."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                table: pd.DataFrame = pd.read_csv(
                    self.raw,
                    sep=self.card.get("read", {}).get("separator", ","),
                    encoding="utf-8-sig",  # with or without a byte order mark
                    skipinitialspace=True,
                    dtype=str,  # so that a code 1 does not turn into 1.0 where a value is missing
                    keep_default_na=False,
                    **options,
                )
                return table
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.raw}: not in UTF-8 ({error}): convert the file to a CSV in UTF-8."
            ) from error
        except OSError as error:
            raise InputError(
                f"{self.raw}: cannot be read ({error.strerror or error}): delete the file, and it "
                "is fetched again."
            ) from error
        # of the parser, and of what unpacks a file that ends in .gz or .zip
        except (*FAULTS, pd.errors.ParserWarning) as error:
            reason = str(error).splitlines()[-1].strip().removesuffix(".")
            raise InputError(
                f"{self.raw}: not a table as the card says ({reason}): correct the file, or "
                "`read.separator` and `read.column_names` of the card."
            ) from error

    def _check_missing(self, table: pd.DataFrame, columns: Sequence[str]) -> None:
        """Raise when a column that is needed has missing values, naming all such columns."""
        missing = table[list(dict.fromkeys(columns))].isna()
        missing = missing.loc[:, missing.any()]
        if missing.empty:
            return
        counted = [
            f"column `{column}` has {rows.sum():,} missing value(s), the first in {self._row(rows)}"
            for column, rows in missing.items()
        ]
        kinds = {c: self.card["features"].get(c) for c in missing if c not in self._coded()}
        drop = ", ".join(f"{column}: drop" for column in missing)
        remedies = [
            f"say in the card `missing: {{{drop}}}` to drop {missing.any(axis=1).sum():,} of "
            f"{len(table):,} rows",
            *(f"`{c}: level` to keep them as a level" for c in kinds if kinds[c] == "categorical"),
            *(["take the feature off the card"] if any(kinds.values()) else []),
            "or fill the cells",
        ]
        raise InputError(f"{self.raw}: {'; '.join(counted)}: {', '.join(remedies)}.")

    def _row(self, wrong: pd.Series[bool]) -> str:
        """Name the first wrong row; a cell may have several lines, so these are not counted."""
        number = int(wrong.index[wrong.to_numpy()][0]) + 1
        headed = "column_names" not in self.card.get("read", {})
        return f"row {number}{' below the header' if headed else ''}"

    def _kept(self, table: pd.DataFrame, rule: Mapping[str, Any]) -> pd.Series[bool]:
        """Return which rows a rule of `keep_rows` keeps."""
        if "values" not in rule:
            numbers = self.feature(table, rule["column"], "numeric")
            return numbers.between(rule["from"], rule["to"])
        values = [str(value) for value in rule["values"]]
        self._all_occur(table[rule["column"]], values, "keep_rows")
        return pd.Series(table[rule["column"]].isin(values))

    def label(self, table: pd.DataFrame) -> pd.Series[Any]:
        """Return the label of each row, coded as 0 and 1 or as a number."""
        label = self.card["label"]
        if "one" not in label:
            return self.feature(table, label["column"], "numeric")
        codes = {1: label["one"], 0: label["zero"]}
        coded = self.coded(table, label["column"], codes, "label")
        if "within" in label:
            time = self.feature(table, label["within"]["column"], "numeric")
            coded = (coded * (time <= label["within"]["at_most"])).astype(np.int8)
            self._both(coded, label["column"], "label")
        return coded

    def feature(self, table: pd.DataFrame, column: str, kind: str) -> pd.Series[Any]:
        values = table[column]
        if kind in EMBEDDED and (blank := values.str.strip().eq("")).any():
            raise InputError(
                f"{self.raw}: column `{column}` has an empty {kind} in {self._row(blank)}: say in "
                f"the card `missing: {{{column}: drop}}` and leave the cell empty, or fill it in."
            )
        if kind in ("categorical", *EMBEDDED):
            return values.where(values.notna(), other=None)
        numbers, bad = _numbers(values)
        if bad.any():
            raise InputError(
                f"{self.raw}: column `{column}` is numeric on the card but holds "
                f"{values[bad].iloc[0]!r} in {self._row(bad)}: correct the file, or "
                + (
                    "make the feature `categorical`."
                    if column in self.card["features"]
                    else "the card, which takes its values for numbers."
                )
            )
        return numbers

    def decision(self, table: pd.DataFrame, column: str) -> pd.Series[Any]:
        """Return what one person decided on each item, NaN where the cell is empty."""
        low, high = self.card["decisions"]["from"], self.card["decisions"]["to"]
        values = table[column]
        numbers, bad = _numbers(values)
        bad |= ~numbers.between(low, high)
        bad &= values.notna()
        if bad.any():
            raise InputError(
                f"{self.raw}: column `{column}` holds {values[bad].iloc[0]!r} in {self._row(bad)}, "
                f"and `decisions` of the card go from {low} to {high}: correct the file, leave the "
                "cell empty, or correct the card."
            )
        if values.isna().all():
            raise InputError(
                f"{self.raw}: column `{column}` has no decision at all: drop it from `decisions`."
            )
        return numbers

    def attribute(
        self, table: pd.DataFrame, attribute: str, rule: Mapping[str, Any]
    ) -> pd.Series[Any]:
        column, where = rule["column"], f"sensitive.{attribute}"
        if "above" in rule:
            numbers = self.feature(table, column, "numeric")
            coded: pd.Series[Any] = numbers.gt(rule["above"]).astype(np.int8)
            self._both(coded, column, where)
            return coded
        codes = {1: rule["one"], 0: rule["zero"]}
        if "character" in rule:
            table = table.assign(**{column: self._character(table[column], rule["character"])})
        return self.coded(table, column, codes, where)

    def _character(self, values: pd.Series[Any], place: int) -> pd.Series[Any]:
        short = values.str.len() < place
        if short.any():
            raise InputError(
                f"{self.raw}: column `{values.name}` holds {values[short].iloc[0]!r} in "
                f"{self._row(short)}, which has no character {place}: correct the file or "
                "`character` of the card."
            )
        return values.str[place - 1]

    def coded(
        self, table: pd.DataFrame, column: str, values: Mapping[int, Any], where: str
    ) -> pd.Series[Any]:
        """Code a column as 0 and 1; "others" stands for every value that is not named."""
        raw = table[column]
        known = {str(v): code for code, vs in values.items() if vs != "others" for v in vs}
        others = next((code for code, vs in values.items() if vs == "others"), None)
        coded = raw.map(lambda value: known.get(value, others))
        if coded.isna().any():
            raise InputError(
                f"{self.raw}: column `{column}` holds {raw[coded.isna()].iloc[0]!r} in "
                f"{self._row(coded.isna())}, which `{where}` of the card names neither as "
                "`one` nor as `zero`: add it there, or correct the file."
            )
        coded = coded.astype(np.int8)
        self._both(coded, column, where)
        self._all_occur(raw, list(known), where)
        return coded

    def _all_occur(self, raw: pd.Series[Any], values: list[str], where: str) -> None:
        absent = [value for value in values if value not in set(raw.dropna())]
        if absent:
            raise InputError(
                f"{self.raw}: column `{raw.name}` never holds {absent[0]!r}, which `{where}` of "
                "the card names: correct it or drop it."
            )

    def _both(self, coded: pd.Series[Any], column: str, where: str) -> None:
        if coded.nunique() < 2:
            what = "label" if where == "label" else "group"
            raise InputError(
                f"{self.raw}: column `{column}` ({where}) has one {what} only, "
                f"{coded.iloc[0]}: a test compares two, so correct `{where}` of the card."
            )

    def compare(self, counts: Mapping[str, int]) -> None:
        expected = self.card.get("counts", {})
        flat = {
            **{key: value for key, value in expected.items() if key != "sensitive"},
            **{f"sensitive.{a}": n for a, n in expected.get("sensitive", {}).items()},
        }
        for key, value in flat.items():
            if counts.get(key) != value:
                raise InputError(
                    f"{self.raw}: counted {counts.get(key)} for `{key}` where the card says "
                    f"{value}: the file or the card's coding is not the intended one."
                )


def _check_halves(
    columns: Mapping[str, pd.Series[Any]], card: Mapping[str, Any], raw: str | Path, name: str
) -> None:
    """Raise when the card's own split leaves a half without a group or a class of the label."""
    coded = {
        **({"label": ("label", card["label"])} if "one" in card["label"] else {}),
        **{f"sensitive_{a}": (f"sensitive.{a}", rule) for a, rule in card["sensitive"].items()},
    }
    for half, rows in (("training", ~columns["test"]), ("test", columns["test"])):
        for column, (where, rule) in coded.items():
            (present, *others) = columns[column][rows].unique()
            if others:
                continue
            what = "label" if where == "label" else "group"
            absent = rule["names"]["zero" if present else "one"]
            raise InputError(
                f"{raw}: the data set {name} has no item of the {what} {1 - present} ({absent}) of "
                f"`{where}` in its {half} half, because the card has a split of its own, by the "
                f"column `{card['split']['column']}`: correct `split.test`, or drop `split`, and "
                "the halves are drawn with every group in both."
            )


def _numbers(values: pd.Series[Any]) -> tuple[pd.Series[Any], pd.Series[bool]]:
    """Return texts as numbers, and which of them are none or too large."""
    numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
    return numbers, numbers.isna() | (numbers.abs() > LARGEST)


def _n_columns(frame: pd.DataFrame, kinds: Mapping[str, str]) -> dict[str, int]:
    """Count the columns that a model gets, unless a text must first be embedded."""
    if set(EMBEDDED) & set(kinds.values()):
        return {}
    levels = [name for name, kind in kinds.items() if kind == "categorical"]
    return {"features": len(kinds) - len(levels) + int(frame[levels].nunique(dropna=False).sum())}


def _levels(label: pd.Series[Any]) -> dict[str, int]:
    """Count the items of each label where there are few labels, as those of story points."""
    counts = label.value_counts().sort_index()
    return {f"{value:g}": int(n) for value, n in counts.items()} if len(counts) <= 50 else {}
