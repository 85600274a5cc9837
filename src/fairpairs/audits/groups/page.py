"""The page of an audit of many groups: one HTML file that opens offline, or part of a notebook."""

from __future__ import annotations

from fairpairs.audits.audit.effects import weight
from fairpairs.audits.audit.page import cards
from fairpairs.audits.groups import figures
from fairpairs.audits.groups.fields import VERDICTS
from fairpairs.audits.groups.tables import GroupTables
from fairpairs.audits.groups.text import head, name, notes, overall
from fairpairs.audits.lines.page import page_environment
from fairpairs.audits.lines.verdicts import MEASURED, NOT_ESTIMATED, NOT_TESTED, SIGNS
from fairpairs.base.texts import interval, number, pvalue

#: Lines that are drawn, that are shown, and that can be folded out.
DRAWN, SHOWN, FOLDED = 30, 50, 2000


def page(result: GroupTables, *, whole: bool) -> str:
    """Return the page of an audit: a whole document, or the part that a notebook shows."""
    about = result.about
    rows = result.tests.head(SHOWN + FOLDED).to_dict("records")
    environment = page_environment(result.answer, "fairpairs.audits.groups")
    environment.globals.update(
        number=number,
        interval=interval,
        pvalue=pvalue,
        signs=SIGNS,
        weight=weight,
        not_estimated=NOT_ESTIMATED,
    )
    counts = {MEASURED: 0, NOT_TESTED: 0, **result.counts}
    worst = rows[:DRAWN]
    return environment.get_template("groups.html.j2").render(
        whole=whole,
        about=about,
        name=name(about),
        head=list(head(about)),
        overall=overall(result),
        cards=cards(result.tests, counts, with_margin=about["margin"] is not None),
        figure=figures.forest(worst, prefix="groups"),
        summary="; ".join(
            f"{row['group']}, {row['measure']} {number(row['estimate'], sign=True)}, "
            f"{row['verdict']}"
            for row in worst
        ),
        tables=[("The worst lines", rows[:SHOWN]), ("More lines", rows[SHOWN:])],
        left=max(about["lines"] - len(rows), 0),
        notes=notes(result).items,
        verdicts={verdict: VERDICTS[verdict] for verdict, n in result.counts.items() if n},
    )
