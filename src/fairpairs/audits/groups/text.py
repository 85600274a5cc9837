"""The report of an audit of many groups, as text."""

from __future__ import annotations

from collections.abc import Iterator

from fairpairs.audits.audit.text import SHORT, cut
from fairpairs.audits.groups.fields import VERDICTS
from fairpairs.audits.groups.tables import GroupTables
from fairpairs.audits.lines.verdicts import BEYOND, NOT_ESTIMATED, VIOLATED_WITHIN, WITHIN
from fairpairs.base.document import Document, Grid, Notes
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import interval, listed, number, p_equals, printable, pvalue

#: Lines that the text shows.
WORST = 20
#: Characters of the name of a group.
LONGEST = 100


def document(result: GroupTables) -> Document:
    """Return the report of an audit of many groups."""
    about = result.about
    rows = result.tests.head(WORST).to_dict("records")
    covered = f"{100 * (1 - about['alpha']):g} % for all"
    grid = Grid(
        ["measure", "rate", "others", "difference", covered, "shrunken", "p", "verdict", "items",
         "group"],
        [
            (row["measure"], number(row["rate"]), number(row["rate_others"]),
             number(row["estimate"], sign=True),
             interval(row["ci_low"], row["ci_high"], sign=True),
             number(row["shrunken"], sign=True), pvalue(row["pvalue_adjusted"]),
             SHORT.get(row["verdict"], row["verdict"]), f"{row['items']:,}",
             cut(printable(row["group"]), LONGEST))
            for row in rows
        ],
        left=("measure", "verdict", "group"),
    )  # fmt: skip
    more = about["lines"] - len(rows)
    rest = f"The worst {len(rows)} lines; groups.csv has {more:,} more." if more else "All lines."
    verdicts = [f"{n:,} {verdict}" for verdict, n in result.counts.items() if n]
    count = f"Of {about['lines']:,} lines: {', '.join(verdicts)}.\nOverall: {overall(result)}."
    return Document(
        f"{name(about)}: many groups", ["\n".join(head(about)), grid, rest, count, notes(result)]
    )


def name(about: Content) -> str:
    """Return what is audited."""
    return str(about["source"].get("file", "predictions"))


def head(about: Content) -> Iterator[str]:
    """Yield the sentences that say which groups are compared."""
    attributes = about["attributes"]
    up_to = f", and intersections of up to {about['depth']}" if about["depth"] > 1 else ""
    yield (
        f"{name(about)}: {about['items']:,} items, {about['groups']:,} groups of "
        f"{listed(attributes)}{up_to}"
    )
    left_out = [
        (about["left_out"]["small"], f"with fewer than {about['smallest']:,} items"),
        (about["left_out"]["same"], "with the same items as another group, or with all items"),
    ]
    parts = [f"{n:,} group{'s' if n > 1 else ''} {what}" for n, what in left_out if n]
    if parts:
        yield f"Left out: {'; '.join(parts)}."
    yield "Each group is compared with everyone else."


def overall(result: GroupTables) -> str:
    """Return the verdict of the whole audit, in words."""
    about, counts = result.about, result.counts
    counted = ", ".join(about["criterion"])
    if result.violated is None:
        return f"cannot be tested, by {counted}"
    evidence = f"{p_equals(result.pvalue)} by Holm over {about['tested']:,} lines of {counted}"
    if about["margin"] is None:
        return f"{'violated' if result.violated else 'not shown'}, {evidence}"
    within = counts[WITHIN] + counts[VIOLATED_WITHIN]
    share = f"{within:,} of {about['lines']:,} lines lie within ±{about['margin']:g}"
    if result.shown:
        return f"shown within the margin: all {about['lines']:,} lines of {counted}"
    if result.violated:
        return f"{BEYOND}: {counts[BEYOND]:,} lines of {counted}; {share}"
    return f"not shown within the margin: {share}; none is {BEYOND}; any difference: {evidence}"


def notes(result: GroupTables) -> Notes:
    """Return what the numbers mean."""
    about = result.about
    level = f"{about['alpha']:g}"
    items = [
        f"p is adjusted by Holm over all lines: if no group differs, any line is violated with a "
        f"chance of at most {level}.",
        f"The intervals cover the differences of all groups together with a chance of "
        f"{100 * (1 - about['alpha']):g} %, whichever is looked at.",
        "shrunken: the difference, drawn towards 0 by as much as it is uncertain (empirical "
        f"Bayes); true differences have a standard deviation of about {spread(about)}.",
    ]
    if about["margin"] is not None:
        items.append(
            f"beyond, within: the interval lies beyond the margin of {about['margin']:g}, or within"
            " it; so this holds for all groups together."
        )
    if result.counts[NOT_ESTIMATED]:
        items.append(f"{NOT_ESTIMATED}: {VERDICTS[NOT_ESTIMATED]}.")
    if not about["label"]:
        items.append("There are no labels: only selection rates are compared.")
    return Notes(items)


def spread(about: Content) -> str:
    """Return the standard deviation of true differences, by measure."""
    return ", ".join(f"{number(tau)} ({measure})" for measure, tau in about["tau"].items())
