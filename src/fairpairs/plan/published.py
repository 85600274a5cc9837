"""The published tables of a run: read, and checked against cards, registry and studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fairpairs import registry
from fairpairs.errors import InputError
from fairpairs.plan.study import Study
from fairpairs.published.keys import check_keys
from fairpairs.published.table import PublishedTable, read_published
from fairpairs.texts import listed, meant


def read_tables(
    base: Path, studies: Mapping[str, Study], schema: Path
) -> dict[str, PublishedTable]:
    """Read the tables that papers print, of the checkout and of the user's project.

    Raises
    ------
    InputError
        When a table cannot be read, or belongs to no study.
    """
    tables = {}
    for folder in dict.fromkeys([base.resolve(), Path().resolve()]):
        for path in sorted(folder.glob("config/published/*/*.yaml")):
            table = read_published(path, schema)
            if table.study not in studies:
                raise InputError(
                    f"{path}: there is no study `{table.study}`{meant(table.study, studies)}: name "
                    f"the folder after one of {listed(studies)}."
                )
            tables[table.name] = table
    return tables


def check_tables(
    tables: Iterable[PublishedTable],
    *,
    studies: Mapping[str, Study],
    cards: Mapping[str, Mapping[str, Any]],
    extensions: Iterable[str | Path],
) -> None:
    """Check the keys of published tables against all cards, the registry and their studies.

    Tables that are not in the folder of the run are left out: they are checked in their own
    project, whose cards may differ from those of the same name here.

    Raises
    ------
    InputError
        For a key that matches nothing (see `check_keys`).
    """
    treatments, tests = (registry.known(kind, extensions) for kind in ("treatments", "tests"))
    here = Path("config/published").resolve()
    for table in tables:
        if not table.path.is_relative_to(here):
            continue
        check_keys(
            table,
            cards=cards,
            treatments=treatments,
            tests=tests,
            vocabulary=studies[table.study].vocabulary,
        )
