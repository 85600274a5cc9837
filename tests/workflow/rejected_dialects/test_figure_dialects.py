"""The rule figure_dialects: a forest plot with a row for each model."""

from fairpairs.papers.studies.rejected_dialects.figures import forest
from tests.workflow.rejected_dialects.conftest import MODELS


def test_the_figure_shows_the_gaps_of_the_run(scored, tmp_path):
    stem = scored / "results/figures/rejected_dialects/gaps"
    forest(tmp_path / "gaps.svg", scored.frame("results/rejected_dialects/gaps.parquet"))
    for ending in ("svg", "png"):
        expected = (tmp_path / f"gaps.{ending}").read_bytes()
        assert stem.with_suffix(f".{ending}").read_bytes() == expected
    drawn = stem.with_suffix(".svg").read_text("utf-8")
    for model in MODELS:
        assert model in drawn
