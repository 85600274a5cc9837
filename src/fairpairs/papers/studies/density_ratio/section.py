"""What the report shows of the study: its tables in words, and its figures."""

from fairpairs.base.plain_values import Content
from fairpairs.papers.display.layouts import display
from fairpairs.papers.plan.results import Results
from fairpairs.papers.studies.density_ratio.printed_correlations import asterisk_counts, distances

TABLES = (
    *("estimators", "known_separation", "conclusions", "caps", "regressor_kernels"),
    *("regressor_asterisks", "regressors"),
)


def section(results: Results) -> Content | None:
    """Return the tables that the run made."""
    made = {name: rows for name in TABLES if (rows := results.csv(name)) is not None}
    if not made:
        return None
    if "regressor_asterisks" in made:
        made["regressor_asterisks"] = asterisk_counts(made["regressor_asterisks"])
    kernels = made.get("regressor_kernels")
    far = [] if kernels is None else distances(kernels)
    alpha = results.config["alpha"]
    return {
        "tables": [
            display(__file__, name, rows, alpha=alpha, distances=far) for name, rows in made.items()
        ],
        "figures": {
            name: results.svg(name) for name in ("correlations", "synthetic", "regressors")
        },
    }
