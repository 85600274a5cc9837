"""`fairpairs datasets`: the cards of the data sets, listed or one in full."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import typer
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

#: What describes a card, from the folder that holds `config` on.
SCHEMA = Path("workflow/schemas/dataset.schema.yaml")
#: Letters of the terms that the list has room for.
TERMS = 60


def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The data set whose card is shown in full.")
    ] = None,
    folder: Annotated[
        Path, typer.Option(help="Folder of the cards, in a checkout of FairPairs.")
    ] = Path("config/datasets"),
) -> None:
    """List the data sets that the workflow knows, or show the card of one."""
    with bad_input_in_one_sentence():
        names = _names(folder)
        # beside the cards, or, for those of a project of one's own, in the checkout of this package
        beside = [folder.resolve().parents[1], Path(fairpairs.__file__).parents[2]]
        schema = next((own / SCHEMA for own in beside if (own / SCHEMA).is_file()), None)
        if schema is None:
            raise InputError(
                f"{beside[0] / SCHEMA}: there is no such file, which describes the cards: name "
                "config/datasets of a checkout by --folder."
            )
        if name is None:
            text = _listed({n: read_card(folder / f"{n}.yaml", schema) for n in names})
        else:
            if name not in names:
                close = get_close_matches(name, names, 1)
                raise InputError(
                    f"{folder}: there is no data set `{name}`; there are {listed(names)}: "
                    + (f"did you mean `{close[0]}`?" if close else "name one of them.")
                )
            path = folder / f"{name}.yaml"
            read_card(path, schema)  # a wrong card is told, not shown
            text = f"# {path}\n{path.read_text('utf-8').rstrip()}"
    typer.echo(text)


def _names(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such folder: go to a checkout of FairPairs, which has the "
            "cards, or name theirs by --folder."
        )
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    if not names:
        raise InputError(f"{folder}: there is no card (.yaml): name another --folder.")
    return names


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
    return (
        f"{table}\n\n{len(cards)} data sets. `fairpairs datasets NAME` shows a card in full: "
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
