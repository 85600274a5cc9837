"""`fairpairs audit-groups`: which of many groups a model treats worst."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.audit.read import ColumnNames
from fairpairs.audits.commands.audit import check_files
from fairpairs.audits.commands.options import (
    Details,
    Favourable,
    MissingGroup,
    Predictions,
    Separator,
    folder_of,
)
from fairpairs.audits.commands.outputs import Junit, check_outputs, end, write_outputs
from fairpairs.audits.groups.audit import audit_counted
from fairpairs.audits.groups.read import count_files
from fairpairs.audits.groups.settings import CRITERIA, SMALLEST, GroupSettings
from fairpairs.base.errors import InputError
from fairpairs.base.input_tables import names_of
from fairpairs.base.terminal import SEVERAL, bad_input_in_one_sentence
from fairpairs.base.text_tables import separated_by

EXAMPLES = """\b
Examples:
  fairpairs audit-groups predictions.csv --label repaid --prediction approved \\
      --sensitive sex,race,age --depth 3
  fairpairs audit-groups data/*.parquet --label repaid --prediction approved \\
      --sensitive region,sex --margin 0.1 --smallest 500 --out report/ --fail-on-violation
  fairpairs audit-groups decisions.csv --prediction approved --sensitive region,sex
  fairpairs audit-groups shards/*.counts
"""


def audit_groups(
    predictions: Predictions,
    label: Annotated[
        str | None,
        typer.Option(help="Column of the label: two values. Selection rates need none."),
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(help="Column of the decision: two values.")
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(help=f"Column of a sensitive attribute, of any number of groups. {SEVERAL}"),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="Value of label and decision that is positive; by default 1 or true."),
    ] = None,
    favourable: Favourable = None,
    depth: Annotated[
        int | None, typer.Option(help="Most attributes of an intersection; by default 2.")
    ] = None,
    smallest: Annotated[int, typer.Option(help="Groups with fewer items are left out.")] = SMALLEST,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CRITERION",
            help=f"What is compared: {', '.join(CRITERIA)}. By default separation, TPR and FPR. "
            f"{SEVERAL}",
        ),
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Largest difference that does not matter, such as 0.05.")
    ] = None,
    alpha: Annotated[
        float, typer.Option(min=0, max=1, help="Level of the tests of all groups together.")
    ] = 0.05,
    missing_group: MissingGroup = False,
    separator: Separator = None,
    details: Details = False,
    out: Annotated[Path | None, folder_of("audit-groups")] = None,
    fail_on_violation: Annotated[
        bool,
        typer.Option(
            "--fail-on-violation",
            help="Exit with 1 when a group is shown to differ, with --margin by more than it; and "
            "with 2 when none can be tested.",
        ),
    ] = False,
    fail_unless_shown: Annotated[
        bool,
        typer.Option(
            "--fail-unless-shown",
            help="Exit with 1 unless each line is shown to lie within --margin, and with 2 when "
            "none can be tested.",
        ),
    ] = False,
    junit: Junit = None,
) -> None:
    """Find the groups that a model treats worst, among up to 100,000.

    Each group of each attribute, and each intersection of attributes, is compared with everyone
    else. Exits with 0 whatever it finds, unless --fail-on-violation or --fail-unless-shown is
    given, and with 2 on bad input.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        check_files(predictions)
        check_outputs("audit-groups", out, junit, predictions)
        if fail_unless_shown and margin is None:
            raise InputError("--fail-unless-shown needs a margin: give one, such as --margin 0.05.")
        settings = GroupSettings(
            criterion=names_of(criterion or (), "--criterion") or None,
            depth=depth,
            smallest=smallest,
            margin=margin,
            alpha=alpha,
            positive=positive,
            favourable=favourable,
            missing_group=missing_group,
        )
        named = ColumnNames(label, prediction, tuple(sensitive or ()))
        result = audit_counted(count_files(predictions, named, settings), settings)
        write_outputs(result, out, junit, unless_shown=fail_unless_shown)
    untested = (
        "no group can be tested (--details says why): add items, or name another --criterion."
    )
    end(
        result,
        out,
        junit,
        details=details,
        refusal=untested if result.violated is None else "",
        violation=fail_on_violation,
        unless_shown=fail_unless_shown,
    )
