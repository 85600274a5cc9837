"""The page of a monitor: one HTML file that opens offline, or a part of a notebook."""

from __future__ import annotations

from typing import Any

from fairpairs.audits.lines.page import page_environment
from fairpairs.audits.lines.verdicts import BEYOND, SIGNS, VIOLATED, VIOLATED_WITHIN, WITHIN
from fairpairs.audits.monitor import figures
from fairpairs.audits.monitor.fields import VERDICTS
from fairpairs.audits.monitor.tables import MonitorTables
from fairpairs.audits.monitor.text import TITLES, head, notes, overall, title
from fairpairs.base.texts import interval, number, pvalue

#: Lines that have a figure.
DRAWN = 60
#: Verdict → how its line is coloured.
WEIGHTS = {BEYOND: "strong", VIOLATED: "medium", VIOLATED_WITHIN: "within", WITHIN: "within"}


def page(result: MonitorTables, *, whole: bool) -> str:
    """Return the page of a monitor: a whole document, or the part that a notebook shows."""
    environment = page_environment(result.answer, "fairpairs.audits.monitor")
    environment.globals.update(
        number=number,
        interval=interval,
        pvalue=pvalue,
        signs=SIGNS,
        title=title,
        weight=lambda row: WEIGHTS.get(row["verdict"], "open"),
        measure=_measure,
    )
    rows = result.lines.to_dict("records")
    return environment.get_template("monitor.html.j2").render(
        whole=whole,
        about=result.about,
        head=list(head(result.about)),
        overall=overall(result),
        cards=[
            (n, verdict, WEIGHTS.get(verdict, "open")) for verdict, n in result.counts.items() if n
        ],
        tables=[[row for row in rows if row["counts"]], [row for row in rows if not row["counts"]]],
        drawn=_drawn(result),
        notes=notes(result).items,
        verdicts={
            verdict: meaning
            for verdict, meaning in VERDICTS.items()
            if (result.lines["verdict"] == verdict).any()
        },
    )


def _measure(row: dict[Any, Any]) -> str:
    return TITLES.get(row["measure"], str(row["measure"]))


def _drawn(result: MonitorTables) -> list[tuple[dict[Any, Any], str]]:
    """Return lines with their figures; those of one measure have one scale."""
    figures_of_rows = []
    lines, history = result.lines, result.history
    keys = ["attribute", "group", "measure"]
    looks = dict(list(history.groupby(keys, sort=False)))
    chosen = lines.sort_values("counts", ascending=False, kind="stable").head(DRAWN)
    ends = {
        measure: figures.ends_of(history[history["measure"] == measure], measure_lines["margin"])
        for measure, measure_lines in lines.groupby("measure")
    }
    for i, row in enumerate(chosen.to_dict("records")):
        line_looks = looks[tuple(row[key] for key in keys)]
        drawn = figures.over_time(row, line_looks, prefix=f"m{i}", ends=ends[row["measure"]])
        if drawn:
            figures_of_rows.append((row, drawn))
    return figures_of_rows
