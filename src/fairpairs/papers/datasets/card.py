"""The card of a data set: its source, its format, and the meaning of its columns."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fairpairs.base import schemas
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.texts import UNPRINTABLE, meant, named_twice
from fairpairs.papers.datasets.prepared import EMBEDDED, RESERVED, is_reserved

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
    if not path.exists():
        known = ", ".join(sorted(card.stem for card in path.parent.glob("*.yaml")))
        raise InputError(
            f"There is no data set `{path.stem}`: write its card {path}, or use one of {known}."
        )
    card: Record = schemas.read_checked_yaml(path, schema)
    names = [entry["name"] for entry in card["files"]]
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two `files` have the same name: rename one.")
    if not is_raw_only(card):
        _check_features(card, path)
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


def raw_file(card: Record, name: str) -> Record:
    """Return the entry of one raw file of a card."""
    return next(entry for entry in card["files"] if entry["name"] == name)


def _check_features(card: Record, path: Path) -> None:
    for name, kind in card["features"].items():
        if kind == "sensitive" and name not in card["sensitive"]:
            raise InputError(
                f"{path}: features.{name} is `sensitive`, but `sensitive` has no attribute "
                f"`{name}`: name one of {', '.join(card['sensitive'])}."
            )
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
    used = {name for name, kind in card["features"].items() if kind != "sensitive"}
    used |= {rule["column"] for rule in (card["label"], *card["sensitive"].values())}
    used |= {rule["column"] for rule in card.get("keep_rows", [])}
    used |= {within} - {None}
    for column in card.get("missing", {}):
        if column not in used:
            raise InputError(
                f"{path}: `missing` names the column `{column}`, which is no feature, label, "
                f"sensitive attribute or row of `keep_rows`: name one of {', '.join(sorted(used))}."
            )
    for column, how in card.get("missing", {}).items():
        if how == "level" and card["features"].get(column) != "categorical":
            raise InputError(
                f"{path}: `missing` takes `{column}` as a level, which only a categorical feature "
                "can have: write `drop`."
            )
    _check_interactions(card, path)
    _check_archives(card, path)
    for name in card.get("keep", []):
        if is_reserved(name) or name in card.get("interactions", {}):
            raise InputError(
                f"{path}: `keep` names `{name}`, which the prepared data set has already: drop it "
                "there."
            )


def _check_archives(card: Record, path: Path) -> None:
    names = [entry["name"] for entry in card["files"]]
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
    archives = {f"archives.{name}": rule for name, rule in card.get("archives", {}).items()}
    used = {where: archive["file"] for where, archive in archives.items()}
    templates = {where: [archive["entry"]] for where, archive in archives.items()}
    for entry in card["files"]:
        if "members" in entry:
            where, members = f"the `members` of {entry['name']}", entry["members"]
            used[where], templates[where] = members["listed"], [members["entry"], members["url"]]
    for where, name in used.items():
        if name not in names:
            raise InputError(
                f"{path}: {where} names the file {name}, which is not among `files`: name one of "
                f"{', '.join(names)}."
            )
    for where, texts in templates.items():
        for template in texts:
            if re.search("[{}]", re.sub("[{](name|stem)[}]", "", template)):
                raise InputError(
                    f"{path}: {where} has the template {template}, which must have {{name}} or "
                    "{stem} and no other braces: correct it."
                )


def _check_interactions(card: Record, path: Path) -> None:
    for name, attributes in card.get("interactions", {}).items():
        if name in RESERVED or name.startswith("sensitive_") or name in card["features"]:
            raise InputError(
                f"{path}: `interactions` names a feature `{name}`, which already exists: rename it."
            )
        if unknown := sorted(set(attributes) - set(card["sensitive"])):
            raise InputError(
                f"{path}: interactions.{name} multiplies `{unknown[0]}`, which is no sensitive "
                f"attribute: name one of {', '.join(card['sensitive'])}."
            )


def _check_values(card: Record, path: Path) -> None:
    for rule in card.get("keep_rows", []):
        if "from" in rule and rule["from"] > rule["to"]:
            raise InputError(
                f"{path}: `keep_rows` keeps no value of `{rule['column']}`, from {rule['from']} to "
                f"{rule['to']}: swap the two."
            )
    for attribute in card.get("counts", {}).get("sensitive", {}):
        if attribute not in card["sensitive"]:
            raise InputError(
                f"{path}: `counts.sensitive` names `{attribute}`, which is no sensitive attribute: "
                f"name one of {', '.join(card['sensitive'])}."
            )
    embedded = set(EMBEDDED) & set(card["features"].values())
    if "features" in card.get("counts", {}) and embedded:
        raise InputError(
            f"{path}: `counts.features` goes with no `{embedded.pop()}` feature, which becomes "
            "vectors of any length: drop it there."
        )
    decisions = card.get("decisions", {"from": 0, "to": 1, "columns": []})
    if unknown := sorted(set(decisions.get("consensus", [])) - set(decisions["columns"])):
        raise InputError(
            f"{path}: decisions.consensus names `{unknown[0]}`, which is none of its `columns`: "
            f"name one of {', '.join(decisions['columns'])}."
        )
    if decisions["from"] >= decisions["to"]:
        raise InputError(
            f"{path}: `decisions` go from {decisions['from']} to {decisions['to']}, which is no "
            "range: swap the two."
        )
    for attributes in card.get("intersections", []):
        if unknown := sorted(set(attributes) - set(card["sensitive"])):
            raise InputError(
                f"{path}: `intersections` names `{unknown[0]}`, which is no sensitive attribute: "
                f"name one of {', '.join(card['sensitive'])}."
            )
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
