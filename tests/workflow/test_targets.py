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


def test_the_report_of_fewer_repeats_says_quick_look(papers):
    assert papers.files("results/predictions") == [
        f"results/predictions/classification/compas/none/{chunk}.parquet"
        for chunk in ("0000000-0000003", "0000004-0000005")
    ]
    text = papers.text("results/report.html")
    warning = text.partition("A quick look.")[2].partition("</div>")[0]
    assert "Table 5: 6 repeats where the paper has 1,000" in warning
    assert "Table 3" not in warning  # not part of this run
    assert "6 repeats: random splits" in text


def test_the_summary_says_what_differs_without_a_nan(papers):
    terminal = papers.text("terminal.txt")
    summary = terminal.partition("FairPairs: ")[2].partition("  report: ")[0]
    assert "table 4: 0 agree, 1 differ, 1 not comparable" in summary
    assert "differs: comparative_separation, table 4, Compas, |X|: 1200 where 7214 " in summary
    assert "nan" not in summary


@pytest.mark.parametrize("target", ["results/tables/nothing.csv", "nothing"])
def test_an_unknown_target_is_refused(small, target):
    run = small.snakemake(target)
    assert run.returncode != 0
    assert f"MissingRuleException:\nNo rule to produce {target}" in run.stderr
    assert small.files() == []
