"""`fairpairs monitor`: an audit of a stream that may be looked at after every batch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.commands.options import COMMON, SHARED, Given, shared, takes
from fairpairs.audits.commands.outputs import auditing
from fairpairs.audits.monitor.monitor import monitored
from fairpairs.audits.monitor.settings import (
    CRITERIA,
    LabelKind,
    MonitorSettings,
    NewGroups,
    RunLength,
    Window,
)
from fairpairs.audits.options import NUMBER, TEXTS, Option
from fairpairs.base.errors import InputError
from fairpairs.base.named_columns import SEVERAL, names_of

EXAMPLES = """\b
Examples:
  fairpairs monitor model.state week1.csv --label repaid --prediction approved \\
      --sensitive sex,race --margin 0.05
  fairpairs monitor model.state week2.csv --out report/ --fail-on-violation
  fairpairs monitor model.state
  fairpairs monitor judge.state arena.jsonl --judgments --score score_a,score_b \\
      --sensitive dialect_a,dialect_b
"""


def read_groups(texts: Sequence[str] | None) -> dict[str, list[str]] | None:
    """Return the groups that are named, by attribute."""
    groups_by_name: dict[str, list[str]] = {}
    for text in texts or ():
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


@takes(
    "monitor",
    label="Column of the label: two values, or numbers.",
    prediction="Column of the prediction: decisions, or numbers.",
    score="Column of a score; of judgments, those of both sides, as a,b.",
    threshold=SHARED,
    sensitive=f"Column of a sensitive attribute; of judgments, of both sides. {SEVERAL}",
    judgments=Option("Rows are judgments with both sides in a row.", bool, False),
    outcome=Option("Column of judgments that says which side wins."),
    chosen=Option("Column of the score of the preferred answer."),
    rejected=Option("Column of the score of the other answer."),
    positive=SHARED,
    favourable=SHARED,
    label_kind={
        "help": "Whether the label is a number or of two values.",
        "type": LabelKind | None,
        "default": None,
    },
    reference="Group to compare with; by default the largest of the first batch.",
    groups=Option(
        "Groups that the first batch does not have. Repeat it for more attributes.",
        TEXTS,
        metavar="ATTRIBUTE=A,B",
        read=read_groups,
    ),
    criterion="What counts, by default separation, and xauc with a score. One of "
    f"{', '.join(CRITERIA)}. {SEVERAL}",
    margin={
        "help": "Largest difference that does not matter, such as 0.05 for all rates, or "
        "separation=0.05,xauc=0.1.",
        "metavar": None,
    },
    gap=Option("Difference that is to be found soonest, by default 0.1.", NUMBER),
    alpha={
        "help": "Level of all comparisons after all batches, by default 0.05.",
        "type": NUMBER,
        "default": None,
    },
    run_length=Option(
        "Batches, or rows as '500000 rows', on average until a change is shown where there is "
        "none; by default 1000.",
        metavar="NUMBER",
        read=lambda text: None if text is None else RunLength.read(text),
    ),
    score_range=Option(
        "Smallest and largest possible score, by default 0,1.",
        metavar="LOW,HIGH",
        read=read_range,
    ),
    missing_group=SHARED,
    batch_name=Option(
        f"Name or date of each batch, such as 2026-W07; else its number. {SEVERAL}",
        TEXTS,
        metavar="NAME",
        read=lambda texts: names_of(texts or (), "--batch-name"),
    ),
    cluster="Column of the person: rows of one in a batch count as one, those of a person of "
    "an earlier batch are left out.",
    id=SHARED,
    new_groups=Option(
        "Whether groups that no earlier batch has are refused, the default, or join.",
        NewGroups | None,
    ),
    window=Option(
        "The last batches, shown beside all: a number, or with batch names that are dates '90 "
        "days'.",
        metavar="NUMBER",
        read=lambda text: None if text is None else Window.read(text),
    ),
    reset=Option(
        "Begin the evidence anew with the batch that follows, and keep why.", metavar="REASON"
    ),
    again=Option("Append a batch that was appended before once more.", bool, False),
    **COMMON,
    fail_on_violation="Exit with 1 when what counts was ever violated, with --margin beyond "
    "it; and with 2 while nothing can be tested.",
    fail_unless_shown="Exit with 1 unless all that counts is shown to lie within --margin so far, "
    "and with 2 while nothing can be tested.",
    fail_now=Option(
        "Exit with 1 while what counts differs now, as changes show (--run-length), and with 2 "
        "where none are looked for.",
        bool,
        False,
    ),
    fail_on_new=Option(
        "Exit with 1 when the batches of this call show a gap that no earlier call showed, and "
        "with 2 where no changes are looked for.",
        bool,
        False,
    ),
    **shared("card", "junit", "figure"),
)
def monitor(
    state: Annotated[Path, typer.Argument(help="File of the state; created if it does not exist.")],
    batches: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[BATCHES]...",
            help="CSV, JSON lines or Parquet, one prediction per row, in the order of time; none "
            "to look only.",
        ),
    ] = None,
    *,
    options: Given,
) -> None:
    """Append batches to a state, and see what all rows so far show, at any look.

    The first call names columns and options, which the state keeps; later ones name the state and
    new batches. However often it is looked at, a fair model is called violated with a chance of at
    most --alpha. Exits with 0 whatever it finds, unless --fail-on-violation or --fail-unless-shown
    is given, and with 2 on bad input.
    """
    batches = batches or []
    inputs = [state, *batches]
    with auditing("monitor", inputs, options, several=batches, with_margin=state.exists()) as run:
        values = run.values
        names, again, reset = (values.pop(name) for name in ("batch_name", "again", "reset"))
        # what is left open is kept by the state
        open_ones = ("sensitive", "judgments", "reference", "missing_group")
        settings = MonitorSettings(**values | {name: values[name] or None for name in open_ones})
        run.result = result = monitored(
            state, batches, settings, names=names, again=again, reset=reset
        )
        if options.fail_unless_shown:
            margins = result.about["margin"] or {}
            if without := [name for name in result.about["criterion"] if name not in margins]:
                raise InputError(
                    f"--fail-unless-shown: {', '.join(without)} counts without a margin: begin the "
                    f"state with --margin {without[0]}=NUMBER."
                )
        if (options.fail_now or options.fail_on_new) and result.differs_now is None:
            option = "--fail-now" if options.fail_now else "--fail-on-new"
            raise InputError(
                f"{option}: changes are looked for in rates, and none counts: begin the state "
                "with another --criterion."
            )
