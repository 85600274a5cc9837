"""Both bridges between two sets of decisions, and the fit of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

import fairpairs
from fairpairs.audits.bridge.read import Decisions
from fairpairs.audits.lines.answer import Answer, answered, next_of
from fairpairs.audits.lines.findings import Finding
from fairpairs.audits.lines.outcome import Report
from fairpairs.base.document import Grid, Notes, Part
from fairpairs.base.files import plain_rows
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import coverage, interval, listed, number, p_equals, pvalue
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.fairness.bridges import (
    Errors,
    biased_bridge,
    bridge_model,
    unbiased_bridge,
)
from fairpairs.mathematics.fairness.differential_parity import DifferentialParityResult

#: Version of the JSON.
FORMAT = 3
#: A model with a smaller R² hardly adjusts for differences between the items.
WEAK_MODEL = 0.1
LABELS = "Next: if the right decisions are known, fairpairs audit tells who errs."
MORE = "Next: collect more decisions, or features that explain more."


@dataclass(frozen=True)
class BridgeComparison:
    """Whether the decisions R_0 favour a group more than R_1 do, by both bridges."""

    #: The decisions of both files.
    decisions: Decisions
    #: Results of the bridges: without and with trust in the model.
    biased: DifferentialParityResult
    unbiased: DifferentialParityResult
    #: R² of the model on items that it was not fitted on.
    explained: float
    #: Source of the errors on the first items (see `fairpairs.biased_bridge`).
    errors: Errors

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each bridge, of the second group minus the first, by name."""
        frames = {"biased": self.biased.to_frame(), "unbiased": self.unbiased.to_frame()}
        return pd.concat(frames, names=["bridge", None]).reset_index("bridge")

    def to_dict(self) -> Record:
        """Return all of it as plain values; what is missing is None."""
        decisions = self.decisions
        return {
            "format": FORMAT,
            "about": {
                "version": fairpairs.__version__,
                "files": [
                    {
                        "file": table.path.name,
                        "sha256": table.sha256,
                        "decision": column,
                        "groups": {str(k): int(n) for k, n in groups.value_counts().items()},
                    }
                    for table, column, groups in zip(
                        decisions.tables, decisions.columns, decisions.groups, strict=True
                    )
                ],
                "features": [*decisions.features[0].columns],
                "unused": decisions.unused,
                "errors": self.errors,
                "alpha": self.biased.alpha,
                "notes": [*decisions.notes, *decisions.checks],
            },
            "explained": self.explained,
            "tests": plain_rows(self.to_frame()),
        }


def compare(
    decisions: Decisions, *, errors: Errors, folds: int, seed: int, alpha: float
) -> BridgeComparison:
    """Compare two sets of decisions by both bridges (see `fairpairs.biased_bridge`)."""
    (x_0, x_1), (r_0, r_1), (a_0, a_1) = decisions.features, decisions.decisions, decisions.groups
    arrays: Any = (x_0, r_0, x_1, r_1)
    biased = biased_bridge(
        *arrays,
        sensitive_features_0=a_0,
        sensitive_features_1=a_1,
        errors=errors,
        folds=folds,
        random_state=seed,
        alpha=alpha,
    )
    unbiased = unbiased_bridge(*arrays, sensitive_features_1=a_1, alpha=alpha)
    explained = _explained(x_0, r_0, folds, seed)
    return BridgeComparison(decisions, biased, unbiased, explained, errors)


def _explained(x: pd.DataFrame, decisions: pd.Series[float], folds: int, seed: int) -> float:
    """Return R² of the model on items that it was not fitted on."""
    from sklearn.metrics import r2_score  # noqa: PLC0415  (slow)
    from sklearn.model_selection import KFold, cross_val_predict  # noqa: PLC0415

    split = KFold(folds, shuffle=True, random_state=seed % 2**32)
    predicted = cross_val_predict(bridge_model(None, x), x, decisions, cv=split)
    return float(r2_score(decisions, predicted))


def report(result: BridgeComparison) -> Report:
    """Return the report of a comparison."""
    paths = [str(table.path) for table in result.decisions.tables]
    return Report(
        "bridge", f"{paths[0]} and {paths[1]}: decisions compared by a bridge",
        _answer(result, paths), list(_details(result, paths)), result.to_dict, result.to_frame,
    )  # fmt: skip


def _answer(result: BridgeComparison, paths: list[str]) -> Answer:
    biased, explained = result.biased, 100 * max(result.explained, 0)
    told = answered(
        "difference",
        f"Do the decisions in {paths[0]} favour a group more than those in {paths[1]} do?",
        violated=biased.violated,
        found=f"the decisions {_favour(biased, paths)}",
        untested=f"the difference cannot be estimated ({_row(biased).note})",
    )
    reasons = [
        f"{condition} decisions {_favour(one, paths)} {_ends(one)}."
        for one, condition in (
            (biased, "Whatever the model misses, the"),
            (result.unbiased, "If the model errs equally in both groups (not checked), the"),
        )
        if one.violated is not None
    ]
    reasons.append(
        f"The model explains {explained:.0f} % of the variance of decisions in {paths[0]} that it "
        "was not fitted on."
    )
    return Answer(
        *told, "; ".join(_files(result, paths)), list(_findings(result)), reasons,
        next=next_of(told, bad=LABELS, unsure=MORE),
        basis=f"Decided by the bridge without trust in the model (level {biased.alpha:g}); in "
        f"brackets, {coverage(biased.alpha)} intervals. Neither file is taken to be fair: "
        "decisions that are like biased ones are biased, too.",
        checks=result.decisions.checks,
    )  # fmt: skip


def _findings(result: BridgeComparison) -> Iterator[Finding]:
    for name, one in (("without trust in the model", result.biased), ("with it", result.unbiased)):
        row = _row(one)
        yield Finding(
            "the first decisions less the second", f"{one.groups[1]} minus {one.groups[0]}", name,
            "differs" if one.violated else "open", row.estimate, row.ci_low, row.ci_high,
        )  # fmt: skip


def _files(result: BridgeComparison, paths: list[str]) -> Iterator[str]:
    """Yield what each file holds."""
    decisions = result.decisions
    for path, name, groups in zip(paths, decisions.columns, decisions.groups, strict=True):
        sizes = groups.value_counts().sort_index().items()
        counts = ", ".join(f"{n:,} {value}" for value, n in sizes)
        yield f"{path}: {len(groups):,} rows ({counts}), decisions in {name}"


def _details(result: BridgeComparison, paths: list[str]) -> Iterator[Part]:
    decisions, explained = result.decisions, result.explained
    unused = f"; not used: {listed(decisions.unused)}" if decisions.unused else ""
    yield "\n".join(
        [
            *_files(result, paths),
            f"Features: {listed(decisions.features[0].columns)}{unused}",
            f"The model, fitted on {paths[0]}, explains {100 * max(explained, 0):.0f} % of the "
            "variance of decisions there that it was not fitted on (cross-validated R² "
            f"{explained:.2f}).",
        ]
    )
    yield Grid(
        ["bridge", "difference", f"{coverage(result.biased.alpha)} interval", "p", "d"],
        [
            (name, number(row.estimate, sign=True), interval(row.ci_low, row.ci_high, sign=True),
             pvalue(row.pvalue), f"{row.effect_size:.2f}")
            for name, row in (("biased", _row(result.biased)), ("unbiased", _row(result.unbiased)))
        ],
        left=("bridge",),
        caption=f"How much more {paths[0]} favours {result.biased.groups[1]} over "
        f"{result.biased.groups[0]} than {paths[1]} does, and in standard deviations (d):",
    )  # fmt: skip
    yield (
        "The biased bridge counts what the model misses. The unbiased one trusts the model, whose "
        "predictions replace the decisions of the first file: that holds only if it errs in both "
        "groups alike, which this does not check."
    )
    yield Notes(_notes(result))


def _notes(result: BridgeComparison) -> list[str]:
    notes = [
        "A higher decision is taken for a more favourable one.",
        "Both files must hold rows of one kind, drawn in the same way: if a group's rows differ "
        "between them in a way that the model does not describe, the estimate is biased.",
        *result.decisions.notes,
    ]
    smallest = int(result.biased.difference.smallest_cell[0])
    if smallest < SMALL_CELL:
        notes.append(
            f"The smallest group has {smallest} rows with an error to compare: below "
            f"{SMALL_CELL} the interval and the p-value are rough."
        )
    if result.errors == "fitting":
        notes.append(
            "Errors on the rows that the model was fitted on are too small: the test finds too "
            "much (--errors cross-fitted does not)."
        )
    else:
        notes.append(
            "The folds of the model follow the order of the rows: in another order, its estimate "
            "differs a little."
        )
    if result.explained < WEAK_MODEL:
        notes.append(
            "The model explains little of the decisions: the estimate hardly adjusts for "
            "differences between the rows of the two files."
        )
    return notes


def _row(result: DifferentialParityResult) -> Any:
    return next(result.to_frame().itertuples())


def _favour(result: DifferentialParityResult, paths: list[str]) -> str:
    """Return which group the first decisions favour more than the second do, and by how much."""
    estimate = _row(result).estimate
    other, favoured = result.groups if estimate >= 0 else result.groups[::-1]
    return (
        f"in {paths[0]} favour {favoured} over {other} by {number(abs(estimate))} more than "
        f"those in {paths[1]} do"
    )


def _ends(result: DifferentialParityResult) -> str:
    """Return the interval of what `_favour` says, and p."""
    row = _row(result)
    low, high = (row.ci_low, row.ci_high) if row.estimate >= 0 else (-row.ci_high, -row.ci_low)
    return f"({interval(low, high)}, {p_equals(row.pvalue)})"
