"""Level and power beside textbook tests: clusters, weights, judges, two models, margins."""

from collections.abc import Callable, Iterator
from typing import Any

from fairpairs.audits.compare.interface import compare
from fairpairs.mathematics.fairness.ranking import xauc
from fairpairs.mathematics.fairness.separation import separation_test
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.promises.world import World
from fairpairs.mathematics.promises.worlds import MARGIN, WORLDS


def _within(**data: Any) -> bool:
    return bool(separation_test(**data).within(MARGIN).all_within)


def _changed(**data: Any) -> float:
    """Return the smaller p-value of the changes of TPR and FPR, times two."""
    tests = compare(**data, criterion="separation").to_frame()
    return float(2 * tests.loc[tests["criterion"] == "separation", "pvalue"].min())


#: Part of the config → the test, and words that names of its worlds have.
BESIDE: dict[str, tuple[Callable[..., Any], str]] = {
    "separation_test_in_clusters": (separation_test, " clusters of "),
    "separation_test_with_weights": (separation_test, " rows, weights"),
    "xauc_in_clusters": (xauc, "scores, "),
    "judges_of_judgments": (comparative_separation_from_judgments, " judges of "),
    "changes_of_two_models": (_changed, "two models of "),
    "within_a_margin": (_within, "at the margin "),
}


def worlds_beside(part: str) -> Iterator[World]:
    """Yield the worlds of a part."""
    words = BESIDE[part][1]
    for name, world in WORLDS.items():
        scored = name.startswith("scores, ")
        if words in name and scored == words.startswith("scores"):
            yield world
