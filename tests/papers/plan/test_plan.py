"""What a run makes: config files, experiments, results, data, the report."""

from dataclasses import replace

import pandas as pd
import pytest
import yaml

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_json, write_parquet, write_text
from fairpairs.papers.display.tables import write_table
from fairpairs.papers.experiments.blocks import chunk_repeats, chunks
from fairpairs.papers.plan.config_files import check_config_files, check_config_folder
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.report import first_inputs, first_plan, report_inputs, report_params
from fairpairs.papers.plan.results import Results
from fairpairs.papers.treatments.contract import Kind
from tests.conftest import ROOT


@pytest.mark.slow
def test_an_experiment_has_predictions_tests_and_tables(plan_of, experiments):
    plan = plan_of(experiments=experiments)
    assert plan.datasets == ["compas", "german"]
    assert len(plan.all_predictions) == 2 * 2 * 3 + 1 * 2 * 2
    assert len(plan.arm_files("tests", "again")) == 1 * 2 * 2
    assert "results/tables/again.tex" in plan.all_tables
    assert "results/tables/again.provenance.json" in plan.all_sidecars
    assert plan.roles_files({"german"}) == ["data/prepared/german.json"]


def test_data_sets_that_are_called_alike_have_their_names_too(plan_of, experiments):
    data = plan_of(experiments=experiments).data
    cards = {"a": "Loans", "b": "Loans", "c": "Courts"}
    alike = replace(data, cards={name: {"title": title} for name, title in cards.items()})
    assert alike.titles("abc") == {"a": "Loans (a)", "b": "Loans (b)", "c": "Courts"}


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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"treatments": ["thresholds_by_group"]}, "give it a share of the training rows, as `held"),
        ({"treatments": [["reweighing", "fairbalance"]]}, "Only one step .* may give weights"),
        ({"model": {"call": "rankboost", "with": {"round": 3}}}, "unexpected keyword argument 'ro"),
        ({"repeats": 10**9}, "1000000000 is greater than the maximum of 1000000"),
    ],
)
def test_parts_of_the_package_are_tried_when_the_config_is_read(
    plan_of, experiments, change, words
):
    with pytest.raises(InputError, match=words):
        plan_of(experiments={"risk": {**experiments["risk"], **change}})


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
    for wrong in ({"repeats": 10.5}, {"violations": {"none": {"shift": 1}}}):
        with pytest.raises(InputError, match=f"regression.{next(iter(wrong))}"):
            plan_of(comparative_separation={"regression": {**regression, **wrong}})


PART = "calibration: {size: small}\n"


def test_the_shipped_config_is_right(root):
    check_config_folder(root)
    check_config_files([root / "config/config.yaml"])


@pytest.mark.parametrize("text", ["", "# nothing\n", "- 1\n", "hello\n", "{}\n"])
@pytest.mark.parametrize("name", ["config.yaml", "studies/calibration.yaml"])
def test_a_file_without_keys_is_named(tmp_path, name, text):
    write_text(tmp_path / "config" / name, text)
    with pytest.raises(InputError, match=f"config/{name}: has no keys with values"):
        check_config_folder(tmp_path)
    with pytest.raises(InputError, match=f"config/{name}: has no keys with values"):
        check_config_files([tmp_path / "config" / name])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("calibration.yaml", PART + "seed: 3\n", "the key `seed` cannot be here"),
        ("calibratoin.yaml", PART, "move it to config/studies/calibration.yaml"),
        ("xauc.yaml", "xauc: {}\n", "`xauc` is in .*config/config.yaml too: drop one"),
        ("calibration.yml", PART, "not read: move it to config/studies/calibration.yaml"),
        ("mine/calibration.yaml", PART, "not read: move it to config/studies/calibration.yaml"),
    ],
)
def test_a_part_of_the_config_has_the_key_of_its_study_alone(tmp_path, name, text, words):
    write_text(tmp_path / "config/config.yaml", "xauc: {}\n")
    write_text(tmp_path / "config/studies" / name, text)
    with pytest.raises(InputError, match=f"{name}: .*{words}"):
        check_config_folder(tmp_path)


def test_chunks_hold_every_repeat_once():
    for repeats in range(1, 12):
        for size in range(1, 13):
            held = [r for chunk in chunks(repeats, size) for r in chunk_repeats(chunk)]
            assert held == list(range(repeats))
            later = [r for c in chunks(repeats, size, since=2) for r in chunk_repeats(c)]
            assert later == list(range(2, repeats))


def test_an_experiment_has_defaults_of_its_own_and_of_the_config():
    settings = {
        "datasets": ["a", "b"], "treatments": ["none"], "model": "ridge", "tests": ["accuracy"],
    }  # fmt: skip
    config = {"repeats": 5, "chunk_size": 2, "seed": 1}
    experiment = Experiment.from_settings("mine", settings, config, ["b"])
    assert (experiment.title, experiment.datasets) == ("mine", ("b",))
    assert (experiment.repeats, experiment.draws, experiment.encoder) == (5, 1, None)
    assert experiment.chunks == ["0000000-0000001", "0000002-0000003", "0000004-0000004"]
    few = Experiment.from_settings("mine", {**settings, "repeats": 1, "draws": 9}, config, ["a"])
    assert (few.chunks, few.draws) == (["0000000-0000000"], 9)


def test_predictions_rest_on_a_treatment_and_a_model():
    settings = {"datasets": ["a"], "treatments": ["none"], "model": "ridge", "tests": ["accuracy"]}
    experiment = Experiment.from_settings("mine", settings, {"repeats": 1, "chunk_size": 1}, ["a"])
    assert experiment.arms["none"].parts == [("treatments", "none"), ("models", "ridge")]


@pytest.fixture
def results(tmp_path):
    return Results("made", tmp_path, {"made": {"size": 3}}, {}, [])


def test_a_table_is_read_as_it_was_written(results, tmp_path):
    rows = pd.DataFrame(
        {"name": ["NA", ""], "code": ["01", "02"], "value": [0.1 + 0.2, float("nan")], "n": [1, 2]}
    )
    write_table(tmp_path / "results/tables/made/part/rows", rows)
    read = results.csv("part/rows", text=("name", "code"))
    pd.testing.assert_frame_equal(read, rows, check_exact=True)
    words = results.words("part/rows")
    assert words.to_numpy().tolist()[1] == ["", "02", "", "2"]


def test_what_the_run_did_not_make_is_nothing(results):
    assert results.csv("rows") is None
    assert results.words("rows") is None
    assert results.svg("figure") == ""


def test_parts_of_figures_are_named_after_study_and_figure(results, tmp_path):
    write_text(tmp_path / "results/figures/made/kind/one.svg", '<svg><g id="a"/></svg>')
    assert results.svg("kind/one") == '<svg><g id="made-kind-one-a"/></svg>'


def test_summaries_results_and_descriptions_are_found(results, tmp_path, summary, estimates):
    for part, frame in (("", summary), (".estimates", estimates)):
        write_parquet(tmp_path / f"results/summaries/loans{part}.parquet", frame)
    read = results.summary("loans")
    assert len(read["violations"]) == len(summary)
    assert len(read["estimates"]) == len(estimates)
    write_parquet(tmp_path / "results/made/pairs.parquet", summary)
    assert len(results.parquet("pairs")) == len(summary)
    write_json(tmp_path / "data/prepared/loans.json", {"title": "Loans"})
    assert results.roles("loans") == {"title": "Loans"}


def test_a_study_without_settings_has_none(results, tmp_path):
    assert results.settings == {"size": 3}
    assert Results("other", tmp_path, {}, {}, []).settings == {}


@pytest.fixture
def whole(plan_of, experiments):
    """A run of two experiments, whose first table is of the second one."""
    experiments = {"again": experiments["again"], "classification": experiments["risk"]}
    return plan_of(experiments=experiments, first=["comparative_separation/table_5"])


def test_the_first_report_has_its_tables_and_what_they_rest_on(whole):
    first = first_plan(whole)
    assert first.tables == ["comparative_separation/table_5"]
    assert list(first.experiments) == ["classification"]
    assert first.datasets == ["compas", "german"]
    inputs = first_inputs(first)
    assert set(inputs["tables"]) == {
        f"results/tables/{name}.{ending}"
        for name in ("comparative_separation/table_5", "classification")
        for ending in ("csv", "md", "tex")
    }
    assert inputs["comparisons"] == ["results/comparisons/comparative_separation/table_5.parquet"]


def test_the_first_report_needs_nothing_that_the_whole_one_does_not(whole):
    first, all_of_it = first_inputs(first_plan(whole)), report_inputs(whole)
    for key, files in first.items():
        assert set(files) <= set(all_of_it[key]), key
    assert set(first["tables"]) < set(all_of_it["tables"])
    assert report_params(first_plan(whole), ROOT).keys() == report_params(whole, ROOT).keys()


def test_without_first_tables_the_first_experiment_comes_first(plan_of, experiments):
    first = first_plan(plan_of(experiments=experiments))
    assert (first.tables, list(first.experiments), list(first.studies)) == ([], ["risk"], [])


def test_a_first_table_that_the_run_does_not_make_is_left_out(plan_of, experiments):
    plan = plan_of(experiments=experiments, first=["comparative_separation/table_5"])
    assert "comparative_separation/table_5" not in plan.tables
    assert list(first_plan(plan).experiments) == ["risk"]


def test_a_first_table_that_there_is_not_is_one_sentence(plan_of):
    with pytest.raises(InputError, match="first: there is no published table `xauc/table_7`"):
        plan_of(first=["xauc/table_7"])


WEIGHTS = {"name": "net.tflite", "bytes": 1, "sha256": "0" * 64, "urls": ["https://example.org"]}
ENCODERS = {
    "mobilenet": {"kind": "mobilenet", "files": [WEIGHTS]},
    "minilm": {"hub": "a/b", "revision": "1", "sha256": "0" * 64},
}
BEAUTY = {
    "datasets": ["scut_fbp5500"],
    "treatments": ["none"],
    "model": "ridge",
    "encoder": "mobilenet",
    "tests": ["accuracy"],
}
POINTS = {**BEAUTY, "datasets": ["jira"], "encoder": "minilm"}


@pytest.fixture
def data(plan_of):
    return plan_of(experiments={"beauty": BEAUTY, "points": POINTS}, encoders=ENCODERS).data


def test_only_the_cards_that_the_config_asks_for_are_read(data):
    assert data.requested == ["jira", "scut_fbp5500"]
    assert {"compas", "german"} <= set(data.card_files)


def test_raw_files_are_tables_images_and_weights(data):
    archive = data.card("scut_fbp5500")["archives"]["images"]["file"]
    assert data.raw_files(["scut_fbp5500"]) == [
        *data.raw_tables("scut_fbp5500"),
        f"data/raw/scut_fbp5500/{archive}",
        "data/raw/mobilenet/net.tflite",
    ]
    assert f"data/raw/scut_fbp5500/{archive}" not in data.raw_tables("scut_fbp5500")
    assert data.raw_files(["jira"]) == data.raw_tables("jira")


def test_of_files_alone_no_items_are_prepared(data):
    name = "rm_dialect_biases"
    assert data.raw_only == []  # of those that the config asks for
    assert data.prepared_from("jira") == data.raw_tables("jira")
    assert len(data.raw_files([name])) == 68
    with pytest.raises(InputError, match=f"{name} is `raw_only`.*no table of items"):
        data.prepared_from(name)


def test_texts_and_images_are_embedded_and_numbers_are_not(data):
    assert data.embedded("jira", "minilm") == ["data/embedded/jira.minilm.parquet"]
    assert data.embedded("compas", None) == []


def test_a_raw_file_has_its_entry_on_the_card_or_in_the_encoder(data):
    assert data.raw_entry("mobilenet", "net.tflite")["bytes"] == 1
    name = data.raw_tables("jira")[0].rpartition("/")[2]
    assert data.raw_entry("jira", name)["name"] == name
    with pytest.raises(InputError, match=r"no raw file x\.csv of jira"):
        data.raw_entry("jira", "x.csv")


def test_an_encoder_has_no_terms(data):
    assert data.notice("mobilenet") == ""
    assert "research" in data.notice("scut_fbp5500")


def test_the_schema_of_the_config_names_all_kinds_of_treatments():
    schema = (ROOT / "workflow/schemas/config.schema.yaml").read_text("utf-8")
    assert f"enum: [{', '.join(Kind)}]" in schema
