"""The report: one HTML file that opens offline."""

import datetime as dt
import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml

from fairpairs.base import document
from fairpairs.base.errors import InputError, failures, shown
from fairpairs.base.files import read_parquet, write_text
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.sealed import read_json
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.display.layouts import display
from fairpairs.papers.display.svg import embedded
from fairpairs.papers.display.tables import Display, cell_text, legend, read_words
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.results import Results
from fairpairs.papers.plan.study_files import load_part
from fairpairs.papers.published.comparison import tally
from fairpairs.papers.published.table import PublishedTable, read_published
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE
from fairpairs.papers.report.experiments import shown_experiment
from fairpairs.papers.run.provenance import stamps

#: Kind of a cell that is not comparable → what such cells are.
APART = {
    "redone": "cells redone with our own choices, since the paper does not give what they rest on",
    "input": "inputs that the paper gives",
    "impossible": "printed numbers that no data can give",
    "universal": "numbers said of all cases, which are judged among the conclusions",
    "": "cells that are not part of this run",
}


def position(published: PublishedTable) -> tuple[float, str]:
    """Return the sort key of a table in the report: sections behind Table 3, names at the end."""
    number = published.spec.get("table", 3.5)
    return (99, published.name) if isinstance(number, str) else (number, published.name)


def shown_table(published: PublishedTable, results: Path) -> Record:
    """Return a published table for the report, from the folder `results` with its comparison."""
    comparison = read_parquet(results / "comparisons" / f"{published.name}.parquet")
    rows, columns = list(dict.fromkeys(published.cells["row"])), published.columns
    cells = {
        (cell["row"], cell["column"]): {
            "text": cell_text(cell, of_one_run=published.of_one_run),
            "verdict": cell["verdict"],
            "title": "" if pd.isna(cell["z"]) else f"z = {cell['z']:.2f}",
        }
        for _, cell in comparison.iterrows()
    }
    for cell in product(rows, columns):  # where the paper has no number
        cells.setdefault(cell, {"text": "–", "verdict": "", "title": ""})
    text_columns = list(dict.fromkeys(published.texts["column"]))
    if text_columns:
        path = results / "tables" / f"{published.name}.csv"
        ours = read_words(path).set_index("row")
        ours = ours.replace("", "–")
        for row, column, printed, _ in published.texts.itertuples(index=False):
            text = f"{ours[column][row]} ({printed})"
            cells[row, column] = {"text": text, "verdict": "", "title": ""}
    name = published.name.replace("/", "-")
    apart = comparison[comparison["verdict"] == NOT_COMPARABLE]
    return {
        "id": name,
        "name": published.name,
        "study": published.study,
        "heading": published.heading,
        "title": published.spec["title"],
        "legend": legend(published),
        "remarks": published.spec.get("remarks", ""),
        "rows": rows,
        "columns": [*columns, *text_columns],
        "cells": cells,
        "tally": tally(comparison),
        # the kind of each cell that is not comparable, "" for one that the run lacks
        "apart": apart["kind"].where(apart["reproduced"].notna(), "").tolist(),
        "differing": comparison[comparison["verdict"] == DIFFERS].to_dict("records"),
        "notes": _notes(comparison),
        "figure": embedded(results / "figures" / f"{published.name}.svg", name),
    }


def _notes(comparison: pd.DataFrame) -> dict[str, list[str]]:
    """Return the cells of each note."""
    notes: dict[str, list[str]] = {}
    for row, column, note in comparison[["row", "column", "note"]].itertuples(index=False):
        if note:
            notes.setdefault(note, []).append(f"{row}, {column}")
    return {
        note: cells if len(cells) < len(comparison) else ["Every cell"]
        for note, cells in notes.items()
    }


def total(tables: Iterable[Content]) -> dict[str, int]:
    """Count the cells of each verdict over tables that `shown_table` returned."""
    tallies = [table["tally"] for table in tables]
    return {
        verdict: sum(tally[verdict] for tally in tallies)
        for verdict in (AGREES, DIFFERS, NOT_COMPARABLE)
    }


def reasons(tables: Iterable[Content]) -> list[str]:
    """Return the reasons why cells of `shown_table` are not comparable."""
    kinds = [kind for table in tables for kind in table["apart"]]
    return [f"{words} ({kinds.count(kind):,})" for kind, words in APART.items() if kind in kinds]


def fewer_repeats(
    published: Iterable[PublishedTable], repeats: Mapping[str, int | None]
) -> list[str]:
    """Say of which tables a run has fewer repeats than the paper; `repeats` are ours, by table."""
    notes = []
    for table in published:
        ours, theirs = repeats.get(table.name), table.spec.get("runs", 0)
        if ours is not None and ours < theirs:
            notes.append(f"{table.heading}: {ours:,} repeats where the paper has {theirs:,}")
    return notes


TEMPLATE = "section.html.j2"
#: The template of the figure that shows a study's main result, above its published tables.
MAIN = "main.html.j2"


def page_environment(folders: Mapping[str, str | Path]) -> jinja2.Environment:
    """Return the environment of the page; templates of studies are found as `<study>/<file>`."""
    shared = document.page_environment("fairpairs.papers.report")  # with the sorting of tables
    studies = {name: jinja2.FileSystemLoader(folder) for name, folder in folders.items()}
    assert shared.loader is not None
    return shared.overlay(loader=jinja2.ChoiceLoader([shared.loader, jinja2.PrefixLoader(studies)]))


def section_html(
    results: Results, folder: str | Path, environment: jinja2.Environment
) -> tuple[str, str]:
    """Return the main figure and the section of a study as HTML.

    The main figure is of the template `main.html.j2`, which a study may leave out. Both are empty
    if it shows nothing. Templates see what `section` of section.py returns, the `results`, and
    `tables("a", …)`, those of some tables of the study that the run made, in words by the layouts
    of tables.yaml that are named as these, as their folders, or by `layout`, with other values.
    InputError if the section or its template fails.
    """
    folder = Path(folder)
    content: Any = {}
    if (folder / "section.py").exists():
        content = _content(results, folder)
    elif not (folder / TEMPLATE).exists():
        return "", ""
    if content is None:
        return "", ""
    if not (folder / TEMPLATE).exists():
        raise InputError(
            f"{folder / TEMPLATE}: there is no such file: write the template of what "
            f"`section` of section.py returns."
        )

    def tables(*names: str, layout: str = "", **values: Any) -> list[Display]:
        made = {name: rows for name in names if (rows := results.csv(name)) is not None}
        words = {"alpha": results.config["alpha"], **values}
        return [
            display(folder / TEMPLATE, layout or name.partition("/")[0], rows, **words)
            for name, rows in made.items()
        ]

    seen = {"results": results, "tables": tables, **content}
    parts = []
    for file in (MAIN, TEMPLATE):
        template = f"{results.study}/{file}"
        with _failures(results.study, folder / file):
            shows = file == TEMPLATE or (folder / file).exists()
            parts.append(environment.get_template(template).render(seen) if shows else "")
    return parts[0].strip(), parts[1].strip()


def _content(results: Results, folder: Path) -> Mapping[str, Any] | None:
    """Return what `section` of section.py returns, a dictionary or None."""
    section = getattr(load_part(results.study, "section", folder), "section", None)
    if not callable(section):
        raise InputError(
            f"{folder / 'section.py'}: has no function `section`: write "
            "`def section(results): return {…}`, or None where there is nothing to show."
        )
    with _failures(results.study, folder / "section.py"):
        content = section(results)
    if content is not None and not isinstance(content, Mapping):
        raise InputError(
            f"{folder / 'section.py'}: `section` returns {shown(content)}: return a dictionary of "
            "what the template shows, or None where there is nothing to show."
        )
    return content


@contextmanager
def _failures(study: str, file: Path) -> Iterator[None]:
    """Turn what a user's file raises into one sentence with its line."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        frames, path = traceback.extract_tb(error.__traceback__), file.resolve()
        lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path]
        where, remedy = f"{file}, line {lines[-1]}" if lines else str(file), "correct it"
        if "NoneType" in str(error):
            remedy += (
                "; `results.csv` and `results.words` return None for a table that is not there"
            )
        with failures(f"{where}: the study {study} cannot be shown in the report", remedy):
            raise


#: Verdict → the class of its mark on the page, in the order of the counts.
VERDICTS = {
    "holds": "holds",
    "holds, redone": "redone",
    "holds in part": "part",
    "does not hold": "fails",
    "cannot be told": "untold",
}


def write_report(
    report: str | Path,
    *,
    studies: Mapping[str, Mapping[str, str]],
    published: Sequence[str | Path],
    schema: str | Path,
    config: Content,
    experiments: Mapping[str, Experiment],
    missing: Mapping[str, Content],
    datasets: Sequence[str],
    words: Mapping[str, Mapping[str, str]],
    titles: Mapping[str, Mapping[str, str]],
    repeats: Mapping[str, int | None],
    project_experiments: Collection[str] = (),
    provenance: Sequence[str | Path] = (),
    first: bool = False,
) -> None:
    """Write a report from the results beside it and the prepared data sets of the run.

    `studies` have `title`, `citation`, `words` and `folder`, in the order of the page; `missing`
    the `title` and `reason` of each data set that the run left out; `words` are those of cards,
    and `titles` of the data sets of each experiment. The page leads with
    `project_experiments`, those on data of the user's project, and with those that compare
    treatments and are of no published table. The `first` report is written before
    the other tables are made: it has no sections of studies and no figure of all tables.
    """
    results = Path(report).parent
    folder = results.parent
    printed = sorted((read_published(path, schema) for path in published), key=position)
    tables = [shown_table(table, results) for table in printed]
    claims = {} if first else shown_claims(results / "claims.csv")
    environment = page_environment({name: study["folder"] for name, study in studies.items()})
    parts: list[Record] = []
    for name, study in studies.items():
        shown = [table for table in tables if table["study"] == name]
        data = Results(name, folder, config, experiments, datasets, words)
        main, section = ("", "") if first else section_html(data, study["folder"], environment)
        if shown or main or section or name in claims:
            drawn = [table for table in shown if table["figure"]]
            parts.append(
                {
                    **study,
                    "name": name,
                    "tables": shown,
                    "tally": total(shown),
                    "claims": claims.get(name, []),
                    "main": main,
                    "section": section,
                    "shows": drawn[0] if drawn else None,
                }
            )
    claimed = [part for part in parts if part["claims"]]
    listed = [claim for part in claimed for claim in claims[part["name"]]]
    of_papers = {name for table in printed for name in table.source.experiments}
    own = {name for name, e in experiments.items() if e.compare and name not in of_papers}
    lead = {*own, *project_experiments} if tables or listed else set(experiments)
    origins: list[Record] = list(map(read_json, provenance))
    ordered = {n: shown_experiment(e, folder, titles[n]) for n, e in experiments.items()}
    page = environment.get_template("report.html.j2").render(
        totals=total(tables),
        apart=reasons(tables),
        tables=tables,
        studies=parts,
        claims=listed,
        claimed=claimed,
        counts={v: [claim["verdict"] for claim in listed].count(v) for v in VERDICTS},
        marks=VERDICTS,
        places={f"tables/{table['name']}.csv": table["id"] for table in tables}
        | {f"tables/{name}.csv": f"experiment-{name}" for name in experiments},
        lead=[one for name, one in ordered.items() if name in lead],
        others=[one for name, one in ordered.items() if name not in lead],
        datasets=[
            {**read_roles(folder / f"data/prepared/{name}.json"), **words[name]}
            for name in datasets
        ],
        missing=missing,
        quick=fewer_repeats(printed, repeats),
        config=config,
        config_text=yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True),
        overview="" if first else embedded(results / "figures/comparison.svg", "comparison"),
        first=first,
        origins=origins,
        stamps=stamps(origins),
        raw={name: files for origin in origins for name, files in origin["data"].items()},
        made=dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )
    write_text(report, page)


def shown_claims(file: Path) -> dict[str, list[Record]]:
    """Return the conclusions of each study from claims.csv; none without such a file."""
    if not file.exists():
        return {}
    claims: dict[str, list[Record]] = {}
    for row in read_words(file).to_dict("records"):
        shown = {
            **{str(name): value for name, value in row.items()},
            "id": f"claim-{row['study']}-{row['claim']}",
            "mark": VERDICTS.get(row["verdict"], "untold"),
            "numbers": [n.split(": ", 1) for n in row["numbers"].split("; ") if n],
            "evidence": [path for path in row["evidence"].split("; ") if path],
        }
        claims.setdefault(row["study"], []).append(shown)
    return claims
