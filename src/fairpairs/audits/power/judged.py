"""The numbers of judgments, judges and clusters needed, by a pilot of judgments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import fairpairs
from fairpairs.audits.judgments.judged import Judgments
from fairpairs.audits.lines.answer import Answer
from fairpairs.audits.lines.report import Report
from fairpairs.audits.power.pilot import gap_sentence
from fairpairs.audits.power.sample_size import FORMAT, Needed, Power
from fairpairs.audits.power.sharing import Sharing
from fairpairs.audits.power.text import described, planned
from fairpairs.base.arrays import Floats
from fairpairs.base.document import Grid, Notes, Part
from fairpairs.base.errors import InputError
from fairpairs.base.files import plain_rows
from fairpairs.base.plain_values import Record, rows_of
from fairpairs.base.texts import MISSING, coverage
from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.estimates.pairs.rates import Ties
from fairpairs.mathematics.inference.results import Correction
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.power.items import MOST
from fairpairs.mathematics.power.judged_pilots import (
    PilotOfJudgments,
    judged_rejection,
    pilot_of_judgments,
)

#: What judgments may share → its name in the table.
KINDS = {
    "judge": "of one judge",
    "cluster": "of one cluster",
    "item": "of one item",
    "pair": "of one pair",
}


@dataclass(frozen=True)
class JudgmentsNeeded(Needed):
    """The numbers of judgments, judges and clusters that find what a pilot of judgments shows."""

    #: What the pilot is, and what is to be found, one sentence per line.
    sentences: list[str]
    pilot: PilotOfJudgments
    #: Names of its two gaps.
    hypotheses: Sequence[str]
    #: What is needed; and if judges and clusters are as alike as the upper ends of their intervals.
    sharing: Sharing
    cautious: Sharing
    #: The wanted power.
    wanted: float
    alpha: float
    correction: Correction
    #: Number of items; None if it grows with the judgments.
    items: int | None = None

    def _powers(self) -> dict[str, Power]:
        sharing = self.sharing
        name = sharing.by.lower() if sharing.units else "judgments"
        return {name: lambda m: sharing.power(m, sharing.judges, sharing.clusters)}

    def _range(self) -> tuple[float, float]:
        middle = self.sharing.needed or 4 * self.pilot.n_judgments
        return max(middle / 8, 10), min(middle * 2, MOST)

    @cached_property
    def alike(self) -> pd.DataFrame:
        """Intra-class correlations of each gap, with intervals for judges and clusters."""
        rows = []
        for kind in KINDS:
            if kind in ("judge", "cluster") and kind not in self.pilot.units:
                continue
            icc = np.where(self._enough(kind), self.pilot.icc(kind), np.nan)
            limits: Floats = np.full((2, 2), np.nan)
            if kind in self.pilot.units:
                limits = self.pilot.icc_interval(kind, alpha=self.alpha)
            for gap, name in enumerate(self.hypotheses):
                low, high = limits[gap]
                rows.append((name, kind, icc[gap], low, high))
        return pd.DataFrame(rows, columns=["hypothesis", "shared", "icc", "ci_low", "ci_high"])

    def _enough(self, kind: str) -> NDArray[np.bool_]:
        """Return whether enough judgments share an item, or both, to estimate their correlation."""
        shared = [parts.sharing[kind] for parts in self.pilot.components]
        return np.asarray(self.pilot.behind * shared >= SMALL_CELL) | (kind in self.pilot.units)

    def to_dict(self) -> Record:
        """Return all of it as plain values; None where no number is enough."""
        effects = self.pilot.design_effect(alpha=self.alpha) if self.sharing.units else None
        return {
            "format": FORMAT,
            "about": {
                "version": fairpairs.__version__,
                "plan": self.sentences,
                "power": self.wanted,
                "alpha": self.alpha,
                "correction": self.correction,
                "notes": _notes(self),
            },
            "alike": plain_rows(self.alike),
            "design_effect": [
                {"hypothesis": name, "estimate": at, "ci_low": low, "ci_high": high}
                for name, (at, low, high) in zip(
                    self.hypotheses, [] if effects is None else effects.tolist(), strict=False
                )
            ],
            "items": self.items,
            "shared": self.sharing.to_dict(),
            "cautious": {
                "judgments": self.cautious.needed,
                "fewest_judges": self.cautious.fewest_judges,
                "fewest_clusters": self.cautious.fewest_clusters,
            },
            "curve": plain_rows(self.curve()),
        }

    def report(self) -> Report:
        """Return the report."""
        wanted = (
            f"Wanted: a power of {self.wanted:g} at the level {self.alpha:g}, correction "
            f"{self.correction}."
        )
        brief, reasons = self.sharing.in_brief(), []
        details: list[Part] = ["\n".join([*self.sentences, wanted])]
        if self.sharing.units:
            brief = self.sharing.sentences()[0].rstrip(".")
            alike = (
                "If judgments are as alike as the upper ends of their intervals: "
                f"{self.cautious.in_brief()}."
            )
            reasons = [*self.sharing.sentences()[1:], alike]
            text = "\n".join([*self.sharing.sentences(), alike])
            details += [text, self._alike_grid(), self.sharing.grid()]
        else:
            details += [f"{brief.capitalize()}.", self._alike_grid(), self._table()]
        plan, found = described(self.sentences)
        answer = Answer(
            "How many judgments find what the pilot shows?", "", brief, None, "",
            reasons=[*reasons, *found],
            basis=f"{plan[0]} {wanted}",
            next="What now: judge so many, then fairpairs audit-judgments.",
        )  # fmt: skip
        return planned("Judgments needed", answer, [*details, Notes(_notes(self))], self)

    def _alike_grid(self) -> Grid:
        """Return the correlations and the design effect of each gap."""
        words = {}
        for row in rows_of(self.alike):
            text = MISSING if np.isnan(row["icc"]) else f"{row['icc']:.3f}"
            if not np.isnan(row["ci_low"]):
                text += f" ({row['ci_low']:.3f} to {row['ci_high']:.3f})"
            words[row["hypothesis"], row["shared"]] = text
        kinds = list(dict.fromkeys(self.alike["shared"]))
        header = ["hypothesis", *(KINDS[kind] for kind in kinds)]
        rows = [[name, *(words[name, kind] for kind in kinds)] for name in self.hypotheses]
        if self.sharing.units:
            header.append("design effect")
            effects = self.pilot.design_effect(alpha=self.alpha)
            for words_of, (at, low, high) in zip(rows, effects, strict=True):
                words_of.append(f"{at:.2f} ({low:.2f} to {high:.2f})")
        interval = f", with {coverage(self.alpha)} intervals" if self.sharing.units else ""
        return Grid(
            header,
            rows,
            left=("hypothesis",),
            caption=f"How alike judgments are (intra-class correlation{interval}):",
        )

    def _table(self) -> Grid:
        rows = [(f"{row.number:,}", f"{row.power:.2f}") for row in self.curve().itertuples()]
        return Grid(["judgments", "power"], rows, caption="Power by the number of judgments:")


def judgments_needed_by_pilot(
    judged: Judgments,
    *,
    items: int | None = None,
    judges: int | None = None,
    clusters: int | None = None,
    ties: Ties = "wrong",
    wanted: float = 0.8,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> JudgmentsNeeded:
    """Return the judgments needed, with as many judges and clusters as in the pilot by default.

    `judged` has one model and one attribute. `items` are to be judged; without, they grow with the
    judgments. Judges or clusters that the pilot does not have raise InputError.
    """
    path = judged.tables[0].path
    model = _only(judged.models, "--score")
    attribute = _only(judged.attributes, "--sensitive")
    for unit, number, column in (
        ("judge", judges, judged.judge),
        ("cluster", clusters, judged.cluster),
    ):
        if number is not None and column is None:
            raise InputError(
                f"--{unit}s: name the column of {path} with the {unit} of each judgment by "
                f"--{unit}, or leave --{unit}s out."
            )
        if number is not None and number < 2:
            raise InputError(f"--{unit}s must be 2 or more; it is {number}.")
    arrays: Record = {
        "sensitive_features": judged.items[attribute],
        "judges": judged.judge,
        "clusters": judged.cluster,
        "ties": ties,
    }
    if model in judged.verdicts:
        arrays["predicted"] = judged.predicted(model)
    else:
        arrays["y_score"] = judged.items[model]
    sides = judged.left, judged.right, judged.outcome
    try:
        pilot = pilot_of_judgments(*sides, **arrays)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    observed = comparative_separation_from_judgments(
        *sides, **arrays, judges_as="sample", alpha=alpha
    ).to_frame()
    given = {
        "judges": judges if judges is not None else pilot.units.get("judge"),
        "clusters": clusters if clusters is not None else pilot.units.get("cluster"),
    }

    def sharing(iccs: Mapping[str, Floats] | None) -> Sharing:
        def power(m: float, judges: int | None, clusters: int | None) -> float:
            return judged_rejection(
                pilot, m, n_items=items, judges=judges, clusters=clusters, iccs=iccs, alpha=alpha,
                correction=correction,
            )  # fmt: skip

        return Sharing(power, given["judges"], given["clusters"], wanted)

    upper = {kind: pilot.icc_interval(kind, alpha=alpha)[:, 1] for kind in pilot.units}
    sentences = [
        _about(judged, pilot),
        "To be found, as in the pilot:",
        *(f"- {gap_sentence(row, alpha)}" for row in rows_of(observed)),
    ]
    return JudgmentsNeeded(
        sentences, pilot, list(observed["hypothesis"]), sharing(None), sharing(upper), wanted,
        alpha, correction, items,
    )  # fmt: skip


def _about(judged: Judgments, pilot: PilotOfJudgments) -> str:
    """Return the description of the pilot."""
    parts = [f"{pilot.n_judgments:,} judgments of {pilot.n_items:,} items"]
    for kind, word in (("judge", "by {} judges"), ("cluster", "over {} clusters")):
        if kind in pilot.units:
            parts.append(word.format(f"{pilot.units[kind]:,}"))
    return f"{judged.tables[0].path}: {' '.join(parts)}."


def _only(names: Sequence[str], option: str) -> str:
    if len(names) > 1:
        raise InputError(
            f"{option}: {len(names)} columns are named, and a plan is for one: name one."
        )
    return names[0]


def _notes(needed: JudgmentsNeeded) -> list[str]:
    pilot, notes = needed.pilot, []
    notes.append(
        "A pilot's differences have the errors of its size: its intervals show how large or small "
        "a difference may be, and a smaller one takes many times as much."
    )
    few = min(pilot.units.values(), default=SMALL_CELL)
    if few < SMALL_CELL:
        notes.append(
            f"With {few} judges or clusters in the pilot, how alike their judgments are is rough: "
            "the intervals show it."
        )
    grow = "" if needed.items is not None else "items grow with the judgments, "
    notes.append(
        f"As in the pilot: {grow}pairs are judged as often, and judges and clusters share the "
        "judgments as unequally."
    )
    return notes
