"""The papers' conclusions as the report shows them, each with its verdict."""

from collections.abc import Iterable
from pathlib import Path

from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.display.tables import read_words

#: Verdict → the class of its mark on the page, in the order of the counts.
VERDICTS = {
    "holds": "holds",
    "holds, redone": "redone",
    "holds in part": "part",
    "does not hold": "fails",
    "cannot be told": "untold",
}


def shown_claims(file: Path) -> dict[str, list[Record]]:
    """Return the conclusions of each study from claims.csv; none without such a file."""
    if not file.exists():
        return {}
    claims: dict[str, list[Record]] = {}
    for row in read_words(file).to_dict("records"):
        shown = {
            **{str(name): value for name, value in row.items()},
            "id": f"claim-{row['study']}-{row['claim']}",
            "mark": VERDICTS.get(row["verdict"], "untold"),
            "evidence": [path for path in row["evidence"].split("; ") if path],
        }
        claims.setdefault(row["study"], []).append(shown)
    return claims


def verdict_counts(claims: Iterable[Content]) -> dict[str, int]:
    """Count the conclusions of each verdict."""
    verdicts = [claim["verdict"] for claim in claims]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}
