"""What of an experiment does not go together, checked before anything is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairpairs.errors import InputError

#: Tests and models that need a label of 0 and 1.
BINARY_TESTS = ("separation", "xauc", "ranking", "xauc_adjustment")
BINARY_MODELS = ("logistic_regression", "rankboost")
#: Tests beside whose results curves are shown.
CURVES_NEED = ("xauc", "ranking")


def check_experiment(
    name: str, experiment: Mapping[str, Any], cards: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise when an experiment asks for what cannot be had together.

    A real label has not what a label of 0 and 1 has, and curves are shown beside a ranking only.

    Parameters
    ----------
    name
        Name of the experiment.
    experiment
        Its part of the config.
    cards
        The cards of its data sets, by name.

    Raises
    ------
    InputError
        What does not go together, and the remedy.
    """
    asked = [
        *(f"the test {test}" for test in experiment["tests"] if test in BINARY_TESTS),
        *([f"the model {experiment['model']}"] if experiment["model"] in BINARY_MODELS else []),
        *(["`curves`"] if experiment.get("curves") else []),
    ]
    for dataset in experiment["datasets"]:
        if asked and cards[dataset]["label"].get("numeric"):
            raise InputError(
                f"config: experiments.{name}: {asked[0]} needs a label of 0 and 1, and that of the "
                f"data set {dataset} is a number: choose another, or give the card's label "
                "`one` and `zero`."
            )
    if experiment.get("curves") and not set(CURVES_NEED) <= set(experiment["tests"]):
        raise InputError(
            f"config: experiments.{name}: `curves` are shown beside the ranking, which needs the "
            f"tests {' and '.join(CURVES_NEED)}: add them, or drop `curves`."
        )
