"""The fields of a result: what each key of its JSON and each column of its CSV holds, in words.

Each audit declares its fields once, in its own fields.py, and what several share is here; the JSON
schema follows from them.
"""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from fairpairs.audits.lines.answer import Verdict
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.inference.results import Correction

#: The JSON schema of a value.
Field = Record


def number(
    words: str = "",
    *,
    missing: bool = True,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> Field:
    """Describe a number, which may be null if `missing`, and its bounds; `above` excludes it.

    >>> number("p-value", least=0, most=1)
    {'type': ['number', 'null'], 'minimum': 0, 'maximum': 1, 'description': 'p-value'}
    """
    return _field(
        "number", words, missing, minimum=least, maximum=most, exclusiveMinimum=above,
        exclusiveMaximum=below,
    )  # fmt: skip


def whole(words: str = "", *, missing: bool = False, least: int | None = None) -> Field:
    """Describe a whole number."""
    return _field("integer", words, missing, minimum=least)


def text(words: str = "", *, missing: bool = False) -> Field:
    """Describe a text."""
    return _field("string", words, missing)


def flag(words: str = "", *, missing: bool = False) -> Field:
    """Describe true or false."""
    return _field("boolean", words, missing)


def one_of(values: Iterable[str | None], words: str = "") -> Field:
    """Describe one of some values."""
    return {"enum": list(values)} | _described(words)


def several(item: Field, words: str, *, least: int | None = None, different: bool = False) -> Field:
    """Describe a list."""
    return _field("array", words, items=item, minItems=least, uniqueItems=different or None)


def by_name(value: Field | None, words: str, *, missing: bool = False) -> Field:
    """Describe an object of any names with one kind of value; None for any value."""
    return _field("object", words, missing, additionalProperties=value)


def record(
    fields: Mapping[str, Field],
    words: str = "",
    *,
    missing: bool = False,
    optional: Iterable[str] = (),
) -> Field:
    """Describe an object of these fields, which are all there but for the `optional` ones."""
    required = [name for name in fields if name not in set(optional)]
    return _field(
        "object", words, missing, additionalProperties=False, properties=dict(fields),
        required=required or None,
    )  # fmt: skip


def rows(
    fields: Mapping[str, Field], words: str, row: str = "", *, optional: Iterable[str] = ()
) -> Field:
    """Describe the rows of a table, and a row."""
    return several(record(fields, row, optional=optional), words)


def counts(verdicts: Iterable[str]) -> Field:
    """Describe how many lines have each verdict."""
    return record({name: whole(least=0) for name in verdicts}, "comparisons by verdict")


def document(
    file: str,
    words: str,
    version: int,
    about: Mapping[str, Field],
    fields: Mapping[str, Field],
    *,
    optional: Iterable[str] = (),
) -> Record:
    """Return the JSON schema of an audit, whose first key is the version of its format."""
    audited = {"version": text("version of FairPairs"), **about}
    first = {
        "format": {"const": version, "description": "version of this format"},
        "about": record(audited, "what was audited, and how", optional=optional),
        "answer": ANSWER,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{file} of FairPairs",
    } | record({**first, **fields}, words)


def _field(kind: str, words: str, missing: bool = False, **more: Any) -> Field:
    known = {name: value for name, value in more.items() if value is not None}
    return {"type": [kind, "null"] if missing else kind} | known | _described(words)


def _described(words: str) -> Field:
    return {"description": words} if words else {}


#: The answer of an audit.
ANSWER = record(
    {
        "question": text("what was asked"),
        "verdict": one_of(get_args(Verdict)[:-1], "the word of the answer"),
        "headline": text("what is printed of it, such as GAP since week 18"),
        "sentence": text("the answer in one sentence"),
        "reasons": several(text(), "why: at most three sentences"),
        "checks": several(text(), "what to check in the input"),
        "open": text("what is not decided, and what would decide it; or empty"),
        "next": text("what to do next; or empty"),
    },
    "the answer, which the terminal and the page begin with",
)
#: The number of items, the level and the adjustment.
ITEMS = whole("number of rows", least=2)
ALPHA = number("level", missing=False, above=0, below=1)
CORRECTION = one_of(get_args(Correction), "adjustment of the p-values")
#: What the weights of items mean.
WEIGHTS = one_of(
    ["sampling", "importance", "cluster", None],
    "what the weights of the rows mean, of which `cluster` lets each cluster count once; null "
    "without weights, and for frequencies, which are repeated rows",
)
#: Attributes whose groups are compared with one of them.
COMPARED_GROUPS = by_name(
    record(
        {
            "groups": by_name(whole(least=0), "rows of each group"),
            "reference": text("group that the others are compared with"),
            "each_two": flag("whether the verdict rests on each two groups, not on the reference"),
        },
        "an attribute",
    ),
    "the attributes, each with its groups",
)
#: The same, and which of the groups do not count or miss rows.
COUNTED_GROUPS = {
    "attributes": COMPARED_GROUPS,
    "smallest": whole("rows that a group needs to count", least=1),
    "small": by_name(
        several(text(), ""), "groups with fewer rows, which do not count, by attribute"
    ),
    "missing_rows": by_name(
        by_name(several(text(), ""), ""),
        "groups without a row of a label or prediction, which some rates need, by attribute",
    ),
}
THRESHOLD = number("score from which on the decision is positive; null where predictions are given")
#: The good outcome, which `--favourable` names.
FAVOURABLE = text(
    "value of the label that is good for a person; null where none is named", missing=True
)
#: The two ends of an interval, as columns of a table.
INTERVAL = {
    "ci_low": number("lower end of its interval"),
    "ci_high": number("upper end"),
}
#: What was controlled for.
CONTROL = record(
    {
        "columns": by_name(
            several(text(), "values, or bins of numbers"), "columns with their values"
        ),
        "strata": whole("combinations of these that occur", least=1),
        "left_out": by_name(
            whole("rows in strata that have no two groups to compare", least=0),
            "by sensitive attribute",
        ),
    },
    "what groups are compared within; absent without a control",
)
