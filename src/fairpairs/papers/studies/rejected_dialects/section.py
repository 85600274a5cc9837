"""What the report shows of the study: what the gaps add, the gaps of each model, and asterisks."""

from fairpairs.base.plain_values import Content
from fairpairs.papers.display.layouts import display
from fairpairs.papers.plan.claim_numbers import written
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.rejected_dialects.additions import additions
from fairpairs.papers.studies.rejected_dialects.tables import RATES, asterisk_counts


def section(results: Results) -> Content | None:
    """Return what the gaps add, each with a verdict, and the tables and the figure."""
    gaps, asterisks = results.csv("gaps"), results.csv("asterisks")
    if gaps is None or asterisks is None:
        return None
    return {
        "additions": [
            (statement, verdict, [(name, written(value)) for name, value in numbers.items()])
            for statement, verdict, numbers in additions(gaps)
        ],
        "prompts": int(gaps["prompts"].max()),
        "models": gaps["model"].nunique(),
        "tables": [
            display(__file__, "gaps", gaps, rates=RATES),
            display(__file__, "asterisks", asterisk_counts(asterisks)),
        ],
        "forest": results.svg("gaps"),
    }
