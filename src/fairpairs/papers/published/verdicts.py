"""The verdicts of the comparison with published numbers, and on the conclusions of papers."""

from collections.abc import Collection

AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"

#: Verdicts on a conclusion of a paper.
HOLDS, REDONE, IN_PART, FAILS, UNTOLD = VERDICTS = (
    "holds",
    "holds, redone",
    "holds in part",
    "does not hold",
    "cannot be told",
)
#: The same of one conclusion, and of several.
_OF_ONE = ("holds", "holds as redone", "holds in part", "does not hold", UNTOLD)
_OF_SEVERAL = ("hold", "hold as redone", "hold in part", "do not hold", UNTOLD)


def counted(verdicts: Collection[str]) -> str:
    """Count the verdicts on conclusions.

    >>> counted(["holds", "does not hold", "holds"])
    'of 3 conclusions, 2 hold, 1 does not hold'
    """
    words = zip(VERDICTS, _OF_ONE, _OF_SEVERAL, strict=True)
    counts = [(sum(v == name for v in verdicts), one, several) for name, one, several in words]
    parts = [f"{count} {one if count == 1 else several}" for count, one, several in counts if count]
    return f"of {len(verdicts)} conclusions, {', '.join(parts)}"
