"""The page of an audit of judgments: one HTML file that opens offline, or a part of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairpairs.audits.audit.effects import weight
from fairpairs.audits.audit.page import cards
from fairpairs.audits.audit.text import count
from fairpairs.audits.judgments import figures
from fairpairs.audits.judgments.findings import findings, overall, pairs_of_groups
from fairpairs.audits.judgments.further_text import judgment_parts, parts_of
from fairpairs.audits.judgments.tables import ACROSS, WITHIN, JudgmentsTables
from fairpairs.audits.judgments.text import agreeing, file_name, judged, names
from fairpairs.audits.lines.page import page_environment
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED, SIGNS, VERDICTS
from fairpairs.base.plain_values import Record, TableRow
from fairpairs.base.texts import interval, number, p_equals, pvalue
from fairpairs.mathematics.estimates.estimates import SMALL, SMALL_CELL

TITLES = {ACROSS: "Across groups", WITHIN: "Within groups"}


def page(result: JudgmentsTables, *, whole: bool) -> str:
    """Return the page of an audit: a whole document, or the part that a notebook shows."""
    about = result.about
    environment = page_environment(result.answer, "fairpairs.audits.judgments")
    environment.globals.update(
        number=number, interval=interval, pvalue=pvalue, p_equals=p_equals, count=count,
        agreeing=agreeing, file_name=file_name, signs=SIGNS, weight=weight,
        not_estimated=NOT_ESTIMATED, small_note=SMALL, small_cell=SMALL_CELL,
    )  # fmt: skip
    tests = result.main.assign(margin=np.nan)
    counts = {**dict.fromkeys(VERDICTS, 0), **result.counts}
    return environment.get_template("judgments.html.j2").render(
        whole=whole,
        about=about,
        names=names(about),
        judged=judged(about),
        cards=cards(tests, counts, with_margin=False),
        overall=overall(result),
        questions=[(type(part).__name__, part) for part in judgment_parts(result)],
        attributes=[
            _attribute(result, tests, name, i) for i, name in enumerate(about["attributes"])
        ],
    )


def _attribute(result: JudgmentsTables, tests: Any, name: str, index: int) -> Record:
    about, cells = result.about, result.cells
    rows = tests[tests["attribute"] == name]
    first, *others = findings(result, name)
    rates = cells[(cells["attribute"] == name)]
    joint = [test for test in about["joint"] if test["attribute"] == name]
    return {
        "name": name,
        "place": f"a{index}",
        "groups": about["attributes"][name],
        "finding": first,
        "findings": others,
        "tables": [
            (
                hypothesis,
                lines.to_dict("records"),
                bool((lines["verdict"] == NOT_ESTIMATED).all()),
            )
            for hypothesis, lines in rows.groupby("hypothesis", sort=False)
        ],
        "forests": list(_forests(rows, f"a{index}", several=len(about["models"]) > 1)),
        "rates": rates.to_dict("records"),
        "cells": list(dict.fromkeys(zip(rates["winner"], rates["loser"], strict=True))),
        "by_model": {
            (row["model"], row["winner"], row["loser"]): row for row in rates.to_dict("records")
        },
        "parts": [(type(part).__name__, part) for part in parts_of(result, name)],
        "joint": joint[0]["pvalue"] if joint and len(about["models"]) == 1 else None,
    }


def _forests(rows: Any, prefix: str, *, several: bool) -> Any:
    """Yield the title, drawing and text of each forest plot: a row for each model or two groups."""
    pairs = pairs_of_groups(rows)
    for i, (group, reference) in enumerate(pairs if several else pairs[:1]):
        in_groups = (rows["group"] == group) & (rows["reference"] == reference)
        for criterion, title in TITLES.items():
            in_criterion = rows["criterion"] == criterion
            shown = rows[in_criterion & in_groups if several else in_criterion].to_dict("records")
            names = [
                row["model"] if several else f"{row['group']} − {row['reference']}" for row in shown
            ]
            drawn = figures.gaps(shown, names, prefix=f"{prefix}{criterion[0]}{i}")
            if drawn:
                what = f"{title}, {group} − {reference}" if several and len(pairs) > 1 else title
                yield what, drawn, _summary(shown, names)


def _summary(rows: Sequence[TableRow], names: Sequence[str]) -> str:
    """Return the alternative text of a figure."""
    parts = [
        f"{name} {number(row['estimate'], sign=True)}, {row['verdict']}"
        for name, row in zip(names, rows, strict=True)
    ]
    return "; ".join(parts)
