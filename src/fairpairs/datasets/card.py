"""The card of a data set: where it comes from, how it is read, and what its columns mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairpairs import schemas
from fairpairs.errors import InputError

#: Columns that a prepared data set has besides its features.
RESERVED = ("item", "label", "test")


def read_card(path: str | Path, schema: str | Path) -> dict[str, Any]:
    """Read a card and check it.

    Parameters
    ----------
    path
        The card, `config/datasets/<dataset>.yaml`.
    schema
        `workflow/schemas/dataset.schema.yaml`, which describes every key.

    Raises
    ------
    InputError
        When the card breaks the schema or contradicts itself: the key, and the remedy.
    """
    path = Path(path)
    if not path.exists():
        known = ", ".join(sorted(card.stem for card in path.parent.glob("*.yaml")))
        raise InputError(
            f"There is no data set `{path.stem}`: write its card {path}, or use one of {known}."
        )
    card: dict[str, Any] = schemas.read_checked_yaml(path, schema)
    for name, kind in card["features"].items():
        if kind == "sensitive" and name not in card["sensitive"]:
            raise InputError(
                f"{path}: features.{name} is `sensitive`, but `sensitive` has no attribute "
                f"`{name}`: name one of {', '.join(card['sensitive'])}."
            )
        if name in RESERVED or name.startswith("sensitive_"):
            raise InputError(
                f"{path}: a feature may not be called `{name}`, a name that the prepared data set "
                "uses itself: rename the column with `read.column_names`."
            )
    used = {name for name, kind in card["features"].items() if kind != "sensitive"}
    used |= {rule["column"] for rule in (card["label"], *card["sensitive"].values())}
    for column in card.get("missing", {}):
        if column not in used:
            raise InputError(
                f"{path}: `missing` names the column `{column}`, which is no feature, label or "
                f"sensitive attribute: name one of {', '.join(sorted(used))}."
            )
    for where, rule in (("label", card["label"]), *card["sensitive"].items()):
        both = {str(v) for v in rule.get("one", [])} & {str(v) for v in rule.get("zero", [])}
        if both and rule["zero"] != "others":
            raise InputError(
                f"{path}: `{where}` has {', '.join(sorted(both))} as `one` and as `zero`: drop one."
            )
    for name in card.get("keep", []):
        if name in RESERVED or name in card["features"]:
            raise InputError(
                f"{path}: `keep` names `{name}`, which is kept already: drop it there."
            )
    return card


def raw_file(card: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the entry of one raw file of a card."""
    return next(entry for entry in card["files"] if entry["name"] == name)
