"""Names of the files that rules share."""

from collections.abc import Iterable

TABLE_ENDINGS = ("csv", "md", "tex")
FIGURE_ENDINGS = ("svg", "png")
#: The comparisons of all tables: files in `results`.
COMPARISONS = ("comparison", "comparison_of_text")
#: The verdicts on the papers' conclusions.
CLAIMS = "results/claims.csv"


def table_files(names: Iterable[str]) -> list[str]:
    """Name the files of tables, `results/tables/<name>`, as CSV, Markdown and LaTeX."""
    return [f"results/tables/{name}.{ending}" for name in names for ending in TABLE_ENDINGS]


def treatment_files(names: Iterable[str]) -> list[str]:
    """Name the files of comparisons of treatments, of experiments of these names."""
    return [
        f"results/treatments/{name}{part}.{ending}"
        for name in names
        for part in ("", ".over_datasets")
        for ending in TABLE_ENDINGS
    ]


def figure_files(names: Iterable[str]) -> list[str]:
    """Name the files of figures, `results/figures/<name>`, as SVG and PNG."""
    return [f"results/figures/{name}.{ending}" for name in names for ending in FIGURE_ENDINGS]


def sidecars(*stems: str) -> list[str]:
    """Name the files that state the origin of tables, one beside each."""
    return [f"{stem}.provenance.json" for stem in stems]


def summary_files(experiments: Iterable[str]) -> list[str]:
    """Name the summaries of experiments: violations and estimates of each."""
    return [
        f"results/summaries/{name}{part}.parquet"
        for name in experiments
        for part in ("", ".estimates")
    ]


def measure_files(experiments: Iterable[str]) -> list[str]:
    """Name the measures of experiments, in every repeat."""
    return [f"results/measures/{name}.parquet" for name in experiments]


def prepared_files(datasets: Iterable[str]) -> list[str]:
    """Name the tables of prepared data sets."""
    return [f"data/prepared/{name}.parquet" for name in datasets]
