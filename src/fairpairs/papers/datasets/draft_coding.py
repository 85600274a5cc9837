"""What a draft says of the label and the groups: their values, or a number between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairpairs.base.errors import InputError, shortened
from fairpairs.base.named_columns import split_names
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed, named_twice
from fairpairs.base.words import named
from fairpairs.papers.datasets.raw_file import RawFile

#: An attribute has at most so many values.
MOST_VALUES = 12
#: Keys that make two groups of numbers → the signs of both.
SIGNS = {"above": (">", "≤"), "at_least": ("≥", "<"), "below": ("<", "≥"), "at_most": ("≤", ">")}


def bounds_by_column(given: Mapping[str, Mapping[str, float]]) -> dict[str, tuple[str, float]]:
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


def draft_label(
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


def draft_attribute(
    raw: RawFile,
    name: str,
    bounds: Mapping[str, tuple[str, float]],
    groups: Mapping[str, Sequence[str]] | None,
    reference: str | None,
) -> Record:
    """Return what a card says of a sensitive attribute; InputError when that is not said."""
    values = raw.values(name)
    if name in bounds and groups:
        raise InputError(
            f"{raw.called}: `{name}` has groups by --group and by --{_option(bounds[name][0])}: "
            "choose one."
        )
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
