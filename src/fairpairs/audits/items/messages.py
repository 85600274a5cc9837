"""What the messages of an audit share: names of arguments, sentences and parts of sentences.

A message or a note of one place stands in its file. Elsewhere are: titles and questions of a
criterion (its file in `criteria`), verdicts (lines/verdicts.py), the lines around tables
(tables.py), the notes of a test (`mathematics`), and errors on missing values and arrays of other
lengths (base/inputs.py) and on clusters and weights (mathematics/arguments/read.py).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from fairpairs.audits.options import in_python
from fairpairs.base.errors import shortened

#: Words that YAML reads as true or false where they are not in quotes.
YAML_WORDS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
#: Notes of rows, and of a whole audit.
EMPTY = "cannot be estimated: an empty cell"
FAMILY = "all hypotheses of one attribute and one criterion"
HIGHER_IS_POSITIVE = "A higher prediction or score is taken for a more positive one."
BALANCED = (
    "Comparative separation is balanced here: pairs are weighted so that both groups have the same "
    "labels. Without that, groups whose labels differ violate it though equal labels are treated "
    "alike."
)


@dataclass(frozen=True)
class Wording:
    """Names of the roles in messages: columns of a file, or arguments.

    `shell` is whether options are named as in the shell, `classes` whether a label may have
    several, and `rows` whether messages can name the rows: not of items that are counted.
    """

    label: str = "y_true"
    prediction: str = "y_pred"
    score: str = "y_score"
    attribute: Callable[[str], str] = "sensitive_features `{}`".format
    control: Callable[[str], str] = "control `{}`".format
    clusters: str = "clusters"
    weight: str = "sample_weight"
    cheap_label: str = "cheap_label"
    chance: str = "chance"
    drawn_within: str = "drawn_within"
    shell: bool = False
    classes: bool = False
    rows: bool = True

    def option(self, name: str, value: object = ...) -> str:
        """Return the name of an option, with a value if there is one.

        >>> Wording().option("weight_kind", "sampling"), Wording(shell=True).option("order", "abc")
        ("weight_kind='sampling'", '--order abc')
        """
        if not self.shell:
            return in_python(name) if value is ... else f"{in_python(name)}={value!r}"
        option = f"--{name.replace('_', '-')}"
        if value is ... or value is True:
            return option
        if value is False:
            return f"no {option}"
        return f"{option} {','.join(value) if isinstance(value, list) else value}"

    def several(self, names: list[str]) -> str:
        """Return how several criteria are given."""
        if not self.shell:
            return f"a list, {names}"
        return f"one option each, {' '.join(f'--criterion {name}' for name in names)}"

    @property
    def drop(self) -> str:
        """How an attribute is left out."""
        return "leave it out of --sensitive" if self.shell else "drop it from sensitive_features"

    @property
    def audit_groups(self) -> str:
        """The audit of many groups."""
        name = "`fairpairs audit-groups`" if self.shell else "fairpairs.audit_groups"
        return f"{name} for many groups"


def file_wording(
    path: object, label: str, prediction: str | None = None, **others: str | None
) -> Wording:
    """Return the names of the columns of a file by their roles, and of the options, in messages."""
    place = partial("{}: column `{}`".format, path)
    roles = {"label": label, "prediction": prediction, **others}
    named = {role: place(name) for role, name in roles.items()}
    return Wording(**named, attribute=place, control=place, shell=True)  # type: ignore[arg-type]


def example(known: list[str], wording: Wording) -> str:
    """Return how the positive value is named, with one of those that the label has."""
    return wording.option("positive", shortened(max(known)))


def or_missing_group(wording: Wording) -> str:
    """Name the option that makes items without a value a group of their own."""
    return f", or make them a group of their own, {wording.option('missing_group', True)}"


def no_frequency(what: str, wording: Wording) -> str:
    """Refuse frequencies that leave out all rows of a group, or of a value of the label."""
    return f"{wording.weight} is 0 in every row of {what}: drop these rows, or correct it."


def quotes(named: object, known: Iterable[str]) -> str:
    """Return a remark on quotes where YAML turned yes or no into true or false."""
    word = next((word for word in known if YAML_WORDS.get(word.lower()) is named), None)
    if word is None:
        return ""
    return f'; in YAML, write "{word}" in quotes, without which it is read as {named}'


def short(role: str) -> str:
    """Return a role without its file, as a sentence names the file only once."""
    return role.rpartition(": ")[2]


def drawn_at_random(note: str, drawn: int, n: int) -> str:
    """Add to a note that not all items were compared."""
    some = f"on {drawn:,} of {n:,} rows, drawn at random"
    return f"{note}; {some}" if note else some
