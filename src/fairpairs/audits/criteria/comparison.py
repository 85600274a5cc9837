"""A group of an attribute against the reference group, which each criterion compares.

A criterion (see `criteria`) takes one `Comparison` and yields a `Row` for each of its measures;
without an estimate, the row has the reason.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpairs.audits.criteria.rows import ALL, AMONG, Measure, Row
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.items.messages import drawn_at_random
from fairpairs.audits.items.roles import Roles, ValueName
from fairpairs.base.arrays import Array, Floats, Integers
from fairpairs.base.errors import InputError
from fairpairs.base.texts import p_equals
from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.estimates.cell_measures import shuffled_counts
from fairpairs.mathematics.estimates.estimates import (
    SMALL,
    SMALL_CELL,
    EffectSizeKind,
    Estimates,
    magnitude,
)
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.binomial import binomial_differences
from fairpairs.mathematics.inference.results import notes
from fairpairs.mathematics.inference.sampling.controlled import controlled_means, heterogeneity
from fairpairs.mathematics.inference.sampling.estimates import why_no_test
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import mean
from fairpairs.mathematics.inference.sampling.two_phases import labels_worth
from fairpairs.mathematics.inference.sampling.units import ShuffledCells, shuffled_cells
from fairpairs.mathematics.inference.shuffled_means import MAX_SKEWNESS

#: Fewer items of a group, drawn of more, do not tell anything.
FEWEST_DRAWN = 100
#: Rates that several criteria compare.
SHARED_RATES = ("TPR", "FPR")
#: Shuffles of counts, which are cheap.
SHUFFLES = 9999
#: Of the same of items in clusters, or with weights.
SKEWED_GAP = "skewed values in clusters: interval and p are rough"
SKEWED_WEIGHTED_GAP = "skewed values by weight: interval and p are rough"


class Comparison:
    """A group (member 1) and the one that it is compared with (member 0), with their items."""

    def __init__(self, items: AttributeItems, code: int, other: int) -> None:
        """Compare the groups of two codes of the attribute."""
        names, self.both = items.attribute.names, [other, code]
        self.all_items, self.code, self.other = items, code, other
        self.group, self.reference = names[code], names[other]
        #: Items of the reference and of the group.
        self.sizes = items.attribute.sizes[self.both]
        #: Intervals cover 1 − alpha.
        self.alpha = items.settings.alpha
        #: Whether items are independent and compared all together, so that their counts are enough.
        self.plain = items.design.independent and items.strata is None

    @cached_property
    def roles(self) -> Roles:
        """Label and prediction of the items of the two groups, shape (m,)."""
        roles, kept = self.all_items.roles, self.places >= 0
        return replace(roles, y_true=roles.y_true[kept], y_pred=roles.y_pred[kept], y_score=None)

    @cached_property
    def member(self) -> NDArray[np.int64]:
        """1 for the items of the group, 0 for those of the reference, shape (m,)."""
        group = self.all_items.attribute.group[self.places >= 0]
        return np.asarray(group == self.code, dtype=np.int64)

    @cached_property
    def crude(self) -> Comparison:
        """The same groups without strata."""
        return Comparison(replace(self.all_items, strata=None), self.code, self.other)

    @cached_property
    def design(self) -> SamplingDesign:
        """How the items of the two groups were sampled."""
        return self.all_items.design.take(self.places >= 0)

    @cached_property
    def shuffled_cells(self) -> ShuffledCells:
        """The test of separation of binary predictions by shuffles of whole clusters."""
        labels, predictions = (
            values.astype(np.int64) for values in (self.roles.y_true, self.roles.y_pred)
        )
        assert self.design.cluster is not None
        return shuffled_cells(
            labels, predictions, self.member, self.design.cluster, SHUFFLES, self.generator
        )

    @cached_property
    def shuffled_tables(self) -> tuple[Integers, Integers]:
        """Different counts among shuffles of the groups within labels, and those of each."""
        shuffled = shuffled_counts(self.counts, SHUFFLES, self.generator)
        # by the hits of group 1, of which many are drawn again and again
        table = shuffled[:, 1, 0, 1] * (self.counts.sum() + 1) + shuffled[:, 1, 1, 1]
        _, first, place = np.unique(table, return_index=True, return_inverse=True)
        return shuffled[first], place

    @property
    def counts(self) -> NDArray[np.int64]:
        """Items in each cell (reference or group, label, prediction), shape (2, 2, 2)."""
        return np.asarray(self.all_items.counts[self.both])

    def values(self, name: ValueName) -> Floats:
        """Return values of the items of the two groups, shape (m,)."""
        return self.kept(self.all_items.roles.values(name))

    def kept(self, values: Floats) -> Floats:
        """Return the values of the items of the two groups, shape (m,)."""
        return values[self.places >= 0]

    @cached_property
    def count(self) -> Integers:
        """How many equal items each item of the two groups stands for, shape (m,)."""
        return self.all_items.count[self.places >= 0]

    @cached_property
    def single(self) -> Comparison:
        """The same on items that stand for one each; raises if hardly any of a group are drawn."""
        if not self.plain:
            return self
        items = self.all_items.single
        alone = Comparison(items, self.code, self.other)
        drawn = np.bincount(alone.member, minlength=2)
        if drawn.min() < min(FEWEST_DRAWN, int(self.sizes.min())):
            group = self.group if drawn.argmin() else self.reference
            raise InputError(
                f"{int(drawn.min())} rows of {group} among {len(items.roles.y_true):,} "
                "that were drawn at random: too few"
            )
        return alone

    def drawn(self, row: Row) -> Row:
        """Return the row, with a note if the items are a sample."""
        if not self.all_items.many:
            return row
        n, items = int(self.sizes.sum()), len(self.single.member)
        return replace(row, n=items, note=drawn_at_random(row.note, items, n))

    @property
    def generator(self) -> np.random.Generator:
        """A random generator for this comparison, independent of other comparisons."""
        attribute = self.all_items.attribute
        words = f"{attribute.name}\0{self.group}".encode()
        if self.other != attribute.reference:
            words += f"\0{self.reference}".encode()
        return np.random.default_rng([self.all_items.settings.seed, *words])

    def with_small_group(self, note: str) -> str:
        """Add to a note that a group is small, if one is."""
        return (f"{note}; {SMALL}") if self.sizes.min() < SMALL_CELL else note

    def row(self, measure: Measure, **fields: Any) -> Row:
        """Return a row; n and the smallest cell default to those of both groups."""
        names = {"{a}": self.group, "{b}": self.reference}
        hypothesis = re.sub("{[ab]}", lambda match: names[match[0]], measure.hypothesis)
        sizes = self.sizes.tolist()
        return Row(
            self.all_items.attribute.name,
            self.group,
            self.reference,
            measure.name,
            hypothesis,
            **{"n": sum(sizes), "smallest_cell": min(sizes), **fields},
        )

    def row_of_test(
        self,
        measure: Measure,
        test: Estimates,
        effect_kind: EffectSizeKind,
        contrast: Contrast | None,
    ) -> Row:
        """Return the row of a difference and its tests; fields of the test have the shape ()."""
        effect = float(test.effect_size)
        return self.row(
            measure,
            estimate=float(test.estimate),
            ci_low=float(test.ci_low),
            ci_high=float(test.ci_high),
            effect_size=effect,
            effect_kind=effect_kind,
            magnitude="" if np.isnan(effect) else str(magnitude(effect, effect_kind)),
            statistic=float(test.statistic),
            pvalue=float(test.pvalue),
            n=int(test.n),
            smallest_cell=int(test.smallest_cell),
            note=str(notes(test)),
            contrast=contrast,
        )

    def row_of_rate(self, measure: Measure) -> Row:
        """Return the row of a rate of decisions of independent items."""
        assert measure.rate is not None
        counted, n = measure.rate.counts(self.counts)
        both = (array[[code]] for code in (1, 0) for array in (counted, n))
        tests, (contrast,) = binomial_differences(*both, alpha=self.alpha)
        return self.row_of_test(measure, tests.take(0), "h", contrast)

    def rate_gap(self, measure: Measure) -> Gap:
        """Return the difference of a rate of decisions, with the influence of each item."""
        if measure.name in self._rate_gaps:
            return self._rate_gaps[measure.name]
        assert measure.rate is not None
        roles = self.all_items.roles
        cell: tuple[Any, ...] = ()
        if measure.rate.of != ALL:
            column, value = AMONG[measure.rate.of]
            cell = getattr(roles, column).astype(np.int64), value
        gap = self.gap(measure.rate.of_items(roles.cell)[0].astype(float), *cell)
        if self.all_items.strata is not None and measure.name in SHARED_RATES:
            self._rate_gaps[measure.name] = gap
        return gap

    @cached_property
    def _rate_gaps(self) -> dict[str, Gap]:
        """Differences within strata that several criteria ask for."""
        return {}

    def row_of_gap(self, measure: Measure, gap: Gap) -> Row:
        """Return the row of a difference of items in clusters or with weights."""
        design, difference = self.all_items.design, gap.difference
        if np.isnan(difference.estimate):
            return self.row(measure, note="empty cell")
        kept = difference.classes >= 0
        counts = None if design.counts is None else design.counts[kept]
        cells = np.bincount(difference.classes[kept], counts)
        smallest = int(cells[cells > 0].min())
        effect, kind = gap.effect
        skewed = ""
        if gap.skewness(design) > MAX_SKEWNESS:  # not of NaN, where nothing varies
            skewed = SKEWED_WEIGHTED_GAP if design.cluster is None else SKEWED_GAP
        reasons = gap.note, skewed, SMALL if smallest < SMALL_CELL else ""
        row = self.row(
            measure,
            estimate=difference.estimate,
            effect_size=effect,
            effect_kind=kind,
            magnitude=str(magnitude(effect, kind)) if kind else "",
            n=int(cells.sum()),
            smallest_cell=smallest,
            note="; ".join(filter(None, reasons)),
        )
        if why := why_no_test(gap, design):
            return replace(row, note=why)
        if design.phases is not None:
            row = replace(row, worth=labels_worth(difference, design))
        contrast = gap.contrast(design)
        low, high = contrast.limits(self.alpha)
        row = replace(row, note="; ".join(filter(None, (row.note, gap.large_cluster(design)))))
        return replace(row, ci_low=low, ci_high=high, pvalue=contrast.pvalue(), contrast=contrast)

    @cached_property
    def places(self) -> Array:
        """1 for items of the group, 0 for those of the reference, −1 for all others, shape (n,)."""
        group = self.all_items.attribute.group
        reference = group == self.other
        member = 2 * (group == self.code).astype(np.int8) + reference - 1
        return np.asarray(member, dtype=np.int8)

    def gap(self, values: Floats, cells: Array | None = None, cell: int = 0) -> Gap:
        """Return the difference of two rates of 0/1 values, of items in a cell (by default all)."""
        classes = member = self.places
        if cells is not None:
            member = np.where(np.asarray(cells) == cell, self.places, np.int8(-1))
            both = 2 * self.places + np.asarray(cells, dtype=np.int8)
            classes = np.where(self.places < 0, np.int8(-1), both)
        items, design = self.all_items, self.all_items.design
        if items.strata is not None:
            code = items.strata.code
            controlled = controlled_means(values, member, classes, code, design)
            pvalue = heterogeneity(values, member, code, design)
            differs = f"not the same in all strata ({p_equals(pvalue)})"
            note = differs if pvalue < self.alpha else ""
            return Gap(*controlled[:2], means=False, strata=controlled[2], note=note)
        second, first = (mean(values, member == side, classes, design) for side in (0, 1))
        return Gap(first, second)

    def gap_of_means(self, name: ValueName) -> Gap:
        """Return the difference of the means of some values of the items."""
        values = self.all_items.roles.values(name)
        gap = self.gap(values)
        design = self.all_items.design
        weight = np.where(self.places < 0, 0.0, design.weights)
        mean_of = np.where(self.places == 1, gap.first.estimate, gap.second.estimate)
        n = int((weight > 0).sum() if design.counts is None else weight.sum())
        squares = float(weight @ (values - mean_of) ** 2)
        deviation = np.sqrt(squares / weight.sum() * n / (n - 2)) if n > 2 else np.nan
        return replace(gap, rates=False, deviation=float(deviation))
