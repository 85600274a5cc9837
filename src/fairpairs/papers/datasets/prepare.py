"""From a raw table and its card to a prepared data set: one row per item, everything coded."""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.opening import is_parquet
from fairpairs.papers.datasets.card import description
from fairpairs.papers.datasets.prepared import EMBEDDED, Contrast, Levels, PreparedDataset
from fairpairs.papers.datasets.raw_table import coded_columns, feature_columns, read_raw_table

#: The largest number of a feature; squares of larger ones overflow.
LARGEST = 1e100
#: Keys of a card that make two groups of numbers by a bound → which of them are 1.
BOUNDS: dict[str, Callable[[Any, float], Any]] = {
    **{"above": operator.gt, "at_least": operator.ge, "below": operator.lt, "at_most": operator.le}
}


class Coder:
    """Codes the columns of one raw table by its card; every error names the file and the row."""

    def __init__(self, raw: str | Path, card: Content) -> None:
        self.raw, self.card = Path(raw), card

    def feature(self, values: Series, kind: str) -> Series:
        """Return a feature: numbers, or texts with None for a missing value."""
        if kind == "numeric":
            return self.numbers(values)
        if kind in EMBEDDED and (empty := values.str.strip().eq("")).any():
            raise InputError(
                f"{self.raw}: column `{values.name}` has an empty {kind} in {self.row(empty)}: "
                f"fill it in, or leave the cell empty and write `missing: {{{values.name}: drop}}` "
                "in the card."
            )
        return values.where(values.notna(), other=None)

    def label(self, table: pd.DataFrame) -> Series:
        """Return the label of each row, coded as 0 and 1 or as a number."""
        label = self.card["label"]
        if label.get("numeric"):
            numbers = self.numbers(table[label["column"]])
            self._check_both(numbers, label["column"], "label")
            return numbers
        coded = self._codes(table[label["column"]], label, "label")
        if "within" in label:
            time = self.numbers(table[label["within"]["column"]])
            coded = (coded * (time <= label["within"]["at_most"])).astype(np.int8)
            self._check_both(coded, label["column"], "label")
        return coded

    def attribute(self, table: pd.DataFrame, attribute: str) -> Series:
        """Return the group of each row on a sensitive attribute: 0 or 1, or that in `groups`."""
        rule, where = self.card["sensitive"][attribute], f"sensitive.{attribute}"
        values = table[rule["column"]]
        if "character" in rule:
            values = self._character(values, rule["character"])
        return self._codes(values, rule, where)

    def decision(self, values: Series) -> Series:
        """Return the decision of one person on each item, NaN for an empty cell."""
        low, high = self.card["decisions"]["from"], self.card["decisions"]["to"]
        numbers, bad = _numbers(values)
        bad = (bad | ~numbers.between(low, high)) & values.notna()
        if bad.any():
            raise InputError(
                f"{self.raw}: column `{values.name}` holds {values[bad].iloc[0]!r} in "
                f"{self.row(bad)}, and `decisions` of the card go from {low} to {high}: correct "
                "the file, leave the cell empty, or correct the card."
            )
        if values.isna().all():
            raise InputError(
                f"{self.raw}: column `{values.name}` has no decisions: remove it from `decisions`."
            )
        return numbers

    def numbers(self, values: Series) -> Series:
        """Return texts as numbers."""
        numbers, bad = _numbers(values)
        if bad.any():
            is_feature = values.name in self.card["features"]
            remedy = (
                "make the feature `categorical`" if is_feature else "the card, which needs numbers"
            )
            raise InputError(
                f"{self.raw}: column `{values.name}` is numeric on the card but holds "
                f"{values[bad].iloc[0]!r} in {self.row(bad)}: correct the file, or {remedy}."
            )
        return numbers

    def row(self, wrong: pd.Series[bool]) -> str:
        """Name the first wrong row; its line is not known, as a cell may have several lines."""
        number = int(wrong.index[wrong.to_numpy()][0]) + 1
        has_header = "column_names" not in self.card.get("read", {}) and not is_parquet(self.raw)
        return f"row {number}{' below the header' if has_header else ''}"

    def check_occur(self, values: Series, expected: list[str], where: str) -> None:
        """Raise when a value that the card lists never occurs."""
        absent = [value for value in expected if value not in set(values.dropna())]
        if absent:
            raise InputError(
                f"{self.raw}: column `{values.name}` never holds {absent[0]!r}, which `{where}` of "
                "the card lists: correct or remove it."
            )

    def _codes(self, values: Series, rule: Content, where: str) -> Series:
        """Code texts as 0 and 1, or as groups; "others" means every value that is not listed."""
        if key := next((key for key in BOUNDS if key in rule), None):
            one: Series = BOUNDS[key](self.numbers(values), rule[key]).astype(np.int8)
            self._check_both(one, values.name, where)
            return one
        lists = rule["groups"].values() if "groups" in rule else (rule["zero"], rule["one"])
        codes = {
            str(v): code for code, listed in enumerate(lists) if listed != "others" for v in listed
        }
        others = next((code for code, listed in enumerate(lists) if listed == "others"), None)
        coded = values.map(lambda value: codes.get(value, others))
        if (unknown := coded.isna()).any():
            nowhere = "in no group" if "groups" in rule else "neither as `one` nor as `zero`"
            raise InputError(
                f"{self.raw}: column `{values.name}` holds {values[unknown].iloc[0]!r} in "
                f"{self.row(unknown)}, which `{where}` of the card lists {nowhere}: add it there, "
                "or correct the file."
            )
        coded = coded.astype(np.int8)
        self._check_both(coded, values.name, where)
        self.check_occur(values, list(codes), where)
        return coded

    def _character(self, values: Series, number: int) -> Series:
        short = values.str.len() < number
        if short.any():
            raise InputError(
                f"{self.raw}: column `{values.name}` holds {values[short].iloc[0]!r} in "
                f"{self.row(short)}, which has no character {number}: correct the file or "
                "`character` of the card."
            )
        return values.str[number - 1]

    def _check_both(self, coded: Series, column: Any, where: str) -> None:
        if coded.nunique() < 2:
            what = "label" if where == "label" else "group"
            raise InputError(
                f"{self.raw}: column `{column}` ({where}) has only one {what}, {coded.iloc[0]}: a "
                f"test compares two, so correct `{where}` of the card."
            )


def _numbers(values: Series) -> tuple[Series, pd.Series[bool]]:
    """Return texts as numbers, and which of them are no numbers or too large."""
    numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
    return numbers, numbers.isna() | (numbers.abs() > LARGEST)


logger = logging.getLogger(__name__)

#: Number of different labels up to which the items of each are counted.
MAX_LEVELS = 50


def prepare(raw: str | Path, card: Content, *, name: str) -> tuple[pd.DataFrame, Record]:
    """Return the items of a raw table by its card, and the roles of the columns with counts.

    There is one row per item: `item` (its row in the raw table, from 0), the features, `label`,
    `sensitive_<attribute>` for each attribute, `decision_<name>` for each decision of the card,
    `test` if the card has a split, and the columns that it keeps; nothing else of the raw file. A
    missing column, an unknown or missing value, a group or a label without items, or a count that
    differs from the one on the card is an InputError.
    """
    coder = Coder(raw, card)
    table = _select_rows(read_raw_table(raw, card), coder)
    columns: dict[str, Series] = {
        "item": pd.Series(table.index.astype(np.int32), index=table.index)
    }
    kinds: dict[str, str] = {}
    for column, kind in card["features"].items():
        if kind == "sensitive":  # the coded attribute replaces the raw column
            many = len(card["sensitive"][column].get("groups", ())) > 2
            kinds[f"sensitive_{column}"] = "categorical" if many else "numeric"
            continue
        kinds[column] = kind
        columns[column] = coder.feature(table[column], kind)
    columns["label"] = coder.label(table)
    for attribute in card["sensitive"]:
        columns[f"sensitive_{attribute}"] = coder.attribute(table, attribute)
    for column, attributes in card.get("interactions", {}).items():
        kinds[column] = "numeric"
        factors = pd.DataFrame({name: columns[f"sensitive_{name}"] for name in attributes})
        columns[column] = factors.prod(axis=1).astype(np.int8)
    for person in card.get("decisions", {}).get("columns", []):
        columns[f"decision_{person}"] = coder.decision(table[person])
    if "split" in card:
        test = [str(value) for value in card["split"]["test"]]
        columns["test"] = table[card["split"]["column"]].isin(test)
    for column in card.get("keep", []):
        columns.setdefault(column, table[column])  # a feature is there already
    frame = pd.DataFrame(columns)
    levels, intersections = _groups(card)
    attributes = tuple(card["sensitive"])
    contrasts = PreparedDataset(
        name, frame, kinds, attributes, levels=levels, intersections=intersections
    ).contrasts
    counts = _counts(frame, kinds, card, contrasts)
    _check_counts(counts, coder)
    label = card["label"]
    names = {c.name: {"one": c.names[1], "zero": c.names[0]} for c in contrasts}
    roles = {
        **description(card, name),
        "features": kinds,
        "label": label.get("names", {"name": label["column"], "values": _levels(frame["label"])}),
        "sensitive": {c: card["sensitive"].get(c, {}).get("names", names[c]) for c in names},
        "consensus": card.get("decisions", {}).get("consensus", []),
        "counts": counts,
    }
    if levels:
        roles["levels"] = {attribute: vars(level) for attribute, level in levels.items()}
        roles["intersections"] = intersections
    return frame, roles


def _groups(card: Content) -> tuple[dict[str, Levels], tuple[tuple[str, ...], ...]]:
    """Return the groups of each attribute, and the intersections; none if all have two groups."""
    intersections = tuple(map(tuple, card.get("intersections", [])))
    rules = card["sensitive"]
    if not intersections and not any("groups" in rule for rule in rules.values()):
        return {}, ()
    levels = {}
    for attribute, rule in rules.items():
        if "groups" in rule:
            names = tuple(rule["groups"])
            levels[attribute] = Levels(names, names.index(rule["reference"]))
        else:
            levels[attribute] = Levels((rule["names"]["zero"], rule["names"]["one"]))
    return levels, intersections


def _select_rows(table: pd.DataFrame, coder: Coder) -> pd.DataFrame:
    """Return the rows that `missing` and `keep_rows` of the card leave; none lacks a value."""
    card, raw = coder.card, coder.raw
    missing, rules = card.get("missing", {}), card.get("keep_rows", [])
    dropped = [column for column, how in missing.items() if how == "drop"]
    complete = pd.DataFrame(table.dropna(subset=dropped))
    if lost := len(table) - len(complete):
        text = "%s: dropped %d of %d rows, with a missing value of %s"
        logger.info(text, raw, lost, len(table), ", ".join(dropped))
    _check_missing(complete, [rule["column"] for rule in rules if "values" not in rule], coder)
    kept = [_is_kept(complete[rule["column"]], rule, coder) for rule in rules]
    rows = complete[np.logical_and.reduce(kept)] if kept else complete
    if rows.empty:
        raise InputError(f"{raw}: no rows are left: check `keep_rows` and `missing`.")
    needed = [column for column in feature_columns(card) if missing.get(column) != "level"]
    _check_missing(rows, [*needed, *coded_columns(card)], coder)
    return rows


def _is_kept(values: Series, rule: Content, coder: Coder) -> pd.Series[bool]:
    """Return which rows a rule of `keep_rows` keeps."""
    if "values" not in rule:
        return coder.numbers(values).between(rule["from"], rule["to"])
    texts = [str(value) for value in rule["values"]]
    coder.check_occur(values, texts, "keep_rows")
    return pd.Series(values.isin(texts))


def _check_missing(table: pd.DataFrame, columns: Sequence[str], coder: Coder) -> None:
    """Raise when a column that is needed has missing values, naming all such columns."""
    missing = table[list(dict.fromkeys(columns))].isna()
    missing = missing.loc[:, missing.any()]
    if missing.empty:
        return
    counted = [
        f"column `{column}` has {rows.sum():,} missing value(s), the first in {coder.row(rows)}"
        for column, rows in missing.items()
    ]
    features, coded = coder.card["features"], coded_columns(coder.card)
    kinds = {column: features.get(column) for column in missing if column not in coded}
    drop = ", ".join(f"{column}: drop" for column in missing)
    remedies = [
        f"write `missing: {{{drop}}}` in the card to drop {missing.any(axis=1).sum():,} of "
        f"{len(table):,} rows",
        *(f"`{c}: level` to keep them as a level" for c in kinds if kinds[c] == "categorical"),
        *(["remove the feature from the card"] if any(kinds.values()) else []),
        "or fill the cells",
    ]
    raise InputError(f"{coder.raw}: {'; '.join(counted)}: {', '.join(remedies)}.")


def _counts(
    frame: pd.DataFrame, kinds: Mapping[str, str], card: Content, contrasts: Sequence[Contrast]
) -> dict[str, int]:
    """Count the items, labels and groups, and the columns that a model gets without an encoder."""
    counts = {"rows": len(frame)}
    if not card["label"].get("numeric"):
        counts["label"] = int(frame["label"].sum())
    if "split" in card:
        counts["test"] = int(frame["test"].sum())
    if not set(EMBEDDED) & set(kinds.values()):
        levels = [name for name, kind in kinds.items() if kind == "categorical"]
        n_levels = int(frame[levels].nunique(dropna=False).sum())
        counts["features"] = len(kinds) - len(levels) + n_levels
    for contrast in contrasts:
        counts[f"sensitive.{contrast.name}"] = int((contrast.group == 1).sum())
        if (contrast.group < 0).any():
            counts[f"sensitive.{contrast.name}.zero"] = int((contrast.group == 0).sum())
    return counts


def _check_counts(counts: Mapping[str, int], coder: Coder) -> None:
    """Raise when a count differs from that of the card."""
    expected = dict(coder.card.get("counts", {}))
    groups = expected.pop("sensitive", {})
    for key, value in (expected | {f"sensitive.{a}": n for a, n in groups.items()}).items():
        if counts.get(key) != value:
            raise InputError(
                f"{coder.raw}: counted {counts.get(key)} for `{key}`, and the card expects "
                f"{value}: correct the file, the coding, or `counts` of the card."
            )


def _levels(label: Series) -> dict[str, int]:
    """Count the items of each label if there are few labels, as those of story points."""
    counts = label.value_counts().sort_index()
    few = len(counts) <= MAX_LEVELS
    return {f"{value:g}": int(n) for value, n in counts.items()} if few else {}
