"""The targets that the Snakefile names, and a quick look by --config."""

import re

import pytest


def test_simulation_needs_no_data(fresh):
    (fresh / "mirror/loans/loans.csv").unlink()
    fresh.configure(
        lambda config: config["comparative_separation"]["simulation"].update(
            repeats=20, sizes=[1000]
        )
    )
    jobs = fresh.snakemake("comparative_separation").check().jobs
    assert jobs == {
        **{"simulate": 1, "table": 4, "figure_table": 1, "figure_acceptance_region": 1},
        "comparative_separation": 1,
    }
    tables = [
        f"comparative_separation/{t}" for t in ("section_4_1_2", "table_1", "table_2", "table_3")
    ]
    figures = ["comparative_separation/figure_1", "comparative_separation/table_3"]
    assert fresh.files() == sorted(
        [
            *(f"results/comparisons/{table}.parquet" for table in tables),
            *(
                f"results/tables/{t}.{ending}"
                for t in tables
                for ending in ("csv", "md", "tex", "provenance.json")
            ),
            *(f"results/figures/{f}.{ending}" for f in figures for ending in ("svg", "png")),
            "results/comparative_separation/simulation.parquet",
            "results/tables/comparative_separation/normality.csv",
            "results/tables/comparative_separation/normality.provenance.json",
        ]
    )


def test_one_table_by_its_file_makes_what_it_needs(fresh):
    target = "results/tables/comparative_separation/table_2.md"
    assert fresh.snakemake(target).check().jobs == {"table": 1}
    assert "| TPR(A=1)-TPR(A=0) |" in re.sub(" +", " ", fresh.text(target))
    assert fresh.files("data") == []
    others = ("results/tables/comparative_separation/table_3.tex", "results/tables/loans.md")
    assert fresh.snakemake(*others, "--dry-run").check().jobs == {
        **{"simulate": 1, "table": 1},
        **{"fetch": 1, "prepare": 1, "train": 3, "test": 3, "summarise": 1},
    }


def test_calibration_makes_the_study_alone(calibrated):
    assert calibrated.files("data") == []
    log = calibrated.text("terminal.txt")
    for rule in ("measure_designs", "table_designs"):
        assert f"(Rule: {rule})" in log
    for rule in ("fetch", "simulate", "train", "report"):
        assert f"(Rule: {rule})" not in log


@pytest.mark.parametrize("target", ["results/tables/nothing.csv", "nothing"])
def test_an_unknown_target_is_refused(small, target):
    run = small.snakemake(target)
    assert run.returncode != 0
    assert f"MissingRuleException:\nNo rule to produce {target}" in run.stderr
    assert small.files() == []
