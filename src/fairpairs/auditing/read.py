"""The audit of columns of a file; its messages name the options of `fairpairs audit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairpairs.auditing import messages
from fairpairs.auditing.audit import audit_columns
from fairpairs.auditing.messages import Wording
from fairpairs.auditing.repeated_ids import looks_like_an_id, note_on
from fairpairs.auditing.result import AuditResult
from fairpairs.auditing.roles import LabelKind
from fairpairs.auditing.settings import AuditColumns, Settings
from fairpairs.errors import InputError
from fairpairs.fairness.results import Correction
from fairpairs.fairness.sampling.design import WeightKind
from fairpairs.input_tables import Table


def audit_file(
    path: Path,
    *,
    label: str,
    prediction: str,
    sensitive: Sequence[str],
    score: str | None = None,
    positive: object = None,
    label_kind: LabelKind = "auto",
    reference: Mapping[str, object] | None = None,
    intersections: bool = False,
    alpha: float = 0.05,
    correction: Correction = "holm",
    criterion: Sequence[str] | None = None,
    margin: float | Mapping[str, float] | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    weight_kind: WeightKind = "sampling",
    missing_group: bool = False,
    permutations: int = 0,
    seed: int = 0,
) -> AuditResult:
    """Audit columns of a CSV, JSON lines or Parquet file (see `fairpairs.audit`).

    `sensitive` may hold several columns in one text, with commas.

    Raises
    ------
    InputError
        One sentence that names the file, the column, and the remedy.
    """
    table = Table(path)
    roles = {"label": label, "prediction": prediction}
    for role, name in (("score", score), ("cluster", cluster), ("weight", weight)):
        if name is not None:
            roles[role] = name
    attributes = table.named(sensitive, "--sensitive")
    options: dict[str, str] = {}
    for option, name in [*roles.items(), *(("sensitive", name) for name in attributes)]:
        if name in options:
            raise InputError(
                f"`{name}` is named by --{options[name]} and by --{option}: name another column."
            )
        table.check_column(name, f"--{option}")
        options[name] = option
    wording = file_wording(path, label, prediction, score, cluster, weight)
    columns = {name: table.coded(name) for name in options if name not in attributes}
    for name in attributes:
        columns[name] = (
            table.coded_with_missing(name)
            if missing_group
            else table.coded(name, messages.or_missing_group(wording))
        )
    source: dict[str, Any] = {"file": path.name, "sha256": table.sha256, **roles}
    notes = [] if cluster is not None else _repeated_ids(table, options, alpha)
    del table  # the other columns of a large file
    return audit_columns(
        AuditColumns(
            columns[label], columns[prediction], {name: columns[name] for name in attributes},
            *(None if name is None else columns[name] for name in (score, cluster, weight)),
        ),
        Settings(
            positive=positive, label_kind=label_kind, missing_group=missing_group,
            intersections=intersections, reference=reference or {}, weight_kind=weight_kind,
            alpha=alpha, correction=correction, criterion=criterion, margin=margin,
            n_permutations=permutations, random_state=seed,
        ),
        wording,
        source=source,
        more_notes=notes,
    )  # fmt: skip


def _repeated_ids(table: Table, named: Mapping[str, str], alpha: float) -> list[str]:
    """Return a note for the first column without a role whose values say whose a row is."""
    for name in table.columns:
        if name not in named and looks_like_an_id(name):
            remedy = f"give --cluster {name}"
            if notes := note_on(table.sizes(name), f"Column `{name}`", remedy, alpha):
                return notes
    return []


def file_wording(
    path: Path,
    label: str,
    prediction: str,
    score: str | None = None,
    cluster: str | None = None,
    weight: str | None = None,
) -> Wording:
    """Return the names of the columns of a file, and of the options, in messages."""
    return Wording(
        label=f"{path}: column `{label}`",
        prediction=f"{path}: column `{prediction}`",
        score=f"{path}: column `{score}`",
        attribute=lambda name: f"{path}: column `{name}`",
        positive=lambda value: f"--positive {value}",
        permutations="--permutations",
        alpha="--alpha",
        criterion="--criterion",
        several=lambda names: f"one option each, {' '.join(f'--criterion {n}' for n in names)}",
        number="--label-kind number",
        drop="leave it out of --sensitive",
        missing_group="--missing-group",
        no_intersections="no --intersections",
        clusters=f"{path}: column `{cluster}`",
        weight=f"{path}: column `{weight}`",
        weight_kind=lambda kind: f"--weight-kind {kind}",
        margin="--margin",
    )
