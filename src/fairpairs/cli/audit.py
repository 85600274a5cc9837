"""`fairpairs audit`: every test that applies to the predictions of one model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.auditing.criteria import CRITERIA
from fairpairs.auditing.files import FILES
from fairpairs.auditing.read import audit_file
from fairpairs.auditing.result import AuditResult
from fairpairs.auditing.roles import LabelKind
from fairpairs.cli.outputs import check_folder, output_errors
from fairpairs.cli.terminal import SEVERAL, VIOLATION, bad_input_in_one_sentence, show
from fairpairs.errors import InputError
from fairpairs.fairness.results import Correction
from fairpairs.fairness.sampling.design import WeightKind
from fairpairs.input_tables import names_of

EXAMPLES = """\b
Examples:
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex
  fairpairs audit predictions.csv --label repaid --prediction approved --score s \\
      --sensitive sex --sensitive race --intersections --out report/ --fail-on-violation
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex \\
      --criterion separation --criterion demographic_parity --fail-on-violation
  fairpairs audit efforts.parquet --label effort --prediction estimate --sensitive team
"""


def audit(
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PREDICTIONS", help="CSV or Parquet file, one row per item."),
    ],
    label: Annotated[str, typer.Option(help="Column of the label: two values, or numbers.")],
    prediction: Annotated[
        str, typer.Option(help="Column of the prediction: two values, or numbers.")
    ],
    sensitive: Annotated[
        list[str], typer.Option(help=f"Column of a sensitive attribute. {SEVERAL}")
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
            help="Group to compare with; by default the largest. Repeat it for several.",
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
            f"comparative_separation where the label is a number. {SEVERAL}",
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[CRITERION=]NUMBER",
            help="Largest difference that does not matter, such as 0.05 for all rates, or "
            f"separation=0.05. {SEVERAL}",
        ),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of the person, or cluster, whose rows are dependent.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of weights, 0 or more.")] = None,
    weight_kind: Annotated[
        WeightKind, typer.Option(help="What the weights mean (see docs/audit.md).")
    ] = "sampling",
    missing_group: Annotated[
        bool, typer.Option("--missing-group", help="Rows without a group are a group of their own.")
    ] = False,
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
            criterion=names_of(criterion or (), "--criterion") or None,
            margin=read_margin(margin or ()), cluster=cluster, weight=weight,
            weight_kind=weight_kind, missing_group=missing_group, permutations=permutations,
            seed=seed,
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
            raise typer.Exit(VIOLATION)


def _check_tested(result: AuditResult) -> None:
    """Raise when no criterion that counts could be tested, so that a build does not pass by it."""
    if result.violated is None:
        raise InputError(
            f"--fail-on-violation: {', '.join(result.about['gate']['criteria'])} cannot be tested "
            "on these items (the rows above say why): add items, or name another --criterion."
        )


def read_margin(texts: Sequence[str]) -> float | dict[str, float] | None:
    """Return one margin for all rates, or one for each criterion that is named."""
    if not texts:
        return None
    parts = [part.strip() for text in texts for part in text.split(",")]
    margins: dict[str, float] = {}
    for part in parts:
        name, equals, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError as error:
            raise InputError(
                f"--margin {part}: write a number, such as --margin 0.05 or --margin "
                "separation=0.05."
            ) from error
        if (not equals and len(parts) > 1) or name in margins:
            raise InputError(
                f"--margin {part}: give one number for all, or one for each criterion."
            )
        margins[name] = value
    return margins.get("", margins)


def _references(texts: Sequence[str]) -> dict[str, str]:
    """Return the reference group of each attribute that names one."""
    references: dict[str, str] = {}
    for text in texts:
        name, equals, group = text.partition("=")
        if not equals:
            raise InputError(
                f"--reference {text}: write the attribute and its group, such as --reference "
                "sex=female."
            )
        if name in references:
            raise InputError(
                f"--reference {text}: the group of `{name}` is {references[name]} already: name "
                "one group for each attribute."
            )
        references[name] = group
    return references
