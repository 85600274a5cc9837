# Simulate test sets of known classifiers (section 4.1 of the paper on comparative separation).
# Needs: the config. Makes: results/simulation/estimates.parquet.


rule simulate:
    input:
        package=package("simulate"),
    output:
        estimates="results/simulation/estimates.parquet",
    log:
        "logs/simulate.log",
    conda:
        "../../environment.yml"
    params:
        settings=CONFIG.get("simulation"),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Simulating known classifiers"
    script:
        "../scripts/simulate.py"
