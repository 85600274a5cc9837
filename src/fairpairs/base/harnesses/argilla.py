"""Records exported by Argilla 2 (`records.to_json`); a row per response to the pairwise question.

Columns: record (its id), judge (who responded), winner (left, right, or the word for a tie), and
what metadata and fields of the record hold. A pairwise question is a label that names the sides
(response-1, b, left …) or a ranking of two.
"""

from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.harnesses._rows import side, with_metadata
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import listed

SIDES = ("left", "right")
KNOWN = ({"fields": dict, "responses": object},)


def rows(records: list[Record], called: str) -> list[Record]:
    """Return a row per response."""
    if any(not isinstance(record["responses"], dict) for record in records):
        raise InputError(
            f"{called}: records of Argilla 1, whose responses are a list: export them from "
            "Argilla 2 by `dataset.records.to_json`."
        )
    questions: dict[str, list[str]] = {}
    for record in records:
        for question, responses in record["responses"].items():
            questions.setdefault(question, []).extend(_verdict(one) for one in responses)
    pairwise = [name for name, verdicts in questions.items() if set(verdicts) & set(SIDES)]
    if len(pairwise) != 1:
        asked = f"{len(pairwise)} questions, {listed(pairwise)}," if pairwise else "no question"
        raise InputError(
            f"{called}: {asked} of these records of Argilla {'have' if pairwise else 'has'} "
            "responses that name a side, such as response-1: export responses to one such question."
        )
    return [
        _row(record, response)
        for record in records
        for response in record["responses"].get(pairwise[0], ())
    ]


def _verdict(response: Record) -> str:
    """Return the side that a response prefers: a label, or the first of a ranking of two."""
    value: Any = response.get("value")
    if isinstance(value, list) and len(value) == 2:
        value = value[0]
    if isinstance(value, dict):
        value = value.get("value")
    return side(value)


def _row(record: Record, response: Record) -> Record:
    row: Record = {
        "record": record.get("id"), "judge": response.get("user_id"), "winner": _verdict(response)
    }  # fmt: skip
    return with_metadata(with_metadata(row, record.get("metadata")), record["fields"])
