"""`fairpairs monitor`: an audit of a stream that may be looked at after every batch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.commands.audit import check_files, read_margin, read_references
from fairpairs.audits.commands.options import (
    Details,
    Favourable,
    MissingGroup,
    Positive,
    Separator,
    folder_of,
)
from fairpairs.audits.commands.outputs import Junit, check_outputs, end, write_outputs
from fairpairs.audits.monitor.monitor import monitored
from fairpairs.audits.monitor.result import MonitorResult
from fairpairs.audits.monitor.settings import CRITERIA, LabelKind, MonitorSettings
from fairpairs.base.errors import InputError
from fairpairs.base.input_tables import names_of
from fairpairs.base.terminal import SEVERAL, bad_input_in_one_sentence
from fairpairs.base.text_tables import separated_by

EXAMPLES = """\b
Examples:
  fairpairs monitor model.state week1.csv --label repaid --prediction approved \\
      --sensitive sex,race --margin 0.05
  fairpairs monitor model.state week2.csv --out report/ --fail-on-violation
  fairpairs monitor model.state
  fairpairs monitor judge.state arena.jsonl --judgments --score score_a,score_b \\
      --sensitive dialect_a,dialect_b
"""


def monitor(
    state: Annotated[Path, typer.Argument(help="File of the state; created if it does not exist.")],
    batches: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[BATCHES]...",
            help="CSV, JSON lines or Parquet, one row per item, in the order of time; none to look "
            "only.",
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Column of the label: two values, or numbers.")
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(help="Column of the prediction: decisions, or numbers.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(help="Column of a score; of judgments, those of both sides, as a,b."),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Column of a sensitive attribute; of judgments, of both sides. {SEVERAL}"
        ),
    ] = None,
    judgments: Annotated[
        bool, typer.Option("--judgments", help="Rows are judgments with both sides in a row.")
    ] = False,
    outcome: Annotated[
        str | None, typer.Option(help="Column of judgments that says which side wins.")
    ] = None,
    chosen: Annotated[
        str | None, typer.Option(help="Column of the score of the preferred answer.")
    ] = None,
    rejected: Annotated[
        str | None, typer.Option(help="Column of the score of the other answer.")
    ] = None,
    positive: Positive = None,
    favourable: Favourable = None,
    label_kind: Annotated[
        LabelKind | None, typer.Option(help="Whether the label is a number or of two values.")
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ATTRIBUTE=GROUP",
            help="Group to compare with; by default the largest of the first batch.",
        ),
    ] = None,
    groups: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ATTRIBUTE=A,B",
            help="Groups that the first batch does not have. Repeat it for more attributes.",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CRITERION",
            help=f"What counts: {', '.join(CRITERIA)}. By default separation, and xauc with a "
            f"score. {SEVERAL}",
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            help="Largest difference that does not matter, such as 0.05 for all rates, or "
            "separation=0.05,xauc=0.1."
        ),
    ] = None,
    gap: Annotated[
        float | None,
        typer.Option(help="Difference that is to be found soonest, by default 0.1."),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Level of all lines and all looks, by default 0.05."),
    ] = None,
    score_range: Annotated[
        str | None,
        typer.Option(
            metavar="LOW,HIGH", help="Smallest and largest possible score, by default 0,1."
        ),
    ] = None,
    missing_group: MissingGroup = False,
    batch_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Name or date of each batch, such as 2026-W07; else its number. {SEVERAL}",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Append a batch that was appended before once more.")
    ] = False,
    separator: Separator = None,
    details: Details = False,
    out: Annotated[Path | None, folder_of("monitor")] = None,
    fail_on_violation: Annotated[
        bool,
        typer.Option(
            "--fail-on-violation",
            help="Exit with 1 when what counts was violated at any look, with --margin beyond it; "
            "and with 2 while nothing can be tested.",
        ),
    ] = False,
    fail_unless_shown: Annotated[
        bool,
        typer.Option(
            "--fail-unless-shown",
            help="Exit with 1 unless all that counts is shown to lie within --margin so far, and "
            "with 2 while nothing can be tested.",
        ),
    ] = False,
    junit: Junit = None,
) -> None:
    """Append batches to a state, and see what all rows so far show, at any look.

    The first call names columns and options, which the state keeps; later ones name the state and
    new batches. However often it is looked at, a fair model is called violated with a chance of at
    most --alpha. Exits with 0 whatever it finds, unless --fail-on-violation or --fail-unless-shown
    is given, and with 2 on bad input.
    """
    with bad_input_in_one_sentence(), separated_by(separator):
        batches = batches or []
        check_files(batches)
        check_outputs("monitor", out, junit, [state, *batches])
        if fail_unless_shown and not margin and not state.exists():
            raise InputError("--fail-unless-shown needs a margin: give one, such as --margin 0.05.")
        settings = MonitorSettings(
            label=label, prediction=prediction, score=score, sensitive=sensitive or None,
            judgments=judgments or None, outcome=outcome, chosen=chosen, rejected=rejected,
            positive=positive, favourable=favourable, label_kind=label_kind,
            reference=read_references(reference or ()) or None, groups=read_groups(groups or ()),
            criterion=names_of(criterion or (), "--criterion") or None,
            margin=read_margin(margin or ()), gap=gap, alpha=alpha,
            score_range=read_range(score_range), missing_group=missing_group or None,
        )  # fmt: skip
        names = names_of(batch_name or (), "--batch-name")
        result = monitored(state, batches, settings, names=names, again=again)
        if fail_unless_shown:
            check_margins(result)
        write_outputs(result, out, junit, unless_shown=fail_unless_shown)
    untested = (
        "nothing that counts can be tested yet (--details says why): append more "
        "rows, or begin with another --criterion."
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


def check_margins(result: MonitorResult) -> None:
    """Raise when a criterion that counts has no margin."""
    margins = result.about["margin"] or {}
    if without := [name for name in result.about["criterion"] if name not in margins]:
        raise InputError(
            f"--fail-unless-shown: {', '.join(without)} counts without a margin: begin the state "
            f"with --margin {without[0]}=NUMBER."
        )


def read_groups(texts: Sequence[str]) -> dict[str, list[str]] | None:
    """Return the groups that are named, by attribute."""
    groups_by_name: dict[str, list[str]] = {}
    for text in texts:
        name, equals, groups = text.partition("=")
        if not equals:
            raise InputError(
                f"--groups {text}: write the attribute and its groups, such as --groups "
                "race=Asian,Black."
            )
        groups_by_name.setdefault(name, []).extend(names_of([groups], "--groups"))
    return groups_by_name or None


def read_range(text: str | None) -> tuple[float, float] | None:
    """Return the two numbers of a range."""
    if text is None:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError as error:
        raise InputError(f"--score-range {text}: give two numbers, such as 0,1.") from error
    return low, high
