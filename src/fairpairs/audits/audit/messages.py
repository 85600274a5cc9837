"""The errors of an audit: the text of an `InputError`, one sentence with the remedy.

First the names of the arguments in messages, then the errors. Elsewhere are: notes (notes.py),
titles and questions of a criterion (its file in `criteria`), verdicts (lines/verdicts.py),
descriptions of rates (rates.py), the lines around the tables of the text (text.py), the text of the
page (templates/audit.html.j2), the notes of a test (`fairness`), and errors on missing values and
arrays of other lengths (base/inputs.py) and on clusters and weights
(mathematics/arguments/read.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairpairs.base.arrays import Array
from fairpairs.base.errors import shortened, shown
from fairpairs.base.inputs import MAX_GROUPS
from fairpairs.base.texts import listed

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
    number: str = "label_kind='number'"
    classes: str = ""  # the option for a label of classes, where there is one
    order: str = "order=['low', 'medium', 'high']"
    permutations: str = "n_permutations"
    alpha: str = "alpha"
    criterion: str = "criterion"
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


# --- refusals: label, prediction, score ----------------------------------------------------------


def constant(role: str, value: object) -> str:
    """Refuse a label or a prediction that has only one value."""
    return (
        f"{role} is {shortened(written(value))} in every row: there is nothing to compare, so "
        "check that it is the right one, or add items of another value."
    )


def third_value(
    labels: Array,
    are_numbers: bool,
    values: Array,
    few_predictions: bool,
    classes: Array | None,
    wording: Wording,
) -> str:
    """Refuse a third value of a binary label; one of `classes` may be audited against the rest."""
    column = pd.Series(labels)
    counts = column.value_counts()
    rarest = counts.index[-1]
    row = int((column == rarest).to_numpy().argmax()) + 1
    alike = few_predictions and are_numbers
    why = f", while {short(wording.prediction)} has two" if alike else ""
    one_class = ""
    if classes is not None:
        example = _example([written(value) for value in classes], wording)
        one_class = f", audit one value against the rest, such as {example}"
        if wording.classes:
            one_class += f", or all of them, {wording.classes}"
    excess = (
        f"{len(values)} values{why}; the rarest, {shown(written(rarest))}, is in "
        f"{counts.iloc[-1]} row(s), the first in row {row}"
        if wording.rows
        else f"more than two values{why}"
    )
    return (
        f"{wording.label} has {excess}: keep two values, by dropping such rows or joining "
        f"values{one_class}, or give numbers for both."
    )


def number_has_no_positive(wording: Wording) -> str:
    """Refuse a positive value of a label of numbers."""
    return (
        f"{wording.number} takes the label for numbers, of which none is positive: leave out one "
        "of the two options."
    )


def score_of_numbers(what: str, wording: Wording) -> str:
    """Refuse a score with a label of numbers."""
    return (
        f"{wording.score} is for a label of two values, and {short(wording.label)} {what}: give it "
        "as the prediction."
    )


def numbers_or_classes(values: Array, wording: Wording) -> str:
    """Ask whether a few whole numbers of a label are numbers or classes."""
    texts = [written(value) for value in sorted(values.tolist())]
    classes = f"for classes, give {wording.classes}, or" if wording.classes else "for classes,"
    return (
        f"{wording.label} has {len(texts)} values, all whole numbers ({listed(texts)}), which may "
        f"be numbers or classes: for numbers, such as ratings or counts, give {wording.number}; "
        f"{classes} name the one to audit against the rest, such as {_example(texts, wording)}."
    )


def no_such_positive(wanted: str, positive: object, known: list[str], wording: Wording) -> str:
    """Refuse a positive value that the label does not have."""
    return (
        f"{wording.label} has the values {listed(sorted(known))}, and {shown(wanted)} is none of "
        f"them: name one of these as positive, such as {_example(known, wording)}"
        f"{quotes(positive, known)}."
    )


def numbers_beyond_classes(value: str, classes: list[str], wording: Wording) -> str:
    """Refuse whole numbers that may be classes, or scores."""
    return (
        f"{wording.prediction} holds {value}, which is no class of {short(wording.label)} "
        f"({listed(sorted(classes))}): give its classes, or whether each item is predicted "
        f"positive (true or false), or the score divided by 10."
    )


def class_never_predicted(positive: str, predictions: list[str], wording: Wording) -> str:
    """Refuse predictions that are never the positive class."""
    return (
        f"{wording.prediction} is never {shown(positive)}, the positive value (it has "
        f"{listed(sorted(predictions))}): there is nothing to compare, so name another one, or "
        "code predictions as labels are."
    )


def only_predicted(values: Iterable[str], positive: str, wording: Wording) -> str:
    """Report classes of the predictions that the label does not have."""
    return (
        f"{short(wording.prediction)} has values that {short(wording.label)} does not have "
        f"({listed(values)}): they count as not {positive}"
    )


# --- refusals: labels of several classes ---------------------------------------------------------


def one_class_or_all(label_kind: str, wording: Wording) -> str:
    """Refuse a positive value of a label whose classes are all audited."""
    return (
        f"{_kind(label_kind, wording)} audits all classes, and a positive value one of them: leave "
        "out one of the two options."
    )


def order_of_no_classes(wording: Wording) -> str:
    """Refuse an order of a label that is not ordinal."""
    return f"The order of classes is for {_kind('ordinal', wording)}: give that too, or no order."


def score_of_classes(wording: Wording) -> str:
    """Refuse a score with a label of several classes."""
    return (
        f"{wording.score} is for one class of {short(wording.label)}: name that class, such as "
        f"{wording.positive('C')}, or leave the score out."
    )


def too_many_classes(role: str, most: int, wording: Wording) -> str:
    """Refuse a label, or a prediction, of many classes."""
    return (
        f"{role} has more than {most} classes: join some, or name the one to audit against the "
        f"rest, such as {wording.positive('C')}."
    )


def classes_not_whole(value: float, wording: Wording) -> str:
    """Refuse numbers as classes that are not whole."""
    return (
        f"{wording.label} holds {value:g}, and classes are words or whole numbers: for numbers, "
        f"give {wording.number}."
    )


def no_class_of_label(value: str, classes: list[str], wording: Wording) -> str:
    """Refuse predictions that are no classes of the label."""
    return (
        f"{wording.prediction} holds {shown(value)}, which is no class of {short(wording.label)} "
        f"({listed(classes)}): give the predicted classes, coded as those of the label; for a "
        f"score, name its class, such as {_example(classes, wording)}."
    )


def name_the_order(classes: list[str], wording: Wording) -> str:
    """Ask for the order of the classes of an ordinal label."""
    return (
        f"{wording.label} has the classes {listed(classes)}, which are words: name their order, "
        f"the lowest first, such as {wording.order}."
    )


def no_order(order: object, wording: Wording) -> str:
    """Refuse an order that is no list."""
    return f"The order is {shown(order)}: give a list of classes, such as {wording.order}."


def twice_in_order(name: str, wording: Wording) -> str:
    """Refuse an order that names a class twice."""
    return f"The order of classes names {shown(name)} twice: name each class once."


def not_in_order(name: str, role: str, order: list[str], wording: Wording) -> str:
    """Refuse a class that the order does not have."""
    return (
        f"{role} holds {shown(name)}, which the order does not name ({listed(order)}): add it to "
        "the order, or correct the value."
    )


def _kind(label_kind: str, wording: Wording) -> str:
    return wording.number.replace("number", label_kind)


def classes_only_predicted(values: Iterable[str], wording: Wording) -> str:
    """Report classes of the predictions that the label does not have."""
    return (
        f"{short(wording.prediction)} has classes that {short(wording.label)} does not have "
        f"({listed(values)}): they count as wrong, and have no lines of their own"
    )


def never_predicted(values: Iterable[str], wording: Wording) -> str:
    """Report classes of the label that are never predicted."""
    return f"{short(wording.prediction)} is never {listed(values)}"


def name_the_positive(known: list[str], wording: Wording) -> str:
    """Ask which value of the label is positive."""
    return (
        f"{wording.label} has the values {listed(sorted(known))}: name the positive one, such as "
        f"{_example(known, wording)}."
    )


def _example(known: list[str], wording: Wording) -> str:
    return wording.positive(shortened(max(known)))


def coded_otherwise(predictions: list[str], labels: list[str], wording: Wording) -> str:
    """Refuse predictions whose values are partly those of the label."""
    return (
        f"{wording.prediction} has the values {listed(sorted(predictions))}, where "
        f"{short(wording.label)} has {listed(sorted(labels))}: code both alike."
    )


def no_number(
    values: Array, role: str, allowed: set[str] | None = None, *, rows: bool = True
) -> str:
    """Refuse a value that is neither a number nor among the `allowed` ones."""
    texts = pd.Series(values).astype(str)
    wrong = pd.to_numeric(texts, errors="coerce").isna() & ~texts.isin(allowed or set())
    if not wrong.any():  # words of the label and numbers
        return f"{role} mixes numbers and values of the label: give one kind."
    also = f" or {listed(sorted(allowed))}, the values of the label," if allowed else ""
    row = f" in row {int(wrong.to_numpy().argmax()) + 1}" if rows else ""
    return (
        f"{role} must hold numbers{also} and holds {shown(texts[wrong].iloc[0])}{row}: correct it."
    )


# --- refusals: groups ----------------------------------------------------------------------------

NO_ATTRIBUTE = "sensitive_features is empty: give at least one attribute."
ONE_ATTRIBUTE = "Intersections need two sensitive attributes: name another one."


def same_attribute(name: str) -> str:
    """Refuse two attributes of one name."""
    return f"sensitive_features has two columns `{shortened(name)}`: rename one."


def reference_is_no_mapping(reference: object) -> str:
    """Refuse a reference without the name of its attribute."""
    return (
        "reference must name a group by attribute, such as {'sex': 'female'}; it is "
        f"{shown(reference)}."
    )


def reference_of_no_attribute(name: str, attributes: Iterable[str]) -> str:
    """Refuse a reference group of an attribute that is not audited."""
    return (
        f"The reference names the attribute `{shortened(name)}`; there are "
        f"{listed(f'`{attribute}`' for attribute in attributes)}: correct it."
    )


def no_such_reference(wanted: str, named: object, role: str, groups: tuple[str, ...]) -> str:
    """Refuse a reference that is no group."""
    return (
        f"The reference {shown(wanted)} is not a group of {role}, which has {listed(groups)}: name "
        f"one of these{quotes(named, groups)}."
    )


def one_group(role: str, group: str, wording: Wording) -> str:
    """Refuse an attribute with one group."""
    return (
        f"{role} has only one group, {shown(group)}: a test compares two groups, so "
        f"{wording.drop}, or add items of another group."
    )


def too_many_groups(role: str, number: int, most: int, wording: Wording) -> str:
    """Refuse an attribute of many groups."""
    other = f", or take {wording.audit_groups}" if most == MAX_GROUPS else ""
    return (
        f"{role} has {number:,} groups, more than {most:,}: join some, such as ages into "
        f"ranges{other}."
    )


def or_missing_group(wording: Wording) -> str:
    """Name the option that makes items without a value a group of their own."""
    return f", or make them a group of their own, {wording.missing_group}"


def same_group_name(role: str, name: str) -> str:
    """Refuse two groups that are written alike."""
    return f"{role} has two groups that are called {shortened(name)}: rename one."


def too_many_combinations(number: int, wording: Wording) -> str:
    """Refuse the intersections of many groups."""
    return (
        f"The sensitive attributes have {number} combinations, more than {MAX_GROUPS}: join some "
        f"groups, or take {wording.no_intersections}, or {wording.audit_groups}."
    )


# --- refusals: clusters and weights --------------------------------------------------------------


def no_frequency(what: str, wording: Wording) -> str:
    """Refuse frequencies that leave out all rows of a group, or of a value of the label."""
    return f"{wording.weight} is 0 in every row of {what}: drop these rows, or correct it."


def kind_of_no_weight(wording: Wording, kind: str) -> str:
    """Refuse the kind of weights that are not given."""
    return (
        f"{wording.weight_kind(kind)} says what weights mean, and none are given: name them, or "
        "leave it out."
    )


# --- refusals: criteria and shuffles -------------------------------------------------------------


def no_criterion_named(applicable: Iterable[str], wording: Wording) -> str:
    """Refuse an empty list of criteria."""
    return f"{wording.criterion} is empty: name at least one of {', '.join(applicable)}."


def criteria_joined(name: object, parts: list[str], wording: Wording) -> str:
    """Refuse several criteria in one string."""
    return (
        f"{wording.criterion}: {shown(name)} holds several criteria: give {wording.several(parts)}."
    )


def unknown_criterion(name: object, known: Iterable[str], wording: Wording) -> str:
    """Refuse a criterion that does not exist."""
    return f"{wording.criterion}: {shown(name)} is not a criterion: name one of {', '.join(known)}."


def criterion_does_not_apply(
    name: str, reason: str, applicable: Iterable[str], wording: Wording
) -> str:
    """Refuse a criterion that does not apply to these labels and predictions."""
    return (
        f"{wording.criterion} {name} does not apply ({reason}): name one of "
        f"{', '.join(applicable)}."
    )


def criterion_without_test(name: str, wording: Wording) -> str:
    """Refuse to let a measure without a p-value count."""
    return (
        f"{wording.criterion} {name} has no test of real predictions without shuffles: give "
        f"{wording.permutations} too, such as 999."
    )


def shuffles_too_few(
    shuffles: int, needed: int, criteria: Iterable[str], alpha: float, wording: Wording
) -> str:
    """Refuse too few shuffles for any of the criteria that count to be violated."""
    return (
        f"{wording.permutations}: with {shuffles:,} shuffles no p of {', '.join(criteria)} can be "
        f"below the level {alpha:g}: give {needed:,} or more."
    )


def shuffles_too_long(shuffles: int, seconds_each: float, longest: int, wording: Wording) -> str:
    """Refuse shuffles that take days; `longest` is the number of seconds that they may take."""
    return (
        f"{wording.permutations}: {shuffles:,} shuffles would take about "
        f"{shuffles * seconds_each / longest:,.0f} days on these items: take "
        f"{longest // seconds_each:,.0f} at most."
    )


# --- parts of sentences --------------------------------------------------------------------------


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
