"""What the report shows of the study: what the gaps add, the gaps of each model, and asterisks."""

from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.claim_numbers import written
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.rejected_dialects.additions import additions
from fairpairs.papers.studies.rejected_dialects.tables import asterisks_display, gaps_display


def section(results: Results) -> Content | None:
    """Return what the gaps add, each with a verdict, and the tables and the figure."""
    gaps = results.csv("gaps", text=("model", "hypothesis"))
    asterisks = results.csv("asterisks", text=("row", "column", "verdict"))
    if gaps is None or asterisks is None:
        return None
    return {
        "additions": [
            {**vars(part), "numbers": [(n, written(value)) for n, value in part.numbers.items()]}
            for part in additions(gaps)
        ],
        "prompts": int(gaps["prompts"].max()),
        "models": gaps["model"].nunique(),
        "tables": [gaps_display(gaps), asterisks_display(asterisks)],
        "forest": results.svg("gaps"),
    }
