from fairpairs.papers.plan.files import (
    figure_files,
    prepared_files,
    sidecars,
    summary_files,
    table_files,
)


def test_the_names_of_shared_files():
    assert table_files(["xauc/a"]) == [f"results/tables/xauc/a.{e}" for e in ("csv", "md", "tex")]
    assert figure_files(["a"]) == ["results/figures/a.svg", "results/figures/a.png"]
    assert sidecars("results/tables/a") == ["results/tables/a.provenance.json"]
    assert prepared_files(["a"]) == ["data/prepared/a.parquet"]
    assert summary_files(["a"]) == [
        "results/summaries/a.parquet",
        "results/summaries/a.estimates.parquet",
    ]
