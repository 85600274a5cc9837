"""The scores of a reward model for answers in two dialects, read from its four files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.reading.table import Table
from fairpairs.papers.studies.rejected_dialects.study import CONDITIONS

SIDES = ("chosen", "rejected")
#: Name in `CONDITIONS` → scores of preferred and dispreferred answers, shape (prompts, 2).
DialectScores = Mapping[str, Floats]


def read_dialects(files: Sequence[str | Path]) -> DialectScores:
    """Read the four files of a model, in the order of `CONDITIONS`.

    An `InputError` names lines that are no pair of scores, and files of unequal length.
    """
    scores = {name: read_scores(file) for name, file in zip(CONDITIONS, files, strict=True)}
    for name, file in zip(CONDITIONS, files, strict=True):
        if len(scores[name]) != len(scores["wme"]):
            raise InputError(
                f"{file}: {len(scores[name]):,} prompts, and {files[0]} has "
                f"{len(scores['wme']):,}: give both the same prompts in the same order."
            )
    return scores


def read_scores(file: str | Path) -> Floats:
    """Read the scores of preferred and dispreferred answers, shape (prompts, 2), in JSON lines."""
    table = Table(Path(file))
    for side in SIDES:
        table.check_column(side, "the file")
    return np.column_stack([table.numbers(side, "correct it") for side in SIDES])
