"""`fairpairs grade`: answers of whoever reproduces the papers, compared with the print."""

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.base.files import csv_text, write_text
from fairpairs.base.terminal import bad_input_in_one_sentence, show

EXAMPLES = """\b
Examples:
  fairpairs grade answers.jsonl
  fairpairs grade answers.jsonl --tasks results/tasks.jsonl --out cells.csv
"""


def grade(
    answers: Annotated[
        Path, typer.Argument(help='JSON lines: {"task": …, "value": …, "standard_error": …}.')
    ],
    tasks: Annotated[
        Path, typer.Option(help="The tasks of a run, as `make article` writes them.")
    ] = Path("results/tasks.jsonl"),
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="CSV file to write the verdict on each task to."),
    ] = None,
) -> None:
    """Say which answers to the published cells agree with the print, up to chance."""
    with bad_input_in_one_sentence():
        from fairpairs.papers.article import tasks as published  # noqa: PLC0415  (slow)

        asked = published.read_tasks(tasks)
        found = published.grade(asked, published.read_answers(answers))
        if out is not None:
            write_text(out, csv_text(found.cells))
        text = published.grade_text(found)
    show(text)
