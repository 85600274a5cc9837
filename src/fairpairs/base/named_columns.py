"""The columns that options name: which there are, and that each has one role."""

import csv
import io
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.texts import listed, printable

#: Characters of a name that an argument may have, as file systems do.
LONGEST = 255
#: How an option takes several values.
SEVERAL = "Repeat it, or use commas, for several."


class NamedColumns:
    """Something with columns that options name; `called` is its name in messages."""

    called: str
    columns: list[str]

    def check_column(self, name: str, option: str) -> None:
        """Raise InputError, with the nearest name, when there is no such column."""
        if name in self.columns:
            return
        if twice := [each for each in self.columns if each.startswith(f"{name} (column ")]:
            raise InputError(
                f"{self.called}: duplicate column `{shortened(name)}`: rename one, or name "
                f"{' or '.join(f'`{each}`' for each in twice)}."
            )
        lower = {column.lower(): column for column in self.columns}
        close = get_close_matches(name.lower(), lower, 1)
        remedy = f"did you mean `{lower[close[0]]}`?" if close else f"correct {option}."
        raise InputError(
            f"{self.called}: there is no column `{shortened(name)}`; it has "
            f"{listed(self.columns)}: {remedy}"
        )

    def named(self, texts: Iterable[str], option: str) -> list[str]:
        """Return the columns that an option names, once each: repeated, or with commas.

        A column whose name holds a comma is named as it is, or in quotes in a list.
        """
        names = [
            name
            for text in texts
            for name in (
                names_of([text], option)
                if text not in self.columns and (not text or "," in text or text.startswith('"'))
                else [text]
            )
        ]
        for name in names:
            self.check_column(name, option)
        return list(dict.fromkeys(names))

    def check_roles(
        self,
        roles: Mapping[str, str | None],
        attributes: Iterable[str],
        control: Iterable[str] = (),
    ) -> dict[str, str]:
        """Return the option of each column that has a role; InputError for two, or no column."""
        options = roles_apart(roles, attributes, control)
        for name, option in options.items():
            self.check_column(name, f"--{option.replace('_', '-')}")
        return options


def roles_apart(
    roles: Mapping[str, str | None], attributes: Iterable[str], control: Iterable[str] = ()
) -> dict[str, str]:
    """Return the option of each column that has a role, or is an attribute; one has one only."""
    options: dict[str, str] = {}
    several = [
        *(("sensitive", name) for name in attributes),
        *(("control", name) for name in control),
    ]
    for option, name in [*roles.items(), *several]:
        if name is None:
            continue
        if name in options and (options[name], option) == ("label", "control"):
            continue  # compared within labels
        if name in options:
            raise InputError(
                f"`{name}` is named by --{options[name].replace('_', '-')} and by "
                f"--{option.replace('_', '-')}: name another column."
            )
        options[name] = option
    return options


def is_name(value: object) -> bool:
    """Return whether an argument is a name, of a column or a file, in one line."""
    return isinstance(value, str) and len(value) <= LONGEST and printable(value) == value


def names_given(values: Any, argument: str) -> list[str]:
    """Return one name or several that an argument holds; InputError for anything else."""
    several = [values] if isinstance(values, str) else values
    if not isinstance(several, list | tuple) or not all(map(is_name, several)):
        raise InputError(f"{argument} must be a name, or a list of names; it is {shown(values)}.")
    return list(several)


def split_names(text: str) -> list[str]:
    """Return the names in a list with commas; one with a comma or a line break is in quotes."""
    lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    return [name for line in lines for name in line if name]


def names_of(texts: Iterable[str], option: str) -> list[str]:
    """Return the names in the lists that an option is given; InputError for a list without any."""
    lists = {text: split_names(text) for text in texts}
    for text, names in lists.items():
        if not names:
            raise InputError(f"{option}: {shown(text)} names nothing: write at least one name.")
    return [name for names in lists.values() for name in names]
