"""`fairpairs audit`: every test that applies to the predictions of one model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.audit.class_roles import AuditLabelKind
from fairpairs.audits.audit.criteria import ALL_CRITERIA
from fairpairs.audits.audit.criterion_names import ALIASES
from fairpairs.audits.audit.read import audit_file
from fairpairs.audits.audit.result import AuditResult
from fairpairs.audits.commands.options import (
    CORRECTION,
    WEIGHT_KIND,
    Alpha,
    Cluster,
    Details,
    Favourable,
    Intersections,
    MissingGroup,
    Predictions,
    Reference,
    Score,
    Separator,
    Weight,
    folder_of,
)
from fairpairs.audits.commands.outputs import Junit, check_outputs, end, write_outputs
from fairpairs.audits.counting.paths import PATTERN
from fairpairs.base.errors import InputError
from fairpairs.base.input_tables import names_of
from fairpairs.base.terminal import SEVERAL, bad_input_in_one_sentence
from fairpairs.base.text_tables import separated_by
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.inference.results import Correction

EXAMPLES = """\b
Examples:
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex
  fairpairs audit predictions.csv --label repaid --prediction approved --score s \\
      --sensitive sex --sensitive race --intersections --out report/ --fail-on-violation
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex \\
      --criterion separation --criterion demographic_parity --fail-on-violation
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex \\
      --margin 0.05 --fail-unless-shown --junit audit.xml
  fairpairs audit predictions.csv --label repaid --score s --threshold 0.5 --sensitive sex
  fairpairs audit data/*.parquet --label repaid --prediction approved --sensitive sex
  fairpairs audit shards/*.counts
  fairpairs audit loans.csv --label grade --prediction predicted --sensitive sex \\
      --label-kind ordinal --order low,medium,high
  fairpairs audit efforts.parquet --label effort --prediction estimate --sensitive team
"""


def audit(
    predictions: Predictions,
    label: Annotated[
        str | None, typer.Option(help="Column of the label: two values, numbers, or classes.")
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(help="Column of the prediction, likewise.")
    ] = None,
    sensitive: Annotated[
        list[str] | None, typer.Option(help=f"Column of a sensitive attribute. {SEVERAL}")
    ] = None,
    score: Score = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Instead of --prediction: the prediction is positive if --score is at least this."
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="Value of the label that is positive; by default 1 or true. Of more than two "
            "classes, the one that alone is audited, against the rest."
        ),
    ] = None,
    favourable: Favourable = None,
    label_kind: Annotated[
        AuditLabelKind,
        typer.Option(
            help="What the label is, where a few whole numbers may be classes; ordinal for classes "
            "in an order."
        ),
    ] = "auto",
    order: Annotated[
        str | None,
        typer.Option(
            metavar="CLASSES",
            help="Classes of an ordinal label, the lowest first, such as low,medium,high; by "
            "default that of whole numbers.",
        ),
    ] = None,
    reference: Reference = None,
    intersections: Intersections = False,
    alpha: Alpha = 0.05,
    correction: Annotated[Correction, CORRECTION] = "holm",
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CRITERION",
            help="What counts for --fail-on-violation: "
            f"{', '.join([*ALL_CRITERIA, *ALIASES])}. By default separation for decisions, xauc "
            "for a score, separation_all_classes for classes, and comparative_separation where the "
            f"label is a number. {SEVERAL}",
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
    cluster: Cluster = None,
    weight: Weight = None,
    weight_kind: Annotated[WeightKind, WEIGHT_KIND] = "sampling",
    missing_group: MissingGroup = False,
    permutations: Annotated[
        int,
        typer.Option(min=0, help="Shuffles for p-values of I_sep and density ratios of numbers."),
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all shuffles.")] = 0,
    separator: Separator = None,
    details: Details = False,
    out: Annotated[Path | None, folder_of("audit")] = None,
    fail_on_violation: Annotated[
        bool,
        typer.Option(
            "--fail-on-violation",
            help="Exit with 1 when what counts (--criterion) is violated, and with 2 when none of "
            "it can be tested. With --margin, only what is shown to exceed it is a violation.",
        ),
    ] = False,
    fail_unless_shown: Annotated[
        bool,
        typer.Option(
            "--fail-unless-shown",
            help="Exit with 1 unless all that counts is shown to lie within --margin, and with 2 "
            "when none of it can be tested against it.",
        ),
    ] = False,
    junit: Junit = None,
) -> None:
    """Audit the predictions of a model: which tests of fairness apply, and what they find.

    Each group is compared with the largest one (or --reference). Exits with 0 whatever it finds,
    unless --fail-on-violation or --fail-unless-shown is given, and with 2 on bad input.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        check_files(predictions)
        check_outputs("audit", out, junit, predictions)
        if fail_unless_shown and not margin:
            raise InputError("--fail-unless-shown needs a margin: give one, such as --margin 0.05.")
        result = audit_file(
            predictions, label=label, prediction=prediction, score=score,
            threshold=threshold, sensitive=sensitive or (),
            positive=positive, favourable=favourable, label_kind=label_kind,
            order=None if order is None else [name.strip() for name in order.split(",")],
            reference=read_references(reference or []),
            intersections=intersections, alpha=alpha, correction=correction,
            criterion=names_of(criterion or (), "--criterion") or None,
            margin=read_margin(margin or ()), cluster=cluster, weight=weight,
            weight_kind=weight_kind, missing_group=missing_group, permutations=permutations,
            seed=seed,
        )  # fmt: skip
        write_outputs(result, out, junit, unless_shown=fail_unless_shown)
    refusal = _untested_against_margin(result) if fail_unless_shown else _untested(result)
    end(
        result,
        out,
        junit,
        details=details,
        refusal=refusal,
        violation=fail_on_violation,
        unless_shown=fail_unless_shown,
    )


def check_files(paths: Sequence[Path]) -> None:
    """Raise where one of several arguments is no file, as the second value of an option."""
    missing = next(
        (path for path in paths if not path.exists() and not PATTERN & set(str(path))), None
    )
    if missing is not None and len(paths) > 1:
        raise InputError(
            f"{missing}: there is no such file; several values of an option are given with a "
            "comma, or by repeating the option."
        )


def _untested(result: AuditResult) -> str:
    """Return the sentence that no criterion that counts could be tested, if so."""
    if result.violated is not None:
        return ""
    return (
        f"{', '.join(result.about['gate']['criteria'])} cannot be tested "
        "on these items (--details says why): add items, or name another --criterion."
    )


def _untested_against_margin(result: AuditResult) -> str:
    """Return the sentence that what counts has no margin, or could not be tested against it."""
    gate = result.about["gate"]
    without = [name for name in gate["criteria"] if name not in result.about["margin"]]
    if without:
        return (
            f"{', '.join(without)} counts without a margin: give "
            f"--margin {without[0]}=NUMBER, or name what counts with --criterion."
        )
    if gate["untested"] < gate["lines"]:
        return ""
    return (
        f"{', '.join(gate['criteria'])} cannot be tested against the "
        "margin on these items (--details says why): add items, or name another "
        "--criterion."
    )


def read_margin(texts: Sequence[str]) -> float | dict[str, float] | None:
    """Return one margin for all rates, or one for each criterion that is named."""
    if not texts:
        return None
    parts = [part.strip() for text in texts for part in text.split(",")]
    margins: dict[str, float] = {}
    for part in parts:
        name, equals, number = (piece.strip() for piece in part.rpartition("="))
        try:
            value = float(number)
        except ValueError as error:
            raise InputError(
                f"--margin {part}: write a number, such as --margin 0.05 or --margin "
                "separation=0.05."
            ) from error
        if bool(name) != bool(equals) or (not name and len(parts) > 1) or name in margins:
            raise InputError(
                f"--margin {part}: give one number for all, or one for each criterion."
            )
        margins[name] = value
    return margins.get("", margins)


def read_references(texts: Sequence[str]) -> dict[str, str]:
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
