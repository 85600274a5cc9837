"""Measure how often the tests against a margin reject if the difference is the margin."""

from collections.abc import Callable, Iterator

import numpy as np

from fairpairs.mathematics.promises.simulate import Said
from fairpairs.papers.studies.calibration.levels.case import Case
from fairpairs.papers.studies.calibration.levels.margins.decisions import decision_worlds
from fairpairs.papers.studies.calibration.levels.margins.means import mean_worlds
from fairpairs.papers.studies.calibration.levels.margins.numbers import number_worlds
from fairpairs.papers.studies.calibration.levels.margins.scores import score_worlds
from fairpairs.papers.studies.calibration.levels.margins.worlds import World

#: The worlds of each part, by its name in the config.
MARGINS: dict[str, Callable[[], Iterator[World]]] = {
    "margin_of_decisions": decision_worlds,
    "margin_of_scores": score_worlds,
    "margin_of_numbers": number_worlds,
    "margin_of_means": mean_worlds,
}


def margin_cases(part: str) -> Iterator[Case]:
    """Yield the worlds of a part: one side, that of the true difference, and equivalence."""
    for world in MARGINS[part]():

        def measure(
            rng: np.random.Generator, sets: int, alpha: float, world: World = world
        ) -> list[Said]:
            found, noted = world.count(rng, sets, alpha), np.zeros(sets, dtype=bool)
            sides = zip(("one side", "equivalence"), found.T, strict=True)
            return [
                Said(f"{world.measure}, {side}", "margin", values, noted) for side, values in sides
            ]

        yield Case(part, world.case, (part, world.case, world.measure), measure)
