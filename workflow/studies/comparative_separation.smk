# Simulate test sets of known classifiers and regressions (sections 4.1 and 3.4.2 of the paper on
# comparative separation).
# Needs: the config. Makes: results/comparative_separation/simulation.parquet, results/tables/comparative_separation/normality.csv,
# results/tables/comparative_separation/pairs_in_regression.csv.


use rule study_table as simulate with:
    output:
        estimates="results/comparative_separation/simulation.parquet",
        normality=of_study("results/tables/comparative_separation/normality", ".csv")[0],
        provenance=sidecars("results/tables/comparative_separation/normality"),
    log:
        "logs/simulate.log",
    localrule: True
    params:
        **table_step("studies.comparative_separation.simulation.simulate"),
        settings=PLAN.settings("comparative_separation").get("simulation"),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Simulating known classifiers"


use rule study_table as simulate_regression with:
    output:
        **tables_of("comparative_separation", csv={"table": "pairs_in_regression"}),
    log:
        "logs/simulate_regression.log",
    localrule: True
    params:
        **table_step("studies.comparative_separation.simulation.compare_sizes"),
        settings=PLAN.settings("comparative_separation").get("regression"),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Simulating items and pairs in regression"


use rule study_step as figure_acceptance_region with:
    output:
        figures=of_study("results/figures/comparative_separation/figure_1", *FIGURE),
    log:
        "logs/figure_acceptance_region.log",
    localrule: True
    params:
        **step("studies.comparative_separation.figures.acceptance_region"),
        alpha=CONFIG["alpha"],
    message:
        "Drawing Figure 1"
