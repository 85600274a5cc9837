"""All tables and figures of an audit of judgments, which its answer leaves out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.fields import VERDICTS
from fairpairs.audits.judgments.further_details import judgment_parts, parts_of
from fairpairs.audits.judgments.tables import ACROSS, WITHIN, JudgmentsTables
from fairpairs.audits.lines.tables import (
    counted,
    cut,
    forest,
    kinds,
    limits,
    meanings,
    notes_of,
    verdict_cell,
)
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED
from fairpairs.base.document import Figure, Grid, Heading, Notes, Part
from fairpairs.base.plain_values import Content, rows_of
from fairpairs.base.texts import coverage, interval, listed, number, p_equals, printable, pvalue

TITLES = {ACROSS: "Across groups", WITHIN: "Within groups"}
#: Criterion → what the sides of 0 mean, of the reference and the group.
SIDES = {ACROSS: "← leans towards {} | {} →", WITHIN: "← {} predicted better | {} →"}
#: Characters of a group's name below the axis.
SHORT = 16
ADJUSTED = {"holm": " (Holm)", "sidak": " (Šidák)", "none": ""}
#: What a rate is.
TPR = "TPR(a,b): of the judgments that prefer an item of a over one of b, the share that"
#: Groups whose rates have a column each, in a table of several models.
MOST_GROUPS = 3


def details(result: JudgmentsTables) -> Iterator[Part]:
    """Yield the parts of the report of an audit of judgments."""
    about = result.about
    yield "\n".join([*_head(about), counted(result.counts, result.pvalue)])
    several = len(about["models"]) > 1
    for i, (name, groups) in enumerate(about["attributes"].items()):
        sizes = ", ".join(f"{group} {n:,}" for group, n in groups.items())
        yield Heading(f"{name}: {len(groups)} groups ({sizes})")
        rows = result.main[result.main["attribute"] == name]
        yield from _forests(rows, f"a{i}", several=several)
        yield from _models(name, result) if several else _model(name, result)
        yield from _cheap(name, about)
        yield from parts_of(result, name)
    yield from judgment_parts(result)
    yield Notes(about["notes"])
    yield meanings(VERDICTS, result.counts)


def _forests(rows: pd.DataFrame, prefix: str, *, several: bool) -> Iterator[Figure]:
    """Yield the forest plots: a line for each model, or for each two groups."""
    lines = rows_of(rows)
    pairs = list(dict.fromkeys((row["group"], row["reference"]) for row in lines))
    for i, (group, reference) in enumerate(pairs if several else pairs[:1]):
        for criterion, title in TITLES.items():
            shown = [
                row
                for row in lines
                if row["criterion"] == criterion
                and (not several or (row["group"], row["reference"]) == (group, reference))
            ]
            each = [
                row["model"] if several else f"{row['group']} − {row['reference']}" for row in shown
            ]
            sides = (reference, group) if several or len(pairs) == 1 else ("reference", "group")
            label = SIDES[criterion].format(*(cut(printable(side), SHORT) for side in sides))
            what = f"{title}, {group} − {reference}" if several and len(pairs) > 1 else title
            yield forest(
                shown, each, label, prefix=f"{prefix}{criterion[0]}{i}",
                caption=f"{what}: differences with intervals. Diamonds: a difference is shown; "
                "circles: it is not.",
            )  # fmt: skip


def _head(about: Content) -> Iterator[str]:
    yield f"{names(about)}: {judged(about)}"
    (model, model_about), *others = about["models"].items()
    where = "" if others or model_about["kind"] == "preference" else f", scores in `{model}`"
    for file in about["files"]:
        if file["holds"] == "items":
            n = about["items"]
            yield f"{file['file']}: {file['rows']:,} items, {n:,} of them judged{where}"
    if not others:
        agree = "The scores agree" if model_about["kind"] == "score" else f"`{model}` agrees"
        yield f"{agree} with {agreeing(model_about)}."


def names(about: Content) -> str:
    """Return the names of the files of judgments."""
    return listed(file_name(file) for file in about["files"] if file["holds"] == "judgments")


def file_name(file: Content) -> str:
    """Return the name of a file, after the group that it holds if it holds one."""
    # a table in memory, which has no digest, is called after its group already
    alone = file["group"] is None or not file["sha256"]
    return str(file["file"] if alone else f"{file['group']}={file['file']}")


def judged(about: Content) -> str:
    """Return the number of judgments, and what they share."""
    ties = {"drop": "are left out", "half": "count half for each side"}[about["ties_in_outcome"]]
    parts = [f"{about['judgments']:,} judgments"]
    if "few_labels" in about:
        parts.append(f"{about['few_labels']['human']:,} of them by people")
    if about["without_winner"]:
        parts.append(f"{about['without_winner']:,} of them ties, which {ties}")
    shared = [
        f"{about[kind]:,} {kind}" for kind in ("judges", "clusters") if about[kind] is not None
    ]
    if about["strata"] is not None:
        shared.append(f"{len(about['strata']):,} strata")
    return "; ".join([", ".join(parts), *([", ".join(shared)] if shared else [])])


def agreeing(model: Content) -> str:
    """Return the number of judgments that a model agrees with, in words."""
    agrees, m = model["agrees"], model["judgments"]
    return f"{agrees:,} of the judgments ({100 * agrees / m:.1f} %)"


def _model(name: str, result: JudgmentsTables) -> list[Part]:
    """Return the tables and findings on one attribute, of one model."""
    about, cells = result.about, result.cells
    tests = result.main[result.main["attribute"] == name]
    rates: list[Any] = list(cells[(cells["attribute"] == name)].itertuples())
    grid = [
        (r.winner, r.loser, number(r.tpr), interval(r.ci_low, r.ci_high), f"{r.pairs:,.0f}")
        for r in rates
    ]
    covered = f"{coverage(about['alpha'])} interval"
    (model, model_about), *_ = about["models"].items()
    agree = "the scores agree" if model_about["kind"] == "score" else f"`{model}` agrees"
    joint = [
        f"All rates at once (joint test): {p_equals(test['pvalue'])}"
        for test in about["joint"]
        if test["attribute"] == name
    ]
    return [
        Grid(
            ["preferred (a)", "over (b)", "TPR(a,b)", covered, "judgments"],
            grid,
            left=("preferred (a)", "over (b)"),
        ),
        f"{TPR} {agree} with.",
        _lines(tests, about, "hypothesis"),
        "\n".join(joint),
    ]


def _models(name: str, result: JudgmentsTables) -> list[Part]:
    """Return the tables and findings on one attribute, of several models."""
    about = result.about
    tests = result.main[result.main["attribute"] == name]
    parts: list[Part] = [f"{TPR} the model agrees with."]
    for hypothesis, rows in tests.groupby("hypothesis", sort=False):
        if (rows["verdict"] == NOT_ESTIMATED).all():
            parts.append(f"{hypothesis}: {NOT_ESTIMATED} ({rows['note'].iloc[0]}).")
        else:
            parts.append(_lines(rows, about, "model", f"{hypothesis}:"))
    return [*parts, _rates(name, result)]


def _rates(name: str, result: JudgmentsTables) -> Grid:
    """Return each model's agreement with the judgments: all, and by pair of groups."""
    about, cells = result.about, result.cells
    cells = cells[(cells["attribute"] == name)]
    columns = list(dict.fromkeys(zip(cells["winner"], cells["loser"], strict=True)))
    caption = "The share of the judgments that the model agrees with"
    if len(about["attributes"][name]) > MOST_GROUPS:
        columns, caption = [], f"{caption}; rates.csv has those of each two groups"
    rates: list[Any] = list(cells.itertuples())
    table = {(row.model, row.winner, row.loser): row.tpr for row in rates}
    rows = [
        (
            model,
            number(counts["agrees"] / counts["judgments"]),
            *(number(table[model, *column]) for column in columns),
        )
        for model, counts in about["models"].items()
    ]
    header = ["model", "agrees", *(f"TPR({winner},{loser})" for winner, loser in columns)]
    return Grid(header, rows, left=("model",), caption=f"{caption}:")


def _cheap(name: str, about: Content) -> Iterator[Grid]:
    """Yield a table of how the cheap outcomes err, if there are any."""
    rows = [
        (
            row["winner"],
            row["loser"],
            *(_known(row["share"], row["ci_low"], row["ci_high"])),
            f"{row['n']:,}",
        )
        for row in about.get("few_labels", {}).get("errors", [])
        if row["attribute"] == name
    ]
    if rows:
        covered = f"{coverage(about['alpha'])} interval"
        header = ["people prefer", "over", "so does the judge", covered, "human judgments"]
        yield Grid(header, rows, left=("people prefer", "over"))


def _known(share: float | None, *ends: float | None) -> tuple[str, str]:
    low, high = (np.nan if end is None else end for end in ends)
    return number(np.nan if share is None else share), interval(low, high)


def _lines(tests: pd.DataFrame, about: Content, first: str, caption: str = "") -> Grid:
    """Return a table of hypotheses, or of the models on one of them."""
    lines = rows_of(tests)
    rows = [
        (row[first], verdict_cell(row["verdict"]), number(row["estimate"], sign=True),
         limits(row), pvalue(row["pvalue_adjusted"]),
         f"{row['n']:,}", f"{row['smallest_cell']:,}")
        for row in lines
    ]  # fmt: skip
    covered = f"{coverage(about['alpha'])} interval"
    p = f"p{ADJUSTED[about['correction']]}"
    header = [first, "verdict", "difference", covered, p, "n", "smallest cell"]
    return Grid(
        header, rows, left=(first, "verdict"), caption=caption, kinds=kinds(lines),
        notes=notes_of(lines),
    )  # fmt: skip
