"""An experiment whose models, treatments and measures are named by their import paths."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from fairpairs.base.sealed import read_json
from fairpairs.papers.datasets.prepared import read_prepared
from fairpairs.papers.experiments.measures import measure_of, measure_predictions

MADE = yaml.safe_load(Path(__file__).with_name("named_parts.yaml").read_text("utf-8"))
CONFIG = MADE["config"]
ARMS = [
    f"{model}+{treatment}"
    for model in ("logistic_regression", "forest-max_depth=2", "forest-max_depth=3")
    for treatment in ("none", "thresholds", "both")
]
MEASURES = "results/measures/mine.parquet"


@pytest.fixture(scope="module")
def named(new_project):
    project = new_project("named", **CONFIG)
    project.snakemake(MEASURES, "results/tables/mine.csv").check()
    return project


def test_the_measures_are_those_of_the_predictions_of_each_arm(named):
    dataset = read_prepared(*(named / f"data/prepared/loans.{e}" for e in ("parquet", "json")))
    measures = list(map(measure_of, CONFIG["experiments"]["mine"]["measures"]))
    expected = []
    for arm in ARMS:
        model, treatment = arm.split("+")
        for repeat in (0, 1):
            chunk = f"results/predictions/mine/loans/{arm}/{repeat:07d}-{repeat:07d}.parquet"
            predictions = named.frame(chunk)
            assert ("chance" in predictions) == (treatment == "thresholds")
            expected.append(
                measure_predictions(
                    predictions, dataset, measures, model=model, treatment=treatment
                )
            )
    pd.testing.assert_frame_equal(named.frame(MEASURES), pd.concat(expected, ignore_index=True))


def test_the_versions_of_the_packages_are_kept_and_nothing_runs_twice(named):
    origin = read_json(named / "results/tables/mine.provenance.json")
    assert {"scikit-learn", "fairlearn"} <= set(origin["versions"])
    assert named.snakemake(MEASURES, "--dry-run").check().jobs == {}
    named.configure(lambda config: config["models"]["forest"].update(encode="ordinal"))
    planned = named.snakemake(MEASURES, "--dry-run").check().jobs
    named.configure(lambda config: config["models"]["forest"].pop("encode"))
    assert planned == {"train": 12, "measure": 1}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"models": ["sklearn.linear_model.Ridge"]}, "is for a label that is a number, and that"),
        ({"treatments": [{"call": "fair_reweighing", "with": {"raduis": 1}}]}, "no parameter `rad"),
        ({"treatments": ["both", {"call": "a.both"}]}, "two parts have the name `logistic_regre"),
        ({"compare": {"against": "nome"}}, r"there is no treatment `nome` (did you mean `none`?)"),
        ({"measures": ["sklearn.metrics.matthews_corrcoef"]}, "say so in `better`, as {matthews"),
    ],
)
def test_what_cannot_run_is_said_before_anything_runs(small, change, words):
    mine = {**CONFIG["experiments"]["mine"], **change}
    small.configure(lambda config: config.update({**CONFIG, "experiments": {"mine": mine}}))
    run = small.snakemake(MEASURES, "--dry-run")
    assert run.returncode != 0
    (sentence,) = run.sentences
    assert words in sentence
    assert "experiments.mine" in sentence
