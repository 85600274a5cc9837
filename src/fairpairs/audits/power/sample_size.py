"""The numbers of labels and of judgments that give a test the wanted power."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import pandas as pd

import fairpairs
from fairpairs.audits.power.plan import Plan, TrueRates
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


@dataclass(frozen=True, kw_only=True)
class Needed:
    """What numbers give the wanted power, and the power of each test by its number."""

    wanted: float
    alpha: float
    powers: Mapping[str, Power]
    #: The ends of the curve.
    ends: tuple[float, float]

    def curve(self) -> pd.DataFrame:
        """Return the power at ROWS numbers around those needed."""
        return power_curve(self.powers, [rounded_up(n) for n in np.geomspace(*self.ends, ROWS)])

    def smooth_curve(self) -> pd.DataFrame:
        """Return the power at POINTS numbers, for a figure."""
        numbers = np.unique(np.geomspace(*self.ends, POINTS).astype(np.int64))
        return power_curve(self.powers, numbers)

    def plan_of(self, rates: TrueRates, notes: Sequence[str], **more: float) -> Record:
        """Return what all plans have as plain values: what is assumed and wanted, and notes."""
        about = {
            "version": fairpairs.__version__,
            "plan": [rates.assumed, *filter(None, [rates.pilot]), *rates.shown],
            **more,
            "power": self.wanted,
            "alpha": self.alpha,
            "notes": [*notes],
        }
        return {"format": FORMAT, "about": about}


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
    #: Labelled rows for a test of separation; None without predictions, too.
    by_labels: int | None
    #: Judged pairs on fresh items (no item in two pairs), including those without a winner.
    by_fresh: int | None
    #: Items below which no number of judgments is enough.
    fewest: int | None
    #: Judged pairs by the number of items that they are spread over.
    spread: dict[int, int | None]
    cheap: CheapLabels | None = None

    @property
    def kept(self) -> float:
        """Judgments for each of the pairs that the tests count; 1 where all pairs are judged."""
        return _kept(self.plan)

    def to_dict(self) -> Record:
        """Return all of it as plain values; None where no number is enough."""
        rates, cheap = self.plan.rates, self.cheap
        right = {} if cheap is None else {**asdict(cheap), "accuracy": [*cheap.accuracy]}
        return {
            **self.plan_of(rates, [*rates.notes, *rates.checks]),
            "labels": {"separation": self.by_labels},
            "judgments": {
                "fresh_items": self.by_fresh,
                "fewest_items": self.fewest,
                "by_items": [{"items": n, "judgments": pairs} for n, pairs in self.spread.items()],
            },
            "curve": plain_rows(self.curve()),
            **({"cheap_labels": right} if right else {}),
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
    known = [n for n in (by_labels, by_fresh) if n is not None]
    if not known:
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
        plan, by_labels, by_fresh, fewest, spread, cheap, wanted=wanted, alpha=alpha, powers=powers,
        ends=(max(min(known) / 8, 10), min(max(known) * 2, MOST)),
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
