"""The numbers of labels and of judgments that give a test the wanted power."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import fairpairs
from fairpairs.audits.power.plan import Plan
from fairpairs.base.arrays import Floats
from fairpairs.base.errors import InputError
from fairpairs.base.files import plain_rows
from fairpairs.base.inputs import between, level
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.power.cheap_labels import rejection_with_cheap_labels
from fairpairs.mathematics.power.items import MOST, PilotOfScores
from fairpairs.mathematics.power.rejection import expected_rejection
from fairpairs.mathematics.power.sample_sizes import power_curve, smallest_number

#: Rows of the printed curve.
ROWS = 8
#: Numbers of items to spread judgments over, as multiples of the smallest.
SPREADS = (1.25, 1.5, 2, 4)
#: Cheap labels for each human one that is needed without them, unless they are given.
CHEAP = 10
#: Points of a drawn curve.
POINTS = 40
#: Version of the JSON.
FORMAT = 3

Power = Callable[[int], float]


class Needed(ABC):
    """The numbers that a plan needs, and the power by number."""

    wanted: float

    @abstractmethod
    def to_dict(self) -> Record:
        """Return all of it as plain values; None where no number is enough."""

    @abstractmethod
    def _powers(self) -> dict[str, Power]:
        """Return the power of each test by its number."""

    @abstractmethod
    def _range(self) -> tuple[float, float]:
        """Return the ends of the curve."""

    def curve(self) -> pd.DataFrame:
        """Return the power at ROWS numbers around those needed."""
        return self._curve([rounded_up(n) for n in np.geomspace(*self._range(), ROWS)])

    def smooth_curve(self) -> pd.DataFrame:
        """Return the power at POINTS numbers, for a figure."""
        return self._curve(np.unique(np.geomspace(*self._range(), POINTS).astype(np.int64)))

    def _curve(self, numbers: Any) -> pd.DataFrame:
        return power_curve(self._powers(), numbers)


@dataclass(frozen=True)
class CheapLabels:
    """Cheap labels that rows have, and the human labels needed beside them."""

    #: Shares of them that are right, of each group.
    accuracy: tuple[float, ...]
    items: int
    #: None where no number is enough.
    human: int | None


@dataclass(frozen=True)
class SampleSizes(Needed):
    """The numbers of labels and of judgments needed; None where no number is enough."""

    plan: Plan
    #: The wanted power.
    wanted: float
    alpha: float
    #: Labelled rows for a test of separation; None without predictions, too.
    by_labels: int | None
    #: Judged pairs on fresh items (no item in two pairs), including those without a winner.
    by_fresh: int | None
    #: Items below which no number of judgments is enough.
    fewest: int | None
    #: Judged pairs by the number of items that they are spread over.
    spread: dict[int, int | None]
    #: Power of each test by its number of labels, or of judgments.
    powers: dict[str, Power]
    cheap: CheapLabels | None = None

    @property
    def kept(self) -> float:
        """Judgments for each of the pairs that the tests count; 1 where all pairs are judged."""
        return _kept(self.plan)

    @property
    def known(self) -> list[int]:
        """The numbers needed, for the tests that reach the power."""
        return [n for n in (self.by_labels, self.by_fresh) if n is not None]

    def _powers(self) -> dict[str, Power]:
        return self.powers

    def _range(self) -> tuple[float, float]:
        return max(min(self.known) / 8, 10), min(max(self.known) * 2, MOST)

    def to_dict(self) -> Record:
        """Return all of it as plain values; None where no number is enough."""
        rates = self.plan.rates
        return {
            "format": FORMAT,
            "about": {
                "version": fairpairs.__version__,
                "plan": [rates.assumed, *filter(None, [rates.pilot]), *rates.shown],
                "power": self.wanted,
                "alpha": self.alpha,
                "notes": [*rates.notes, *rates.checks],
            },
            "labels": {"separation": self.by_labels},
            "judgments": {
                "fresh_items": self.by_fresh,
                "fewest_items": self.fewest,
                "by_items": [{"items": n, "judgments": pairs} for n, pairs in self.spread.items()],
            },
            "curve": plain_rows(self.curve()),
            **(
                {}
                if self.cheap is None
                else {"cheap_labels": {**asdict(self.cheap), "accuracy": [*self.cheap.accuracy]}}
            ),
        }


def check_power(wanted: float, alpha: float) -> None:
    """Raise InputError unless the wanted power is above the level."""
    level(alpha, "--alpha")
    between(wanted, "--power", 0, 1)
    if wanted <= alpha:
        raise InputError(
            f"--power must be larger than --alpha; they are {wanted:g} and {alpha:g}: give, "
            "for example, 0.8 and 0.05."
        )


def sample_sizes(
    plan: Plan,
    *,
    items: int | None = None,
    wanted: float = 0.8,
    alpha: float = 0.05,
    accuracy: tuple[float, ...] | None = None,
) -> SampleSizes:
    """Return the numbers of labels and of judgments needed, on `items` items (None: tries several).

    `accuracy` is that of cheap labels, which all rows have, by group. InputError when no number
    reaches the wanted power.
    """
    cells, pairs = plan.cells, plan.comparisons
    powers: dict[str, Power] = {}
    by_labels = by_fresh = fewest = cheap = None
    spread: dict[int, int | None] = {}
    if cells is not None:
        powers["labels"] = lambda n: expected_rejection(
            "separation", cells, n_items=n, alpha=alpha, correction="holm"
        )
        by_labels = _needed(powers["labels"], wanted)
    if pairs is not None:
        judged = partial(_power_of_judgments, pairs, alpha)
        fresh = partial(judged, None)
        by_fresh = _needed(fresh, wanted)
        fewest = _needed(lambda n: judged(n, MOST), wanted)  # items, however many pairs
        kept = _kept(plan)
        sizes = _sizes(fewest, by_fresh, items, kept)
        spread = {n: _needed(partial(judged, n), wanted) for n in sizes}
        word = "judgments" if plan.forced else "pairs"
        powers[f"{word}, fresh items"] = lambda m: fresh(max(1, round(m * kept)))
        middle = items if items is not None else sizes[len(sizes) // 2] if sizes else None
        if middle is not None:
            over_items = partial(judged, middle)
            powers[f"{word} over {middle:,} items"] = lambda m: over_items(max(1, round(m * kept)))
    if by_fresh is None and by_labels is None:
        raise InputError(
            "No number of labels or judgments is enough for rates that differ so little or do not "
            "vary: give a larger --difference, or another pilot."
        )
    if accuracy is not None and cells is not None:
        right, n_rows = accuracy, items or CHEAP * (by_labels or 1_000)

        def beside(n: int) -> float:
            return rejection_with_cheap_labels(cells, n, n_rows, right, alpha=alpha)

        cheap = CheapLabels(right, n_rows, _needed(beside, wanted))
        powers = {"human labels beside cheap ones": beside, **powers}
    return SampleSizes(
        plan, wanted, alpha, by_labels, by_fresh, fewest, spread, powers, cheap
    )  # fmt: skip


def _power_of_judgments(
    pairs: Floats | PilotOfScores, alpha: float, n: int | None, m: int
) -> float:
    """Return the power of m judged pairs over n items, or, if that is None, on fresh ones."""
    return expected_rejection(
        "fresh_pairs" if n is None else "drawn_pairs",
        pairs,
        n_items=n,
        n_pairs=m,
        alpha=alpha,
        correction="holm",
    )


def _kept(plan: Plan) -> float:
    """Return judgments per pair that counts: with forced ones, no pair is without a winner."""
    return 1 / plan.decided if plan.forced else 1.0


def _sizes(fewest: int | None, by_fresh: int | None, items: int | None, kept: float) -> list[int]:
    """Return the numbers of items to spread judgments over."""
    sizes = [] if fewest is None else [rounded_up(fewest * spread) for spread in SPREADS]
    sizes = [n for n in sizes if n <= MOST]
    if by_fresh is not None:  # with that many items, fresh pairs need fewest judgments
        sizes = [n for n in sizes if n < 2 * by_fresh / kept]
    return sizes if items is None else sorted({*sizes, items})


def _needed(power_at: Power, wanted: float) -> int | None:
    """Return the smallest number that reaches the power, or None."""
    return smallest_number(power_at, wanted) if power_at(MOST) >= wanted else None


def rounded_up(number: float) -> int:
    """Round up to two digits."""
    unit = int(10 ** max(np.floor(np.log10(number)) - 1, 0))
    return int(np.ceil(number / unit - 1e-9)) * unit
