"""A limit of the rate of each group: which rate it is of, and whether groups keep it.

Bounds and p-values are exact for independent people (Clopper and Pearson 1934); in clusters, they
are of the number of people that a rate is worth (Korn and Graubard). That some group is beyond the
limit is by Holm over all groups, that one keeps it by Hochberg, as the groups of an attribute are
independent: all keep it if each does at the level alone.

References: E. L. Korn and B. I. Graubard (1998), Confidence intervals for proportions with small
expected number of positive counts estimated from survey data; Y. Hochberg (1988), A sharper
Bonferroni procedure for multiple tests of significance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betainc, ndtri

from fairpairs.audits.criteria.rows import ALL, GROUP_RATES, CellRate
from fairpairs.audits.lines.findings import some_groups
from fairpairs.audits.table.form import Form
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError, shown
from fairpairs.base.texts import coverage, meant
from fairpairs.mathematics.inference.contrast import student_quantile, student_tail
from fairpairs.mathematics.inference.rates import LEAST, clopper_pearson_limits
from fairpairs.mathematics.inference.results import adjusted

#: The rate of a limit without a name.
SELECTION = "selection rate"
#: A rate by its name in small letters.
NAMES = {name.lower(): name for name in GROUP_RATES}


@dataclass(frozen=True)
class Limit:
    """The largest value of a rate that groups may have, or the smallest one."""

    rate: str
    value: float
    at_most: bool

    @property
    def words(self) -> str:
        """The limit in words."""
        return f"at {'most' if self.at_most else 'least'} {100 * self.value:g} %"

    @property
    def cells(self) -> CellRate:
        """Which rows the rate counts, of which."""
        return GROUP_RATES[self.rate]

    @property
    def of_labels(self) -> bool:
        """Whether the rate is of a label too."""
        return self.rate != SELECTION

    def form(self, alpha: float) -> Form:
        """Return the table of the limit."""
        of = "" if self.cells.of == ALL else f" that the {self.rate} is of"
        values = ("group", "items", "selected", "rate", "bound", "verdict")
        words = (
            "Group", f"Rows{of}", "Counted", self.rate[0].upper() + self.rate[1:],
            f"{'Upper' if self.at_most else 'Lower'} {coverage(alpha)} bound",
            self.words.capitalize(),
        )  # fmt: skip
        columns = [{"value": x, "words": y} for x, y in zip(values, words, strict=True)]
        headings = {"attribute": "Groups of {name}", "intersections": ""}
        title = f"Is the {self.rate} of each group {self.words}?"
        return Form(
            "limit", title, "exact one-sided bounds (Clopper and Pearson 1934)", ("groups",),
            intersections=False, unknown="each", small=0.0, headings=headings, columns=columns,
            notes=(),
        )  # fmt: skip

    def tested(self, rates: Floats, trials: Floats, df: Floats, alpha: float) -> dict[str, Floats]:
        """Return the bound of each rate, and p of: it is beyond the limit, and it keeps it."""
        rates = np.where(trials > 0, rates, 0.0)
        # at least 0.8 is at most 0.2 of the others
        turned, limit = (rates, self.value) if self.at_most else (1 - rates, 1 - self.value)
        quantiles = np.array([student_quantile(alpha, freedom) for freedom in df])
        _, bound = clopper_pearson_limits(turned, trials, quantiles)
        return {
            "bound": bound if self.at_most else 1 - bound,
            "pvalue_within": _pvalues(turned, trials, limit, df),
            "pvalue_beyond": _pvalues(1 - turned, trials, 1 - limit, df),
        }

    def judged(self, parts: list[pd.DataFrame], alpha: float) -> None:
        """Adjust the p-values of tables over all of their groups, and add the verdicts."""
        table = pd.concat(parts, ignore_index=True)
        within = adjusted(table["pvalue_within"].to_numpy(), "simes-hochberg")
        beyond = adjusted(table["pvalue_beyond"].to_numpy(), "holm")
        verdict = np.select([within < alpha, beyond < alpha], ["PASS", "FAIL"], "UNDECIDED")
        ends = np.cumsum([len(part) for part in parts])[:-1]
        columns = {"pvalue_within": within, "pvalue_beyond": beyond, "verdict": verdict}
        for name, values in columns.items():
            for part, of_part in zip(parts, np.split(values, ends), strict=True):
                part[name] = of_part

    def answer(self, rows: pd.DataFrame, groups: list[str]) -> str:
        """Return whether groups keep the limit; `groups` are the names of the rows."""
        by_verdict = {
            name: [group for group, one in zip(groups, rows["verdict"], strict=True) if one == name]
            for name in ("FAIL", "UNDECIDED")
        }
        if failed := by_verdict["FAIL"]:
            side = "above" if self.at_most else "below"
            rates = [f"{100 * rate:.1f} %" for rate in rows["rate"][rows["verdict"] == "FAIL"]]
            named = some_groups(
                [f"{one} ({rate})" for one, rate in zip(failed, rates, strict=True)]
            )
            return f"FAIL: the {self.rate} of {named} is {side} {100 * self.value:g} %."
        if unsure := by_verdict["UNDECIDED"]:
            return (
                f"UNDECIDED: too few rows to tell whether the {self.rate} of "
                f"{some_groups(unsure)} is {self.words}."
            )
        return f"PASS: the {self.rate} of each group is {self.words}."

    def notes(self, names: Mapping[str, str | None], level: str) -> list[str]:
        """Return what the table rests on; `names` are those of columns and the positive value."""
        notes = [
            f"A bound of {level} is of its group alone, exact and one-sided. FAIL is adjusted over "
            "all groups by Holm, PASS by Hochberg: all pass where each does alone."
        ]
        if self.of_labels:
            counted = self.cells.words.format(values="those are counted that", **names)
            notes.insert(0, f"{self.rate}: {counted}.")
        return notes


def _pvalues(rates: Floats, trials: Floats, limit: float, df: Floats) -> Floats:
    """Return p of: each rate is the limit or more."""
    hits = np.clip(rates, 0, 1) * trials
    misses = trials - hits
    exact = np.where(misses > LEAST, betainc(np.maximum(misses, LEAST), hits + 1, 1 - limit), 1.0)
    known = np.isfinite(df)
    tails = [student_tail(-ndtri(p), freedom) for p, freedom in zip(exact, df, strict=True)]
    return np.where(known, tails, exact)


def read_limit(at_most: Any, at_least: Any) -> Limit | None:
    """Return the limit that an option gives; InputError for none that can be."""
    given = {"--at-most": at_most, "--at-least": at_least}
    both = [(option, value) for option, value in given.items() if value is not None]
    if not both:
        return None
    if len(both) > 1:
        raise InputError("--at-most, --at-least: give one of the two.")
    option, value = both[0]
    name: Any = SELECTION
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, value),) = value.items()
    elif isinstance(value, str) and "=" in value:
        name, _, value = value.rpartition("=")
    rate = NAMES.get(str(name).strip().lower().replace("_", " "))
    if rate is None:
        known = list(GROUP_RATES)
        raise InputError(
            f"{option}: {shown(name)} is no rate{meant(str(name), known)}: name one of "
            f"{', '.join(known)}."
        )
    try:
        limit = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        limit = float("nan")
    if not 0 < limit < 1:
        raise InputError(
            f"{option}: {shown(value)} is no limit of a rate: give a number above 0 and below 1, "
            "such as FPR=0.05."
        )
    return Limit(rate, limit, at_most is not None)
