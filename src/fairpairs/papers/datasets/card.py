"""The card of a data set: its source, its format, and the meaning of its columns."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fairpairs.base import schemas
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import UNPRINTABLE, meant, named_twice
from fairpairs.papers.datasets.prepared import RESERVED, is_reserved

#: What a card says to readers.
WORDS = ("title", "licence", "citation", "warning", "homepage")
#: Kind of an encoder of images → which of a card's `archives` it reads.
READS = {"mobilenet": "images", "vgg16": "images", "landmarks": "landmarks"}


def find_cards(
    project: str | Path, folders: Iterable[str | Path], *, shipped: str | Path
) -> dict[str, Path]:
    """Find all cards: name → file.

    A card of the folder `project` replaces the shipped one of the same name; one in `datasets` of
    the extensions `folders` must have a name of its own.
    """
    cards = {card.stem: card for card in sorted(Path(project).glob("*.yaml"))}
    others = {card.stem: card for card in sorted(Path(shipped).glob("*.yaml"))}
    for folder in folders:
        for card in sorted(Path(folder, "datasets").glob("*.yaml")):
            if taken := cards.get(card.stem, others.get(card.stem)):
                raise InputError(
                    f"{card}: there is a data set `{card.stem}` already, in {taken}: rename the "
                    "file."
                )
            cards[card.stem] = card
    return {**cards, **{name: card for name, card in others.items() if name not in cards}}


def find_card(name: str, cards: Mapping[str, Path]) -> Path:
    """Return the card of a data set among those of `find_cards`, or raise with the known names."""
    if name not in cards:
        raise InputError(
            f"There is no data set `{name}`: write its card config/datasets/{name}.yaml, or use "
            f"one of {', '.join(cards)}."
        )
    return cards[name]


def read_card(path: str | Path, schema: str | Path) -> Record:
    """Read a card and check it, against its schema and for what a schema cannot express."""
    path = Path(path)
    check_name(path)
    card: Record = schemas.read_checked_yaml(path, schema)
    names = [entry["name"] for entry in card["files"]]
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two `files` have the same name: rename one.")
    if not is_raw_only(card):
        _check_features(card, path)
        _check_names(card, path)
        _check_values(card, path)
    return card


def check_name(path: Path) -> None:
    """Raise InputError unless a card may be called so."""
    if re.search("[{}]", path.stem) or UNPRINTABLE.search(path.stem):
        raise InputError(
            f"{str(path)!r}: the name of a data set has no braces, line breaks, control or "
            "invisible characters: rename the card."
        )


def is_raw_only(card: Content) -> bool:
    """Return whether no table of items is prepared of the files of a card."""
    return bool(card.get("raw_only"))


def words(card: Content) -> dict[str, str]:
    """Return what a card says to readers, which no number rests on."""
    return {key: card.get(key, "").strip() for key in WORDS}


def coding(card: Content) -> Record:
    """Return what the prepared data set rests on: no words, and of files no addresses."""
    files = [{key: entry[key] for key in ("name", "bytes", "sha256")} for entry in card["files"]]
    kept = {key: card[key] for key in card if key not in (*WORDS, "notice", "dropped")}
    return {**kept, "files": files}


def description(card: Content, name: str) -> Record:
    """Return what is known of a data set without its items: its name and its files."""
    digests = {entry["name"]: entry["sha256"] for entry in card["files"]}
    return {"dataset": name, "raw_sha256": digests}


def _check_features(card: Record, path: Path) -> None:
    for name, kind in card["features"].items():
        if is_reserved(name):
            raise InputError(
                f"{path}: a feature may not be called `{name}`, a name that the prepared data set "
                f"uses: write `rename: {{{name}: column_{name}}}`, and `column_{name}` elsewhere."
            )
        if name == card["label"]["column"] and kind != "sensitive":
            raise InputError(
                f"{path}: the label `{name}` is a feature too: remove it from `features`."
            )
    within = card["label"].get("within", {}).get("column")
    if within in card["features"]:
        raise InputError(
            f"{path}: `label.within` makes the label of `{within}`, which is a feature too and "
            "would reveal the label: remove it from `features`."
        )
    kinds = list(card["features"].values())
    if kinds.count("image") > 1 or {"text", "image"} <= set(kinds):
        raise InputError(
            f"{path}: an item has one image, or texts, not both: drop one of `features`."
        )
    if ("image" in kinds) != ("archives" in card):
        raise InputError(
            f"{path}: a feature of the kind `image` and `archives` go together: give both or "
            "neither."
        )


def _check_names(card: Record, path: Path) -> None:
    """Raise InputError for what names no sensitive attribute, or no person, or what is there."""
    attributes, decisions = card["sensitive"], card.get("decisions", {"columns": []})
    products = card.get("interactions", {})
    for name in products:
        if name in RESERVED or name.startswith("sensitive_") or name in card["features"]:
            raise InputError(
                f"{path}: `interactions` names a feature `{name}`, which already exists: rename it."
            )
    named = {
        "features": [n for n, kind in card["features"].items() if kind == "sensitive"],
        "interactions": [name for factors in products.values() for name in factors],
        "intersections": [name for several in card.get("intersections", []) for name in several],
        "decisions.consensus": decisions.get("consensus", []),
    }
    for where, names in named.items():
        known = decisions["columns"] if where == "decisions.consensus" else attributes
        for name in names:
            if name not in known:
                what = "person" if known is not attributes else "sensitive attribute"
                raise InputError(
                    f"{path}: `{where}` names `{name}`, which is no {what}: name one of "
                    f"{', '.join(known)}."
                )


def _check_values(card: Record, path: Path) -> None:
    for attribute, rule in card["sensitive"].items():
        _check_groups(attribute, rule, path)
    for where, rule in (("label", card["label"]), *card["sensitive"].items()):
        zero = rule.get("zero", [])
        both = {str(v) for v in rule.get("one", [])} & {str(v) for v in zero if zero != "others"}
        if both:
            raise InputError(
                f"{path}: `{where}` has {', '.join(sorted(both))} as `one` and as `zero`: drop one."
            )


def _check_groups(attribute: str, rule: Content, path: Path) -> None:
    groups = rule.get("groups", {})
    listed = [str(v) for values in groups.values() if values != "others" for v in values]
    if twice := named_twice(listed):
        raise InputError(
            f"{path}: sensitive.{attribute} has `{twice}` in two groups: drop it in one."
        )
    if list(groups.values()).count("others") > 1:
        raise InputError(
            f"{path}: sensitive.{attribute} has two groups of `others`: list the values of one."
        )
    if groups and rule["reference"] not in groups:
        raise InputError(
            f"{path}: sensitive.{attribute}.reference is `{rule['reference']}`"
            f"{meant(rule['reference'], groups)}: name one of {', '.join(groups)}."
        )
