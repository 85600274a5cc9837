"""The rates of two groups: the violation to detect, or what is to be shown within a margin."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, shown
from fairpairs.base.named_columns import split_names
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.power.items import PilotOfScores, items_from_rates


@dataclass(frozen=True)
class Plan:
    """The violation to detect."""

    #: Its description, one sentence per line.
    sentences: list[str]
    #: The cells of the items, or a pilot of scores, that pairs are compared by.
    comparisons: Floats | PilotOfScores
    #: The cells of the items for the test of separation; None without yes/no predictions.
    cells: Floats | None
    #: Share of the drawn pairs that have a winner.
    decided: float
    #: Share of the items of each group and label, shape (2, 2).
    totals: Floats
    #: Whether every judged pair has a winner.
    forced: bool = False
    #: Notes for the report, and what to check in the input.
    notes: list[str] = field(default_factory=list)
    checks: Sequence[str] = ()


@dataclass(frozen=True)
class TrueRates:
    """The true rates of two groups, whose differences are to be shown within a margin."""

    #: Their description, one sentence per line.
    sentences: list[str]
    #: The probability of an item in each cell (a, y, c).
    cells: Floats
    #: Notes for the report, and what to check in the input.
    notes: list[str] = field(default_factory=list)
    checks: Sequence[str] = ()


def check_mode(
    pilot: object | None, rates: dict[str, str | float | None], roles: dict[str, str | float | None]
) -> None:
    """Raise unless there are either rates or a pilot with its columns."""
    named = [name for name, value in rates.items() if value not in (None, "")]
    columns = [name for name, value in roles.items() if value is not None]
    if pilot is None:
        if columns:
            raise InputError(f"{columns[0]}: needs a pilot: name its file before the options.")
        if not {"--tpr", "--fpr", "--pair-accuracy"} & set(named):
            raise InputError(
                "Nothing to compute: give --tpr 0.8,0.7, or --pair-accuracy 0.8 with --difference "
                "0.1, or the file of a pilot."
            )
        if "--pair-accuracy" in named and (
            other := {"--tpr", "--fpr", "--prevalence"} & set(named)
        ):
            raise InputError(f"--pair-accuracy and {min(other)} cannot be combined: leave one out.")
        return
    named = [name for name in named if name != "--margin"]
    if "--margin" in rates and rates["--margin"] is not None:
        named = [name for name in named if name != "--difference"]
    if named:
        raise InputError(
            f"{named[0]} cannot be combined with the pilot {pilot}, which provides it: leave "
            "one of them out."
        )
    for name in ("--label", "--sensitive"):
        if name not in columns:
            raise InputError(f"{name} is missing: name the column of {pilot}.")
    if ("--prediction" in columns) == ("--score" in columns):
        raise InputError(f"--prediction, --score: name one column of {pilot} by one of the two.")
    if "--threshold" in columns and "--score" not in columns:
        raise InputError("--threshold is for --score: leave it out.")


def check_margin(pair_accuracy: object, correction: Correction | None) -> None:
    """Raise where an option does not go with --margin."""
    if pair_accuracy:
        raise InputError(
            "--margin and --pair-accuracy cannot be combined: labels show that TPR and FPR lie "
            "within a margin, judgments do not: give --tpr and --fpr."
        )
    if correction is not None:
        raise InputError(
            "--correction is not for --margin: both lines must be shown, which needs none: leave "
            "it out."
        )


def accuracy_of_cheap_labels(
    text: str, *, margin: float | None, pair_accuracy: str
) -> tuple[float, float] | None:
    """Return the share of cheap labels that are right, in both groups; None without any."""
    if not text:
        return None
    for option, named in {"--margin": margin is not None, "--pair-accuracy": pair_accuracy}.items():
        if named:
            raise InputError(
                f"{option} and --cheap-accuracy cannot be combined: cheap labels help to find a "
                "violation by labels: give --tpr and --fpr."
            )
    numbers = _one_or_two(text, "--cheap-accuracy")
    return numbers[0], numbers[-1]


def _one_or_two(text: str, option: str) -> tuple[float, ...]:
    try:
        numbers = tuple(map(float, split_names(text)))
    except ValueError:
        raise InputError(
            f"{option} must be a number, or two with a comma such as 0.8,0.7; it is {shown(text)}."
        ) from None
    if len(numbers) not in (1, 2):
        raise InputError(f"{option} must be one number or two; {shown(text)} has {len(numbers)}.")
    if not all(0 <= number <= 1 for number in numbers):
        raise InputError(f"{option} must lie from 0 to 1; it is {text}: give shares, not per cent.")
    return numbers


def _both_rates(text: str, option: str, difference: float | None) -> tuple[float, float]:
    """Return a rate of the first and of the second group."""
    numbers = _one_or_two(text, option)
    if len(numbers) == 2:
        if difference is not None:
            raise InputError(
                f"--difference: {option} gives both groups already: leave one of them out."
            )
        return numbers[0], numbers[1]
    lower = numbers[0] - (difference or 0)
    if not 0 <= lower <= 1:
        raise InputError(
            f"--difference: {numbers[0]:g} minus {difference:g} is not between 0 and 1: give a "
            "smaller one."
        )
    return numbers[0], round(lower, 12)


def plan_from_rates(
    tpr: str,
    fpr: str,
    pair_accuracy: str,
    prevalence: str,
    *,
    difference: float | None,
    share: float,
) -> Plan:
    """Return the violation to detect, by the rates of two groups."""
    _check_share(share)
    if pair_accuracy:
        accuracy = _both_rates(pair_accuracy, "--pair-accuracy", difference)
        if accuracy[0] == accuracy[1]:
            raise InputError(
                "Nothing to find: the accuracy is the same in both groups: give --difference, or "
                "two numbers."
            )
        rate = np.sqrt(accuracy)
        cells = items_from_rates(
            share=share, tpr=(rate[0], rate[1]), fpr=(1 - rate[0], 1 - rate[1])
        )
        sentences = [
            f"To be found: of the judgments within a group, {_two(accuracy)} are predicted right; "
            f"{100 * share:g} % of the items are of the second group."
        ]
        note = (
            "A pair accuracy p assumes binary labels with prevalence 0.5 and TPR = TNR = √p, and "
            "that every judgment has a winner. Scores with fewer ties need fewer judgments over "
            "shared items than that."
        )
        return Plan(
            sentences, cells, cells, _decided(cells), cells.sum(axis=-1), forced=True, notes=[note]
        )
    rates, tprs, fprs = _true_rates(
        tpr, fpr, prevalence, difference=difference, share=share, source="To be found"
    )
    if tprs[0] == tprs[1] and fprs[0] == fprs[1]:
        raise InputError(
            "Nothing to find: TPR and FPR are the same in both groups: give --difference, or two "
            "numbers, such as --tpr 0.8,0.7."
        )
    cells = rates.cells
    return Plan(rates.sentences, cells, cells, _decided(cells), cells.sum(axis=-1))


def true_rates(
    tpr: str, fpr: str, prevalence: str, *, difference: float | None, share: float
) -> TrueRates:
    """Return the true rates of two groups, whose differences are to be shown within a margin."""
    _check_share(share)
    return _true_rates(
        tpr, fpr, prevalence, difference=difference, share=share, source="True rates"
    )[0]


def _true_rates(
    tpr: str,
    fpr: str,
    prevalence: str,
    *,
    difference: float | None,
    share: float,
    source: str,
) -> tuple[TrueRates, tuple[float, float], tuple[float, float]]:
    """Return the cells with their sentence, and the TPR and FPR of both groups."""
    shares = _one_or_two(prevalence or "0.5", "--prevalence")
    if not all(0 < number < 1 for number in shares):
        raise InputError(f"--prevalence must lie between 0 and 1; it is {prevalence}.")
    if difference is not None and not tpr:
        raise InputError(
            "--difference lowers the TPR or the pair accuracy: give --tpr or --pair-accuracy."
        )
    tprs = _both_rates(tpr or "0.8", "--tpr", difference)
    fprs = _both_rates(fpr or "0.4", "--fpr", None)
    cells = items_from_rates(share=share, prevalence=(shares[0], shares[-1]), tpr=tprs, fpr=fprs)
    sentence = (
        f"{source}: TPR {_two(tprs)}, FPR {_two(fprs)} (first and second group); "
        f"{100 * share:g} % of the items are of the second group, label 1 has a share of "
        f"{_two((shares[0], shares[-1]))}."
    )
    return TrueRates([sentence], cells), tprs, fprs


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise InputError(f"--share must lie between 0 and 1, without these; it is {share:g}.")


def _two(rates: tuple[float, float]) -> str:
    return f"{rates[0]:g}" if rates[0] == rates[1] else f"{rates[0]:g} against {rates[1]:g}"


def _decided(cells: Floats) -> float:
    """Return the chance that two items have different labels."""
    ones = cells[:, 1].sum()
    return float(2 * ones * (1 - ones))
