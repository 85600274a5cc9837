"""What the criteria of several commands are called besides their names."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.texts import named_twice

#: Other name of a criterion → its name here.
ALIASES = {"equalized_odds": "separation"}
#: Criterion → the one that has all its lines.
PART_OF = {"equal_opportunity": "separation"}


def plain_names(criterion: object) -> tuple[object, ...]:
    """Return one or several names as a tuple, each as it is called here.

    >>> plain_names("equalized_odds")
    ('separation',)
    """
    names: Sequence[object] = (criterion,)
    if isinstance(criterion, Sequence) and not isinstance(criterion, str):
        names = criterion
    return tuple(ALIASES.get(name, name) if isinstance(name, str) else name for name in names)


def plain_margins(margin: Mapping[Any, float], option: str) -> dict[Any, float]:
    """Return margins by the names of criteria here; InputError where two are of one criterion."""
    names = plain_names(list(margin))
    if (twice := named_twice(names)) is not None:
        raise InputError(f"{option} names {twice} twice, once by another name: give one margin.")
    return dict(zip(names, margin.values(), strict=True))


def not_parts(left_out: Mapping[str, str]) -> dict[str, str]:
    """Return the criteria that are left out, without those that another one stands for."""
    return {name: reason for name, reason in left_out.items() if name not in PART_OF}


def check_parts(names: Sequence[object], option: str) -> None:
    """Raise where a criterion is named beside the one that has all its lines."""
    for part, whole in PART_OF.items():
        if part in names and whole in names:
            raise InputError(f"{option}: {whole} has the lines of {part}: name one of them.")
