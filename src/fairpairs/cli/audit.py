"""`fairpairs audit`: every test that applies to the predictions of one model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fairpairs.auditing.audit import audit_columns
from fairpairs.auditing.criteria import CRITERIA
from fairpairs.auditing.messages import Wording
from fairpairs.auditing.result import FILES, AuditResult
from fairpairs.auditing.roles import LabelKind
from fairpairs.cli.inputs import Table, bad_input_in_one_sentence
from fairpairs.cli.outputs import check_folder, output_errors, show
from fairpairs.errors import InputError
from fairpairs.fairness.results import Correction

EXAMPLES = """\b
Examples:
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex
  fairpairs audit predictions.csv --label repaid --prediction approved --score s \\
      --sensitive sex --sensitive race --intersections --out report/ --fail-on-violation
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex \\
      --criterion separation --criterion demographic_parity --fail-on-violation
  fairpairs audit efforts.parquet --label effort --prediction estimate --sensitive team
"""

#: Exit status of --fail-on-violation when a violation is found.
FOUND = 1


def audit(
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PREDICTIONS", help="CSV or Parquet file, one row an item."),
    ],
    label: Annotated[str, typer.Option(help="Column of the label: two values, or numbers.")],
    prediction: Annotated[
        str, typer.Option(help="Column of the prediction: two values, or numbers.")
    ],
    sensitive: Annotated[
        list[str], typer.Option(help="Column of a sensitive attribute; may be given again.")
    ],
    score: Annotated[
        str | None, typer.Option(help="Column of a score, higher for what should be positive.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="Value of the label that is positive; by default 1 or true.")
    ] = None,
    label_kind: Annotated[
        LabelKind,
        typer.Option(help="What the label is, where a few whole numbers may be classes."),
    ] = "auto",
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ATTRIBUTE=GROUP",
            help="Group to compare with; by default the largest. May be given again.",
        ),
    ] = None,
    intersections: Annotated[
        bool, typer.Option("--intersections", help="Audit combinations of the attributes too.")
    ] = False,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Level of the tests.")] = 0.05,
    correction: Annotated[
        Correction,
        typer.Option(help="Adjustment of p, over all hypotheses of one attribute and criterion."),
    ] = "holm",
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CRITERION",
            help="What counts for --fail-on-violation: "
            f"{', '.join(CRITERIA)}. By default separation for decisions, xauc for a score, and "
            "comparative_separation where the label is a number. May be given again.",
        ),
    ] = None,
    permutations: Annotated[
        int,
        typer.Option(min=0, help="Shuffles for p-values of I_sep and density ratios of numbers."),
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all shuffles.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help=f"Folder to write {', '.join(FILES)} to."),
    ] = None,
    fail_on_violation: Annotated[
        bool,
        typer.Option(
            "--fail-on-violation",
            help="Exit with 1 when what counts (--criterion) is violated, and with 2 when none of "
            "it can be tested.",
        ),
    ] = False,
) -> None:
    """Audit the predictions of a model: which tests of fairness apply, and what they find.

    Each group is compared with the largest one (or --reference). Exits with 0 whatever it finds,
    unless --fail-on-violation is given, and with 2 on bad input.
    """
    with bad_input_in_one_sentence():
        check_folder(out, FILES, [predictions])
        result = audit_file(
            predictions, label=label, prediction=prediction, score=score, sensitive=sensitive,
            positive=positive, label_kind=label_kind, reference=_references(reference or []),
            intersections=intersections, alpha=alpha, correction=correction,
            criterion=criterion or None, permutations=permutations, seed=seed,
        )  # fmt: skip
        if out is not None:
            with output_errors(out, "--out"):
                result.write(out)
    show(result.to_text())
    if out is not None:
        show(f"Written to {out}: {', '.join(FILES)}")
    if fail_on_violation:
        with bad_input_in_one_sentence():
            _check_tested(result)
        if result.violated:
            raise typer.Exit(FOUND)


def _check_tested(result: AuditResult) -> None:
    """Raise when nothing that counts could be tested, so that no build passes by it."""
    if result.violated is None:
        raise InputError(
            f"--fail-on-violation: {', '.join(result.about['gate']['criteria'])} cannot be tested "
            "on these items (the rows above say why): add items, or name another --criterion."
        )


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
    permutations: int = 0,
    seed: int = 0,
) -> AuditResult:
    """Audit columns of a CSV or Parquet file (see `fairpairs.audit`).

    Raises
    ------
    InputError
        One sentence that names the file, the column, and the remedy.
    """
    roles = {"label": label, "prediction": prediction}
    if score is not None:
        roles["score"] = score
    options: dict[str, str] = {}
    for option, name in [*roles.items(), *(("sensitive", name) for name in sensitive)]:
        if name in options:
            raise InputError(
                f"`{name}` is named by --{options[name]} and by --{option}: name another column."
            )
        options[name] = option
    table = Table(path)
    for name, option in options.items():
        parts = [part.strip() for part in name.split(",")]
        if name not in table.columns and len(parts) > 1 and set(parts) <= set(table.columns):
            raise InputError(
                f"--sensitive {name}: give each column an option, as in "
                f"{' '.join(f'--sensitive {part}' for part in parts)}."
            )
        table.check_column(name, f"--{option}")
    columns = {name: table.filled(name) for name in options}
    wording = Wording(
        label=f"{path}: column `{label}`",
        prediction=f"{path}: column `{prediction}`",
        score=f"{path}: column `{score}`",
        attribute=lambda name: f"{path}: column `{name}`",
        positive=lambda value: f"--positive {value}",
        permutations="--permutations",
        alpha="--alpha",
        criterion="--criterion",
        several=lambda names: f"each its own, {' '.join(f'--criterion {n}' for n in names)}",
        number="--label-kind number",
        one_class=lambda value: f"with columns that say whether label and prediction are {value}",
        drop="leave it out of --sensitive",
        no_intersections="no --intersections",
    )
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    source: dict[str, Any] = {"file": path.name, "sha256": content, **roles}
    return audit_columns(
        columns[label], columns[prediction], None if score is None else columns[score],
        {name: columns[name] for name in sensitive},
        wording=wording, positive=positive, label_kind=label_kind, intersections=intersections,
        reference=reference or {}, alpha=alpha, correction=correction, criterion=criterion,
        n_permutations=permutations, random_state=seed, source=source,
    )  # fmt: skip


def _references(given: Sequence[str]) -> dict[str, str]:
    """Return the reference group of each attribute that names one."""
    found = {}
    for text in given:
        name, equals, group = text.partition("=")
        if not equals:
            raise InputError(
                f"--reference {text}: write the attribute and its group, as --reference sex=female."
            )
        found[name] = group
    return found
