"""The criteria of an audit: each compares one group with the reference group, in tidy rows.

Every function takes the items of two groups and yields the rows of one criterion. What cannot be
estimated is a row with the reason. p-values are not adjusted here: `audit` knows the families.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from fairpairs.arrays import Floats
from fairpairs.auditing.roles import Attribute, Roles
from fairpairs.auditing.small import SHUFFLES, SMALL, average_odds_test
from fairpairs.errors import InputError
from fairpairs.fairness.cell_measures import (
    information_separation_from_counts,
    separation_ratio_from_counts,
    shuffled_counts,
    shuffling_pvalue,
)
from fairpairs.fairness.comparative import comparative_separation_test
from fairpairs.fairness.density_ratio import density_ratio_fairness, mean_ratios, standardised
from fairpairs.fairness.density_ratio_estimators import LogisticRatio, SeparableGroupsError
from fairpairs.fairness.differential_parity import differential_parity_test
from fairpairs.fairness.effect_sizes import magnitude
from fairpairs.fairness.estimates import SMALL_CELL, Estimates
from fairpairs.fairness.information import information_separation
from fairpairs.fairness.permutation import separation_permutation_test
from fairpairs.fairness.proportions import FEW, FEW_EVENTS, few_events, pooled_or_exact_difference
from fairpairs.fairness.ranking import RankingResult, xauc
from fairpairs.fairness.results import notes
from fairpairs.fairness.separation import cell_counts, separation_from_counts
from fairpairs.fairness.shuffled_means import shuffled_pair

#: Items of two groups with real labels on whose pairs comparative separation is tested; of more, so
#: many are drawn, which leaves a standard error of about 0.002.
MOST_REAL = 250_000
SHUFFLED_COUNTS = f"p by {SHUFFLES:,} shuffles of the groups within labels"
NO_INTERVAL = f"{SMALL}: no interval"
#: Said of I_sep and the density ratio of real predictions, with the value that is fair.
NO_PVALUE = "no p-value without permutations: may be above {} though separation holds"
FEW_LABELS = f"{FEW} or fewer positive or negative labels in a group"
EffectKind = Literal["h", "d", ""]
#: Name and hypothesis of each measure of a criterion.
Measures = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Row:
    """One hypothesis, or one measure, of a group against the reference group."""

    attribute: str
    group: str
    reference: str
    criterion: str
    measure: str
    hypothesis: str
    estimate: float = np.nan
    ci_low: float = np.nan
    ci_high: float = np.nan
    effect_size: float = np.nan
    effect_kind: EffectKind = ""
    magnitude: str = ""
    statistic: float = np.nan
    pvalue: float = np.nan
    n: int = 0
    smallest_cell: int = 0
    note: str = ""
    shuffles: int = 0  # that the p-value is of; 0 where it is of none


@dataclass(frozen=True)
class Pairing:
    """A group, and the reference group that it is compared with."""

    attribute: str
    group: str
    reference: str

    def row(self, criterion: str, measure: str, hypothesis: str, **fields: Any) -> Row:
        """Return a row; the hypothesis names the groups by {a} and {b}, the reference."""
        parts = {"{a}": self.group, "{b}": self.reference}
        text = re.sub("{[ab]}", lambda place: parts[place[0]], hypothesis)
        names = (self.attribute, self.group, self.reference)
        return Row(*names, criterion, measure, text, **fields)


@dataclass(frozen=True)
class Comparison(Pairing):
    """A group (code 1) and the reference group (code 0), and the items of both.

    Attributes
    ----------
    roles
        Label and prediction of the items of the two groups, shape (m,).
    member
        1 for the group, 0 for the reference, shape (m,).
    n_permutations
        Shuffles of what has no p-value without them; 0 for none.
    random_state
        Seed.
    """

    roles: Roles
    member: NDArray[np.int64]
    alpha: float
    n_permutations: int
    random_state: int

    @property
    def counts(self) -> NDArray[np.int64]:
        """Items in each cell (reference or group, label, prediction), shape (2, 2, 2)."""
        label, prediction = (
            values.astype(np.int64) for values in (self.roles.y_true, self.roles.y_pred)
        )
        return np.asarray(cell_counts(label, prediction, self.member)[0])

    @property
    def generator(self) -> np.random.Generator:
        """A source of randomness of its own, whatever else is audited."""
        words = f"{self.attribute}\0{self.group}".encode()
        return np.random.default_rng([self.random_state, *words])

    @property
    def few_labels(self) -> bool:
        """Whether a group of two or more items has few items of a label."""
        labels = self.roles.y_true.astype(np.int64)
        counts = np.bincount(2 * self.member + labels, minlength=4).reshape(2, 2)
        return bool(counts.min() <= FEW and counts.sum(axis=1).min() > 1)

    def with_small_cells(self, note: str) -> str:
        """Add to a note that a group is small."""
        small = np.bincount(self.member, minlength=2).min() < SMALL_CELL
        return f"{note}; a cell below {SMALL_CELL}" if small else note

    def cannot(self, criterion: str, reason: str, *measures: tuple[str, str]) -> Iterator[Row]:
        """Yield rows without an estimate, of measures and hypotheses."""
        sizes = np.bincount(self.member, minlength=2)
        for measure, hypothesis in measures:
            yield self.row(
                criterion, measure, hypothesis,
                n=int(sizes.sum()), smallest_cell=int(sizes.min()), note=reason,
            )  # fmt: skip


def compared(roles: Roles, attribute: Attribute, **settings: Any) -> Iterator[Comparison]:
    """Yield each group of an attribute against its reference group."""
    for code, name in enumerate(attribute.names):
        if code == attribute.reference:
            continue
        own = (attribute.group == code) | (attribute.group == attribute.reference)
        part = replace(
            roles,
            y_true=roles.y_true[own],
            y_pred=roles.y_pred[own],
            y_score=None if roles.y_score is None else roles.y_score[own],
        )
        member = (attribute.group[own] == code).astype(np.int64)
        reference = attribute.names[attribute.reference]
        yield Comparison(attribute.name, name, reference, part, member, **settings)


SEPARATION = (("EOD", "TPR({a}) = TPR({b})"), ("FPR difference", "FPR({a}) = FPR({b})"))
AVERAGE_ODDS = (("AOD", "TPR and FPR of {a} differ from those of {b} by 0 on average"),)
COMPARATIVE = (
    ("across groups", "TPR({a},{b}) = TPR({b},{a})"),
    ("within groups", "TPR({a},{a}) = TPR({b},{b})"),
)
RANKING = (
    ("AUC", "AUC({a}) = AUC({b})"),
    ("xAUC", "xAUC({a},{b}) = xAUC({b},{a})"),
    ("xAUC_1", "xAUC_1({a}) = xAUC_1({b})"),
    ("xAUC_0", "xAUC_0({a}) = xAUC_0({b})"),
)
SELECTION = (("selection rate", "selection rate of {a} = that of {b}"),)
MEAN = (("mean prediction", "mean prediction of {a} = that of {b}"),)
DIFFERENTIAL = (("prediction less label", "mean of prediction less label of {a} = that of {b}"),)
INFORMATION = (("I_sep", "the prediction says nothing of {a} or {b} beyond the label"),)
RATIO = (("density ratio", "p(prediction | label, {a}) = p(prediction | label, {b})"),)


def separation(own: Comparison) -> Iterator[Row]:
    """Test TPR and FPR of binary predictions: EOD, and the difference of the FPR."""
    yield from _rows(own, "separation", SEPARATION, _gaps(own), "h")


def _gaps(own: Comparison) -> Estimates:
    """Return the differences of TPR and FPR."""
    return separation_from_counts(own.counts, alpha=own.alpha, method="auto")


def average_odds(own: Comparison) -> Iterator[Row]:
    """Test AOD, the mean of both differences, whose items are not the same ones."""
    difference, counts = _gaps(own), own.counts
    estimate, smallest = float(difference.estimate.mean()), int(difference.smallest_cell.min())
    fields: dict[str, Any] = {"n": int(difference.n.sum()), "smallest_cell": smallest}
    if np.isnan(estimate):
        (row,) = own.cannot("average_odds", "empty cell", *AVERAGE_ODDS)
        yield replace(row, **fields)
        return
    rate = counts[..., 1] / counts.sum(axis=-1)
    error = float(np.sqrt((rate * (1 - rate) / counts.sum(axis=-1)).sum()) / 2)
    note, successes, sizes = "", counts[..., 1], counts.sum(axis=-1)
    few = bool(few_events(successes[1], sizes[1], successes[0], sizes[0]).any())
    if smallest < SMALL_CELL or (few and error > 0):
        low, high, pvalue = average_odds_test(successes, sizes, own.alpha)
        fields.update(ci_low=low, ci_high=high, pvalue=pvalue)
        note = f"{SMALL if smallest < SMALL_CELL else FEW_EVENTS}: Newcombe's interval, p of it"
    elif error > 0:
        z, margin = estimate / error, ndtri(1 - own.alpha / 2) * error
        fields.update(
            ci_low=max(estimate - margin, -1), ci_high=min(estimate + margin, 1), statistic=z,
            pvalue=float(2 * ndtr(-abs(z))),
        )  # fmt: skip
    else:
        note = "no variance"
    yield own.row("average_odds", *AVERAGE_ODDS[0], estimate=estimate, note=note, **fields)


def comparative_separation(own: Comparison) -> Iterator[Row]:
    """Test comparative separation of the prediction, on all pairs of items."""
    n = len(own.member)
    drawn: Any = slice(None)
    if own.roles.label == "real" and n > MOST_REAL:
        drawn = np.sort(own.generator.permutation(n)[:MOST_REAL])
    result = comparative_separation_test(
        own.roles.y_true[drawn], own.roles.y_pred[drawn], sensitive_features=own.member[drawn],
        alpha=own.alpha, correction="none",
    )  # fmt: skip
    for row in _rows(
        own, "comparative_separation", COMPARATIVE, without_rough_intervals(result.difference), "h"
    ):
        if n <= MOST_REAL or own.roles.label == "binary":
            yield row
        else:
            some = f"on {MOST_REAL:,} of {n:,} items, drawn at random"
            yield replace(row, note=f"{row.note}; {some}" if row.note else some)


def without_rough_intervals(difference: Estimates) -> Estimates:
    """Leave out the intervals of pairs of small classes, which cover less than they say.

    With 6 items they cover 0.4 to 0.8; the p-values hold.
    """
    small = (difference.smallest_cell < SMALL_CELL) & np.isfinite(difference.ci_low)
    unsaid = small & (difference.reason == "")
    return replace(
        difference,
        ci_low=np.where(small, np.nan, difference.ci_low),
        ci_high=np.where(small, np.nan, difference.ci_high),
        reason=np.where(unsaid, NO_INTERVAL, difference.reason),
    )


def demographic_parity(own: Comparison) -> Iterator[Row]:
    """Test selection rates, or mean predictions where these are real."""
    if own.roles.prediction == "real":
        yield from _means(own, "demographic_parity", MEAN, np.zeros(len(own.member)))
        return
    selected = np.bincount(own.member, own.roles.y_pred, minlength=2).astype(np.int64)[:, None]
    sizes = np.bincount(own.member, minlength=2)[:, None]
    difference = pooled_or_exact_difference(
        selected[1], sizes[1], selected[0], sizes[0], alpha=own.alpha
    )
    yield from _rows(own, "demographic_parity", SELECTION, difference, "h")


def differential_parity(own: Comparison) -> Iterator[Row]:
    """Test whether predictions exceed labels by as much in both groups."""
    low, high = own.roles.y_pred.min(), own.roles.y_pred.max()
    if own.roles.label == "binary" and not 0 <= low <= high <= 1:
        reason = f"predictions from {low:g} to {high:g} are on another scale than labels of 0 and 1"
        yield from own.cannot("differential_parity", reason, *DIFFERENTIAL)
        return
    yield from _means(own, "differential_parity", DIFFERENTIAL, own.roles.y_true)


def _means(
    own: Comparison, criterion: str, measures: Measures, reference: NDArray[Any]
) -> Iterator[Row]:
    """Test the means of predictions minus a reference."""
    result = differential_parity_test(
        own.roles.y_pred, reference, sensitive_features=own.member, alpha=own.alpha
    )
    (row,) = _rows(own, criterion, measures, result.difference, "d")
    row = replace(
        row, statistic=row.statistic if np.isfinite(row.statistic) else np.nan,
        effect_size=row.effect_size if np.isfinite(row.effect_size) else np.nan,
    )  # fmt: skip
    labelled = criterion == "differential_parity" and own.roles.label == "binary"
    if labelled and own.roles.prediction == "real" and own.few_labels:
        values = own.roles.y_pred - reference
        found = shuffled_pair(values, own.member, own.alpha, doubt=FEW_LABELS)
        assert found is not None
        row = replace(
            row, ci_low=np.nan, ci_high=np.nan, pvalue=found.pvalue,
            note=own.with_small_cells(found.note),
        )  # fmt: skip
    yield row


def information(own: Comparison) -> Iterator[Row]:
    """Measure I_sep: from counts where both are binary, else by logistic regressions."""
    y_true, y_pred = own.roles.y_true, own.roles.y_pred
    sizes = np.bincount(own.member, minlength=2)
    fields: dict[str, Any] = {"n": int(sizes.sum()), "smallest_cell": int(sizes.min())}
    if own.roles.prediction == "binary":
        counts = own.counts
        value = float(information_separation_from_counts(counts))
        if np.isnan(value):
            reason = "no label has items of both groups"
            yield from own.cannot("information_separation", reason, *INFORMATION)
            return
        shuffled = shuffled_counts(counts, SHUFFLES, own.generator)
        fields["pvalue"] = shuffling_pvalue(value, information_separation_from_counts(shuffled))
        fields["shuffles"] = SHUFFLES
        note = SHUFFLED_COUNTS
    else:
        value = information_separation(y_true, y_pred, sensitive_features=own.member)
        note = f"by logistic regressions; {NO_PVALUE.format(0)}"
        if own.n_permutations:
            fields["pvalue"] = separation_permutation_test(
                y_true, y_pred, sensitive_features=own.member,
                statistic="information_separation", n_permutations=own.n_permutations,
                random_state=own.generator,
            ).pvalue  # fmt: skip
            fields["shuffles"] = own.n_permutations
            note = _permuted(own)
    note = own.with_small_cells(note)
    yield own.row("information_separation", *INFORMATION[0], estimate=value, note=note, **fields)


def density_ratio(own: Comparison) -> Iterator[Row]:
    """Measure the density ratio of separation, from counts or by logistic regressions."""
    sizes = np.bincount(own.member, minlength=2)
    fields: dict[str, Any] = {"n": int(sizes.sum()), "smallest_cell": int(sizes.min())}
    if own.roles.prediction == "binary":
        counts = own.counts
        value = float(separation_ratio_from_counts(counts))
        if not np.isfinite(value):
            reason = (
                "a label that one group has not"
                if np.isnan(value)
                else f"a prediction that {own.reference} never has with the same label"
            )
            yield from own.cannot("density_ratio_separation", reason, *RATIO)
            return
        shuffled = shuffled_counts(counts, SHUFFLES, own.generator)
        fields["pvalue"] = shuffling_pvalue(value, separation_ratio_from_counts(shuffled))
        fields["shuffles"] = SHUFFLES
        note = SHUFFLED_COUNTS
    else:
        try:
            value, fields["pvalue"] = _real_ratio(own)
        except SeparableGroupsError:  # whose remedies are options that an audit has not
            reason = "the groups hardly overlap, so the ratio has no end"
            yield from own.cannot("density_ratio_separation", reason, *RATIO)
            return
        fields["shuffles"] = own.n_permutations
        note = f"by logistic regressions; {NO_PVALUE.format(1)}"
        if own.n_permutations:
            note = _permuted(own)
    note = own.with_small_cells(note)
    yield own.row("density_ratio_separation", *RATIO[0], estimate=value, note=note, **fields)


def _real_ratio(own: Comparison) -> tuple[float, float]:
    """Return the density ratio of real predictions, and its p-value where one is asked for."""
    y_true, y_pred = own.roles.y_true, own.roles.y_pred
    if own.n_permutations:
        result = density_ratio_fairness(
            y_true, y_pred, sensitive_features=own.member, n_permutations=own.n_permutations,
            alpha=own.alpha, correction="none", random_state=own.generator,
        ).difference  # fmt: skip
        return float(result.estimate[1]), float(result.pvalue[1])
    if np.bincount(own.member, minlength=2).min() < 2:
        raise InputError("a group with one item: a density needs two")
    means = mean_ratios(
        standardised(y_true), standardised(y_pred), own.member, LogisticRatio(),
        measures=("separation",),
    )  # fmt: skip
    return float(means[0, 0]), float("nan")


def _permuted(own: Comparison) -> str:
    return f"by logistic regressions; p by {own.n_permutations:,} shuffles within labels"


def _rows(
    own: Pairing,
    criterion: str,
    measures: Measures,
    difference: Estimates,
    effect_kind: EffectKind,
) -> Iterator[Row]:
    """Yield the hypotheses of a result, in its order."""
    said = notes(difference)
    for k, (measure, hypothesis) in enumerate(measures):
        effect = float(difference.effect_size[k])
        yield own.row(
            criterion, measure, hypothesis,
            estimate=float(difference.estimate[k]),
            ci_low=float(difference.ci_low[k]),
            ci_high=float(difference.ci_high[k]),
            effect_size=effect,
            effect_kind=effect_kind,
            magnitude=_word(effect, effect_kind),
            statistic=float(difference.statistic[k]),
            pvalue=float(difference.pvalue[k]),
            n=int(difference.n[k]),
            smallest_cell=int(difference.smallest_cell[k]),
            note=str(said[k]),
        )  # fmt: skip


def _word(effect: float, kind: EffectKind) -> str:
    return "" if not kind or np.isnan(effect) else str(magnitude(effect, kind))


def ranking(y_true: Floats, y_score: Floats, attribute: Attribute, alpha: float) -> RankingResult:
    """Return AUC and xAUC of all groups at once; the reference comes last.

    The balanced xAUCs set a group against everyone, so groups cannot be taken two by two.
    """
    last = np.where(attribute.group == attribute.reference, len(attribute.names), attribute.group)
    return xauc(y_true, y_score, sensitive_features=last, alpha=alpha, correction="none")


def ranking_rows(result: RankingResult, attribute: Attribute) -> Iterator[Row]:
    """Yield the hypotheses of each group against the reference, which comes last."""
    k = len(attribute.names)
    others = [name for i, name in enumerate(attribute.names) if i != attribute.reference]
    reference = attribute.names[attribute.reference]
    sizes = [*np.delete(attribute.sizes, attribute.reference), attribute.sizes[attribute.reference]]
    of_pair = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for place, (i, j) in enumerate(of_pair):
        if j != k - 1:
            continue
        kept = slice(len(RANKING) * place, len(RANKING) * (place + 1))
        difference = result.difference.take(kept)
        pairing = Pairing(attribute.name, others[i], reference)
        both = sizes[i] + sizes[j]
        for row in _rows(pairing, "xauc", RANKING, difference, "h"):
            # the balanced xAUCs set each group against everyone
            yield replace(row, n=int(both)) if row.measure in ("AUC", "xAUC") else row


@dataclass(frozen=True)
class Criterion:
    """A criterion of an audit.

    Attributes
    ----------
    title
        What a reader sees.
    question
        What it asks, in one sentence.
    measures
        Name and hypothesis of each row.
    rows
        What computes them; None for the ranking, which takes all groups at once.
    """

    title: str
    question: str
    measures: Measures
    rows: Callable[[Comparison], Iterator[Row]] | None

    def of(self, name: str, own: Comparison) -> list[Row]:
        """Return the rows of a comparison; what a test refuses is a row that says why."""
        assert self.rows is not None
        try:
            return list(self.rows(own))
        except InputError as error:
            return list(own.cannot(name, str(error).rstrip("."), *self.measures))


CRITERIA = {
    "separation": Criterion(
        "Separation (equalized odds)",
        "Among those with the same label, are both groups predicted positive as often? EOD "
        "compares those with a positive label, the FPR those with a negative one.",
        SEPARATION,
        separation,
    ),
    "average_odds": Criterion(
        "Average odds",
        "The mean of both differences of separation; opposite ones cancel.",
        AVERAGE_ODDS,
        average_odds,
    ),
    "comparative_separation": Criterion(
        "Comparative separation",
        "Of two items with different labels, is the right one predicted higher as often, whichever "
        "group each is of? The same as separation for binary labels, from comparisons.",
        COMPARATIVE,
        comparative_separation,
    ),
    "xauc": Criterion(
        "Ranking (xAUC)",
        "Does the score rank the positive items of one group above the negative ones of the other "
        "as often as the other way round, whatever the threshold?",
        RANKING,
        None,
    ),
    "demographic_parity": Criterion(
        "Demographic parity",
        "Are both groups predicted positive as often, whatever their labels? Groups that differ in "
        "labels of two values satisfy both this and separation only by a model that says nothing.",
        SELECTION,
        demographic_parity,
    ),
    "differential_parity": Criterion(
        "Differential parity",
        "Does the prediction exceed the label by as much in both groups, on average? Positive: it "
        "favours the group more than the labels do.",
        DIFFERENTIAL,
        differential_parity,
    ),
    "information_separation": Criterion(
        "Information (I_sep)",
        "How much of what the label leaves open about the group does the prediction tell? 0 under "
        "separation, 1 at most.",
        INFORMATION,
        information,
    ),
    "density_ratio_separation": Criterion(
        "Density ratio",
        "The mean ratio of the two groups' densities of the prediction given the label: 1 under "
        "separation, above 1 else.",
        RATIO,
        density_ratio,
    ),
}


def not_applicable(roles: Roles) -> dict[str, str]:
    """Say which criteria do not apply to labels and predictions of this kind, and why."""
    reasons = {}
    if roles.prediction == "real":
        why = "the prediction is a number: give decisions of two values, as by a threshold"
        reasons = {"separation": why, "average_odds": why}
    if roles.label == "real":
        reasons["xauc"] = "the label is a number"
    elif roles.prediction == "binary" and roles.y_score is None:
        reasons["xauc"] = "no score is given"
    return reasons
