"""`fairpairs datasets`: the cards of the data sets, listed or one in full."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import typer
import yaml
from tabulate import tabulate

import fairpairs
from fairpairs.cli.inputs import bad_input_in_one_sentence, listed
from fairpairs.datasets.card import EMBEDDED, read_card
from fairpairs.errors import InputError

EXAMPLES = """\b
Examples:
  fairpairs datasets
  fairpairs datasets compas
  fairpairs datasets --folder ~/fairpairs/config/datasets
"""

DATASETS = Path("config/datasets")
#: Of the package, where it was not installed without one.
CHECKOUT = Path(fairpairs.__file__).parents[2]
#: What describes a card, from the folder that holds `config` on.
SCHEMA = Path("workflow/schemas/dataset.schema.yaml")
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
        # beside the cards, or, for those of a project of one's own, in the checkout of this package
        beside = [next(iter(cards.values())).resolve().parents[2], CHECKOUT]
        schema = next((own / SCHEMA for own in beside if (own / SCHEMA).is_file()), None)
        if schema is None:
            raise InputError(
                f"{beside[0] / SCHEMA}: there is no such file, which describes the cards: name "
                "config/datasets of a checkout by --folder."
            )
        if name is None:
            text = _listed({own: read_card(path, schema) for own, path in cards.items()})
        else:
            if name not in cards:
                close = get_close_matches(name, cards, 1)
                raise InputError(
                    f"There is no data set `{name}`; there are {listed(cards)}: "
                    + (f"did you mean `{close[0]}`?" if close else "name one of them.")
                )
            path = cards[name]
            read_card(path, schema)  # a wrong card is told, not shown
            text = f"# {path}\n{path.read_text('utf-8').rstrip()}"
    typer.echo(text)


def _cards(folder: Path | None) -> dict[str, Path]:
    """Return the cards by name, those of a project of one's own before those of FairPairs."""
    folders = _folders() if folder is None else [folder]
    there = [own for own in folders if own.is_dir()]
    if not there:
        raise InputError(
            f"{folders[0]}: there is no such folder: go to a checkout of FairPairs, which has the "
            "cards, or name theirs by --folder."
        )
    cards = {path.stem: path for own in reversed(there) for path in own.glob("*.yaml")}
    if not cards:
        raise InputError(f"{there[0]}: there is no card (.yaml): name another --folder.")
    return dict(sorted(cards.items()))


def _folders() -> list[Path]:
    """Return where cards may lie: as for a run in the working folder (see docs/extend.md)."""
    config = Path("config/config.yaml")
    own = yaml.safe_load(config.read_text("utf-8")) if config.is_file() else {}
    extensions = [Path(name) / "datasets" for name in (own or {}).get("extensions", [])]
    return [DATASETS, *extensions, CHECKOUT / DATASETS]


def _listed(cards: dict[str, dict[str, Any]]) -> str:
    rows = [
        (
            name, _kind(card), f"{card['counts']['rows']:,}" if "rows" in card.get("counts", {})
            else "?", _groups(card), card.get("homepage", "–"),
            shorten(" ".join(card["licence"].split()), TERMS, placeholder=" …"),
        )
        for name, card in cards.items()
    ]  # fmt: skip
    header = ["name", "kind", "items", "groups", "source", "terms"]
    align = ["left", "left", "right", "left", "left", "left"]
    table = tabulate(rows, header, tablefmt="simple", disable_numparse=True, colalign=align)
    count = f"{len(cards)} data set{'s' * (len(cards) > 1)}"
    return (
        f"{table}\n\n{count}. `fairpairs datasets NAME` shows a card in full: "
        "terms, files, columns, counts.\n`snakemake data/prepared/NAME.parquet` fetches and "
        "prepares one."
    )


def _kind(card: dict[str, Any]) -> str:
    """Say what an item is, and what kind of label it has."""
    kinds = set(card["features"].values())
    of_items = next((kind for kind in EMBEDDED if kind in kinds), "table")
    return f"{of_items}, {'numbers' if card['label'].get('numeric') else 'yes/no'}"


def _groups(card: dict[str, Any]) -> str:
    return "; ".join(
        f"{name}: {rule['names']['zero']}, {rule['names']['one']}" if "names" in rule else name
        for name, rule in card["sensitive"].items()
    )
