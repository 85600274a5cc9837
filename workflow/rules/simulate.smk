# Simulate test sets of known classifiers (section 4.1 of the paper on comparative separation).
# Needs: the config. Makes: results/simulation/estimates.parquet.


rule simulate:
    input:
        package=package("experiments.simulation"),
    output:
        estimates="results/simulation/estimates.parquet",
    params:
        settings=CONFIG.get("simulation"),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    log:
        "logs/simulate.log",
    message:
        "Simulating known classifiers"
    conda:
        "../../environment.yml"
    script:
        "../scripts/simulate.py"
