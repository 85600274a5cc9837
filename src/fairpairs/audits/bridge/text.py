"""The report of a comparison by two bridges."""

from __future__ import annotations

from typing import Any

from fairpairs.audits.bridge.compare import BridgeComparison
from fairpairs.base.document import Document, Notes, Part
from fairpairs.base.texts import interval, listed, number, p_equals
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.fairness.differential_parity import DifferentialParityResult

#: A model with a smaller R² hardly adjusts for differences between the items.
WEAK_MODEL = 0.1


def document(result: BridgeComparison) -> Document:
    """Return the report of a comparison."""
    decisions, explained = result.decisions, result.explained
    paths = [str(table.path) for table in decisions.tables]
    header = []
    for path, name, groups in zip(paths, decisions.columns, decisions.groups, strict=True):
        sizes = ", ".join(f"{n} {value}" for value, n in groups.value_counts().sort_index().items())
        header.append(f"{path}: {len(groups)} items ({sizes}), decisions in `{name}`")
    unused = f"; not used: {listed(decisions.unused)}" if decisions.unused else ""
    header += [
        f"Features: {listed(decisions.features[0].columns)}{unused}",
        f"The model, fitted on {paths[0]}, explains {100 * max(explained, 0):.0f} % of the "
        "variance of decisions there that it was not fitted on (cross-validated R² "
        f"{explained:.2f}).",
    ]
    trusting = (
        "If the model is trusted and its predictions replace the decisions of the first "
        f"file (unbiased bridge):\n{_finding(result.unbiased, paths)}\n"
        "That holds only if the model errs in both groups alike, which this does not check."
    )
    parts: list[Part] = [
        "\n".join(header),
        _finding(result.biased, paths),
        trusting,
        Notes(_notes(result)),
    ]
    return Document(f"{paths[0]} and {paths[1]}: decisions compared by a bridge", parts)


def _notes(result: BridgeComparison) -> list[str]:
    notes = [
        "A higher decision is taken for a more favourable one.",
        "Both files must hold items of one kind, drawn alike: where a group's items differ between "
        "them in a way that the model does not describe, the estimate is biased.",
        *result.decisions.notes,
    ]
    smallest = int(result.biased.difference.smallest_cell[0])
    if smallest < SMALL_CELL:
        notes.append(
            f"The smallest group has {smallest} items with an error to compare: below "
            f"{SMALL_CELL} the interval and the p-value are rough."
        )
    if result.errors == "fitting":
        notes.append(
            "Errors on the items that the model was fitted on are too small: the test finds too "
            "much (--errors cross-fitted does not)."
        )
    if result.explained < WEAK_MODEL:
        notes.append(
            "The model explains little of the decisions: the estimate hardly adjusts for "
            "differences between the items of the two files."
        )
    return notes


def _finding(result: DifferentialParityResult, paths: list[str]) -> str:
    """Return a sentence on the group that the first decisions favour more than the second do."""
    row: Any = next(result.to_frame().itertuples())
    if result.violated is None:
        return f"The difference cannot be estimated: {row.note}."
    other, favoured = result.groups if row.estimate >= 0 else result.groups[::-1]
    low, high = (row.ci_low, row.ci_high) if row.estimate >= 0 else (-row.ci_high, -row.ci_low)
    favour = (
        f"in {paths[0]} favour {favoured} over {other} by {number(abs(row.estimate))} more than "
        f"those in {paths[1]} do ({100 * (1 - result.alpha):g} % interval {interval(low, high)}, "
        f"{p_equals(row.pvalue)})"
    )
    if not result.violated:
        return f"No difference is found. By the estimate, the decisions {favour}."
    effect = "hardly an" if row.magnitude == "none" else f"a {row.magnitude}"
    return f"The decisions {favour}: {effect} effect (d = {abs(row.effect_size):.2f})."
