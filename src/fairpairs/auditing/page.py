"""The page of an audit: one HTML file that opens offline, or a part of a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2
import pandas as pd

from fairpairs.auditing import figures
from fairpairs.auditing.criteria import CRITERIA, measure_title
from fairpairs.auditing.headline import overall
from fairpairs.auditing.rates import RATES
from fairpairs.auditing.tables import AuditTables
from fairpairs.auditing.text import ROUGH, count, rough
from fairpairs.auditing.verdicts import NOT_ESTIMATED, NOT_TESTED, SIGNS, VERDICTS, VIOLATED
from fairpairs.fairness.estimates import SMALL
from fairpairs.texts import interval, number, pvalue


def page(result: AuditTables, *, whole: bool) -> str:
    """Return the page of an audit: a whole document, or the part that a notebook shows."""
    tests, rates, about, counts = result.tests, result.rates, result.about, result.counts
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fairpairs.auditing"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.globals.update(
        number=number, interval=interval, pvalue=pvalue, count=count, measure_title=measure_title,
        signs=SIGNS, rough=rough, small_note=SMALL,
        not_estimated=NOT_ESTIMATED, violated=VIOLATED,
    )  # fmt: skip
    return environment.get_template("audit.html.j2").render(
        whole=whole,
        about=about,
        counts={**counts, "no result": counts[NOT_ESTIMATED] + counts[NOT_TESTED]},
        rows=len(tests),
        attributes=[
            _attribute(name, tests, rates, settings)
            for name, settings in about["attributes"].items()
        ],
        criteria={name: CRITERIA[name] for name in dict.fromkeys(tests["criterion"])},
        left_out={CRITERIA[name].title: reason for name, reason in about["not_applicable"].items()},
        verdicts=VERDICTS,
        overall=overall(about),
        counted=about["gate"]["criteria"],
        mark=ROUGH if any(rough(row) for row in tests.to_dict("records")) else "",
    )


def _attribute(
    name: str, tests: pd.DataFrame, rates: pd.DataFrame, settings: Mapping[str, Any]
) -> dict[str, Any]:
    of_attribute, of_groups = (table[table["attribute"] == name] for table in (tests, rates))
    place = f"a{list(dict.fromkeys(tests['attribute'])).index(name)}"
    measures = list(dict.fromkeys(of_groups["measure"]))
    cells = {(row["group"], row["measure"]): row for row in of_groups.to_dict("records")}
    comparisons = [
        {
            "group": group,
            "rows": rows.to_dict("records"),
            "figure": figures.differences(rows, prefix=f"{place}g{i}"),
            "summary": _summary(rows),
            "by_criterion": _by_criterion(rows),
        }
        for i, (group, rows) in enumerate(of_attribute.groupby("group", sort=False))
    ]
    return {
        "name": name,
        "place": place,
        "groups": settings["groups"],
        "reference": settings["reference"],
        "measures": {measure: RATES[measure] for measure in measures},
        "cells": cells,
        "figure": figures.group_rates(of_groups, prefix=f"{place}r"),
        "comparisons": comparisons,
        "criteria": list(dict.fromkeys(of_attribute["criterion"])),
    }


def _by_criterion(rows: pd.DataFrame) -> dict[str, str]:
    """Return the verdict of each criterion: violated if one of its rows is."""
    by_criterion, order = {}, (VIOLATED, NOT_ESTIMATED, NOT_TESTED, *VERDICTS)
    for criterion, verdicts in rows.groupby("criterion", sort=False)["verdict"]:
        by_criterion[str(criterion)] = next(
            verdict for verdict in order if (verdicts == verdict).any()
        )
    return by_criterion


def _summary(rows: pd.DataFrame) -> str:
    """Return the alternative text of a figure."""
    violated = [
        measure_title(measure) for measure in rows.loc[rows["verdict"] == VIOLATED, "measure"]
    ]
    return f"Violated: {', '.join(violated) or 'nothing'}; of {len(rows)} rows."
