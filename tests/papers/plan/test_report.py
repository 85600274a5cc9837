"""The first tables of a run, and the reports."""

import pytest

from fairpairs.base.errors import InputError
from fairpairs.papers.plan.report import first_inputs, first_plan, report_inputs, report_params
from tests.conftest import ROOT


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


@pytest.mark.slow
def test_the_first_report_needs_nothing_that_the_whole_one_does_not(whole):
    first, all_of_it = first_inputs(first_plan(whole)), report_inputs(whole)
    for key, files in first.items():
        assert set(files) <= set(all_of_it[key]), key
    assert set(first["tables"]) < set(all_of_it["tables"])
    assert report_params(first_plan(whole), ROOT).keys() == report_params(whole, ROOT).keys()


@pytest.mark.slow
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
