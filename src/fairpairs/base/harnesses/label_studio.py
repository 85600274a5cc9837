"""Pairwise comparisons exported by Label Studio as JSON; a row per annotation.

Columns: task (its id), judge (who completed the annotation), winner (left or right), and what the
task's data and meta hold. Annotations that were cancelled are left out.
"""

from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.harnesses._rows import side, with_metadata
from fairpairs.base.plain_values import Record

#: A task with its annotations, or what was called so before.
KNOWN = tuple({"data": dict, name: object} for name in ("annotations", "completions"))


def rows(records: list[Record], called: str) -> list[Record]:
    """Return a row per annotation."""
    if any("annotations" not in record for record in records):
        raise InputError(
            f"{called}: tasks of Label Studio without `annotations`, as versions before 1.0 have "
            "them: export the project as JSON from version 1.0 or later."
        )
    found = [
        _row(task, annotation, verdict)
        for task in records
        for annotation in task["annotations"]
        if not annotation.get("was_cancelled")
        for verdict in _verdicts(annotation)
    ]
    if not found:
        raise InputError(
            f"{called}: no annotation has a verdict of the type `pairwise`: use the tag Pairwise, "
            "and export annotated tasks."
        )
    return found


def _verdicts(annotation: Record) -> list[str]:
    """Return the sides that an annotation prefers, one for each pairwise tag."""
    verdicts = []
    for result in annotation.get("result") or []:
        if result.get("type") == "pairwise":
            value: Any = result.get("value", {})
            verdicts.append(side(value.get("selected") if isinstance(value, dict) else value))
    return verdicts


def _row(task: Record, annotation: Record, verdict: str) -> Record:
    who = annotation.get("completed_by")
    judge = (who.get("email") or who.get("id")) if isinstance(who, dict) else who
    row: Record = {"task": task["id"], "judge": judge, "winner": verdict}
    return with_metadata(with_metadata(row, task["data"]), task.get("meta"))
