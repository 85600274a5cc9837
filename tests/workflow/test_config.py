"""The config: what is shipped is valid, and what a run may leave out."""

import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.papers.plan.read import check_config
from tests.workflow.projects import FULL
from tests.workflow.runs import write_yaml


def described(schema, place="config"):
    """Every key of a schema below `place`, with its description."""
    for key, value in schema.get("properties", {}).items():
        yield f"{place}.{key}", value.get("description", "")
        yield from described(value, f"{place}.{key}")
    for inner in ("additionalProperties", "items"):
        if isinstance(schema.get(inner), dict):
            yield from described(schema[inner], f"{place}.*")


@pytest.mark.parametrize("name", ["config", "dataset", "published"])
def test_every_key_is_described(root, name):
    schema = yaml.safe_load((root / f"workflow/schemas/{name}.schema.yaml").read_text("utf-8"))
    keys = dict(described(schema))
    assert len(keys) > 10
    # the two names of a group say what they are where they are used
    bare = [key for key, text in keys.items() if not text and "names" not in key]
    assert [key for key in bare if key.rsplit(".", 1)[1] not in ("names", "kind")] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"curves": "yes"},
            ("`experiments.loans.curves`", "'yes'", "whether to draw ROC and xROC curves"),
        ),
        ({"model": "Rank Boost"}, ("`experiments.loans.model`", "of small letters, digits and _")),
        ({"model": {"cal": "a.B"}}, ("`experiments.loans.model`",)),
        ({"models": ["ridge"]}, ("`experiments.loans`", "`model`, or `models`, not both")),
        ({"measures": [{"tpr_gap": {"group": 1}}]}, ("did you mean `groups`?",)),
        ({"tests": [5]}, ("`experiments.loans.tests.0`", "the name of a test")),
        ({"curvse": True}, ("`experiments.loans.curvse`", "did you mean `curves`?")),
    ],
)
def test_a_wrong_key_of_a_ranking_is_explained(root, change, words):
    loans = {**FULL["experiments"]["loans"], **change}
    schema = root / "workflow/schemas/config.schema.yaml"
    with pytest.raises(InputError) as error:
        check_config({**FULL, "experiments": {"loans": loans}}, schema)
    for word in words:
        assert word in str(error.value)
    assert "\n" not in str(error.value)


def test_what_an_experiment_may_leave_out(finished):
    """SMALL sets neither the share of test items nor the number of pairs."""
    predictions = finished.frame("results/predictions/loans/loans/none/0000000-0000003.parquet")
    items = finished.frame("data/prepared/loans.parquet")
    halves = items.groupby(["label", "sensitive_sex", "sensitive_region"]).size() // 2
    assert len(predictions) == 4 * halves.sum()
    text = finished.text("results/report.html")
    assert "50 % of\nevery joint group tested" in text
    assert "2 pairs are drawn for each test item" in text


def test_a_run_without_simulation_has_a_report(finished):
    assert finished.files("results/comparative_separation") == []
    assert finished.text("results/comparison.csv").count("\n") == 1
    text = finished.text("results/report.html")
    assert "published cells agree" not in text
    assert "<h1>FairPairs: Results</h1>" in text
    assert "A quick look" not in text  # nothing published is reproduced
    assert "Synthetic loans" in text


def test_a_run_of_simulations_alone(fresh):
    fresh.configure(lambda config: config.update(experiments={}))
    jobs = fresh.snakemake("--dry-run").check().jobs
    assert jobs == {
        **{"simulate": 1, "table": 4, "figure_table": 1, "figure_acceptance_region": 1},
        **{"figure_comparison": 1, "compare": 1, "claims": 1, "checksums": 1, "report": 1},
        **{"all": 1},
    }


def test_a_config_file_of_ones_own_replaces_the_experiments_and_studies(fresh, tmp_path):
    """And keeps what it does not name, such as the seed."""
    loans = {"datasets": ["loans"], "treatments": ["none", "fairbalance"], "repeats": 2}
    loans |= {"model": "logistic_regression", "measures": ["accuracy"]}
    write_yaml(tmp_path / "mine.yaml", {"experiments": {"mine": loans}})
    done = fresh.snakemake("--dry-run", "--configfile", tmp_path / "mine.yaml").check()
    assert "only what --configfile names is run" in done.stderr
    assert done.jobs["train"] == 2 and done.jobs["compare_treatments"] == 1
    assert not {"simulate", "table", "test"} & set(done.jobs)
