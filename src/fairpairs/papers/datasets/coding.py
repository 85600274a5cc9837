"""Coding: from the texts of a raw table to labels, groups, features and decisions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.reading.opening import is_parquet
from fairpairs.papers.datasets.prepared import EMBEDDED

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
