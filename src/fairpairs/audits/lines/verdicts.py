"""The verdicts of lines: their words, what each is shown as, and how lines and all of them get one.

The words are part of the JSON.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.base import printed
from fairpairs.mathematics.inference.results import Correction, adjusted

#: What a line says: its difference is shown to exceed the margin; it is shown, and whether it
#: exceeds the margin is open; nothing is shown; it is shown to lie within the margin. Of the change
#: of a gap: worse, not worse by the margin, better.
State = Literal["beyond", "differs", "worse", "open", "within", "not worse", "better"]

# of a difference between groups
BEYOND = "violated beyond the margin"
VIOLATED = printed.VIOLATED
VIOLATED_WITHIN = "violated within the margin"
WITHIN = "shown within the margin"
# of the change of a gap between two models
WORSE_BEYOND = "worse beyond the margin"
WORSE = "worse"
WORSE_WITHIN = "worse within the margin"
IMPROVED = "improved"
NOT_WORSE = "not worse by the margin"
# of both
NOT_SHOWN = printed.NOT_SHOWN
MEASURED = "measured"
NOT_TESTED = printed.NOT_TESTED
NOT_ESTIMATED = printed.NOT_ESTIMATED


class Word(NamedTuple):
    """How a verdict is shown: its sign, distinct without colours, its colour, and its answer."""

    sign: str
    #: What its line is coloured by.
    kind: str = "open"
    #: What an answer says of its line where the verdict is adjusted over all that counts.
    state: State = "open"
    #: What a table has room for; by default the verdict.
    short: str = ""


#: Verdict → how it is shown.
WORDS = {
    BEYOND: Word("◆", "strong", "beyond", "beyond"),
    VIOLATED: Word("●", "medium", "differs"),
    VIOLATED_WITHIN: Word("◐", "within", "within", "within, ≠0"),
    WITHIN: Word("✓", "within", "within", "within"),
    WORSE_BEYOND: Word("◆", "strong", "beyond", "worse beyond"),
    WORSE: Word("●", "medium", "worse"),
    WORSE_WITHIN: Word("◐", "medium", "worse", "worse within"),
    IMPROVED: Word("▲", "within", "better"),
    NOT_WORSE: Word("✓", "within", "not worse", "not worse"),
    NOT_SHOWN: Word("○"),
    MEASURED: Word("·"),
    NOT_TESTED: Word("?", short="no test"),
    NOT_ESTIMATED: Word("–"),
}
#: Verdict → its meaning in an audit; other commands say what differs.
MEANINGS = {
    BEYOND: "the difference is shown to exceed the margin",
    VIOLATED: "the adjusted p-value is below the level; with a margin, whether the difference "
    f"exceeds it is {NOT_SHOWN}",
    VIOLATED_WITHIN: "there is a difference, and it is shown to lie within the margin",
    WITHIN: "the difference is shown to lie within the margin",
    NOT_SHOWN: "the adjusted p-value is not below the level: this is no evidence of fairness",
    MEASURED: "an estimate without a test",
    NOT_TESTED: "an estimate without a p-value that could show anything; the note says why",
    NOT_ESTIMATED: "no estimate; the note says why",
}
#: Those that show a difference to lie within the margin.
ALL_WITHIN = (WITHIN, VIOLATED_WITHIN)


class Ladder(NamedTuple):
    """The verdicts of what is shown, the gravest first."""

    beyond: str
    found_within: str
    found: str
    better: str
    within: str


DIFFERENCE = Ladder(BEYOND, VIOLATED_WITHIN, VIOLATED, "", WITHIN)
CHANGE = Ladder(WORSE_BEYOND, WORSE_WITHIN, WORSE, IMPROVED, NOT_WORSE)


def ladder(
    estimated: Any,
    tested: Any,
    *,
    found: Any,
    beyond: Any = False,
    within: Any = False,
    better: Any = False,
    untested: Any = NOT_TESTED,
    words: Ladder = DIFFERENCE,
) -> list[str]:
    """Return the verdict of each line: the first of the ladder that holds.

    All are arrays with an entry for each line, or one for all of them: whether it is `estimated`
    and `tested`; whether it is shown to differ, or to be worse (`found`), by more than the margin
    (`beyond`), by less (`within`), or to be `better`; and its verdict if it has no test.

    >>> ladder(True, [True, True, False], found=[True, False, False], within=[True, False, False])
    ['violated within the margin', 'not shown', 'cannot be tested']
    """
    estimated, tested, found, beyond, within, better, untested = np.broadcast_arrays(
        estimated, tested, found, beyond, within, better, untested
    )
    rungs = {
        NOT_ESTIMATED: ~estimated,
        words.beyond: beyond,
        words.found_within: found & within,
        words.found: found,
        words.better: better,
        words.within: within,
        NOT_SHOWN: tested,
    }
    verdicts: list[str] = np.select(list(rungs.values()), list(rungs), untested).tolist()
    return verdicts


def families(keys: Iterable[tuple[str, str]]) -> list[list[int]]:
    """Return the lines of each attribute and criterion, over which p-values are adjusted."""
    lines: dict[tuple[str, str], list[int]] = {}
    for i, key in enumerate(keys):
        lines.setdefault(key, []).append(i)
    return list(lines.values())


def adjusted_within(
    families: Iterable[Sequence[int]], pvalues: Any, correction: Correction
) -> NDArray[np.float64]:
    """Adjust the p-values of lines, each over its family."""
    result = np.full(len(pvalues), np.nan)
    for family in families:
        result[family] = adjusted(pvalues[family], correction)
    return result


def over_all(pvalues: Any, counts: Any, unvarying: Any = False) -> NDArray[np.float64]:
    """Adjust the p-values of the lines that count, by Holm over all of them; NaN for others.

    Lines that are equal without variance have p 1, and do not count in the number of hypotheses.
    """
    pvalues, counts, unvarying = np.broadcast_arrays(pvalues, counts, unvarying)
    hypotheses = np.where(counts & ~unvarying, pvalues.astype(float), np.nan)
    return np.where(counts & unvarying, 1.0, adjusted(hypotheses, "holm"))


def all_within(within: Any, tested: Any = True) -> bool | None:
    """Return whether each line is shown within the margin (an intersection-union test).

    None where only lines that cannot be tested are not.
    """
    shown = np.asarray(within, dtype=bool)
    if (~shown & np.asarray(tested)).any():
        return False
    return True if shown.all() else None


def are_small(table: pd.DataFrame, small: Mapping[str, Sequence[str]]) -> list[bool]:
    """Return which lines of a table have a group that does not count."""
    columns = (table[name].tolist() for name in ("attribute", "group", "reference"))
    return [
        not {group, reference}.isdisjoint(small.get(name, ()))
        for name, group, reference in zip(*columns, strict=True)
    ]


def among(table: pd.DataFrame, criteria: Sequence[str]) -> NDArray[np.bool_]:
    """Return which lines are of some criteria, and of no group that is too small to count."""
    # `isin` of pandas takes four times as long for few lines
    counts = np.array([name in criteria for name in table["criterion"].tolist()], dtype=bool)
    return counts & ~table["small"].to_numpy(dtype=bool) if "small" in table else counts


def shown_within(within: Any, counts: Any, alpha: float) -> bool | None:
    """Return whether each line that counts is shown within its margin (see `all_within`).

    `within` are the p-values of a difference of the margin or more.
    """
    pvalues = within[counts]
    return all_within(pvalues < alpha, ~np.isnan(pvalues))


def smallest(pvalues: Any) -> float | None:
    """Return the smallest p-value that is known, or None."""
    return None if np.isnan(pvalues).all() else float(np.nanmin(pvalues))
