"""The rule measure_dialects: what the paper prints of each model, and its gaps."""

import json

import pandas as pd

from fairpairs.papers.studies.rejected_dialects.figures import forest
from fairpairs.papers.studies.rejected_dialects.measures import (
    measure_effects,
    measure_gaps,
    read_dialects,
)
from fairpairs.papers.studies.rejected_dialects.study import CONDITIONS, raw_name
from tests.workflow.rejected_dialects.conftest import MODELS

EFFECTS, GAPS = (f"results/rejected_dialects/{name}.parquet" for name in ("effects", "gaps"))


def test_the_results_are_those_of_the_package(scored):
    models = {
        model: read_dialects(
            [scored / f"data/raw/scores/{raw_name(condition, model)}" for condition in CONDITIONS]
        )
        for model in MODELS
    }
    for path, expected in ((EFFECTS, measure_effects(models)), (GAPS, measure_gaps(models))):
        pd.testing.assert_frame_equal(scored.frame(path), expected, check_exact=True)


def test_raw_files_are_described_and_no_items_prepared(scored):
    assert scored.files("data/prepared") == ["data/prepared/scores.json"]
    about = json.loads(scored.text("data/prepared/scores.json"))
    assert about["dataset"] == "scores"
    assert len(about["raw_sha256"]) == 12
    assert len(scored.files("data/raw/scores")) == 12


def test_one_model_asks_for_its_files_alone(unscored):
    unscored.configure(lambda config: config["rejected_dialects"].update(models=MODELS[:2]))
    jobs = unscored.snakemake(EFFECTS, "--dry-run").check().jobs
    assert jobs == {"fetch": 8, "measure_dialects": 1}


def test_a_model_without_files_is_told_before_anything_runs(unscored):
    unscored.configure(lambda config: config["rejected_dialects"]["models"].append("o/other"))
    words = "has no file w_prompt.orig--o--other.jsonl, the scores of o/other"
    assert words in unscored.refusal()


def test_without_the_files_the_rest_is_made_and_says_so(unscored):
    unscored.configure(lambda config: config.update(missing_data="skip"))
    run = unscored.snakemake("results/comparison.csv").check()
    assert set(run.jobs) == {"table", "compare"}
    cells = unscored.frame("results/comparison.csv").query("paper == 'rejected_dialects'")
    assert len(cells) == 85
    assert set(cells["note"]) == {"not part of this run (unavailable: scores)"}


def test_the_figure_shows_the_gaps_of_the_run(scored, tmp_path):
    stem = scored / "results/figures/rejected_dialects/gaps"
    forest(tmp_path / "gaps.svg", scored.frame("results/rejected_dialects/gaps.parquet"))
    for ending in ("svg", "png"):
        expected = (tmp_path / f"gaps.{ending}").read_bytes()
        assert stem.with_suffix(f".{ending}").read_bytes() == expected
    drawn = stem.with_suffix(".svg").read_text("utf-8")
    for model in MODELS:
        assert model in drawn


GAPS_TABLE, ASTERISKS = (
    f"results/tables/rejected_dialects/{name}" for name in ("gaps", "asterisks")
)


def test_each_model_has_two_gaps(scored):
    gaps = scored.frame(f"{GAPS_TABLE}.csv").set_index(["model", "hypothesis"])
    assert list(gaps.index) == [(model, name) for model in MODELS for name in ("within", "across")]
    across = gaps.xs("across", level="hypothesis")
    assert (across["pvalue_holm"] < 0.05).tolist() == [True, False, False]
    assert across["estimate"].iloc[0] > 0.2
    for model in MODELS:
        assert model in scored.text(f"{GAPS_TABLE}.md")


def test_published_numbers_stand_beside_ours(scored):
    comparison = scored.frame("results/comparison.csv")
    own = comparison[comparison["paper"] == "rejected_dialects"]
    assert len(own) == 85
    ours = own[own["row"].isin(MODELS)]
    assert ours["reproduced"].notna().all()
    assert set(own.loc[~own["row"].isin(MODELS), "note"]) == {"not part of this run"}


def test_asterisks_stand_beside_ours(scored):
    rows = scored.frame(f"{ASTERISKS}.csv")
    assert len(rows) == 68
    assert rows.loc[rows["row"].isin(MODELS), "asterisk"].notna().all()
    assert "not comparable" not in set(rows.loc[rows["row"].isin(MODELS), "verdict"])


def test_the_report_has_the_section(scored):
    report = scored.text("results/report.html")
    assert "Do reward models treat two dialects alike?" in report
    assert report.count('aria-label="Gaps of comparative separation') == 1
    assert "3 reward models score" in report
    assert "Made scores" in report  # the data, with their terms
    assert "12, listed under" in report
