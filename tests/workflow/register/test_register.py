"""The target register: a small size beside the committed full one."""

import pytest

from tests.workflow.projects import SMALL, write_project

REGISTER = {
    "size": "quick",
    "sizes": {"quick": {"sets": 4, "tools": ["scipy", "fairpairs"], "worlds": ["20 + 20 rows"]}},
}
TABLE = "results/tables/register/levels"
MADE = sorted(
    [
        *(f"results/register/{tool}.csv" for tool in ("fairpairs", "scipy")),
        *(f"{TABLE}.{ending}" for ending in ("csv", "md", "tex", "provenance.json")),
        *(f"results/figures/register/levels.{ending}" for ending in ("svg", "png")),
    ]
)


@pytest.mark.slow
def test_the_target_needs_no_data(tmp_path):
    project = write_project(tmp_path / "project", {**SMALL, "register": REGISTER})
    project.snakemake("register").check()
    assert project.files() == MADE
    assert project.snakemake("register", "--dry-run").check().jobs == {}


@pytest.mark.slow
def test_an_unknown_tool_ends_the_run_in_a_sentence(tmp_path):
    register = {**REGISTER, "sizes": {"quick": {"sets": 4, "tools": ["sipy"]}}}
    project = write_project(tmp_path / "project", {**SMALL, "register": register})
    run = project.snakemake("register", "--dry-run")
    assert run.returncode
    assert "there is no tool 'sipy': name one of aequitas, " in run.stdout
