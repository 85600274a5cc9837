"""Judgments of which all have a cheap outcome, such as a language model's, and some a human one."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairpairs.audits.items.few_labels import RowKinds, chances, check_draw
from fairpairs.audits.items.messages import Wording, file_wording
from fairpairs.audits.judgments.settings import (
    CheapOutcomes,
    JudgmentColumns,
    Judgments,
    JudgmentSettings,
    check_apart,
    read_outcomes,
)
from fairpairs.base import inputs
from fairpairs.base.arrays import Integers, Series
from fairpairs.base.errors import InputError
from fairpairs.base.inputs import group_name
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.table import Table
from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from fairpairs.mathematics.judgments.related import Relations
from fairpairs.mathematics.judgments.two_phases import (
    JudgedInPart,
    JudgedInPartResult,
    separation_in_part,
)

#: With fewer human outcomes of a rate, a line is of these alone; chosen by simulation.
FEWEST = 12
ALONE = f"of the human judgments alone, since a rate has fewer than {FEWEST}"
#: Whether a cheap outcome and the model prefer the same.
AGREE = "contrary", "tied", "alike"


def read_cheap_outcomes(
    table: Table, outcome: str, ids: tuple[Series, Series] | None, columns: JudgmentColumns
) -> CheapOutcomes | None:
    """Return the cheap outcomes, if they are named; InputError unless people judged some rows."""
    name = columns.cheap_outcome
    if name is None:
        for option in ("chance", "drawn_within"):
            if getattr(columns, option) is not None:
                raise InputError(
                    f"--{option.replace('_', '-')} says how judgments were drawn that people made "
                    "beside a cheap outcome: name that one too, --cheap-outcome judge."
                )
        return None
    named = {"--cheap-outcome": name, "--chance": columns.chance}
    named |= {"--drawn-within": columns.drawn_within}
    roles = [(column, option) for option, column in named.items() if column is not None]
    check_apart(table, [(outcome, "--outcome"), *roles])
    human = table.coded_in_part(outcome).where
    if human.all():
        raise InputError(
            f"{table.path}: column `{outcome}` has a value in every row, so cheap outcomes add "
            "nothing: leave out --cheap-outcome."
        )
    cheap = read_outcomes(table, name, ids, winner_by=columns.winner_by)
    drawn = {name: getattr(columns, name) for name in ("chance", "drawn_within")}
    wording = file_wording(table.path, outcome, **drawn)
    chance, strata = (
        None if column is None else table.coded(column, number=column == columns.chance)
        for column in drawn.values()
    )
    return CheapOutcomes(cheap, human, chances(chance, strata, human, wording))


def judged_in_part(
    judgments: Judgments, cheap: CheapOutcomes, settings: JudgmentSettings
) -> JudgedInPart:
    """Return the judgments with what they share; InputError for what does not go with them."""
    for option, named in {
        "--stratum": judgments.stratum is not None,
        "--order": settings.order,
        "--ties-in-outcome half": settings.ties_in_outcome == "half",
    }.items():
        if named:
            raise InputError(
                f"{option} does not go with --cheap-outcome, where an audit has no such form: "
                "leave one of the two out."
            )
    n = len(judgments.items)
    cluster = judgments.item_cluster
    unit = np.arange(n, dtype=np.int64) if cluster is None else _codes(cluster)
    shared = [] if judgments.cluster is None else [judgments.cluster]
    judge = settings.sampled(judgments.judge)
    if judge is not None:
        shared.append(judge.where(cheap.human))
        without = cheap.human & judge.isna().to_numpy()
        if without.any():
            raise InputError(
                f"{judgments.tables[0].path}: column `{judge.name}` has no judge in row "
                f"{int(without.argmax()) + 1}, which has a human outcome: name who judged, or "
                "leave --judge out."
            )
    relations = Relations(unit[judgments.left], unit[judgments.right], tuple(map(_codes, shared)))
    labelled = np.flatnonzero(cheap.human)
    return JudgedInPart(
        judgments.left, judgments.right, judgments.outcome, cheap.outcome, labelled,
        cheap.chance[labelled], relations,
    )  # fmt: skip


def _codes(values: Series) -> Integers:
    """Return codes from 0, a code of its own where there is no value."""
    code = np.asarray(pd.factorize(values)[0], dtype=np.int64)
    alone = code < 0
    code[alone] = code.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return code


def separation(
    judgments: Judgments,
    judged: JudgedInPart,
    model: str,
    groups: Series | pd.DataFrame,
    given: Content,
) -> JudgedInPartResult:
    """Test comparative separation of a model; InputError where chances gave other judgments.

    `given` are the arguments of the test of human outcomes alone.
    """
    assert judgments.cheap is not None
    code, names = inputs.groups(groups)
    predicted, k = judgments.predicted(model), len(names)
    sides = np.sort([code[judgments.left], code[judgments.right]], axis=0)
    pairs = [f"{group_name(a)} and {group_name(b)}" for a in names for b in names]
    agrees = predicted * judged.cheap + 1
    kinds = RowKinds(
        [("the cheap outcome and the model", [*AGREE]), ("groups", pairs)],
        agrees * len(pairs) + k * sides[0] + sides[1],
    )
    wording = Wording(label="--outcome", shell=True)
    check_draw([kinds], judgments.cheap.human, judgments.cheap.chance, wording)
    both = separation_in_part(
        judged, predicted, code, names, ties=given["ties"], alpha=given["alpha"],
        correction=given["correction"],
    )  # fmt: skip
    smallest = both.result.difference.smallest_cell
    few = (smallest > 0) & (smallest < FEWEST) & (judged.chance == judged.chance[0]).all()
    return _of_people(both, judged, given, few) if few.any() else both


def _of_people(
    both: JudgedInPartResult, judged: JudgedInPart, given: Content, few: NDArray[np.bool_]
) -> JudgedInPartResult:
    """Put the lines of human outcomes alone in the place of a few."""
    rows = judged.labelled
    of_judgments = {
        name: given[name].iloc[rows] if isinstance(given[name], pd.Series) else given[name][rows]
        for name in ("predicted", "judges", "clusters")
        if given[name] is not None
    }
    alone = comparative_separation_from_judgments(
        judged.left[rows], judged.right[rows], judged.outcome[rows], **{**given, **of_judgments}
    ).difference
    lines = zip(both.result.difference.reason, alone.reason, few, strict=True)
    notes = ["; ".join(filter(None, [other, ALONE])) if here else one for one, other, here in lines]
    numbers = {
        field.name: np.where(
            few, getattr(alone, field.name), getattr(both.result.difference, field.name)
        )
        for field in fields(Estimates)
    }
    difference = Estimates(**{**numbers, "reason": np.array(notes)})
    return replace(
        both,
        result=replace(both.result, difference=difference, contrasts=()),
        worth=np.where(few, np.nan, both.worth),
    )


def about_cheap_outcomes(
    judgments: Judgments, results: dict[tuple[str, str], JudgedInPartResult]
) -> Record:
    """Return the entry on human outcomes, what both are worth, and how the cheap ones err."""
    if judgments.cheap is None:
        return {}
    worth = [one for result in results.values() for one in result.worth if np.isfinite(one)]
    # the cheap outcomes of a line do not depend on the model, but for how cells are joined
    first = {name: result for (_, name), result in reversed(results.items())}
    errors = [
        {
            "attribute": name,
            "winner": group_name(winner),
            "loser": group_name(loser),
            **{
                key: float(value) if np.isfinite(value) else None
                for key, value in zip(("share", "ci_low", "ci_high"), numbers, strict=True)
            },
            "n": n,
        }
        for name, result in reversed(first.items())
        for winner, loser, *numbers, n in result.errors
    ]
    ends = [float(min(worth)), float(max(worth))] if worth else []
    human = int(judgments.cheap.human.sum())
    return {"few_labels": {"human": human, "worth": ends, "errors": errors}}
