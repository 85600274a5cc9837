"""How many judges, clusters and judgments are needed where judgments share them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairpairs.base.document import Grid
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.power.items import MOST
from fairpairs.mathematics.power.sample_sizes import smallest_number

#: The number of judges, or of clusters, in the rows of the table, as multiples of those planned.
MULTIPLES = (0.5, 1, 2, 4, 8)
#: Judgments in its columns, as multiples of the middle.
COLUMNS = (0.25, 0.5, 1, 2, 4)

#: Power by the numbers of judgments, of judges and of clusters.
SharedPower = Callable[[float, int | None, int | None], float]


@dataclass(frozen=True)
class Sharing:
    """The judges and clusters that share judgments, and what more of them would give."""

    #: Power by the numbers of judgments, of judges and of clusters.
    power: SharedPower
    #: Those planned; None where judgments are not related by them.
    judges: int | None
    clusters: int | None
    #: The wanted power.
    wanted: float
    #: What judgments are called: judgments, or pairs.
    word: str = "judgments"

    @cached_property
    def needed(self) -> int | None:
        """Judgments needed with the judges and clusters planned; None if no number is enough."""
        return self._judgments(self.judges, self.clusters)

    @cached_property
    def fewest_judges(self) -> int | None:
        """Judges below which no number of judgments is enough; None if no number of them is."""
        if self.judges is None:
            return None
        return self._fewest(lambda n: self.power(MOST, n, self.clusters))

    @cached_property
    def fewest_clusters(self) -> int | None:
        """Clusters below which no number of judgments is enough; None if no number of them is."""
        if self.clusters is None:
            return None
        return self._fewest(lambda n: self.power(MOST, self.judges, n))

    @cached_property
    def rows(self) -> dict[int, tuple[list[float], int | None]]:
        """By the number of judges (else of clusters): powers at `columns`, judgments needed."""
        planned = self.judges if self.judges is not None else self.clusters
        fewest = self.fewest_judges if self.judges is not None else self.fewest_clusters
        numbers = {max(2, int(np.ceil((planned or 0) * times))) for times in MULTIPLES}
        if fewest is not None:
            numbers.add(max(2, int(np.ceil(1.25 * fewest))))
        return {n: (self._powers(n), self._judgments(*self._with(n))) for n in sorted(numbers)}

    @cached_property
    def columns(self) -> list[int]:
        """Numbers of judgments around the number needed (if none is enough: by many more units)."""
        middle = self.needed
        if middle is None:
            many = 100 * ((self.judges or 0) + (self.clusters or 0))
            middle = self._judgments(
                None if self.judges is None else many, None if self.clusters is None else many
            )
        return [_two_digits((1000 if middle is None else middle) * times) for times in COLUMNS]

    def grid(self) -> Grid:
        """Return the power by judges (or clusters) and judgments."""
        unit = "judges" if self.judges is not None else "clusters"
        rows = [
            (f"{n:,}", *(f"{power:.2f}" for power in powers), _shown(needed))
            for n, (powers, needed) in self.rows.items()
        ]
        over = f", over {self.clusters:,} clusters" if unit == "judges" and self.clusters else ""
        return Grid(
            [unit, *(f"{m:,} {self.word}" for m in self.columns), f"for {self.wanted:g}"],
            rows,
            caption=f"Power by {unit} and {self.word}{over}, and the {self.word} needed:",
        )

    def sentences(self) -> list[str]:
        """Return sentences on the units with which no number of judgments is enough."""
        lines = [
            f"{self.by} no number of {self.word} is enough."
            if self.needed is None
            else f"{self.by} {self.needed:,} {self.word} are needed."
        ]
        if self.judges is not None:
            rest = "" if self.clusters is None else f" over {self.clusters:,} clusters"
            lines.append(self._bound("By", "judges", self.fewest_judges, rest))
        if self.clusters is not None:
            rest = "" if self.judges is None else f" by {self.judges:,} judges"
            lines.append(self._bound("Over", "clusters", self.fewest_clusters, rest))
        return lines

    @property
    def units(self) -> bool:
        """Whether there are judges or clusters."""
        return self.judges is not None or self.clusters is not None

    def in_brief(self) -> str:
        """Return the number needed, as a part of a sentence."""
        if self.needed is not None:
            return f"{self.needed:,} {self.word} are needed"
        bounds = [
            f"at least {fewest:,} {unit}"
            for unit, fewest in (("judges", self.fewest_judges), ("clusters", self.fewest_clusters))
            if fewest is not None
        ]
        enough = f"no number of {self.word} is enough"
        return f"{enough}, it takes {' or '.join(bounds)}" if bounds else enough

    @property
    def by(self) -> str:
        """Return the start of a sentence on the judges and clusters planned."""
        judges = "" if self.judges is None else f"By {self.judges:,} judges"
        clusters = "" if self.clusters is None else f"over {self.clusters:,} clusters"
        both = " ".join(part for part in (judges, clusters) if part)
        return f"{both[0].upper()}{both[1:]}"

    def to_dict(self) -> Record:
        """Return all of it as plain values; None where no number is enough."""
        unit = "judges" if self.judges is not None else "clusters"
        return {
            "judges": self.judges,
            "clusters": self.clusters,
            "judgments": self.needed,
            "fewest_judges": self.fewest_judges,
            "fewest_clusters": self.fewest_clusters,
            "table": [
                {
                    unit: n,
                    "judgments": needed,
                    "powers": [
                        {"judgments": m, "power": power}
                        for m, power in zip(self.columns, powers, strict=True)
                    ],
                }
                for n, (powers, needed) in self.rows.items()
            ],
        }

    def _bound(self, start: str, unit: str, fewest: int | None, rest: str) -> str:
        if fewest is None:
            return f"However many {unit}: no number of {self.word}{rest} is enough."
        if fewest <= 2:
            return f"{start} two {unit}{rest} many {self.word} are enough."
        return f"{start} fewer than {fewest:,} {unit}{rest} no number of {self.word} is enough."

    def _with(self, n: int) -> tuple[int | None, int | None]:
        return (n, self.clusters) if self.judges is not None else (None, n)

    def _powers(self, n: int) -> list[float]:
        return [self.power(m, *self._with(n)) for m in self.columns]

    def _judgments(self, judges: int | None, clusters: int | None) -> int | None:
        if self.power(MOST, judges, clusters) < self.wanted:
            return None
        return smallest_number(lambda m: self.power(m, judges, clusters), self.wanted)

    def _fewest(self, power_at: Callable[[int], float]) -> int | None:
        try:
            return smallest_number(lambda n: 0.0 if n < 2 else power_at(n), self.wanted)
        except InputError:
            return None


def _shown(number: int | None) -> str:
    return "none is enough" if number is None else f"{number:,}"


def _two_digits(number: float) -> int:
    whole = max(int(number), 1)
    return round(whole, 2 - len(str(whole)))
