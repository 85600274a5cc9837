"""The options of the audits, each once: its words, type and bounds, and its name in Python.

A command lists the names that it takes, with words of its own where they differ
(`audits/commands/options.py`); messages take the name of an option in Python from here.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.named_columns import SEVERAL, names_of

#: Types of options: a text, several, a number or a file, or none.
TEXT, TEXTS, WHOLE, NUMBER, FILE = (
    str | None, list[str] | None, int | None, float | None, Path | None,
)  # fmt: skip
#: The default of an option that must be given.
REQUIRED: Any = ...


@dataclass(frozen=True)
class Option:
    """An option of a command; one without a default must be given."""

    help: str = ""
    type: Any = TEXT
    default: Any = None
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    #: Its names in the shell; by default the one under which it stands.
    flags: tuple[str, ...] = ()
    #: Its name in Python, where it has another.
    python: str = ""
    #: What makes a value of what was given.
    read: Callable[[Any], Any] | None = None
    show_default: bool = True


def read_margin(texts: Sequence[str] | None) -> float | dict[str, float] | None:
    """Return one margin for all rates, or one for each criterion that is named."""
    if not texts:
        return None
    parts = [part.strip() for text in texts for part in text.split(",")]
    margins: dict[str, float] = {}
    for part in parts:
        name, equals, number = (piece.strip() for piece in part.rpartition("="))
        try:
            value = float(number)
        except ValueError as error:
            raise InputError(
                f"--margin {part}: write a number, such as --margin 0.05 or --margin "
                "separation=0.05."
            ) from error
        if bool(name) != bool(equals) or (not name and len(parts) > 1) or name in margins:
            raise InputError(
                f"--margin {part}: give one number for all, or one for each criterion."
            )
        margins[name] = value
    return margins.get("", margins)


def read_references(texts: Sequence[str] | None) -> dict[str, str] | str | None:
    """Return the reference group of each attribute that names one, or that of the only one."""
    references: dict[str, str] = {}
    if texts and len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    for text in texts or ():
        name, equals, group = text.partition("=")
        if not equals:
            raise InputError(
                f"--reference {text}: write the attribute and its group, such as --reference "
                "sex=female."
            )
        if name in references:
            raise InputError(
                f"--reference {text}: the group of `{name}` is {references[name]} already: name "
                "one group for each attribute."
            )
        references[name] = group
    return references or None


def read_names(option: str) -> Callable[[Sequence[str] | None], list[str] | None]:
    """Return what reads names, with commas or one by one; None for none."""
    return lambda texts: names_of(texts or (), option) or None


OPTIONS = {
    "label": Option(python="y_true"),
    "prediction": Option(python="y_pred"),
    "sensitive": Option(
        f"Column of a sensitive attribute. {SEVERAL}",
        TEXTS,
        read=lambda texts: tuple(texts or ()),
        python="sensitive_features",
    ),
    "score": Option("Column of a score, higher for what should be positive.", python="y_score"),
    "threshold": Option(
        "The --score from which on the prediction is positive, instead of --prediction.", NUMBER
    ),
    "positive": Option("Value of the label that is positive; by default 1 or true."),
    "favourable": Option(
        "Value of the label that is good for a person; it decides what harms a group, "
        "and which outcome the four-fifths rule is of.",
        metavar="VALUE",
    ),
    "label_kind": Option(
        "What the label is, where a few whole numbers may be classes.", default="auto"
    ),
    "reference": Option(
        "Group that alone the others are compared with; by default each two are.",
        TEXTS,
        metavar="[ATTRIBUTE=]GROUP",
        read=read_references,
    ),
    "smallest": Option(
        "Groups with fewer rows do not count: they stand in the tables alone.", int, 1, least=1
    ),
    "intersections": Option("Audit combinations of the attributes too.", bool, False),
    "alpha": Option("Level of the tests.", float, 0.05, least=0, most=1),
    "correction": Option(
        "Adjustment of p, over all comparisons of one attribute and criterion.", default="holm"
    ),
    "criterion": Option("", TEXTS, metavar="CRITERION", read=read_names("--criterion")),
    "margin": Option(
        "Largest difference that does not matter, such as 0.05 for all rates, or separation=0.05. "
        f"{SEVERAL}",
        TEXTS,
        metavar="[CRITERION=]NUMBER",
        read=read_margin,
    ),
    "cluster": Option(
        "Column of the person, or cluster, whose rows are dependent.", python="clusters"
    ),
    "id": Option("Column of an id of each row, by which labels may come later.", python="ids"),
    "weight": Option("Column of weights, 0 or more.", python="sample_weight"),
    "weight_kind": Option("What the weights mean.", default="sampling"),
    "cheap_label": Option(
        "Column of a label that every row has, such as a judge's; --label is then empty in rows "
        "that nobody looked at."
    ),
    "chance": Option("Column of the chance of each row to get a --label, where it differs."),
    "drawn_within": Option(
        "Column of strata, within each of which rows to label were drawn at random."
    ),
    "control": Option(
        "Column within whose values groups are compared, such as the kind of a case; amounts "
        f"are put into ranges. {SEVERAL}",
        TEXTS,
        read=lambda texts: tuple(texts or ()),
    ),
    "missing_group": Option("Rows without a group are the group `missing`.", bool, False),
    "permutations": Option(
        "Shuffles for p-values of I_sep and density ratios of numbers.",
        int,
        0,
        least=0,
        python="n_permutations",
    ),
    "seed": Option("Seed of all shuffles.", int, 0, least=0, python="random_state"),
    "separator": Option(
        "What stands between the columns of CSV files, where it is not found: ; or | or tab.",
        metavar="CHARACTER",
    ),
    "decimal": Option(
        "Decimal mark of numbers in texts, a comma or a point, where it is unclear.",
        metavar="MARK",
    ),
    "winner_by": Option(
        "Whether --outcome holds ids, or sides (1 and -1, left and right …).", default="auto"
    ),
    "details": Option("Print all tables too, below the answer.", bool, False),
    "out": Option("Folder to write {files} to.", FILE),
    "fail_on_violation": Option("", bool, False),
    "fail_unless_shown": Option("", bool, False),
    "card": Option(
        "Markdown file of a model card: the answer, its numbers and their meaning are put at its "
        "end, or in the place of those of an earlier audit.",
        FILE,
    ),
    "junit": Option("JUnit XML file to write: a test case for each comparison that counts.", FILE),
    "figure": Option("SVG or PNG file to write: the differences with their intervals.", FILE),
}
#: The columns that `fairpairs choose` writes: whether a row is to be labelled now, and its chance.
CHOSEN_COLUMNS = ("chosen", "chance")


def in_python(name: str) -> str:
    """Return the argument of Python that an option is.

    >>> in_python("weight"), in_python("missing_group")
    ('sample_weight', 'missing_group')
    """
    option = OPTIONS.get(name)
    return option.python if option is not None and option.python else name


@contextmanager
def options_as_arguments(name_of: Callable[[str], str] = in_python) -> Iterator[None]:
    """Name arguments of Python where an InputError names options of the shell.

    >>> with options_as_arguments():
    ...     raise InputError("--label: give --missing-group.")
    Traceback (most recent call last):
    fairpairs.base.errors.InputError: y_true: give missing_group.
    """
    try:
        yield
    except InputError as error:
        message = re.sub(
            r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)",
            lambda found: name_of(found[1].replace("-", "_")),
            str(error),
        )
        raise InputError(message) from error.__cause__
