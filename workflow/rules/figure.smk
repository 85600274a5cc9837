# Draw the figures.
# Needs: comparisons, summaries, curves, the calibration study, studies of bridges, compared people. Makes: results/figures/<figure>.svg and .png.


rule figure_table:
    input:
        comparison="results/comparisons/{study}/{table}.parquet",
    output:
        figures=[
            shown(
                "results/figures/{study}/{table}.svg",
                "table",
                PAPERS,
                title_of_table,
                title_of_study,
            ),
            "results/figures/{study}/{table}.png",
        ],
    log:
        "logs/figure_table/{study}/{table}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=digest("figure_table"),
    message:
        "Drawing {wildcards.table} of {wildcards.study}"
    script:
        "../scripts/figure_table.py"


rule figure_comparison:
    input:
        comparisons=expand("results/comparisons/{table}.parquet", table=PLAN.tables),
    output:
        figures=[
            shown(
                "results/figures/comparison.svg",
                "overview",
                AT_A_GLANCE,
                "All published cells",
            ),
            "results/figures/comparison.png",
        ],
    log:
        "logs/figure_comparison.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=digest("figure_comparison"),
    message:
        "Drawing all papers at a glance"
    script:
        "../scripts/figure_comparison.py"


rule figure_experiment:
    input:
        summary="results/summaries/{experiment}.parquet",
    output:
        figures=[
            shown(
                "results/figures/{experiment}.svg",
                "experiment",
                OF_EXPERIMENTS,
                "{experiment}",
            ),
            "results/figures/{experiment}.png",
        ],
    log:
        "logs/figure_experiment/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=digest("figure_experiment"),
    message:
        "Drawing {wildcards.experiment}"
    script:
        "../scripts/figure_experiment.py"
