import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.plan.read import MOVED


@pytest.mark.slow
def test_an_experiment_has_predictions_tests_and_tables(plan_of, experiments):
    plan = plan_of(experiments=experiments)
    assert plan.datasets == ["compas", "german"]
    assert len(plan.all_predictions) == 2 * 2 * 3 + 1 * 2 * 2
    assert len(plan.test_files("again")) == 1 * 2 * 2
    assert "results/tables/again.tex" in plan.all_tables
    assert "results/tables/again.provenance.json" in plan.all_sidecars
    assert plan.roles_files({"german"}) == ["data/prepared/german.json"]


@pytest.mark.slow
def test_a_study_makes_of_experiments_what_their_tests_give(plan_of, experiments):
    plan = plan_of(experiments=experiments)
    assert plan.outputs["xauc"].tables == ("risk", "again")
    assert "results/tables/xauc/risk.md" in plan.study_files("xauc")
    assert plan.outputs["differential_parity"].tables == ()


@pytest.mark.slow
def test_published_tables_are_reproduced_when_their_data_are_asked_for(plan_of, experiments):
    alone = plan_of(experiments={"classification": experiments["risk"]})
    assert "table_5" in "".join(alone.tables_of("comparative_separation"))
    assert alone.tables_of("density_ratio") == []
    with_none = plan_of(experiments={})
    assert with_none.tables == []


@pytest.mark.slow
def test_what_is_missing_is_left_out_and_named(plan_of, experiments, folder):
    asked = plan_of(experiments=experiments, missing_data="skip")
    assert set(asked.missing) == {"compas", "german"}
    assert asked.experiments == {}
    for file in asked.data.raw_files(["german"]):
        write_text(folder / file, "")
    some = plan_of(experiments=experiments, missing_data="skip")
    assert set(some.missing) == {"compas"}
    assert {name: e.datasets for name, e in some.experiments.items()} == {
        "risk": ("german",), "again": ("german",),
    }  # fmt: skip
    assert plan_of(experiments=experiments).missing == {}


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_a_renamed_key_is_an_error_that_names_the_new_one(plan_of, old, new):
    with pytest.raises(InputError, match=f"the key `{old}` is now `{new}`"):
        plan_of(**{old: {}})


def test_a_wrong_setting_of_a_study_is_explained_with_its_place(plan_of):
    with pytest.raises(InputError) as error:
        plan_of(density_ratio={"repeats": 1})
    assert "density_ratio" in str(error.value)
    with pytest.raises(InputError, match="did you mean `density_ratio`"):
        plan_of(density_ration={})


def test_an_experiment_or_a_study_of_items_refuses_files_alone(plan_of, experiments, root):
    message = "rm_dialect_biases is `raw_only`, and has no items"
    experiment = {**experiments["risk"], "datasets": ["rm_dialect_biases"]}
    with pytest.raises(InputError, match=message):
        plan_of(experiments={"risk": experiment})
    with pytest.raises(InputError, match=message):
        plan_of(differential_parity={"raters": ["rm_dialect_biases"]})


@pytest.mark.slow
def test_a_study_of_raw_files_has_no_prepared_ones(plan_of, folder, root):
    settings = yaml.safe_load((root / "config/studies/rejected_dialects.yaml").read_text("utf-8"))
    plan = plan_of(**settings)
    assert plan.datasets == ["rm_dialect_biases"]
    assert plan.data.raw_only == plan.datasets
    assert plan.study_tables("rejected_dialects")
    asked = plan_of(**settings, missing_data="skip")
    assert set(asked.missing) == {"rm_dialect_biases"}
    assert asked.study_tables("rejected_dialects") == []
    assert len(asked.tables_of("rejected_dialects")) == 3  # which say what is missing


def test_a_data_set_and_an_encoder_cannot_share_a_name(plan_of, experiments):
    encoders = {"german": {"hub": "a/b", "revision": "1", "sha256": "0" * 64}}
    with pytest.raises(InputError, match="`german` is a data set and an encoder"):
        plan_of(experiments=experiments, encoders=encoders)


@pytest.mark.slow
def test_the_shipped_config_is_planned(folder, root):
    from fairpairs.papers.plan.read import read_plan

    files = [root / "config/config.yaml", *(root / "config/studies").glob("*.yaml")]
    config = {k: v for file in files for k, v in yaml.safe_load(file.read_text("utf-8")).items()}
    plan = read_plan(config, root)
    assert set(plan.tables) == set(plan.published)
    assert len({*plan.all_tables}) == len(plan.all_tables)
    assert all(plan.study_files(name) for name in plan.studies)


def test_a_published_table_has_the_repeats_of_the_quickest_result(plan_of, experiments, table_1):
    simulation = {"repeats": 40, "sizes": [100], "pairs_per_item": 2, "classifiers": table_1}
    experiment = {**experiments["risk"], "datasets": ["compas", "german"], "repeats": 7}
    plan = plan_of(
        experiments={"classification": experiment},
        comparative_separation={"simulation": simulation},
    )
    repeats = {name: plan.repeats(name) for name in plan.tables}
    assert repeats["comparative_separation/table_3"] == 40
    assert repeats["comparative_separation/table_5"] == 7
    assert repeats["comparative_separation/table_4"] is None


def test_a_setting_of_a_study_is_checked_as_strictly_as_the_config(plan_of, root):
    file = root / "config/studies/comparative_separation.yaml"
    regression = yaml.safe_load(file.read_text("utf-8"))["comparative_separation"]["regression"]
    for wrong in ({"repeats": 10.0}, {"violations": {"none": {"shift": 1}}}):
        with pytest.raises(InputError, match=f"regression.{next(iter(wrong))}"):
            plan_of(comparative_separation={"regression": {**regression, **wrong}})
