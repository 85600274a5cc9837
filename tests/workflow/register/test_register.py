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
def test_the_target_needs_no_data_and_one_core_gives_the_bytes_of_two(tmp_path):
    projects = []
    for cores in (1, 2):
        project = write_project(tmp_path / str(cores) / "project", {**SMALL, "register": REGISTER})
        project.snakemake("register", cores=cores).check()
        projects.append(project)
    assert projects[0].files() == MADE
    assert projects[0].bytes(f"{TABLE}.csv") == projects[1].bytes(f"{TABLE}.csv")
    assert projects[0].snakemake("register", "--dry-run").check().jobs == {}


@pytest.mark.slow
def test_an_unknown_tool_ends_the_run_in_a_sentence(tmp_path):
    register = {**REGISTER, "sizes": {"quick": {"sets": 4, "tools": ["sipy"]}}}
    project = write_project(tmp_path / "project", {**SMALL, "register": register})
    run = project.snakemake("register", "--dry-run")
    assert run.returncode
    assert "there is no tool 'sipy': name one of aequitas, " in run.stdout
