"""The verdicts on the papers' conclusions as Markdown, for the README.

`python -m fairpairs.plan.claims_markdown README.md` writes those of `results/claims.csv` between
the marks of the README.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from fairpairs.errors import InputError
from fairpairs.files import write_text
from fairpairs.output.tables import read_table
from fairpairs.plan.files import CLAIMS
from fairpairs.plan.judged_claims import COLUMNS
from fairpairs.plan.studies import find_studies
from fairpairs.published.verdicts import counted

#: What is around the table in the README.
BEGIN, END = "<!-- claims -->", "<!-- end of claims -->"


def markdown(claims: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Return a sentence with the counts, and a table of paper, conclusion and verdict.

    Parameters
    ----------
    claims
        What `judged_claims.judge_claims` returned.
    titles
        Study → what the table calls it.
    """
    counts = counted(list(claims["verdict"]))
    lines = [
        f"{counts[0].upper()}{counts[1:]}.",
        "",
        "| paper | conclusion | on our results it |",
        "| --- | --- | --- |",
    ]
    shown = ""
    for study, statement, verdict in claims[["study", "statement", "verdict"]].itertuples(
        index=False
    ):
        paper = "" if study == shown else titles[study]
        shown = study
        lines.append(f"| {paper} | {statement.replace('|', chr(92) + '|')} | {verdict} |")
    return "\n".join([*lines, ""])


def with_claims(text: str, table: str) -> str:
    """Return a text with another table between its marks.

    Raises
    ------
    InputError
        When the marks are not there, once each.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise InputError(f"the text has no place for the claims: write {BEGIN} and {END} into it.")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table}{END}{rest.split(END)[1]}"


def main(readme: str) -> None:
    """Write the verdicts of the run in this folder into a README."""
    titles = {name: study.title for name, study in find_studies().items()}
    table = markdown(read_table(CLAIMS, text=COLUMNS), titles)
    write_text(readme, with_claims(Path(readme).read_text("utf-8"), table))


if __name__ == "__main__":
    main(*sys.argv[1:])
