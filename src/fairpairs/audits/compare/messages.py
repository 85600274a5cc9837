"""The messages of a comparison: errors, and the notes of lines.

Messages on labels, predictions, groups, clusters and weights are those of an audit.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fairpairs.base.errors import shown

NO_GAP = "it has no difference of two groups with the influence of each item"
UNCHANGED = "no prediction changed"
FEW_CHANGED = "few decisions changed: interval and p are rough"


def one_score(given: str, missing: str) -> str:
    """Refuse a score of one model only."""
    return f"{given} is given and {missing} is not: give the scores of both models, or none."


def other_kinds(old: str, new: str, old_kind: str) -> str:
    """Refuse decisions of one model and numbers of the other."""
    kinds = ("decisions of two values", "numbers")
    first, second = kinds if old_kind == "binary" else kinds[::-1]
    return f"{old} holds {first} and {new} holds {second}: give both alike."


def same_item(role: str, item: object, first: int, second: int) -> str:
    """Refuse an item that is in two rows."""
    return (
        f"{role} has the item {shown(item)} in the rows {first + 1} and {second + 1}: keep one row "
        "for each item."
    )


def items_missing(having: Path, lacking: Path, count: int, item: str, column: str) -> str:
    """Refuse items that are in one file only."""
    return (
        f"{lacking}: {count:,} item(s) of {having} are missing, such as `{column}` {shown(item)}: "
        "give predictions of both models for the same items."
    )


def differs(new: Path, old: Path, name: str, count: int, item: str, values: tuple[str, str]) -> str:
    """Refuse a column that has different values for an item in the two files."""
    return (
        f"{new}: column `{name}` differs from that of {old} in {count:,} item(s): for the item "
        f"{shown(item)} it is {shown(values[1])}, and was {shown(values[0])}: correct one of them, "
        f"or leave the column out of {new}."
    )


def same_predictions(path: Path, name: str) -> str:
    """Refuse one column of one file as both predictions."""
    return (
        f"{path}: column `{name}` is named as the prediction of both models: name two files, or "
        "two columns, with --new-prediction."
    )


def nothing_comparable(criteria: Iterable[str]) -> str:
    """Refuse criteria that cannot be compared."""
    return f"criterion: {', '.join(criteria)} cannot be compared between two models ({NO_GAP})."


def wrong_count_of_items(ids: int, items: int) -> str:
    """Refuse ids that are more or fewer than the items."""
    return f"The arrays must have one length: y_true has {items}, items has {ids}."
