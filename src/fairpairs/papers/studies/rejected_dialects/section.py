"""What the report shows of the study: the gaps of each model, and asterisks."""

from fairpairs.base.plain_values import Content
from fairpairs.papers.display.layouts import display
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.rejected_dialects.measures import RATES
from fairpairs.papers.studies.rejected_dialects.tables import asterisk_counts


def section(results: Results) -> Content | None:
    """Return the tables and the figure."""
    gaps, asterisks = results.csv("gaps"), results.csv("asterisks")
    if gaps is None or asterisks is None:
        return None
    return {
        "prompts": int(gaps["prompts"].max()),
        "models": gaps["model"].nunique(),
        "tables": [
            display(__file__, "gaps", gaps, rates=RATES),
            display(__file__, "asterisks", asterisk_counts(asterisks)),
        ],
        "forest": results.svg("gaps"),
    }
