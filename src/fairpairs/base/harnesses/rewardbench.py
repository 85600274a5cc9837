"""Scores of RewardBench (`eval-set-scores`): one object of columns, or a line for each prompt.

Columns: chosen and rejected, the scores of both answers, and all others as they are. The lines of
`rewardbench --save_all` have these names already, and need no reader. In RewardBench 2 a prompt has
several rejected answers (and of ties several chosen ones): the best rejected and the worst chosen
count, so that all of them are ranked right or the prompt is not.
"""

import math

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record

NAMES = {"scores_chosen": "chosen", "scores_rejected": "rejected"}


def _are_scores(value: object) -> bool:
    """Return whether these are several scores of one side."""
    if not isinstance(value, list) or not value:
        return False
    return all(type(score) in (int, float) and math.isfinite(score) for score in value)


#: Scores of RewardBench, or several of each side.
KNOWN = dict.fromkeys(NAMES, object), dict.fromkeys(NAMES.values(), _are_scores)


def rows(records: list[Record], called: str) -> list[Record]:
    """Return a row per prompt."""
    return [row for record in records for row in _rows(record, called)]


def _rows(record: Record, called: str) -> list[Record]:
    if all(_are_scores(record.get(name)) for name in NAMES.values()):
        return [{**record, "chosen": min(record["chosen"]), "rejected": max(record["rejected"])}]
    if "scores_chosen" not in record:
        return [record]
    if not isinstance(record["scores_chosen"], list):
        return [{NAMES.get(name, name): value for name, value in record.items()}]
    lists = {name: values for name, values in record.items() if isinstance(values, list)}
    lengths = {len(values) for values in lists.values()}
    if len(lengths) > 1 or not max(lengths):
        raise InputError(
            f"{called}: the columns of these scores of RewardBench have {min(lengths):,} to "
            f"{max(lengths):,} values: write the file again."
        )
    return [
        {
            NAMES.get(name, name): lists[name][i] if name in lists else value
            for name, value in record.items()
        }
        for i in range(max(lengths))
    ]
