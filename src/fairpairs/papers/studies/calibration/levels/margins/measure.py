"""Measure how often the tests against a margin reject if the difference is the margin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.studies.calibration.levels.margins.decisions import decision_worlds
from fairpairs.papers.studies.calibration.levels.margins.means import mean_worlds
from fairpairs.papers.studies.calibration.levels.margins.numbers import number_worlds
from fairpairs.papers.studies.calibration.levels.margins.scores import score_worlds
from fairpairs.papers.studies.calibration.levels.margins.worlds import World
from fairpairs.papers.studies.calibration.levels.promises import COLUMNS, margin_row

#: The worlds of each part, by its name in the config.
MARGINS: dict[str, Callable[[], Iterator[World]]] = {
    "margin_of_decisions": decision_worlds,
    "margin_of_scores": score_worlds,
    "margin_of_numbers": number_worlds,
    "margin_of_means": mean_worlds,
}


def measure_margins(
    test: str, *, repeats: int, seed: int, alpha: float, only: Sequence[str] | None = None
) -> pd.DataFrame:
    """Run the tests against a margin in all worlds of a part; the rows are as in `measure_levels`.

    For each world there are the rejections of the side of the true difference, and of the
    equivalence test ("…, equivalence"). `only` names the cases; None stands for all.
    """
    rows = []
    for world in MARGINS[test]():
        if only is not None and world.case not in only:
            continue
        rng = stream(seed, "levels", test, world.case, world.measure)
        counted = world.count(rng, repeats, alpha)
        if not counted.sets:
            continue
        for side, number in (("one side", counted.near), ("equivalence", counted.shown)):
            row = margin_row(f"{world.measure}, {side}", number, counted.sets, alpha)
            rows.append({"test": test, "case": world.case, **row})
    return pd.DataFrame(rows, columns=list(COLUMNS))
