"""Checks of the config of an experiment, before anything runs."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from fairpairs.base.errors import InputError, within
from fairpairs.base.plain_values import Content
from fairpairs.papers.datasets.card import READS
from fairpairs.papers.experiments.arms import arms
from fairpairs.papers.registry import KINDS, constant_of, find

#: Tests that `curves` and `folds` need.
RANKING = ("xauc", "ranking")


def check_experiment(
    name: str,
    experiment: Content,
    cards: Mapping[str, Content],
    encoders: Mapping[str, Content] | None = None,
    extensions: Iterable[str | Path] = (),
    config: Content | None = None,
) -> None:
    """Raise InputError if an experiment names an unknown part, or parts that do not go together.

    Some parts need a label of 0 and 1; curves and folds need the tests of a ranking, and folds a
    model without an encoder. `cards` and `encoders` are by name, `extensions` the user's folders,
    and the `config` may have names of its own for models and treatments.
    """
    where, tests = f"config: experiments.{name}", experiment.get("tests", [])
    trained = arms(where, experiment, config or {}).values()
    used = [*(("tests", test) for test in tests), *(part for arm in trained for part in arm.parts)]
    files = {part: find(*part, extensions, where=where) for part in dict.fromkeys(used)}
    of_datasets = {dataset: cards[dataset] for dataset in experiment["datasets"]}
    keys = [key for key in ("curves", "folds") if experiment.get(key)]
    several = (
        dataset
        for dataset, card in of_datasets.items()
        if "intersections" in card
        or any("groups" in rule for rule in card.get("sensitive", {}).values())
    )
    with within(where):
        check_labels(files, numeric_labels(of_datasets), keys)
    for dataset, card in of_datasets.items():
        check_encoder(f"experiments.{name}", experiment, dataset, card, encoders or {})
    if keys and not set(RANKING) <= set(tests):
        raise InputError(
            f"{where}: `{keys[0]}` are shown beside the ranking, which needs the tests "
            f"{' and '.join(RANKING)}: add them, or drop `{keys[0]}`."
        )
    if keys and (dataset := next(several, "")):
        raise InputError(
            f"{where}: `{keys[0]}` are of two groups, and the data set {dataset} has more: drop "
            "one of them."
        )
    if experiment.get("folds") and experiment.get("encoder"):
        raise InputError(
            f"{where}: `folds` cannot be combined with an `encoder`: drop one of them."
        )


def numeric_labels(cards: Mapping[str, Content]) -> dict[str, bool]:
    """Return whether the label of each data set is a number, by the cards."""
    return {name: bool(card["label"].get("numeric")) for name, card in cards.items()}


def check_labels(
    files: Mapping[tuple[str, str], Path], numeric: Mapping[str, bool], keys: Iterable[str] = ()
) -> None:
    """Raise InputError for a part, or a key of the config, that the label of a data set is not for.

    `files` are by kind and name; `numeric` says of each data set whether its label is a number.
    """
    parts = {f"the {KINDS[kind].word} {part}": file for (kind, part), file in files.items()}
    classes, numbers = (
        [part for part, file in parts.items() if constant_of(file, name) == "True"]
        for name in ("BINARY_LABEL", "NUMBER_LABEL")
    )
    classes += [f"`{key}`" for key in keys]
    for dataset, is_number in numeric.items():
        if is_number and classes:
            raise InputError(
                f"{classes[0]} needs a label of 0 and 1, and that of the data set {dataset} is a "
                "number: choose another, or give the card's label `one` and `zero`."
            )
        if not is_number and numbers:
            raise InputError(
                f"{numbers[0]} needs a label that is a number, and that of the data set {dataset} "
                "is 0 or 1: choose another."
            )


def check_encoder(
    where: str, asks: Content, dataset: str, card: Content, encoders: Mapping[str, Content]
) -> None:
    """Raise InputError unless an encoder suits the texts or images of a data set.

    `asks` is the part of the config at `where` that names the data set, and may name an `encoder`.
    """
    needed = sorted({"text", "image"} & set(card["features"].values()))
    if not needed:
        return
    fitting = [
        name
        for name, encoder in encoders.items()
        if ("kind" in encoder) == (needed == ["image"])
        and ("kind" not in encoder or READS[encoder["kind"]] in card.get("archives", {}))
    ]
    if asks.get("encoder") not in fitting:
        known = f"one of {', '.join(fitting)}" if fitting else "one, and `encoders` has none"
        raise InputError(
            f"config: the data set {dataset} has {needed[0]}s, so {where}.encoder must name "
            f"{known}; it is {asks.get('encoder')}."
        )
