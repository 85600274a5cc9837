"""What the report shows of the register: the picture, where ours is worse, and all numbers."""

from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.register.measure import TEXT
from fairpairs.papers.studies.register.tables import display, lost, of_full_size


def section(results: Results) -> Content | None:
    """Return the picture, the worlds where ours finds less, and the table."""
    rows = results.csv("levels", text=TEXT)
    if rows is None:
        return None
    reference = of_full_size(rows)
    return {
        "levels": display(rows),
        "figure": results.svg("levels"),
        "lost": lost(reference).to_dict("records"),
        "tools": reference.loc[reference["world"] != "", "tool"].nunique(),
        "worlds": reference.loc[reference["world"] != "", "world"].nunique(),
        "sets": int(reference["sets"].max()),
        "here": int(rows["sets"].max()),
    }
