"""The verdicts on the papers' conclusions as Markdown, for the documentation.

`python docs/claims_markdown.py README.md docs/explanation/conclusions.md` writes
those of `results/claims.csv` between the marks of each file: their counts, or all of them.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.plan.claims import COLUMNS
from fairpairs.papers.plan.files import CLAIMS
from fairpairs.papers.plan.study import find_studies
from fairpairs.papers.published.verdicts import counted

#: Marks around the sentence with the counts, and around the tables.
COUNTS = ("<!-- counts of conclusions -->", "<!-- end of counts -->")
TABLES = ("<!-- conclusions -->", "<!-- end of conclusions -->")


def counts(claims: pd.DataFrame) -> str:
    """Return a sentence that counts the verdicts that `judge_claims` returned."""
    text = counted(list(claims["verdict"]))
    return f"{text[0].upper()}{text[1:]}."


def tables(claims: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Return a heading and a table for each paper: conclusion with quote, verdict, numbers.

    `claims` is what `judge_claims` returned; `titles` maps a study to its heading, by default its
    name.
    """
    lines = []
    for study, rows in claims.groupby("study", sort=False):
        lines += ["", f"## {titles.get(str(study), study)}", ""]
        lines += ["| conclusion | verdict | numbers |", "| --- | --- | --- |"]
        for claim in rows.to_dict("records"):
            quote = f"“{claim['quote']}” " * bool(claim["quote"])
            conclusion = f"**{claim['statement']}** {quote}({claim['where']})"
            numbers = [*filter(None, claim["numbers"].split("; ")), claim["note"]]
            cells = (conclusion, claim["verdict"], "<br>".join(filter(None, numbers)))
            # a table of Markdown has one line for each row
            texts = (" ".join(cell.split()).replace("|", r"\|") for cell in cells)
            lines.append(f"| {' | '.join(texts)} |")
    return "\n".join([*lines, ""])


def between(text: str, marks: tuple[str, str], part: str) -> str:
    """Return a text with another part between two marks, each of which it must have once."""
    begin, end = marks
    once = text.count(begin) == text.count(end) == 1
    if not once or text.index(begin) > text.index(end):
        raise InputError(f"the text has no place for the claims: write {begin} and {end} into it.")
    before, rest = text.split(begin)
    return f"{before}{begin}\n{part}\n{end}{rest.split(end)[1]}"


def with_claims(text: str, claims: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Return a text with the counts, and with the tables if it has the marks of these."""
    text = between(text, COUNTS, counts(claims))
    return between(text, TABLES, tables(claims, titles)) if TABLES[0] in text else text


def main(*files: str) -> None:
    """Write the verdicts of the run in this folder into files: all of them, or none."""
    for file in (CLAIMS, *files):
        if not Path(file).is_file():
            remedy = "run the workflow first" if file == CLAIMS else "name another"
            raise InputError(f"{file}: there is no such file: {remedy}.")
    titles = {name: study.title for name, study in find_studies().items()}
    claims = read_table(CLAIMS, text=COLUMNS)
    texts = {}
    for file in files:
        try:
            texts[file] = with_claims(Path(file).read_text("utf-8"), claims, titles)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None
    for file, text in texts.items():
        write_text(file, text)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
