"""What the tables of all audits share: cells, colours of lines, and the words of verdicts."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import pandas as pd

from fairpairs.audits.lines.verdicts import (
    BEYOND,
    NOT_SHOWN,
    NOT_TESTED,
    VIOLATED,
    VIOLATED_WITHIN,
    WORDS,
)
from fairpairs.base.document import Figure, Terms
from fairpairs.base.plain_values import TableRow
from fairpairs.base.texts import interval, number, p_equals

#: What names a group.
Key = TypeVar("Key")
#: Groups of which a page has figures.
MOST_DRAWN = 3
#: Measures for specialists, which pages fold.
SPECIAL = ("xAUC_1", "xAUC_0", "I_sep", "density ratio")
FOR_SPECIALISTS = ", for specialists"
#: Measures that say the same as others of a table: 1 − TPR and 1 − precision.
REPEATED = ("FNR", "FDR")


def shown(rows: pd.DataFrame, counting: Collection[str]) -> pd.DataFrame:
    """Return the lines of a group, without repetitions unless they count; special ones last."""
    counts = rows["criterion"].isin(counting)
    kept = rows[counts | ~rows["measure"].isin(REPEATED)]
    return kept.iloc[kept["measure"].isin(SPECIAL).argsort(kind="stable")]


def drawn(groups: Mapping[Key, pd.DataFrame]) -> tuple[list[Key], str]:
    """Return the groups that a page draws, and which these are in words, unless they are all.

    They have the smallest p of what counts, or else of all their lines.
    """
    smallest = {
        key: tuple(rows[["pvalue_gate", "pvalue_adjusted"]].min().fillna(math.inf))
        for key, rows in groups.items()
    }
    chosen = sorted(smallest, key=lambda key: smallest[key])
    which = f" (drawn of {MOST_DRAWN} comparisons, those with the smallest p of what counts)"
    return chosen[:MOST_DRAWN], which * (len(chosen) > MOST_DRAWN)


def common(lines: Iterable[TableRow]) -> int:
    """Return how many of these lines are not for specialists."""
    return sum(row["measure"] not in SPECIAL for row in lines)


def kinds(rows: Iterable[TableRow]) -> list[str]:
    """Return what each line is coloured by."""
    return [WORDS[row["verdict"]].kind for row in rows]


def verdict_cell(verdict: str) -> str:
    """Return the sign of a verdict, and the verdict as far as a table has room for it."""
    return f"{WORDS[verdict].sign} {WORDS[verdict].short or verdict}"


def limits(row: TableRow, *, sign: bool = True, decides: str = "alone") -> str:
    """Write the interval of a line, and by what else its verdict is decided if it denies that.

    An interval that is not adjusted is that of the line alone.

    >>> limits({"ci_low": 0.02, "ci_high": 0.19, "verdict": "not shown", "margin": math.nan})
    '+0.020 to +0.190, alone'
    >>> limits({"ci_low": 0.02, "ci_high": 0.19, "verdict": "violated", "margin": math.nan})
    '+0.020 to +0.190'
    """
    text = interval(row["ci_low"], row["ci_high"], sign=sign)
    return f"{text}, {decides}" if denied(row) else text


def with_interval(row: TableRow, name: str) -> tuple[str, str]:
    """Write a number and its interval, of which each may be None."""
    keys = (name, "ci_low", "ci_high")
    value, low, high = (math.nan if row[key] is None else row[key] for key in keys)
    return number(value), interval(low, high)


def denied(row: TableRow) -> bool:
    """Return whether the interval of a line says otherwise than its verdict, which is adjusted."""
    low, high, verdict = row["ci_low"], row["ci_high"], row["verdict"]
    if not (math.isfinite(low) and math.isfinite(high)):
        return False
    if verdict == BEYOND:
        return bool(low <= row["margin"] and high >= -row["margin"])
    covers = low <= 0 <= high
    found = verdict in (VIOLATED, VIOLATED_WITHIN)
    return bool(covers if found else verdict == NOT_SHOWN and not covers)


def notes_of(rows: Iterable[TableRow]) -> list[str]:
    """Return the notes of lines, or nothing where there is none."""
    notes = [str(row["note"]) for row in rows]
    return notes if any(notes) else []


def counted(counts: Mapping[str, int], pvalue: float, *, by: str = "Holm") -> str:
    """Return how many lines that count have each verdict, and the p-value of all of them.

    >>> counted({"violated": 1, "not shown": 3, "measured": 0}, 0.02)
    'Of 4 comparisons that decide: 1 violated, 3 not shown. Together: p = 0.020, by Holm.'
    """
    found = ", ".join(f"{n:,} {verdict}" for verdict, n in counts.items() if n)
    together = f"{p_equals(pvalue)}, by {by}" if math.isfinite(pvalue) else NOT_TESTED
    n = sum(counts.values())
    return f"Of {n:,} comparisons that decide: {found}. Together: {together}."


def meanings(verdicts: Mapping[str, str], counts: Mapping[str, int]) -> Terms:
    """Return the meanings of the verdicts that lines have."""
    return Terms(
        {verdict_cell(name): meaning for name, meaning in verdicts.items() if counts.get(name)}
    )


def forest(
    rows: Sequence[TableRow], names: Sequence[str], label: str, *, prefix: str, caption: str
) -> Figure:
    """Return the figure of differences with their intervals, one per line."""

    def draw() -> str:
        from fairpairs.audits.lines import figures  # noqa: PLC0415  (matplotlib is slow to load)

        return figures.forest(rows, names, label, prefix=prefix)

    each = (
        f"{name} {number(row['estimate'], sign=True)}, {row['verdict']}"
        for row, name in zip(rows, names, strict=True)
    )
    return Figure(draw, caption, f"{caption} {'; '.join(each)}.")


def count(n: int) -> str:
    """Write a count, in short from a million on."""
    for size, unit in ((10**12, " T"), (10**9, " bn"), (10**6, " M")):
        if n >= size:
            return f"{f'{n / size:#.3g}'.rstrip('.')}{unit}"
    return f"{n:,}"


def cut(text: str, wide: int) -> str:
    """Return a text, shortened to `wide` characters."""
    return text if len(text) <= wide else text[: wide - 1] + "…"
