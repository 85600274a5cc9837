"""The published cells as tasks for whoever reproduces them, and the verdict on their answers."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import binomtest, chi2

from fairpairs.base.errors import InputError, shown
from fairpairs.base.files import plain_rows
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.opening import check_regular
from fairpairs.base.reading.packed import zero_bytes
from fairpairs.base.sealed import KEY, SEAL, check_sealed, read_json, sealed
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.display.tables import read_table
from fairpairs.papers.published.comparison import LEVEL, critical_score
from fairpairs.papers.published.verdicts import AGREES, DIFFERS, NOT_COMPARABLE

#: The tasks of a run, one on each line.
TASKS = "results/tasks.jsonl"
#: Answers that are so near to the print that chance allows it this rarely look copied.
COPIED = 1e-6
#: A cell tells something if a number this part of its table's range away would differ.
TELLING = 0.5
#: Answers that differ and are named.
MOST_SHOWN = 5


def cell_tasks(folder: str | Path) -> list[Record]:
    """Return a task for each published cell that a finished run could compare.

    Parameters
    ----------
    folder
        The folder of the run.

    Returns
    -------
    list of dict
        `task` (its name), `paper`, `place`, `row`, `column`, `published`; `error`, the standard
        error of the difference between the print and a reproduction of the size of the run, or
        None where the cell is computed and only `rounding`, half of the last printed digit, is
        allowed; `own_error`, the part of `error` that is the reproduction's; `family`, the number
        of cells of the table among which p-values are adjusted; `telling`, whether a number half
        of the table's range away would differ; `traps`, what is known to go wrong; and `data`, the
        data sets.
    """
    base = Path(folder)
    tasks = []
    for file, place in (("comparison", "table"), ("comparison_of_text", "section")):
        path = base / f"results/{file}.csv"
        if not path.is_file():
            raise InputError(f"{path}: there is no such file: finish the run first.")
        text = ("paper", place, "row", "column", "verdict", "note")
        cells = read_table(path, text=text)
        cells = cells[(cells["verdict"] != NOT_COMPARABLE) & cells["agrees_within"].notna()]
        for (paper, number), table in cells.groupby(["paper", place], sort=False):
            data = _datasets(base, f"{paper}/{place}_{str(number).replace('.', '_')}")
            tasks += _of_table(str(paper), f"{place} {number}", table, data)
    return tasks


def _datasets(base: Path, table: str) -> list[str]:
    """Return the data sets that a table rests on, by its sidecar."""
    sidecar = base / f"results/tables/{table}.provenance.json"
    return sorted(read_json(sidecar)["data"]) if sidecar.exists() else []


def _of_table(paper: str, place: str, table: pd.DataFrame, data: list[str]) -> list[Record]:
    simulated = table["z"].notna()
    critical = critical_score(int(simulated.sum()))
    spread = table["published"].max() - table["published"].min()
    tasks = []
    for cell, is_simulated in zip(plain_rows(table), simulated, strict=True):
        within = cell["agrees_within"]
        traps = [cell["note"]] if cell["note"] else []
        if cell["verdict"] == DIFFERS:
            traps.append("our own reproduction differs from the print")
        tasks.append(
            {
                "task": f"{paper}, {place}: {cell['row']}: {cell['column']}",
                "paper": paper,
                "place": place,
                "row": cell["row"],
                "column": cell["column"],
                "published": cell["published"],
                "error": within / critical if is_simulated else None,
                "own_error": cell["standard_error"] if is_simulated else None,
                "rounding": None if is_simulated else within,
                "telling": bool(within <= TELLING * spread) if spread > 0 else True,
                "traps": traps,
                "data": data,
            }
        )
    return tasks


def tasks_text(tasks: Sequence[Content]) -> bytes:
    """Return tasks as JSON lines, the last of which is their seal."""
    lines = [json.dumps(task, ensure_ascii=False, allow_nan=False) for task in tasks]
    return sealed("\n".join([*lines, f"{{{SEAL}}}", ""]))


@dataclass(frozen=True)
class Grade:
    """The verdict on answers.

    Attributes
    ----------
    cells
        A row for each task: `task`, `paper`, `place`, `published`, `answer`, `z`, `p_adjusted`,
        `verdict` (agrees, differs, missing) and `telling`.
    papers
        A row for each paper: `tasks`, `answered`, `agree`, `telling` and `telling_agree`, and the
        `low` and `high` of the share of answers that agree (Clopper and Pearson, 95 %).
    copied
        The probability that chance brings all simulated answers as near to the print.
    """

    cells: pd.DataFrame
    papers: pd.DataFrame
    copied: float

    @property
    def looks_copied(self) -> bool:
        """Whether the answers are nearer to the print than chance allows."""
        return self.copied < COPIED


def grade(tasks: Sequence[Content], answers: Mapping[str, Content]) -> Grade:
    """Compare answers with the published numbers.

    A simulated answer differs when its p-value, adjusted by Holm over its table, is below 0.05; a
    computed one when it does not round to the printed digits.

    Parameters
    ----------
    tasks
        Of `cell_tasks`.
    answers
        By task: `value`, and if it is simulated `standard_error`; without it, that of the run.

    Examples
    --------
    >>> task = {"task": "a", "paper": "p", "place": "table 1", "published": 0.5, "error": 0.01,
    ...         "own_error": 0.006, "rounding": None, "telling": True}
    >>> grade([task], {"a": {"value": 0.51}}).cells["verdict"].item()
    'agrees'
    """
    unknown = sorted(set(answers) - {task["task"] for task in tasks})
    if unknown:
        raise InputError(f"there is no task {shown(unknown[0])}: take the names of the tasks.")
    cells = pd.DataFrame([_cell(task, answers.get(task["task"])) for task in tasks])
    cells["p_adjusted"] = np.nan
    for _, table in cells.groupby(["paper", "place"], sort=False):
        p = np.asarray(2 * ndtr(-table["z"].abs()), dtype=np.float64)
        cells.loc[table.index, "p_adjusted"] = adjusted(p, "holm")
    differs = (cells["p_adjusted"] < LEVEL) | cells["off"]
    verdict = np.where(differs, DIFFERS, AGREES)
    cells["verdict"] = np.where(cells["answer"].isna(), "missing", verdict)
    scores = cells["z"].dropna()
    copied = float(chi2.cdf((scores**2).sum(), len(scores))) if len(scores) else 1.0
    papers = pd.DataFrame(
        [_paper(str(name), part) for name, part in cells.groupby("paper", sort=False)]
    )
    return Grade(cells.drop(columns="off"), papers, copied)


def _cell(task: Content, answer: Content | None) -> Record:
    """Return a task with its answer, and how far that is off."""
    row: Record = {name: task[name] for name in ("task", "paper", "place", "published", "telling")}
    value = float("nan") if answer is None else float(answer["value"])
    row |= {"answer": value, "z": float("nan"), "off": False}
    if answer is None:
        return row
    if task["error"] is None:
        # what the sum of a few floats may be off
        row["off"] = abs(value - task["published"]) > task["rounding"] * (1 + 1e-9)
        return row
    error = task["error"]
    if (own := answer.get("standard_error")) is not None:
        error = math.hypot(max(error**2 - (task["own_error"] or 0) ** 2, 0) ** 0.5, own)
    off = value - task["published"]
    row["z"] = off / error if error > 0 else np.inf * np.sign(off) if off else 0.0
    return row


def _paper(name: str, cells: pd.DataFrame) -> Record:
    answered = cells[cells["verdict"] != "missing"]
    agree = int((answered["verdict"] == AGREES).sum())
    low, high = 0.0, 1.0
    if len(answered):
        low, high = binomtest(agree, len(answered)).proportion_ci(method="exact")
    telling = answered[answered["telling"]]
    return {
        "paper": name,
        "tasks": len(cells),
        "answered": len(answered),
        "agree": agree,
        "low": low,
        "high": high,
        "telling": len(telling),
        "telling_agree": int((telling["verdict"] == AGREES).sum()),
    }


def read_tasks(path: Path) -> list[Record]:
    """Read tasks of a run; InputError for another file."""
    *tasks, seal = [row for _, row in _lines(path)] or [{}]
    if KEY in seal:
        check_sealed(path)
    if KEY not in seal or any({"published", "task"} - task.keys() for task in tasks):
        raise InputError(f"{path}: not the tasks of a run: `make article` writes {TASKS}.")
    return tasks


def read_answers(path: Path) -> dict[str, Record]:
    """Read answers, one on each line with `task` and `value`; InputError names the wrong line."""
    answers: dict[str, Record] = {}
    for number, row in _lines(path):
        if not isinstance(row.get("task"), str) or "value" not in row:
            raise InputError(f"{path}: line {number} lacks `task` or `value`: give both.")
        for name in ("value", "standard_error"):
            given = row.get(name)
            if name == "standard_error" and given is None:
                continue
            if not _is_number(given):
                raise InputError(f"{path}: line {number}: `{name}` must be a number: correct it.")
        if (row.get("standard_error") or 0) < 0:
            raise InputError(f"{path}: line {number}: `standard_error` is negative: correct it.")
        if row["task"] in answers:
            raise InputError(f"{path}: line {number} answers a task again: give one answer each.")
        answers[row["task"]] = row
    return answers


def _is_number(value: object) -> bool:
    """Return whether a value is a finite number that a float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _lines(path: Path) -> list[tuple[int, Record]]:
    """Return the objects of a file of JSON lines, with the numbers of their lines."""
    check_regular(path)
    try:
        with path.open("rb") as file:
            if file.peek().startswith(bytes(4)):
                raise zero_bytes(path)
            # a text within a line may hold other line breaks
            return [(n, _line(path, n, line)) for n, line in enumerate(file, 1) if line.strip()]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}): check its name.") from error


def _line(path: Path, number: int, line: bytes) -> Record:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: line {number} is no text in UTF-8: save it so.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: line {number} is no JSON: correct it.") from error
    if not isinstance(row, dict):
        raise InputError(f'{path}: line {number} is no object: write {{"task": …}}.')
    return row


def grade_text(found: Grade) -> str:
    """Return a grade in words: the answer first, then a line for each paper and what differs."""
    papers, cells = found.papers, found.cells
    answered, agree = int(papers["answered"].sum()), int(papers["agree"].sum())
    lines = [f"{agree} of {answered} answers agree with the print, of {len(cells)} tasks."]
    if found.looks_copied:
        lines.append(
            "NEARER THAN CHANCE: simulated answers that were computed anew would be so near to the "
            f"print with a probability below {COPIED:g}: they may be copied from it."
        )
    lines.append("")
    for paper in plain_rows(papers):
        counts = f"{paper['agree']} of {paper['answered']} agree"
        span = f"{paper['low']:.2f} to {paper['high']:.2f}"
        telling = f"of those that tell, {paper['telling_agree']} of {paper['telling']}"
        said = f"{counts} ({span}); {telling}" if paper["answered"] else "no answer"
        lines.append(f"{paper['paper']}: {said}")
    wrong = cells[cells["verdict"] == DIFFERS]["task"].tolist()
    more = f"; and {len(wrong) - MOST_SHOWN} more" if len(wrong) > MOST_SHOWN else ""
    if wrong:
        lines += ["", f"Different: {'; '.join(wrong[:MOST_SHOWN])}{more}."]
    return "\n".join(lines)
