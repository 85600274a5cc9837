# Simulate test sets of known classifiers (section 4.1 of the paper on comparative separation).
# Needs: the config. Makes: results/comparative_separation/simulation.parquet, results/tables/comparative_separation/normality.csv.


rule simulate:
    input:
        package=package("comparative_separation/simulate"),
    output:
        estimates="results/comparative_separation/simulation.parquet",
        normality=of_study("results/tables/comparative_separation/normality", ".csv")[0],
        provenance=sidecars("results/tables/comparative_separation/normality"),
    log:
        "logs/simulate.log",
    benchmark:
        "logs/simulate.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        settings=PLAN.settings("comparative_separation").get("simulation"),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Simulating known classifiers"
    script:
        "../scripts/comparative_separation/simulate.py"


rule figure_acceptance_region:
    input:
        package=package("comparative_separation/figure_acceptance_region"),
    output:
        figures=of_study(
            "results/figures/comparative_separation/figure_1", ".svg", ".png"
        ),
    log:
        "logs/figure_acceptance_region.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        alpha=CONFIG["alpha"],
    message:
        "Drawing Figure 1"
    script:
        "../scripts/comparative_separation/figure_acceptance_region.py"
