"""The published tables of a run: read, and checked against cards, registry and studies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fairpairs import registry
from fairpairs.errors import InputError
from fairpairs.plan.study import Study
from fairpairs.published.keys import check_keys
from fairpairs.published.table import PublishedTable, read_published
from fairpairs.texts import listed, meant

if TYPE_CHECKING:
    from fairpairs.plan.plan import Plan


def read_tables(
    base: Path, studies: Mapping[str, Study], schema: Path
) -> dict[str, PublishedTable]:
    """Read the tables that papers print, of the checkout and of the user's own project.

    Raises
    ------
    InputError
        When a table cannot be read, or is of no study.
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


def check_tables(plan: Plan) -> None:
    """Check the keys of the published tables that a run reproduces (see `check_keys`)."""
    cards = {name: plan.data.card(name) for name in plan.data.card_files}
    treatments, tests = (registry.known(kind, plan.extensions) for kind in ("treatments", "tests"))
    for name in plan.tables:
        table = plan.published[name]
        check_keys(
            table,
            cards=cards,
            treatments=treatments,
            tests=tests,
            vocabulary=plan.studies[table.study].vocabulary,
        )
