# Draw the figures.
# Needs: comparisons, summaries, curves, the calibration study. Makes: results/figures/<figure>.svg and .png.


rule figure_table:
    input:
        comparison="results/comparisons/{table}.parquet",
        package=package("figure_table"),
    output:
        figures=multiext("results/figures/{table}", ".svg", ".png"),
    log:
        "logs/figure_table/{table}.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing {wildcards.table}"
    script:
        "../scripts/figure_table.py"


rule figure_experiment:
    input:
        summary="results/summaries/{experiment}.parquet",
        package=package("figure_experiment"),
    output:
        figures=multiext("results/figures/{experiment}", ".svg", ".png"),
    log:
        "logs/figure_experiment/{experiment}.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing {wildcards.experiment}"
    script:
        "../scripts/figure_experiment.py"


rule figure_acceptance_region:
    input:
        package=package("figure_acceptance_region"),
    output:
        figures=multiext(
            "results/figures/comparative_separation_figure_1", ".svg", ".png"
        ),
    log:
        "logs/figure_acceptance_region.log",
    conda:
        "../../environment.yml"
    params:
        alpha=CONFIG["alpha"],
    message:
        "Drawing Figure 1"
    script:
        "../scripts/figure_acceptance_region.py"


rule figure_calibration:
    input:
        designs=expand(
            "results/calibration/{design}.parquet", design=CALIBRATION["designs"]
        ),
        package=package("figure_calibration"),
    output:
        figures=multiext("results/figures/calibration", ".svg", ".png"),
    log:
        "logs/figure_calibration.log",
    conda:
        "../../environment.yml"
    params:
        alpha=CONFIG["alpha"],
    message:
        "Drawing the calibration study"
    script:
        "../scripts/figure_calibration.py"


rule figure_power:
    input:
        package=package("figure_power"),
    output:
        figures=multiext("results/figures/power", ".svg", ".png"),
    log:
        "logs/figure_power.log",
    conda:
        "../../environment.yml"
    params:
        alpha=CONFIG["alpha"],
    message:
        "Drawing power curves"
    script:
        "../scripts/figure_power.py"


rule figure_label_mix:
    input:
        package=package("figure_label_mix"),
    output:
        figures=multiext("results/figures/label_mix", ".svg", ".png"),
    log:
        "logs/figure_label_mix.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing what the mix of labels does"
    script:
        "../scripts/figure_label_mix.py"


rule figure_ranking:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        package=package("figure_ranking"),
    output:
        figures=multiext("results/figures/ranking/{experiment}", ".svg", ".png"),
    log:
        "logs/figure_ranking/{experiment}.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing the ranking of {wildcards.experiment}"
    script:
        "../scripts/figure_ranking.py"


rule figure_curves:
    input:
        curves=lambda wildcards: expand(
            "results/curves/{experiment}/{dataset}.parquet",
            experiment=wildcards.experiment,
            dataset=EXPERIMENTS[wildcards.experiment]["datasets"],
        ),
        roles=roles_of,
        package=package("figure_curves"),
    output:
        figures=[
            f"results/figures/{kind}/{{experiment}}.{ending}"
            for kind in KINDS
            for ending in ("svg", "png")
        ],
    log:
        "logs/figure_curves/{experiment}.log",
    conda:
        "../../environment.yml"
    message:
        "Drawing the curves of {wildcards.experiment}"
    script:
        "../scripts/figure_curves.py"
