"""`fairpairs example`: two small made files, and the commands that audit them."""

import shlex
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from fairpairs.audits.commands.outputs import output_errors
from fairpairs.base.errors import InputError
from fairpairs.base.files import csv_text, write_together
from fairpairs.base.terminal import bad_input_in_one_sentence, show

EXAMPLES = """\b
Examples:
  fairpairs example first
  fairpairs example /tmp/loans
"""
#: Applicants, judgments, and loan officers who judge.
PEOPLE, JUDGMENTS, OFFICERS = 2_000, 1_500, 6
#: What each command asks, and its arguments; {loans} and {judgments} are the files.
COMMANDS = {
    "Do the decisions differ between groups by more than 10 points?": (
        "audit {loans} --label repaid --prediction approved --score score --sensitive sex,age "
        "--favourable 1 --margin 0.1"
    ),
    "Which groups, also of sex and age together, differ from everyone else?": (
        "audit-groups {loans} --label repaid --prediction approved --sensitive sex,age --depth 2"
    ),
    "Does the score lean to a group, by judgments alone?": (
        "audit-judgments {judgments} {loans} --left one --right other --outcome more_reliable "
        "--item id --score score --sensitive sex --judge officer"
    ),
}


def example(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write the files to.")],
) -> None:
    """Write loans.csv and judgments.csv, and print commands to audit them.

    The data are made: of applicants who would repay, the model approves fewer women. It asks
    nothing else of the machine: no download, no other package.
    """
    loans, judgments = folder / "loans.csv", folder / "judgments.csv"
    with bad_input_in_one_sentence():
        for path in (loans, judgments):
            if path.exists():
                raise InputError(f"{path}: this file is there already: name another folder.")
        people = made_loans()
        with output_errors(folder, "FOLDER"):
            contents = {loans: people, judgments: made_judgments(people)}
            write_together({path: csv_text(table) for path, table in contents.items()})
    files = {"loans": shlex.quote(str(loans)), "judgments": shlex.quote(str(judgments))}
    show(f"Written: {loans} ({PEOPLE:,} applicants), {judgments} ({JUDGMENTS:,} judgments)")
    for question, arguments in COMMANDS.items():
        show(f"\n{question}\n  fairpairs {arguments.format(**files)}")


def made_loans() -> pd.DataFrame:
    """Return applicants: whether they would repay, the model's score and decision, their groups."""
    rng = np.random.default_rng(1)
    woman, age = rng.random(PEOPLE) < 0.4, rng.integers(0, 3, PEOPLE)
    repaid = rng.random(PEOPLE) < 0.7
    noise = rng.random((PEOPLE, 4)).mean(axis=1)
    score = (0.25 + 0.25 * repaid - 0.1 * woman + 0.5 * noise).round(3)
    return pd.DataFrame(
        {
            "id": np.arange(1, PEOPLE + 1),
            "sex": np.where(woman, "female", "male"),
            "age": np.array(["under 30", "30 to 60", "over 60"])[age],
            "repaid": repaid.astype(int),
            "score": score,
            "approved": (score >= 0.6).astype(int),
        }
    )


def made_judgments(people: pd.DataFrame) -> pd.DataFrame:
    """Return which of two applicants an officer calls more reliable; one in five is mistaken."""
    rng = np.random.default_rng(2)
    repaid, unpaid = (people.loc[people["repaid"] == value, "id"].to_numpy() for value in (1, 0))
    better, worse = rng.choice(repaid, JUDGMENTS), rng.choice(unpaid, JUDGMENTS)
    first, mistaken = rng.random(JUDGMENTS) < 0.5, rng.random(JUDGMENTS) < 0.2
    return pd.DataFrame(
        {
            "one": np.where(first, better, worse),
            "other": np.where(first, worse, better),
            "more_reliable": np.where(mistaken, worse, better),
            "officer": rng.integers(1, OFFICERS + 1, JUDGMENTS),
        }
    )
