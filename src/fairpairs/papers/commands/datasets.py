"""`fairpairs datasets`: the cards of the data sets, listed or one in full."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer

from fairpairs.base.document import Grid
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.base.schemas import read_yaml
from fairpairs.base.shipped import shipped
from fairpairs.base.terminal import bad_input_in_one_sentence, show
from fairpairs.base.texts import listed
from fairpairs.papers.datasets.card import find_cards, is_raw_only, read_card
from fairpairs.papers.datasets.prepared import EMBEDDED
from fairpairs.papers.plan.read import check_config

EXAMPLES = """\b
Examples:
  fairpairs datasets
  fairpairs datasets compas
  fairpairs datasets --folder ~/fairpairs/config/datasets
"""

DATASETS = Path("config/datasets")
#: What describes a card, and a config.
SCHEMA = shipped("workflow/schemas/dataset.schema.yaml")
CONFIG_SCHEMA = shipped("workflow/schemas/config.schema.yaml")
#: Letters of the terms that the list has room for.
TERMS = 60


def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The data set whose card is shown in full.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the cards. Without it: those of the project in the working folder, of "
            "its extensions, and of FairPairs."
        ),
    ] = None,
) -> None:
    """List the data sets that the workflow knows, or show the card of one."""
    with bad_input_in_one_sentence():
        cards = _cards(folder)
        if name is None:
            text = _listed({key: read_card(path, SCHEMA) for key, path in cards.items()})
        else:
            if name not in cards:
                close = get_close_matches(name, cards, 1)
                raise InputError(
                    f"There is no data set `{name}`; there are {listed(cards)}: "
                    + (f"did you mean `{close[0]}`?" if close else "name one of them.")
                )
            path = cards[name]
            read_card(path, SCHEMA)  # a wrong card is an error
            text = f"# {path}\n{path.read_text('utf-8').rstrip()}"
    show(text)


def extensions_here() -> list[str]:
    """Return the folders of extensions that the config in the working folder names."""
    config = Path("config/config.yaml")
    if not config.is_file():
        return []
    content = read_yaml(config)
    check_config(content, CONFIG_SCHEMA, name=str(config))
    extensions: list[str] = content.get("extensions", [])
    return extensions


def cards_here(extensions: Iterable[str]) -> dict[str, Path]:
    """Return the cards of the project in the working folder, its extensions and FairPairs."""
    return find_cards(DATASETS, extensions, shipped=shipped() / DATASETS)


def _cards(folder: Path | None) -> dict[str, Path]:
    """Return the cards by name: those of a folder, or those that a run here would find."""
    if folder is None:
        cards = cards_here(extensions_here())
    else:
        cards = {path.stem: path for path in folder.glob("*.yaml")}
    if not cards:
        raise InputError(f"{folder}: there is no card (.yaml): name another --folder.")
    return dict(sorted(cards.items()))


def _listed(cards: dict[str, Record]) -> str:
    header = ["name", "kind", "items", "groups", "source", "terms"]
    rows = [
        (
            name,
            *_items(card),
            card.get("homepage", "–"),
            shorten(" ".join(card["licence"].split()), TERMS, placeholder=" …"),
        )
        for name, card in cards.items()
    ]
    table = Grid(header, rows, left={*header} - {"items"})
    count = f"{len(cards)} data set{'s' * (len(cards) > 1)}"
    return (
        f"{table}\n\n{count}. `fairpairs datasets NAME` shows a card in full: "
        "terms, files, columns, counts.\n`fairpairs run data/prepared/NAME.parquet` fetches and "
        "prepares one."
    )


def _items(card: Record) -> tuple[str, str, str]:
    """Return the kind of items and labels, the number of items if the card has it, and groups."""
    if is_raw_only(card):
        return "files", "–", "–"
    kinds = set(card["features"].values())
    kind = next((kind for kind in EMBEDDED if kind in kinds), "table")
    groups = (
        f"{name}: {', '.join(rule.get('groups') or (rule['names'][k] for k in ('zero', 'one')))}"
        for name, rule in card["sensitive"].items()
    )
    return (
        f"{kind}, {'numbers' if card['label'].get('numeric') else 'yes/no'}",
        f"{card['counts']['rows']:,}" if "rows" in card.get("counts", {}) else "?",
        "; ".join(groups),
    )
