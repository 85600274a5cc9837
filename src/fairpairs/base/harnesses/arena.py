"""Battles of an arena with a column for each verdict; a row per battle, with one column winner.

Columns: winner (left, right or tie) in place of winner_model_a, winner_model_b and winner_tie, and
all others as they are. Battles that have the column winner already need no reader.
"""

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record

#: Column → verdict.
VERDICTS = {"winner_model_a": "left", "winner_model_b": "right", "winner_tie": "tie"}
#: How a verdict that holds is written.
YES = ("1", "1.0", "true")
#: A battle with a column for each verdict.
KNOWN = ({"winner_model_a": object, "winner_model_b": object},)


def rows(records: list[Record], called: str) -> list[Record]:
    """Return a row per battle."""
    return [_row(record, number, called) for number, record in enumerate(records, 1)]


def _row(record: Record, number: int, called: str) -> Record:
    won = [word for name, word in VERDICTS.items() if str(record.get(name)).strip().lower() in YES]
    if len(won) != 1:
        raise InputError(
            f"{called}: {len(won)} of {', '.join(VERDICTS)} are 1 in row {number}: a battle has "
            "one verdict, so correct or drop it."
        )
    others = {name: value for name, value in record.items() if name not in VERDICTS}
    return others | {"winner": won[0]}
