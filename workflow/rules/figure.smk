# Draw the figures.
# Needs: comparisons, summaries, curves, the calibration study, studies of bridges, compared people. Makes: results/figures/<figure>.svg and .png.


rule figure_table:
    input:
        comparison="results/comparisons/{table}.parquet",
        package=package("figure_table"),
    output:
        figures=multiext("results/figures/{table}", ".svg", ".png"),
    log:
        "logs/figure_table/{table}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing {wildcards.table}"
    script:
        "../scripts/figure_table.py"


rule figure_comparison:
    input:
        comparisons=expand("results/comparisons/{table}.parquet", table=TABLES),
        package=package("figure_comparison"),
    output:
        figures=[
            report(
                "results/figures/comparison.svg",
                caption="../report/overview.rst",
                category="Papers",
            ),
            "results/figures/comparison.png",
        ],
    log:
        "logs/figure_comparison.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing all papers at a glance"
    script:
        "../scripts/figure_comparison.py"


rule figure_experiment:
    input:
        summary="results/summaries/{experiment}.parquet",
        package=package("figure_experiment"),
    output:
        figures=multiext("results/figures/{experiment}", ".svg", ".png"),
    log:
        "logs/figure_experiment/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
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
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
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
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        alpha=CONFIG["alpha"],
    message:
        "Drawing the calibration study"
    script:
        "../scripts/figure_calibration.py"


rule figure_levels:
    input:
        studies=expand("results/levels/{test}.parquet", test=CALIBRATION["levels"]),
        package=package("figure_levels"),
    output:
        figures=multiext("results/figures/levels", ".svg", ".png"),
    log:
        "logs/figure_levels.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing what the tests promise"
    script:
        "../scripts/figure_levels.py"


rule figure_power:
    input:
        package=package("figure_power"),
    output:
        figures=multiext("results/figures/power", ".svg", ".png"),
    log:
        "logs/figure_power.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
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
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
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
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
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
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing the curves of {wildcards.experiment}"
    script:
        "../scripts/figure_curves.py"


rule figure_bridges:
    input:
        results=lambda wildcards: study_results(wildcards.study),
        printed=beside("config/published/differential_parity_table_3.yaml"),
        package=package("figure_bridges"),
    output:
        figures=multiext("results/figures/bridges/{study}", ".svg", ".png"),
    log:
        "logs/figure_bridges/{study}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Drawing the bridges of {wildcards.study}"
    script:
        "../scripts/figure_bridges.py"


rule figure_raters:
    input:
        pairs="results/raters/{dataset}.pairs.parquet",
        people="results/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("figure_raters"),
    output:
        figures=multiext("results/figures/raters/{dataset}", ".svg", ".png"),
    log:
        "logs/figure_raters/{dataset}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing the people of {wildcards.dataset}"
    script:
        "../scripts/figure_raters.py"


rule figure_differential_parity:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        package=package("figure_differential_parity"),
    output:
        figures=multiext(
            "results/figures/differential_parity/{experiment}", ".svg", ".png"
        ),
    log:
        "logs/figure_differential_parity/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing predictions against labels of {wildcards.experiment}"
    script:
        "../scripts/figure_differential_parity.py"


rule figure_density_ratio:
    input:
        package=package("figure_density_ratio"),
    output:
        figures=multiext("results/figures/density_ratio_synthetic", ".svg", ".png"),
    log:
        "logs/figure_density_ratio.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        settings={
            key: value
            for key, value in CONFIG.get("density_ratio", {}).items()
            if key in ("items", "means")
        },
        seed=CONFIG["seed"],
    message:
        "Drawing synthetic data of density ratios"
    script:
        "../scripts/figure_density_ratio.py"


rule figure_regressors:
    input:
        measures=expand(
            "results/density_ratio/measures/{dataset}.parquet", dataset=MEASURED
        ),
        probabilities=expand(
            "results/density_ratio/probabilities/{dataset}.parquet", dataset=MEASURED
        ),
        package=package("figure_regressors"),
    output:
        figures=multiext("results/figures/density_ratio_regressors", ".svg", ".png"),
    log:
        "logs/figure_regressors.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing the measures of regressors"
    script:
        "../scripts/figure_regressors.py"
