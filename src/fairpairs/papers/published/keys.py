"""Checks of the keys of published cells, so that a typo is not taken for a missing cell."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import listed, meant
from fairpairs.papers.published.table import PublishedTable

#: Name of a key → its values: those listed, or all of a type.
Vocabulary = Mapping[str, Collection[Any] | type]


def check_keys(
    table: PublishedTable,
    *,
    cards: Mapping[str, Content],
    treatments: Collection[str],
    tests: Collection[str],
    vocabulary: Vocabulary,
    datasets: Collection[str] = (),
) -> None:
    """Check that the keys of a published table are known, and all different.

    `cards` are by name; `vocabulary` has the other names that the keys of the study may have. An
    attribute without a data set is one of `datasets`, on which the table rests.
    """
    attributes = {name for dataset in datasets for name in cards[dataset].get("sensitive", {})}
    known: Vocabulary = {
        **vocabulary,
        "dataset": cards.keys(),
        "treatment": treatments,
        "test": tests,
        "experiment": table.source.experiments,
        "attribute": str,
    }
    without_dataset: Vocabulary = {**known, "attribute": attributes} if attributes else known
    seen: dict[frozenset[Any], str] = {}
    for cells in (table.cells, table.texts):
        for row, column, key in cells[["row", "column", "key"]].itertuples(index=False):
            cell = f"config/published/{table.name}.yaml: the cell ({row}; {column})"
            values = known if "dataset" in key else without_dataset
            for name, value in key.items():
                if name not in values:
                    raise InputError(f"{cell}: unknown key `{name}`{_remedy(name, values)}")
                _check_value(f"{cell}: `{name}`", value, values[name])
            if "attribute" in key and "dataset" in key:
                allowed = cards[key["dataset"]].get("sensitive", {})
                _check_value(f"{cell}: `attribute` of {key['dataset']}", key["attribute"], allowed)
            same = frozenset(key.items())
            if same in seen:
                raise InputError(f"{cell} has the key of {seen[same]}: tell them apart.")
            seen[same] = f"({row}; {column})"


def _check_value(where: str, value: Any, values: Collection[Any] | type) -> None:
    if isinstance(values, type):
        if not isinstance(value, values):
            raise InputError(
                f"{where} must be of type {values.__name__}, and is {_with_type(value)}."
            )
    elif value not in values and str(value) in map(str, values):
        remedy = "without quotes" if isinstance(value, str) else "in quotes"
        raise InputError(f"{where} is {_with_type(value)}: write it {remedy}.")
    elif value not in values:
        raise InputError(f"{where}: there is no `{value}`{_remedy(str(value), map(str, values))}")


def _with_type(value: Any) -> str:
    return f"the {'text' if isinstance(value, str) else 'number'} `{value}`"


def _remedy(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    return f"{meant(name, names)}: write one of {listed(names)}."
