"""The lines of a comparison: the gap of each model, its change, and the tests of the change."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from fairpairs.audits.criteria import CRITERIA
from fairpairs.audits.criteria.comparison import Comparison
from fairpairs.audits.criteria.rows import ACCURACY, Measure
from fairpairs.audits.items.attribute_items import AttributeItems
from fairpairs.audits.lines.verdicts import (
    CHANGE,
    adjusted_within,
    among,
    families,
    ladder,
    over_all,
    shown_within,
    smallest,
)
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Record
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL
from fairpairs.mathematics.inference.contrast import Contrast
from fairpairs.mathematics.inference.contrasts.equivalence import GapComparison
from fairpairs.mathematics.inference.contrasts.paired import PairedContrast
from fairpairs.mathematics.inference.contrasts.score import at_once
from fairpairs.mathematics.inference.rates import FEW
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.inference.sampling.changes import GapChange
from fairpairs.mathematics.inference.sampling.estimates import FEW_CLUSTERS
from fairpairs.mathematics.inference.sampling.gaps import Gap

#: Notes of lines.
UNCHANGED = "no prediction changed"
FEW_CHANGED = "few decisions changed: interval and p are rough"
#: Columns of numbers of a line, NaN where there is none.
NUMBERS = (
    "old", "old_low", "old_high", "new", "new_low", "new_high", "change", "ci_low", "ci_high",
    "pvalue", "improved", "worse", "margin", "margin_low", "margin_high", "pvalue_not_worse",
    "beyond", "variance", "variance_unpaired", "variance_ratio",
)  # fmt: skip
#: Adjusted p-value → the column of that of the line alone.
ADJUSTED = {
    "pvalue_adjusted": "pvalue", "pvalue_improved": "improved", "pvalue_worse": "worse",
    "pvalue_worse_beyond": "beyond",
}  # fmt: skip

#: A line without its tests, and these; None where there are none.
Change: TypeAlias = tuple[Record, GapComparison | None]


def change_lines(
    old_items: AttributeItems,
    new_items: AttributeItems,
    criteria: tuple[str, ...],
    margins: Mapping[str, float],
    step: Callable[[], object],
    counted: Collection[str] = (),
) -> list[Record]:
    """Return the lines of all criteria, of each group against the reference.

    The items are the same, with the predictions of the old and of the new model. Of the criteria
    that are `counted`, there are lines of each two other groups too, where what is said of all
    groups rests on them. `step` is called after each criterion of each group.
    """
    changes: dict[str, list[Change]] = {name: [] for name in criteria}
    attribute, also_further = old_items.attribute, [one for one in criteria if one in counted]
    for pairs, names in (attribute.pairs, criteria), (attribute.further_pairs, also_further):
        for two in pairs:
            old, new = (Comparison(one, *two) for one in (old_items, new_items))
            for name in names:
                changes[name] += _changes(name, old, new)
                step()
    lines = [
        line
        for name, some in changes.items()
        for line in _tested(some, name, margins.get(name, np.nan), old_items.settings.alpha)
    ]
    return sorted(lines, key=lambda line: attribute.place(line["group"], line["reference"]))


def _tested(changes: list[Change], name: str, margin: float, alpha: float) -> Iterator[Record]:
    """Yield the lines of the changes of a criterion, with the tests of all."""
    known = [tests for _, tests in changes if tests is not None]
    margins = [margin, -margin] if np.isfinite(margin) else []
    at_once((tests.old for tests in known), [alpha], [0.0])
    at_once((tests.new for tests in known), [alpha], margins)
    at_once((tests.average for tests in known), [], [0.0, *(end / 2 for end in margins)])
    for line, tests in changes:
        more = {} if tests is None else _tests(tests, margin, alpha)
        yield {**line, "margin": margin, **more, "criterion": name}


def _tests(tests: GapComparison, margin: float, alpha: float) -> Record:
    """Return the columns of tests and intervals of a change."""
    columns = {
        **_ends(tests.old, alpha, "old_"),
        **_ends(tests.new, alpha, "new_"),
        **_ends(tests.change, alpha, "ci_"),
        "pvalue": tests.change.pvalue(),
        "improved": tests.improved(),
        "worse": tests.worse(),
    }
    if np.isfinite(margin):
        columns |= _ends(tests.change, 2 * alpha, "margin_")
        columns["pvalue_not_worse"] = tests.not_worse(margin, alpha)
        columns["beyond"] = tests.worse(margin)
    return columns


def _changes(name: str, old: Comparison, new: Comparison) -> Iterator[Change]:
    criterion = CRITERIA[name]
    assert criterion.gaps is not None
    measures = criterion.measures_of(old.all_items.roles)
    if all(measure.rate is not None for measure in measures):
        old, new = _of_two(old), _of_two(new)
    try:
        gaps = [list(criterion.gaps(comparison)) for comparison in (old, new)]
    except InputError as error:
        for measure in measures:
            yield _line(old, measure, note=str(error).rstrip(".")), None
        return
    for measure, first, second in zip(measures, *gaps, strict=True):
        yield _change(old, new, measure, first, second)


def _of_two(comparison: Comparison) -> Comparison:
    """Return the comparison of the items of its two groups alone: others take time.

    Where all items count for a variance, as with sampling weights, they stay.
    """
    items = comparison.all_items
    if items.strata is not None or not items.design.divisible:
        return comparison
    kept = comparison.places >= 0
    taken = replace(
        items,
        roles=items.roles.take(np.flatnonzero(kept)),
        attribute=replace(items.attribute, group=items.attribute.group[kept]),
        design=items.design.take(kept),
    )
    return Comparison(taken, comparison.code, comparison.other)


def _change(old: Comparison, new: Comparison, measure: Measure, first: Gap, second: Gap) -> Change:
    y_old, y_new = old.all_items.roles.y_pred, new.all_items.roles.y_pred
    binary = old.all_items.roles.prediction == "binary"
    label, right = old.all_items.roles.y_true, measure.rate == ACCURACY
    decided = tuple((y == label).astype(float) if right else y for y in (y_old, y_new))
    decisions = (decided[0], decided[1]) if binary else None
    whole = GapChange(first, second, old.all_items.design, decisions, y_old != y_new)
    change = whole.of_its_items()
    design, moved_items = change.design, change.moved
    assert moved_items is not None
    estimate = change.linear.estimate
    if not np.isfinite(estimate):
        return _line(old, measure, note="empty cell"), None
    inside = change.linear.classes >= 0
    counts = None if design.counts is None else design.counts[inside]
    cells = np.bincount(change.linear.classes[inside], counts)
    smallest = int(cells[cells > 0].min())
    moved = int(np.bincount(moved_items[inside], counts, 2)[1]) if binary else None
    paired, unpaired = change.variances
    line: Record = {
        "old": first.difference.estimate, "new": second.difference.estimate, "change": estimate,
        "variance": paired, "variance_unpaired": unpaired,
        "variance_ratio": paired / unpaired if unpaired > 0 else np.nan,
        "n": int(cells.sum()), "changed": moved, "smallest_cell": smallest,
        "note": SMALL if smallest < SMALL_CELL else "",
    }  # fmt: skip
    fewest = min(gap.fewest_units(design) for gap in (change.old, change.new))
    if design.cluster is not None and fewest < 2:
        return _line(old, measure, **{**line, "note": FEW_CLUSTERS}), None
    tests = change.contrast
    old_gap, new_gap, average = (
        gap.contrast(design) for gap in (change.old, change.new, change.average)
    )
    without_variance = any(getattr(x, "error", 1.0) == 0 for x in (old_gap, new_gap, average))
    if tests is None or without_variance:
        unchanged = {"pvalue": 1.0, "note": UNCHANGED} if paired == 0 else {}
        return _line(old, measure, **{**line, **unchanged}), None
    student = not isinstance(tests, PairedContrast)
    if student and moved is not None and moved <= FEW:
        line["note"] = FEW_CHANGED
    return _line(old, measure, **line), GapComparison(old_gap, new_gap, tests, average)


def _ends(contrast: Contrast, alpha: float, prefix: str) -> dict[str, float]:
    low, high = contrast.limits(alpha)
    return {f"{prefix}low": low, f"{prefix}high": high}


def _line(comparison: Comparison, measure: Measure, **fields: Any) -> Record:
    row = comparison.row(measure)
    return {
        "attribute": row.attribute, "group": row.group, "reference": row.reference,
        "measure": row.measure, **dict.fromkeys(NUMBERS, np.nan),
        "n": row.n, "changed": None, "smallest_cell": row.smallest_cell, "note": "", **fields,
    }  # fmt: skip


def judge_lines(lines: Sequence[Record], alpha: float, correction: Correction) -> pd.DataFrame:
    """Return lines as a table, with p-values adjusted within each family, and the verdicts.

    That a gap is not worse by the margin is shown without an adjustment, line by line.
    """
    table = pd.DataFrame(lines)
    each = families((line["attribute"], line["criterion"]) for line in lines)
    for name, unadjusted in ADJUSTED.items():
        table[name] = adjusted_within(each, table[unadjusted].to_numpy(dtype=float), correction)
    table["verdict"] = ladder(
        np.isfinite(table["change"]),
        np.isfinite(table["worse"]),
        found=table["pvalue_worse"] < alpha,
        beyond=table["pvalue_worse_beyond"] < alpha,
        within=table["pvalue_not_worse"] < alpha,
        better=table["pvalue_improved"] < alpha,
        words=CHANGE,
    )
    table["changed"] = table["changed"].astype("Int64")  # some lines have none
    return table


def judge_change(
    table: pd.DataFrame, counted: tuple[str, ...], alpha: float, *, with_margin: bool
) -> Record:
    """Adjust the p-values of the criteria that count, by Holm over all attributes.

    `pvalue_gate` is that of a larger gap, with margins by more than them.
    """
    counts = among(table, counted)
    decides = table["beyond"].where(table["margin"].notna(), table["worse"])
    table["pvalue_gate"] = pvalues = over_all(decides, counts)
    within = table["pvalue_not_worse"].to_numpy(dtype=float)
    return {
        "criteria": list(counted),
        "lines": int(counts.sum()),
        "tested": int(np.isfinite(pvalues).sum()),
        "pvalue": smallest(pvalues),
        "shown": shown_within(within, counts, alpha) if with_margin else None,
        "better": bool((over_all(table["improved"], counts) < alpha).any()),
    }
