"""Tables in words, laid out as the `tables.yaml` beside a module says.

A layout has a `title`, perhaps a `note`, the `corner` (the heading of the first column), a `line`
and `cells`: templates of Jinja that each row of a table fills with its values. A row adds a cell
for each of `cells`, heading → text, to its line; one with an empty heading is left out. Lines and
columns come in the order of the rows. `where` chooses rows by an expression, `with` adds values to
them. In place of `cells`, a layout may have `counts`, heading → expression of pandas that is true
of the rows that it counts.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairpairs.base.plain_values import Content
from fairpairs.base.schemas import read_yaml
from fairpairs.base.texts import decimals, interval, pvalue
from fairpairs.papers.display.labels import label
from fairpairs.papers.display.tables import Display, grid

if TYPE_CHECKING:
    import jinja2


@cache
def layouts(file: str | Path) -> Content:
    """Read the layouts beside a module, by name; there are none without the file."""
    path = Path(file).with_name("tables.yaml")
    found: Content = read_yaml(path) if path.exists() else {}
    return found


def display(file: str | Path, name: str, rows: pd.DataFrame, **values: Any) -> Display:
    """Lay a table out by the layout of this name beside a module, `file`.

    Templates see the values of a row, `row` itself, and the other `values`; those of the title and
    the note see `rows`, all of them, in place of a row.
    """
    layout = layouts(file)[name]
    records: list[Any] = rows.to_dict("records")
    if "where" in layout:
        chosen = _environment().compile_expression(layout["where"])
        records = [row for row in records if chosen(**values, **row)]
    for key, expression in layout.get("with", {}).items():
        value = _environment().compile_expression(expression)
        records = [{**row, key: value(**row)} for row in records]
    lines = [_filled(layout["line"], values, row) for row in records]
    if "counts" in layout:
        table = counted(rows, layout["counts"], lines)
    else:
        table = grid(
            (line, name, _filled(text, values, row))
            for line, row in zip(lines, records, strict=True)
            for heading, text in layout["cells"].items()
            if (name := _filled(heading, values, row))
        )
    table = table.rename_axis(layout.get("corner", ""))
    title, note = (_filled(layout.get(part, ""), values, rows=rows) for part in ("title", "note"))
    return Display(table, title, note)


def counted(rows: pd.DataFrame, cases: Mapping[str, str], lines: Iterable[str]) -> pd.DataFrame:
    """Count the rows that each expression is true of, by their lines, and of all."""
    true = pd.DataFrame({name: rows.eval(case) for name, case in cases.items()}).astype(int)
    counts = true.groupby(pd.Series([*lines], rows.index, dtype=object), sort=False).sum()
    counts.loc["all"] = counts.sum()
    return counts.map(lambda number: decimals(number, 0))


def _filled(template: str, values: Content, row: Content | None = None, **more: Any) -> str:
    found = {**values, **(row or {}), "row": row, **more}
    return _template(template).render({str(name): value for name, value in found.items()})


@cache
def _template(text: str) -> "jinja2.Template":
    return _environment().from_string(text)


@cache
def _environment() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415  (no figure needs it)

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.filters |= {"d": decimals, "p": pvalue, "interval": interval, "label": label}
    return environment
