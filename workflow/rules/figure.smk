# Draw the figures.
# Needs: comparisons, summaries. Makes: results/figures/<figure>.svg and .png.


rule figure_table:
    input:
        published=beside("config/published/{table}.yaml"),
        comparison="results/comparisons/{table}.parquet",
        package=package("reporting.figures"),
    output:
        figures=multiext("results/figures/{table}", ".svg", ".png"),
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
    log:
        "logs/figure_table/{table}.log",
    message:
        "Drawing {wildcards.table}"
    conda:
        "../../environment.yml"
    script:
        "../scripts/figure_table.py"


rule figure_experiment:
    input:
        summary="results/summaries/{experiment}.parquet",
        package=package("reporting.figures"),
    output:
        figures=multiext("results/figures/{experiment}", ".svg", ".png"),
    log:
        "logs/figure_experiment/{experiment}.log",
    message:
        "Drawing {wildcards.experiment}"
    conda:
        "../../environment.yml"
    script:
        "../scripts/figure_experiment.py"


rule figure_acceptance_region:
    input:
        package=package("reporting.figures"),
    output:
        figures=multiext("results/figures/comparative_separation_figure_1", ".svg", ".png"),
    params:
        alpha=CONFIG["alpha"],
    log:
        "logs/figure_acceptance_region.log",
    message:
        "Drawing Figure 1"
    conda:
        "../../environment.yml"
    script:
        "../scripts/figure_acceptance_region.py"
