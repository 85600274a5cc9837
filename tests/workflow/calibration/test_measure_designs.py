"""The rule measure_designs and the target calibration: levels and power in simulations."""

import shutil

import pandas as pd
import pytest

ALL = sorted(
    [
        *(f"results/calibration/designs/{design}.parquet" for design in ("f0", "points")),
        "results/tables/calibration/rejections.csv",
        "results/tables/calibration/rejections.provenance.json",
    ]
)  # fmt: skip


def test_the_target_makes_the_study_and_its_table_and_needs_no_data(calibrated):
    assert calibrated.files() == ALL


def test_the_sizes_are_those_of_the_config(calibrated):
    f0, points = (
        calibrated.frame(f"results/calibration/designs/{d}.parquet") for d in ("f0", "points")
    )
    assert set(f0["n"]) == {100, 200}
    assert set(f0["pairs_per_item"].dropna()) == {1, 4}
    assert set(f0["repeats"]) == {50}
    permuted = points["test"].str.startswith("permutation")
    assert set(points.loc[permuted, "test"]) == {"permutation", "permutation_information"}
    assert set(points.loc[permuted, "repeats"]) == {3}
    assert set(points.loc[~permuted, "repeats"]) == {50}
    assert (set(f0["title"]), set(points["title"])) == ({"f0 of Table I"}, {"points"})
    assert (set(f0["separation"]), set(points["separation"])) == ({True}, {False})


def test_the_table_is_all_designs_in_the_order_of_the_config(calibrated):
    parts = [calibrated.frame(f"results/calibration/designs/{d}.parquet") for d in ("f0", "points")]
    whole = calibrated.frame("results/tables/calibration/rejections.csv")
    joined = pd.concat(parts, ignore_index=True)
    pd.testing.assert_frame_equal(whole, joined, check_dtype=False, rtol=1e-14)


STUDY = {"measure_designs": 2, "table_designs": 1, "calibration": 1}


def plan(project, *arguments):
    return project.snakemake(*(arguments or ["calibration"]), "--dry-run").check().jobs


def test_the_plan_has_a_job_a_design(uncalibrated):
    assert plan(uncalibrated) == STUDY


def test_the_report_rests_on_the_study_where_there_is_one(uncalibrated):
    jobs = plan(uncalibrated, "results/report.html")
    assert {rule: jobs[rule] for rule in STUDY if rule != "calibration"} == {
        rule: number for rule, number in STUDY.items() if rule != "calibration"
    }


def test_a_config_without_calibration_has_no_such_job(small):
    assert set(STUDY) & set(plan(small, "calibration", "results/report.html")) == {"calibration"}


@pytest.fixture
def changed(calibrated, tmp_path):
    """A copy of the finished study, to be changed."""
    shutil.copytree(calibrated.folder, tmp_path / "project", symlinks=True)
    return type(calibrated)(tmp_path / "project")


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (lambda study: study["designs"]["f0"].update(items=[100]), 1),
        (lambda study: study["designs"].update(more=study["designs"]["points"]), 1),
        (lambda study: study.update(repeats=70), 2),
    ],
    ids=["a design", "a design more", "the size"],
)
def test_a_changed_config_runs_again_what_rests_on_it(changed, change, number):
    changed.configure(lambda config: change(config["calibration"]))
    assert plan(changed) == {"measure_designs": number, "table_designs": 1, "calibration": 1}


def test_a_finished_study_is_in_the_report(calibrated):
    """Only the report itself and what has nothing to do with the study is still to be made."""
    jobs = plan(calibrated, "results/report.html")
    assert jobs["report"] == 1
    assert not set(STUDY) & set(jobs)


# bad input


def design(**own):
    """A change of the first design."""
    return lambda config: config["calibration"]["designs"]["f0"].update(own)


WRONG = {
    "an unknown kind": (design(kind="clasifier"), ("f0.kind", "'clasifier'", "`classifier`")),
    "a classifier without a simulation": (lambda config: config.pop("comparative_separation"),
        ("calibration.designs.f0", "'f0'", "simulation.classifiers")),
    "no repeats": (lambda config: config["calibration"].update(repeats=1),
        ("calibration.repeats", "1", "at least 2")),
    "a name with a capital": (lambda config: config["calibration"]["designs"].update(F1={}),
        ("designs", "F1")),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_bad_input_is_one_sentence(uncalibrated, wrong):
    change, words = WRONG[wrong]
    uncalibrated.configure(change)
    sentence = uncalibrated.refusal()
    for word in words:
        assert word in sentence


@pytest.mark.parametrize("name", ["calibration", "calibration_items"])
def test_an_experiment_with_the_name_of_a_file_of_the_study_is_refused(uncalibrated, name):
    """Both would be the same table or figure, of which only one can be made."""

    def rename(config):
        config["experiments"][name] = config["experiments"].pop("loans")

    uncalibrated.configure(rename)
    assert name in uncalibrated.refusal()
