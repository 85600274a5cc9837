"""The page of a comparison: one HTML file that opens offline, or a part of a notebook."""

from __future__ import annotations

import pandas as pd

from fairpairs.audits.audit.criteria import CRITERIA, measure_title
from fairpairs.audits.audit.text import count
from fairpairs.audits.compare import figures
from fairpairs.audits.compare.tables import ComparisonTables
from fairpairs.audits.compare.text import overall
from fairpairs.audits.compare.verdicts import (
    IMPROVED,
    NOT_WORSE,
    SIGNS,
    VERDICTS,
    WORSE,
    WORSE_BEYOND,
    WORSE_WITHIN,
)
from fairpairs.audits.lines.page import page_environment
from fairpairs.audits.lines.verdicts import NOT_ESTIMATED, NOT_SHOWN
from fairpairs.base.plain_values import Record
from fairpairs.base.texts import interval, number, pvalue

#: Verdict → the class of its row in the style of the page.
WEIGHTS = {
    WORSE_BEYOND: "strong", WORSE: "medium", WORSE_WITHIN: "weak", IMPROVED: "within",
    NOT_WORSE: "within", NOT_SHOWN: "open",
}  # fmt: skip


def page(result: ComparisonTables, *, whole: bool) -> str:
    """Return the page of a comparison: a whole document, or the part that a notebook shows."""
    tests, decisions, about = result.tests, result.decisions, result.about
    environment = page_environment(result.answer, "fairpairs.audits.compare")
    environment.globals.update(
        number=number, interval=interval, pvalue=pvalue, count=count, measure_title=measure_title,
        signs=SIGNS, weights=WEIGHTS, not_estimated=NOT_ESTIMATED,
    )  # fmt: skip
    return environment.get_template("compare.html.j2").render(
        whole=whole,
        about=about,
        old=about["source"].get("old", "the old model"),
        new=about["source"].get("new", "the new model"),
        counts={verdict: n for verdict, n in result.counts.items() if n},
        overall=overall(result),
        attributes=[
            _attribute(name, i, tests, decisions, settings["reference"])
            for i, (name, settings) in enumerate(about["attributes"].items())
        ],
        criteria={name: CRITERIA[name] for name in dict.fromkeys(tests["criterion"])},
        left_out={CRITERIA[name].title: reason for name, reason in about["left_out"].items()},
        verdicts=VERDICTS,
    )


def _attribute(
    name: str, index: int, tests: pd.DataFrame, decisions: pd.DataFrame, reference: str
) -> Record:
    lines, moved = (table[table["attribute"] == name] for table in (tests, decisions))
    comparisons = [
        {
            "group": group,
            "rows": rows.to_dict("records"),
            "figure": figures.gap_changes(rows, prefix=f"a{index}g{i}"),
            "summary": "; ".join(
                f"{measure_title(row['measure'])}: {row['verdict']}"
                for row in rows.to_dict("records")
            ),
        }
        for i, (group, rows) in enumerate(lines.groupby("group", sort=False))
    ]
    return {
        "name": name,
        "place": f"a{index}",
        "reference": reference,
        "decisions": moved.to_dict("records"),
        "comparisons": comparisons,
    }
