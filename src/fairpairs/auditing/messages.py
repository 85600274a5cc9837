"""What the audit says of a label, a prediction, a score or a group that it cannot use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import NDArray

from fairpairs.arrays import Floats
from fairpairs.errors import shown
from fairpairs.texts import listed

if TYPE_CHECKING:
    from fairpairs.auditing.roles import Wording

#: Words that YAML reads as true or false where they are not in quotes.
OF_YAML = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


def third_value(
    labels: NDArray[Any],
    numbers: Floats | None,
    values: NDArray[Any],
    few_predictions: bool,
    wording: Wording,
) -> str:
    """Say which value a binary label should not have."""
    column = pd.Series(labels if numbers is None else numbers)
    counts = column.value_counts()
    rarest = counts.index[-1]
    row = int((column == rarest).to_numpy().argmax()) + 1
    alike = few_predictions and numbers is not None
    why = f", while {short(wording.prediction)} has two" if alike else ""
    return (
        f"{wording.label} has {len(values)} values{why}; the rarest, {shown(written(rarest))}, "
        f"stands in {counts.iloc[-1]} row(s), the first in row {row}: keep two values, by dropping "
        "such rows or joining values, or give numbers for both."
    )


def numbers_or_classes(values: NDArray[Any], wording: Wording) -> str:
    """Ask what a label of a few whole numbers is."""
    said = [written(value) for value in sorted(values.tolist())]
    return (
        f"{wording.label} has {len(said)} values, all whole numbers ({listed(said)}), which may "
        f"be numbers or classes: for numbers, such as ratings or counts, give {wording.number}; "
        f"for classes, audit one against the others, {wording.one_class(said[-1])}."
    )


def no_number(values: NDArray[Any], role: str, allowed: set[str] | None = None) -> str:
    """Say which value is no number, where only numbers and the `allowed` may be."""
    words = pd.Series(values).astype(str)
    wrong = pd.to_numeric(words, errors="coerce").isna() & ~words.isin(allowed or set())
    if not wrong.any():  # words of the label and numbers
        return f"{role} mixes numbers and values of the label: give one kind."
    also = f" or {listed(sorted(allowed))}, the values of the label," if allowed else ""
    return (
        f"{role} must hold numbers{also} and holds {shown(words[wrong].iloc[0])} in row "
        f"{int(wrong.to_numpy().argmax()) + 1}: correct it."
    )


def quotes(named: object, known: Iterable[str]) -> str:
    """Say why a value named yes or no in YAML is not found."""
    word = next((word for word in known if OF_YAML.get(word.lower()) is named), None)
    if word is None:
        return ""
    return f'; in YAML, write "{word}" in quotes, without which it is read as {named}'


def written(value: Any) -> str:
    """Write a value: a whole number without a point."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def short(role: str) -> str:
    """Return a role without the file, which a sentence names once."""
    return role.rpartition(": ")[2]
