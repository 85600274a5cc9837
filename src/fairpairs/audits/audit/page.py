"""The page of an audit: one HTML file that opens offline, or a part of a notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
import pandas as pd

from fairpairs.audits.audit import figures
from fairpairs.audits.audit.criteria import ALL_CRITERIA, measure_title
from fairpairs.audits.audit.criteria.parity import SELECTION
from fairpairs.audits.audit.effects import WEIGHTS, Weight, findings, weight
from fairpairs.audits.audit.headline import overall
from fairpairs.audits.audit.rates import RATES
from fairpairs.audits.audit.sections import Section, kinds, sections
from fairpairs.audits.audit.tables import AuditTables
from fairpairs.audits.audit.text import ROUGH, count, items, margins, ratios, rough
from fairpairs.audits.lines.page import page_environment
from fairpairs.audits.lines.verdicts import (
    BEYOND,
    MEASURED,
    NOT_ESTIMATED,
    NOT_SHOWN,
    NOT_TESTED,
    SIGNS,
    VERDICTS,
    VIOLATED,
    VIOLATED_WITHIN,
    WITH_MARGIN,
    WITHIN,
)
from fairpairs.base.plain_values import Record, TableRow
from fairpairs.base.texts import interval, number, pvalue
from fairpairs.mathematics.estimates.estimates import SMALL

#: The verdict of a criterion is the first of those of its lines.
ORDER = (BEYOND, VIOLATED, NOT_ESTIMATED, NOT_TESTED, NOT_SHOWN, VIOLATED_WITHIN, WITHIN, MEASURED)
#: With more comparisons, as of many classes, the page has no figure of each.
MAX_FIGURES = 150


def page(result: AuditTables, *, whole: bool) -> str:
    """Return the page of an audit: a whole document, or the part that a notebook shows."""
    tests, about, counts = result.tests, result.about, result.counts
    parts = list(sections(result))
    drawn = sum(len(list(section.comparisons)) for section in parts) <= MAX_FIGURES
    environment = page_environment(result.answer, "fairpairs.audits.audit")
    environment.globals.update(
        number=number, interval=interval, pvalue=pvalue, count=count, measure_title=measure_title,
        signs=SIGNS, rough=rough, small_note=SMALL, weight=weight, in_short=in_short,
        selection=SELECTION.name, not_estimated=NOT_ESTIMATED,
    )  # fmt: skip
    return environment.get_template("audit.html.j2").render(
        whole=whole,
        about=about,
        items=items(about),
        ratios=ratios(about),
        cards=cards(tests, counts, with_margin=about["margin"] is not None),
        findings=list(findings(result)),
        margins=margins(about) if about["margin"] is not None else "",
        kinds=kinds(about),
        sections=[_section(section, f"a{i}", drawn) for i, section in enumerate(parts)],
        criteria={name: ALL_CRITERIA[name] for name in dict.fromkeys(tests["criterion"])},
        left_out={
            ALL_CRITERIA[name].title: reason for name, reason in about["not_applicable"].items()
        },
        verdicts={
            verdict: meaning
            for verdict, meaning in VERDICTS.items()
            if about["margin"] is not None or verdict not in WITH_MARGIN
        },
        overall=overall(result),
        counted=about["gate"]["criteria"],
        mark=ROUGH if any(rough(row) for row in tests.to_dict("records")) else "",
    )


def _section(section: Section, prefix: str, drawn: bool) -> Record:
    """Return what the template shows of a section; `drawn` is whether comparisons have figures."""
    measures = list(dict.fromkeys(section.rates["measure"]))
    cells = {(row["group"], row["measure"]): row for row in section.rates.to_dict("records")}
    comparisons = [
        {
            "group": group,
            "heading": section.heading(group),
            "rows": rows.to_dict("records"),
            "figure": figures.differences(rows, prefix=f"{prefix}g{i}") if drawn else "",
            "summary": _summary(rows),
            "by_criterion": _by_criterion(rows.to_dict("records")),
        }
        for i, (group, rows) in enumerate(section.comparisons)
    ]
    return {
        "title": section.title,
        "name": section.attribute,
        "place": prefix,
        "groups": section.groups,
        "reference": section.reference,
        "measures": {measure: RATES[measure] for measure in measures},
        "cells": cells,
        "figure": figures.group_rates(section.rates, prefix=f"{prefix}r"),
        "comparisons": comparisons,
    }


def cards(
    tests: pd.DataFrame, counts: Mapping[str, int], *, with_margin: bool
) -> list[tuple[int, str, str]]:
    """Return the numbers at the top: how many lines, of what, and their weight."""
    no_result = counts[NOT_ESTIMATED] + counts[NOT_TESTED]
    rest = [
        (counts[NOT_SHOWN], NOT_SHOWN, "open"),
        (counts[MEASURED], "measured only", "open"),
        (no_result, "could not be tested", "open"),
    ]
    if with_margin:
        within = counts[WITHIN] + counts[VIOLATED_WITHIN]
        first = [
            (counts[BEYOND], BEYOND, "strong"),
            (counts[VIOLATED], VIOLATED, "medium"),
            (within, WITHIN, "within"),
        ]
    else:
        violated = [row for row in tests.to_dict("records") if row["verdict"] == VIOLATED]
        weights = Counter(WEIGHTS.get(row["magnitude"], "") for row in violated)
        words = {"strong": "large", "medium": "medium", "weak": "small", "negligible": "negligible"}
        first = [(weights[kind], f"violated, {word}", kind) for kind, word in words.items()]
        if weights[""]:
            first.append((weights[""], "violated, without an effect size", "open"))
    return first + [card for card in rest if card[0] or card[1] == NOT_SHOWN]


def in_short(row: TableRow) -> str:
    """Return the verdict of a line, with the size of the effect if it is violated."""
    if row["verdict"] == VIOLATED and np.isnan(row["margin"]) and row["magnitude"]:
        return f"{row['verdict']}, {row['magnitude']}"
    return str(row["verdict"])


def _by_criterion(rows: Sequence[TableRow]) -> dict[str, TableRow]:
    """Return the line of each criterion that decides: the first verdict of ORDER, most weight."""
    chosen: dict[str, TableRow] = {}
    weights = get_args(Weight)
    for row in sorted(rows, key=lambda r: (ORDER.index(r["verdict"]), weights.index(weight(r)))):
        chosen.setdefault(row["criterion"], row)
    return chosen


def _summary(rows: pd.DataFrame) -> str:
    """Return the alternative text of a figure."""
    kinds: dict[str, tuple[str, ...]] = {"violated": (VIOLATED,)}
    if rows["margin"].notna().any():
        kinds = {"beyond the margin": (BEYOND,), "within the margin": (WITHIN, VIOLATED_WITHIN)}
    parts = []
    for words, verdicts in kinds.items():
        measures = rows.loc[rows["verdict"].isin(verdicts), "measure"]
        parts.append(f"{words}: {', '.join(map(measure_title, measures)) or 'nothing'}")
    return f"{'; '.join(parts)}; of {len(rows)} rows."
