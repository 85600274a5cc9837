# Measure the fairness of synthetic data sets by several estimators of density ratios, and correlate these.
# Needs: the config. Makes: results/density_ratio/synthetic/<chunk>.parquet, results/density_ratio/correlations.parquet,
# results/tables/density_ratio_correlations.csv, results/tables/density_ratio_estimators.csv, .md and .tex.


rule density_ratio:
    input:
        package=package("density_ratio"),
    output:
        results="results/density_ratio/synthetic/{chunk}.parquet",
    log:
        "logs/density_ratio/{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        settings={
            key: value
            for key, value in CONFIG.get("density_ratio", {}).items()
            if key in ("items", "means", "caps")
        },
        repeats=lambda wildcards: chunk_repeats(wildcards.chunk),
        seed=CONFIG["seed"],
    message:
        "Measuring synthetic data sets by density ratios, seeds {wildcards.chunk}"
    script:
        "../scripts/density_ratio.py"


rule table_density_ratio:
    input:
        results=[
            f"results/density_ratio/synthetic/{chunk}.parquet"
            for chunk in (chunks(CONFIG["density_ratio"]) if "density_ratio" in CONFIG else [])
        ],
        package=package("table_density_ratio"),
    output:
        correlations="results/density_ratio/correlations.parquet",
        table="results/tables/density_ratio_correlations.csv",
        estimators=multiext(
            "results/tables/density_ratio_estimators", ".csv", ".md", ".tex"
        ),
    log:
        "logs/table_density_ratio.log",
    conda:
        "../../environment.yml"
    message:
        "Correlating estimators of density ratios"
    script:
        "../scripts/table_density_ratio.py"
