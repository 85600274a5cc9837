# Draw the figures.
# Needs: comparisons, summaries, curves, the calibration study, studies of bridges, compared people. Makes: results/figures/<figure>.svg and .png.


use rule study_step as figure_table with:
    input:
        comparison="results/comparisons/{study}/{table}.parquet",
    output:
        figures=shown_first(
            "results/figures/{study}/{table}",
            FIGURE,
            "table",
            PAPERS,
            title_of_table,
            title_of_study,
        ),
    log:
        "logs/figure_table/{study}/{table}.log",
    localrule: True
    params:
        **step("display.figures.published_against_reproduced"),
    message:
        "Drawing {wildcards.table} of {wildcards.study}"


use rule study_step as figure_comparison with:
    input:
        cells=expand("results/comparisons/{table}.parquet", table=PLAN.tables),
    output:
        figures=shown_first(
            "results/figures/comparison",
            FIGURE,
            "overview",
            AT_A_GLANCE,
            "All published cells",
        ),
    log:
        "logs/figure_comparison.log",
    localrule: True
    params:
        **step("display.figures.published_and_reproduced"),
    message:
        "Drawing all papers at a glance"


use rule study_step as figure_experiment with:
    input:
        violations="results/summaries/{experiment}.parquet",
    output:
        figures=shown_first(
            "results/figures/{experiment}",
            FIGURE,
            "experiment",
            OF_EXPERIMENTS,
            "{experiment}",
        ),
    log:
        "logs/figure_experiment/{experiment}.log",
    localrule: True
    params:
        **step("display.figures.experiment_rates"),
    message:
        "Drawing {wildcards.experiment}"
