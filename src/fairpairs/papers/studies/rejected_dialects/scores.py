"""The scores of a reward model for answers in two dialects, read from its four files."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table

SIDES = ("chosen", "rejected")


@dataclass(frozen=True)
class DialectScores:
    """The scores of a model for preferred and dispreferred answers, shape (prompts, 2) each.

    Prompt and answers are in White Mainstream English (WME), in African American Language (AAL), or
    the prompt is in one and the answers in the other.
    """

    wme: Floats
    aal: Floats
    wme_prompt_aal_answers: Floats
    aal_prompt_wme_answers: Floats


def read_dialects(files: Sequence[str | Path]) -> DialectScores:
    """Read the four files of a model, in the order of the attributes of `DialectScores`.

    An `InputError` names lines that are no pair of scores, and files of unequal length.
    """
    names = [field.name for field in fields(DialectScores)]
    scores = {name: read_scores(file) for name, file in zip(names, files, strict=True)}
    for name, file in zip(names[1:], files[1:], strict=True):
        if len(scores[name]) != len(scores["wme"]):
            raise InputError(
                f"{file}: {len(scores[name]):,} prompts, and {files[0]} has "
                f"{len(scores['wme']):,}: give both the same prompts in the same order."
            )
    return DialectScores(**scores)


def read_scores(file: str | Path) -> Floats:
    """Read the scores of preferred and dispreferred answers, shape (prompts, 2), in JSON lines."""
    table = Table(Path(file))
    for side in SIDES:
        table.check_column(side, "the file")
    return np.column_stack([table.numbers(side, "correct it") for side in SIDES])
