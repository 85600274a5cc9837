"""The report of a monitor, as text."""

from __future__ import annotations

from collections.abc import Iterator

from fairpairs.audits.audit.text import SHORT, cut
from fairpairs.audits.lines.verdicts import BEYOND, NOT_TESTED, VIOLATED_WITHIN, WITHIN
from fairpairs.audits.monitor.tables import MonitorTables
from fairpairs.base.document import Document, Grid, Notes
from fairpairs.base.plain_values import Content, TableRow
from fairpairs.base.texts import interval, number, p_equals, printable, pvalue

#: Characters of the name of a line.
LONGEST = 60
#: Key of a measure of judgments → its title.
TITLES = {"across": "comparative, across", "within": "comparative, within"}


def document(result: MonitorTables) -> Document:
    """Return the report of a monitor."""
    about = result.about
    rows = result.lines.to_dict("records")
    grids = []
    for counts, caption in ((True, ""), (False, "These lines do not count for the verdict.")):
        chosen = [row for row in rows if row["counts"] == counts]
        if chosen:
            grids.append(Grid(
                ["line", "estimate", f"{100 * (1 - about['alpha']):g} %, all looks", "p", "items",
                 "reference", "verdict", "since batch"],
                [
                    (cut(printable(title(row)), LONGEST), number(row["estimate"], sign=True),
                     interval(row["ci_low"], row["ci_high"], sign=True),
                     pvalue(row["pvalue_adjusted"]), f"{row['items']:,}",
                     f"{row['items_reference']:,}", SHORT.get(row["verdict"], row["verdict"]),
                     f"{row['since']:,}" if row["since"] else "")
                    for row in chosen
                ],
                left=("line", "verdict"), caption=caption,
            ))  # fmt: skip
    return Document(
        f"{about['state']}: monitor",
        ["\n".join(head(about)), *grids, f"Overall: {overall(result)}.", notes(result)],
    )


def title(row: TableRow) -> str:
    """Return the name of a line."""
    measure = TITLES.get(row["measure"], row["measure"])
    return f"{row['attribute']}: {row['group']} minus {row['reference']}, {measure}"


def head(about: Content) -> Iterator[str]:
    """Yield the sentences that say what was appended."""
    what = "judgments" if about["judgments"] else "rows"
    batches = about["batches"]
    yield (
        f"{about['state']}: {about['rows']:,} {what} in {batches:,} "
        f"batch{'' if batches == 1 else 'es'}"
    )
    for attribute, groups in about["attributes"].items():
        sizes = ", ".join(f"{name} {n:,}" for name, n in groups["groups"].items())
        yield f"{attribute}: {sizes}; the reference is {groups['reference']}"


def overall(result: MonitorTables) -> str:
    """Return the verdict of all that counts, in words."""
    about, counts = result.about, result.counts
    counted = ", ".join(about["criterion"])
    if result.violated is None:
        return f"cannot be tested yet, by {counted}"
    lines = sum(counts.values())
    count_text = f"{lines} line{'' if lines == 1 else 's'}"
    evidence = f"{p_equals(result.pvalue)} by Holm over {count_text} of {counted}, at all looks"
    if result.shown is None:
        return f"{'violated' if result.violated else 'not shown'}, {evidence}"
    within = counts[WITHIN] + counts[VIOLATED_WITHIN]
    if result.violated:
        return f"{BEYOND if counts[BEYOND] else 'violated'}; {within} of {count_text} within it"
    if result.shown:
        return f"shown within the margin so far: all {count_text} of {counted}"
    return (
        f"not shown within the margin: {within} of {count_text} lie within it; none is "
        f"{BEYOND}; any difference: {evidence}"
    )


def notes(result: MonitorTables) -> Notes:
    """Return what the numbers mean."""
    about = result.about
    level = f"{about['alpha']:g}"
    measures = set(result.lines["measure"])
    items = [
        f"p and intervals hold at all looks together: of a fair model, any line is ever violated "
        f"with a chance of at most {level}, however often it is looked at.",
        "A violation stays: it says that a difference was there, not that it is there now.",
    ]
    if about["margin"] is not None:
        items.append(
            "Within the margin is what all items so far show; it may change with the next batch."
        )
    if measures & {"AUC", "xAUC", "mean error", "mean prediction"}:
        items.append(
            "AUC, xAUC and means: in large samples only; the first looks wait for enough items."
        )
    if about["judgments"]:
        items.append("Each judgment must be of items that no other judgment is of.")
    else:
        items.append("Rows must be independent, and each may be appended once.")
    for row in result.lines.to_dict("records"):
        if row["verdict"] == NOT_TESTED:
            items.append(f"{title(row)}: {row['note']}.")
    return Notes([*items, *about["notes"]])
