"""The rule measure_dialects: what the paper prints of each model, and its gaps."""

import json

import pandas as pd

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
