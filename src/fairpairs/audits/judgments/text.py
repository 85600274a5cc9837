"""The report of an audit of judgments, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from fairpairs.audits.judgments.findings import findings, overall
from fairpairs.audits.judgments.further_text import judgment_parts, parts_of
from fairpairs.audits.judgments.tables import JudgmentsTables
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED
from fairpairs.base.document import Document, Grid, Heading, Notes, Part
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import interval, listed, number, p_equals, pvalue

ADJUSTED = {"holm": " (Holm)", "sidak": " (Šidák)", "none": ""}
#: What a rate is.
TPR = "TPR(a,b): of the judgments that prefer an item of a over one of b, the share that"
#: Groups whose rates have a column each, in a table of several models.
MOST_GROUPS = 3


def document(result: JudgmentsTables) -> Document:
    """Return the report of an audit of judgments."""
    about = result.about
    parts: list[Part] = ["\n".join(_head(about))]
    several = len(about["models"]) > 1
    for name, groups in about["attributes"].items():
        parts.append(Heading(f"{name}: {len(groups)} groups"))
        parts += _models(name, result) if several else _model(name, result)
        parts += parts_of(result, name)
    parts += judgment_parts(result)
    if len(about["attributes"]) > 1 or several or about["correction"] != "holm":
        parts.append(overall(result))
    parts.append(Notes(about["notes"]))
    return Document(f"{names(about)}: scores audited by judgments", parts)


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
    covered = f"{100 * (1 - about['alpha']):g} % interval"
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
        "\n".join([*joint, *in_words(result, name)]),
    ]


def _models(name: str, result: JudgmentsTables) -> list[Part]:
    """Return the tables and findings on one attribute, of several models."""
    about = result.about
    tests = result.main[result.main["attribute"] == name]
    parts: list[Part] = ["\n".join(in_words(result, name)), f"{TPR} the model agrees with."]
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


def _lines(tests: pd.DataFrame, about: Content, first: str, caption: str = "") -> Grid:
    """Return a table of hypotheses, or of the models on one of them."""
    lines: list[Any] = list(tests.itertuples())
    rows = [
        (getattr(r, first), number(r.estimate, sign=True), interval(r.ci_low, r.ci_high, sign=True),
         number(r.effect_size, sign=True), pvalue(r.pvalue_adjusted), f"{r.n:,}",
         f"{r.smallest_cell:,}", _verdict(r))
        for r in lines
    ]  # fmt: skip
    covered = f"{100 * (1 - about['alpha']):g} % interval"
    p = f"p{ADJUSTED[about['correction']]}"
    header = [first, "difference", covered, "h", p, "n", "smallest cell", "verdict"]
    return Grid(header, rows, left=(first, "verdict"), caption=caption)


def in_words(result: JudgmentsTables, name: str) -> list[str]:
    """Return the findings on an attribute, as a list."""
    first, *others = findings(result, name)
    return [first, *(f"- {other}" for other in others)]


def _verdict(row: Any) -> str:
    return f"no test: {row.note}" if np.isnan(row.pvalue_adjusted) else str(row.verdict)
