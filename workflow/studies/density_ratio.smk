# Measure the fairness of synthetic data sets by several estimators of density ratios, and correlate these.
# Needs: the config. Makes: results/density_ratio/synthetic/<chunk>.parquet, results/density_ratio/correlations.parquet,
# results/tables/density_ratio_correlations.csv, results/tables/density_ratio_estimators.csv, .md and .tex.


rule density_ratio:
    input:
        package=package("density_ratio/density_ratio"),
    output:
        results="results/density_ratio/synthetic/{chunk}.parquet",
    log:
        "logs/density_ratio/{chunk}.log",
    benchmark:
        "logs/density_ratio/{chunk}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        settings={
            key: value
            for key, value in CONFIG.get("density_ratio", {}).items()
            if key in ("items", "means", "caps", "matching_repeats")
        },
        repeats=lambda wildcards: chunk_repeats(wildcards.chunk),
        seed=CONFIG["seed"],
    message:
        "Measuring synthetic data sets by density ratios, seeds {wildcards.chunk}"
    script:
        "../scripts/density_ratio/density_ratio.py"


rule table_density_ratio:
    input:
        results=[
            f"results/density_ratio/synthetic/{chunk}.parquet"
            for chunk in (
                chunks(CONFIG["density_ratio"]) if "density_ratio" in CONFIG else []
            )
        ],
        package=package("density_ratio/table_density_ratio"),
    output:
        correlations="results/density_ratio/correlations.parquet",
        table="results/tables/density_ratio_correlations.csv",
        estimators=multiext(
            "results/tables/density_ratio_estimators", ".csv", ".md", ".tex"
        ),
        provenance=sidecars(
            "results/tables/density_ratio_correlations",
            "results/tables/density_ratio_estimators",
        ),
    log:
        "logs/table_density_ratio.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Correlating estimators of density ratios"
    script:
        "../scripts/density_ratio/table_density_ratio.py"


# Measure and test the separation of regressions whose dependence on the group is known.
# Needs: the config. Makes: results/density_ratio/known_separation/<chunk>.parquet, results/tables/known_separation.csv, .md
# and .tex.
rule known_separation:
    input:
        package=package("density_ratio/known_separation"),
    output:
        results="results/density_ratio/known_separation/{chunk}.parquet",
    log:
        "logs/known_separation/{chunk}.log",
    benchmark:
        "logs/known_separation/{chunk}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        settings={
            **CONFIG.get("density_ratio", {}).get("known_separation", {}),
            **{
                key: value
                for key, value in CONFIG.get("density_ratio", {}).items()
                if key in ("items", "matching_repeats", "permutations")
            },
        },
        repeats=lambda wildcards: chunk_repeats(wildcards.chunk),
        seed=CONFIG["seed"],
    message:
        "Measuring regressions of known separation, seeds {wildcards.chunk}"
    script:
        "../scripts/density_ratio/known_separation.py"


rule table_known_separation:
    input:
        results=[
            f"results/density_ratio/known_separation/{chunk}.parquet"
            for settings in [CONFIG.get("density_ratio")]
            if settings is not None
            for chunk in chunks(
                {
                    **settings["known_separation"],
                    "chunk_size": settings["chunk_size"],
                }
            )
        ],
        package=package("density_ratio/table_known_separation"),
    output:
        table=multiext("results/tables/known_separation", ".csv", ".md", ".tex"),
        provenance=sidecars("results/tables/known_separation"),
    log:
        "logs/table_known_separation.log",
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
        "Comparing measures of separation with the truth"
    script:
        "../scripts/density_ratio/table_known_separation.py"


# Fit many regressors once, and measure them by every estimator of density ratios.
# Needs: the prepared data set. Makes: results/density_ratio/predictions/<dataset>.parquet, measures/<dataset>.parquet
# and probabilities/<dataset>.parquet.
rule regressors:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("density_ratio/regressors"),
    output:
        predictions="results/density_ratio/predictions/{dataset}.parquet",
    log:
        "logs/regressors/{dataset}.log",
    benchmark:
        "logs/regressors/{dataset}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        regressors=CONFIG.get("density_ratio", {}).get("regressors"),
        test_fraction=CONFIG.get("density_ratio", {}).get("test_fraction"),
        seed=CONFIG["seed"],
    message:
        "Fitting regressors on {wildcards.dataset}"
    script:
        "../scripts/density_ratio/regressors.py"


rule measure_regressors:
    input:
        predictions="results/density_ratio/predictions/{dataset}.parquet",
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("density_ratio/measure_regressors"),
    output:
        measures="results/density_ratio/measures/{dataset}.parquet",
        probabilities="results/density_ratio/probabilities/{dataset}.parquet",
    log:
        "logs/measure_regressors/{dataset}.log",
    benchmark:
        "logs/measure_regressors/{dataset}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        caps=CONFIG.get("density_ratio", {}).get("caps"),
        permutations=CONFIG.get("density_ratio", {}).get("permutations"),
        seed=CONFIG["seed"],
    message:
        "Measuring the regressors of {wildcards.dataset}"
    script:
        "../scripts/density_ratio/measure_regressors.py"


rule table_regressors:
    input:
        measures=expand(
            "results/density_ratio/measures/{dataset}.parquet", dataset=MEASURED
        ),
        probabilities=expand(
            "results/density_ratio/probabilities/{dataset}.parquet", dataset=MEASURED
        ),
        roles=roles_files(MEASURED),
        package=package("density_ratio/table_regressors"),
    output:
        correlations="results/density_ratio/regressor_correlations.parquet",
        capped="results/density_ratio/caps.parquet",
        table="results/tables/density_ratio_regressor_correlations.csv",
        conclusions=multiext(
            "results/tables/density_ratio_conclusions", ".csv", ".md", ".tex"
        ),
        regressors=multiext(
            "results/tables/density_ratio_regressors", ".csv", ".md", ".tex"
        ),
        caps=multiext("results/tables/density_ratio_caps", ".csv", ".md", ".tex"),
        provenance=sidecars(
            "results/tables/density_ratio_regressor_correlations",
            "results/tables/density_ratio_conclusions",
            "results/tables/density_ratio_regressors",
            "results/tables/density_ratio_caps",
        ),
    log:
        "logs/table_regressors.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Correlating estimators over regressors"
    script:
        "../scripts/density_ratio/table_regressors.py"


# Do the asterisks of the published correlations follow from these, and do ours have one?
# Needs: the published tables and our correlations. Makes: results/tables/density_ratio_regressor_asterisks.csv, .md and .tex.
rule table_asterisks:
    input:
        published=[
            beside(f"config/published/density_ratio_table_{number}.yaml")
            for number in (1, 2, 8, 9)
        ],
        correlations="results/density_ratio/regressor_correlations.parquet",
        roles=roles_files(MEASURED),
        package=package("density_ratio/table_asterisks"),
    output:
        table=multiext(
            "results/tables/density_ratio_regressor_asterisks", ".csv", ".md", ".tex"
        ),
        provenance=sidecars("results/tables/density_ratio_regressor_asterisks"),
    log:
        "logs/table_asterisks.log",
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
        "Comparing the asterisks of published correlations"
    script:
        "../scripts/density_ratio/table_asterisks.py"


rule figure_density_ratio:
    input:
        package=package("density_ratio/figure_density_ratio"),
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
        "../scripts/density_ratio/figure_density_ratio.py"


rule figure_regressors:
    input:
        measures=expand(
            "results/density_ratio/measures/{dataset}.parquet", dataset=MEASURED
        ),
        probabilities=expand(
            "results/density_ratio/probabilities/{dataset}.parquet", dataset=MEASURED
        ),
        package=package("density_ratio/figure_regressors"),
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
        "../scripts/density_ratio/figure_regressors.py"
