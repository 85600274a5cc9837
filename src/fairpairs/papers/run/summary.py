"""What a run prints at its end."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import p_equals
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.published.comparison import tally
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE, counted
from fairpairs.papers.run.failures import said_by_scripts, unavailable_lines

#: Tables of experiments and studies.
OWN = re.compile(r"results/(tables|treatments)/.*(?<!\.over_datasets)\.csv$")
#: Sentences on what treatments do, at most.
MOST_TOLD = 12
#: Columns of text of the comparison.
TEXT = ("paper", "table", "section", "row", "column", "verdict", "note")


def summary_text(
    results: str | Path,
    missing: Mapping[str, str] | None = None,
    tables: Iterable[str] = (),
    *,
    reported: Record | None = None,
    since: float = math.inf,
) -> str:
    """Say what treatments do, how many published cells agree, which conclusions hold, what lacks.

    Without published cells, it names the `tables` of the run. What scripts said `since` its start,
    in seconds since 1970, is counted.

    `missing` maps the data sets that the run left out to the reasons; `reported` are the params of
    the report, for experiments. Of tables that an older version left and nobody made anew, it is
    the sentence that refuses them.
    """
    try:
        lines = _lines(Path(results), missing or {}, tables, reported)
    except InputError as error:
        return f"fairpairs: {error}"
    return "\n".join([*lines[:-1], *said_by_scripts(since), lines[-1]])


def _told(folder: Path, names: Iterable[str], reported: Record) -> Iterator[str]:
    """Yield what each treatment does in some experiments, in the sentences of the report."""
    from fairpairs.papers.display.treatments import (  # noqa: PLC0415  (slow)
        bullet,
        read_treatments,
        told,
    )

    left = MOST_TOLD
    for name in names:
        experiment, file = reported["experiments"][name], folder / f"treatments/{name}.csv"
        if (compare := experiment["compare"]) is None or not file.exists():  # not asked for
            continue
        comparison = read_treatments(file)
        found = told(comparison, reported["titles"][name], compare.get("margin") or {})
        for dataset, sentences in found.items():
            if left > 0:
                yield f"{experiment['title']}: {dataset}"
            yield from map(bullet, sentences[: max(left, 0)])
            left -= len(sentences)
    if left < 0:
        yield f"- {-left} more: see the report."
    if left < MOST_TOLD:
        yield ""


def _lines(
    folder: Path, missing: Mapping[str, str], made: Iterable[str], reported: Record | None
) -> list[str]:
    tables = read_table(folder / "comparison.csv", text=TEXT)
    text = read_table(folder / "comparison_of_text.csv", text=TEXT)
    cells = pd.concat([tables, text], ignore_index=True)
    lines = [""]
    if reported is not None:
        of_papers = reported["experiments"] if not len(cells) else {}
        lines += _told(folder, reported["project_experiments"] or of_papers, reported)
    lines.append(f"FairPairs{': the published cells, and ours' if len(cells) else ''}")
    for kind, part in (("table", tables), ("section", text)):
        for (paper, number), group in part.groupby(["paper", kind], sort=False):
            lines.append(f"  {str(paper).replace('_', ' ')}, {kind} {number}: {_tally(group)}")
    if len(cells):
        lines.append(f"  all: {_tally(cells)}")
    else:  # without published tables
        lines += [f"  table: {path}" for path in made if OWN.match(path)]
    for cell in cells[cells["verdict"] == DIFFERS].to_dict("records"):
        chance = cell["p_adjusted"]
        where = "table" if pd.notna(cell.get("table")) else "section"
        lines.append(
            f"  differs: {cell['paper']}, {where} {cell[where]}, {cell['row']}, {cell['column']}: "
            f"{cell['reproduced']:.4g} where {cell['published']:.4g} is published"
            + (f" (Holm-adjusted {p_equals(chance)})" if pd.notna(chance) else "")
        )
    claims = folder / "claims.csv"
    if claims.exists() and len(verdicts := read_table(claims)["verdict"]):
        lines.append(f"  {counted(list(verdicts))}: {claims.name}")
    lines += unavailable_lines(missing)
    return [*lines, f"  report: {(folder / 'report.html').resolve()}"]


def _tally(cells: pd.DataFrame) -> str:
    counts = tally(cells)
    parts = [f"{counts[AGREES]} agree", f"{counts[DIFFERS]} differ"]
    if counts[NOT_COMPARABLE]:
        parts.append(f"{counts[NOT_COMPARABLE]} not comparable")
    return ", ".join(parts)
