"""The conclusions of a paper (`claims.yaml` of a study), each with a check on our results.

A check is a function of `claims.py`. It reads tables of the run, and returns a `Finding`: a verdict
and the numbers that it rests on (`fairpairs.papers.plan.claim_numbers`). If a table or a row is
missing, `table` and `row` end it with the verdict `UNTOLD` and the reason.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.base.arrays import Series
from fairpairs.base.errors import InputError, failures, shown
from fairpairs.base.plain_values import Content
from fairpairs.base.schemas import read_checked_yaml
from fairpairs.base.shipped import shipped
from fairpairs.base.texts import listed
from fairpairs.papers.plan.claim_numbers import CannotTellError, written
from fairpairs.papers.plan.results import Results
from fairpairs.papers.plan.study_files import load_part
from fairpairs.papers.published.verdicts import FAILS, HOLDS, REDONE, UNTOLD, VERDICTS


@dataclass(frozen=True)
class Finding:
    """The result of a check."""

    #: One of `VERDICTS`.
    verdict: str
    #: What it rests on, in the order in which it is read: name → value.
    numbers: Mapping[str, object] = field(default_factory=dict)
    #: The tables under `results/` that the check read, as `tables/xauc/table_1.csv`; `judge` sets
    #: them.
    evidence: tuple[str, ...] = ()
    #: Why it cannot be told, or the note of the claim; `judge` sets it.
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"the verdict is {shown(self.verdict)}, not one of {VERDICTS}")
        if not isinstance(self.numbers, Mapping):
            raise TypeError(f"the numbers are {shown(self.numbers)}, not a name → value")
        for name, value in self.numbers.items():
            if "; " in name or ": " in name:  # they part the numbers in claims.csv
                raise ValueError(f"the name {shown(name)} of a number has a mark of lists in it")
            written(value)


def table(
    results: Results, path: str, *, text: Collection[str] = (), needed: Collection[str] = ()
) -> pd.DataFrame:
    """Read a table for a check: a CSV under `results/`, or a table of the study, without `.csv`.

    `text` are its columns of text (see `fairpairs.papers.display.tables.read_table`), `needed`
    those of numbers of which none may be missing. CannotTellError if the run did not make it, or it
    has no rows, or lacks numbers that are needed.
    """
    if not path.endswith(".csv"):
        path = f"tables/{results.study}/{path}.csv"
    frame = results.table(path, text=text)
    if frame is None:
        raise CannotTellError(f"This run did not make results/{path}.")
    if frame.empty:
        raise CannotTellError(f"results/{path} has no rows.")
    if frame[list(needed)].isna().any(axis=None):
        raise CannotTellError(f"results/{path} has not all numbers of {listed(needed)}.")
    frame.attrs["path"] = path
    return frame


def rows(frame: pd.DataFrame, **keys: Any) -> pd.DataFrame:
    """Return the rows of a table with these values, or with one of several in a list or tuple.

    CannotTellError if there are none.
    """
    found = np.full(len(frame), True)
    for column, value in keys.items():
        several = isinstance(value, list | tuple)
        found &= np.asarray(frame[column].isin(value) if several else frame[column] == value)
    if not found.any():
        raise _other_number(frame, "no", keys)
    return frame[found]


def row(frame: pd.DataFrame, **keys: Any) -> Series:
    """Return the one row of a table with these values; CannotTellError for none or several."""
    found = rows(frame, **keys)
    if len(found) > 1:
        raise _other_number(frame, str(len(found)), keys)
    return found.iloc[0]


def _other_number(frame: pd.DataFrame, number: str, keys: Mapping[str, Any]) -> CannotTellError:
    words = ", ".join(f"{column} {value}" for column, value in keys.items())
    path = frame.attrs.get("path", "")
    return CannotTellError(f"results/{path} has {number} rows with {words}.")


COLUMNS = (
    *("study", "claim", "quote", "statement", "where"),
    *("verdict", "numbers", "note", "evidence"),
)
#: Verdict → the one with choices of our own, which neither confirm nor refute the paper's.
AS_REDONE = {HOLDS: REDONE, FAILS: UNTOLD}


@dataclass(frozen=True)
class Claim:
    """A conclusion of a paper, as workflow/schemas/claims.schema.yaml describes it."""

    name: str
    statement: str
    where: str
    check: Callable[[Results], Finding]
    quote: str = ""
    redone: str = ""
    note: str = ""


def study_claims(study: str, folder: str | Path) -> list[Claim]:
    """Return the claims of a study: those of `claims.yaml`, in its order, each with its check.

    The check is the function of `claims.py` that is named as the claim, with _ for -, or as its
    `check`, with the arguments of its `with`.
    """
    file = Path(folder, "claims.yaml")
    texts = read_checked_yaml(file, shipped("workflow/schemas/claims.schema.yaml"))
    checks, claims = load_part(study, "claims", folder), []
    for name, parts in texts.items():
        called, options = parts.pop("check", name.replace("-", "_")), parts.pop("with", {})
        check = getattr(checks, called, None)
        if not callable(check):
            raise InputError(
                f"{file.with_suffix('.py')}: has no function `{called}`, which checks `{name}`: "
                "add it."
            )
        claims.append(Claim(name, check=partial(check, **options), **parts))
    return claims


def judge(claim: Claim, results: Results, file: str | Path) -> Finding:
    """Check a claim on a run; InputError names its `file` when the check fails."""
    results = replace(results, read=[])
    with failures(
        f"{file}: the check of `{claim.name}` fails",
        "correct it; `table` and `row` of fairpairs.papers.plan.claims read what a run may not "
        "have made",
    ):
        try:
            finding = claim.check(results)
        except CannotTellError as error:
            return Finding(UNTOLD, {}, tuple(dict.fromkeys(results.read)), str(error))
    if not isinstance(finding, Finding):
        raise InputError(
            f"{file}: the check of `{claim.name}` returns {shown(finding)}: return a `Finding`."
        )
    verdict, notes = finding.verdict, [claim.note]
    if claim.redone:
        verdict = AS_REDONE.get(verdict, verdict)
        notes.append(f"Redone with choices of our own: {claim.redone}.")
    evidence = tuple(dict.fromkeys(results.read))
    return Finding(verdict, finding.numbers, evidence, " ".join(filter(None, notes)))


def judge_claims(
    studies: Mapping[str, str | Path], *, config: Content, folder: str | Path = "."
) -> pd.DataFrame:
    """Return a row with `COLUMNS` for each claim on a finished run, by study → its folder.

    A claim that reads no table of this run is left out: the run is not about its paper.
    `folder` is where the workflow ran, with `results`; numbers, as "name: value", and paths of
    `evidence` are joined by "; ".
    """
    base = Path(folder)
    rows = [row for study, path in studies.items() for row in _rows(study, path, config, base)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(study: str, folder: str | Path, config: Content, base: Path) -> Iterable[dict[str, str]]:
    results = Results(study, base, config, {}, ())
    for claim in study_claims(study, folder):
        finding = judge(claim, results, Path(folder, "claims.py"))
        made = [(base / "results" / path).exists() for path in finding.evidence]
        if made and not any(made):
            continue
        yield {
            "study": study,
            "claim": claim.name,
            "quote": claim.quote,
            "statement": claim.statement,
            "where": claim.where,
            "verdict": finding.verdict,
            "numbers": "; ".join(f"{name}: {written(n)}" for name, n in finding.numbers.items()),
            "note": finding.note,
            "evidence": "; ".join(finding.evidence),
        }
