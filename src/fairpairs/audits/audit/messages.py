"""What the messages of an audit share: names of arguments, sentences and parts of sentences.

A message of one place stands at the end of its file. Elsewhere are: notes (notes.py), titles and
questions of a criterion (its file in `criteria`), verdicts (lines/verdicts.py), descriptions of
rates (rates.py), the lines around the tables of the text (text.py), the text of the page
(templates/audit.html.j2), the notes of a test (`fairness`), and errors on missing values and
arrays of other lengths (base/inputs.py) and on clusters and weights
(mathematics/arguments/read.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fairpairs.base.errors import shortened

#: Words that YAML reads as true or false where they are not in quotes.
YAML_WORDS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


@dataclass(frozen=True)
class Wording:
    """Names of the roles in messages: columns of a file, or arguments.

    `rows` is whether messages can name the rows: not of items that are counted.
    """

    label: str = "y_true"
    prediction: str = "y_pred"
    score: str = "y_score"
    attribute: Callable[[str], str] = "sensitive_features `{}`".format
    positive: Callable[[str], str] = "positive={!r}".format
    favourable: str = "favourable"
    number: str = "label_kind='number'"
    classes: str = ""  # the option for a label of classes, where there is one
    order: str = "order=['low', 'medium', 'high']"
    permutations: str = "n_permutations"
    alpha: str = "alpha"
    criterion: str = "criterion"
    threshold: str = "threshold"
    several: Callable[[list[str]], str] = "a list, {}".format
    drop: str = "drop it from sensitive_features"
    missing_group: str = "missing_group=True"
    no_intersections: str = "intersections=False"
    clusters: str = "clusters"
    weight: str = "sample_weight"
    weight_kind: Callable[[str], str] = "weight_kind={!r}".format
    margin: str = "margin"
    audit_groups: str = "fairpairs.audit_groups for many groups"
    rows: bool = True


def constant(role: str, value: object) -> str:
    """Refuse a label or a prediction that has only one value."""
    return (
        f"{role} is {shortened(written(value))} in every row: there is nothing to compare, so "
        "check that it is the right one, or add items of another value."
    )


def too_many_classes(role: str, most: int, wording: Wording) -> str:
    """Refuse a label, or a prediction, of many classes."""
    return (
        f"{role} has more than {most} classes: join some, or name the one to audit against the "
        f"rest, such as {wording.positive('C')}."
    )


def example(known: list[str], wording: Wording) -> str:
    """Return how the positive value is named, with one of those that the label has."""
    return wording.positive(shortened(max(known)))


def or_missing_group(wording: Wording) -> str:
    """Name the option that makes items without a value a group of their own."""
    return f", or make them a group of their own, {wording.missing_group}"


def no_frequency(what: str, wording: Wording) -> str:
    """Refuse frequencies that leave out all rows of a group, or of a value of the label."""
    return f"{wording.weight} is 0 in every row of {what}: drop these rows, or correct it."


def quotes(named: object, known: Iterable[str]) -> str:
    """Return a remark on quotes where YAML turned yes or no into true or false."""
    word = next((word for word in known if YAML_WORDS.get(word.lower()) is named), None)
    if word is None:
        return ""
    return f'; in YAML, write "{word}" in quotes, without which it is read as {named}'


def written(value: Any) -> str:
    """Write a value: a whole number without a point."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def short(role: str) -> str:
    """Return a role without its file, as a sentence names the file only once."""
    return role.rpartition(": ")[2]
