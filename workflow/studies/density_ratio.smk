# Measure the fairness of synthetic data sets by several estimators of density ratios, and correlate these.
# Needs: the config. Makes: results/density_ratio/synthetic/<chunk>.parquet, results/density_ratio/correlations.parquet,
# results/tables/density_ratio/correlations.csv, results/tables/density_ratio/estimators.csv, .md and .tex.

from fairpairs.papers.studies.density_ratio import study as density_ratio_study

REGRESSED = density_ratio_study.measured(PLAN)
OF_REGRESSORS = {
    name: [f"results/density_ratio/{name}/{dataset}.parquet" for dataset in REGRESSED]
    for name in ("measures", "probabilities")
}


use rule study_step as measure_synthetic with:
    output:
        results="results/density_ratio/synthetic/{chunk}.parquet",
    log:
        "logs/measure_synthetic/{chunk}.log",
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        **step("studies.density_ratio.synthetic.synthetic_study"),
        settings=density_ratio_study.settings(
            PLAN, "items", "means", "caps", "matching_repeats"
        ),
        repeats=repeats_of,
        seed=CONFIG["seed"],
    message:
        "Measuring synthetic data sets by density ratios, seeds {wildcards.chunk}"


use rule study_table as table_synthetic with:
    input:
        results=density_ratio_study.synthetic_files(PLAN),
    output:
        **tables_of(
            "density_ratio", csv={"table": "correlations"}, estimators="estimators"
        ),
        correlated="results/density_ratio/correlations.parquet",
    log:
        "logs/table_synthetic.log",
    localrule: True
    params:
        **table_step("studies.density_ratio.synthetic_tables.synthetic_tables"),
    message:
        "Correlating estimators of density ratios"


# Measure and test the separation of regressions whose dependence on the group is known.
# Needs: the config. Makes: results/density_ratio/known_separation/<chunk>.parquet, results/tables/density_ratio/known_separation.csv, .md
# and .tex.
use rule study_step as known_separation with:
    output:
        results="results/density_ratio/known_separation/{chunk}.parquet",
    log:
        "logs/known_separation/{chunk}.log",
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        **step("studies.density_ratio.known_separation.known_separation_study"),
        settings={
            **PLAN.settings("density_ratio").get("known_separation", {}),
            **density_ratio_study.settings(
                PLAN, "items", "matching_repeats", "permutations"
            ),
        },
        repeats=repeats_of,
        seed=CONFIG["seed"],
    message:
        "Measuring regressions of known separation, seeds {wildcards.chunk}"


use rule study_table as table_known_separation with:
    input:
        results=density_ratio_study.known_separation_files(PLAN),
    output:
        **tables_of("density_ratio", known_separation="known_separation"),
    log:
        "logs/table_known_separation.log",
    localrule: True
    params:
        **table_step("studies.density_ratio.synthetic_tables.known_separation_rows"),
        alpha=CONFIG["alpha"],
    message:
        "Comparing measures of separation with the truth"


# Fit many regressors once, and measure them by every estimator of density ratios.
# Needs: the prepared data set. Makes: results/density_ratio/predictions/<dataset>.parquet, measures/<dataset>.parquet
# and probabilities/<dataset>.parquet.
use rule study_step as regressors with:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
    output:
        predictions="results/density_ratio/predictions/{dataset}.parquet",
    log:
        "logs/regressors/{dataset}.log",
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        **step("studies.density_ratio.regressors.train_regressors"),
        regressors=PLAN.settings("density_ratio").get("regressors"),
        test_fraction=PLAN.settings("density_ratio").get("test_fraction"),
        seed=CONFIG["seed"],
    message:
        "Fitting regressors on {wildcards.dataset}"


use rule study_step as measure_regressors with:
    input:
        predictions="results/density_ratio/predictions/{dataset}.parquet",
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
    output:
        measures="results/density_ratio/measures/{dataset}.parquet",
        probabilities="results/density_ratio/probabilities/{dataset}.parquet",
    log:
        "logs/measure_regressors/{dataset}.log",
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        **step("studies.density_ratio.regressors.measure_regressors"),
        caps=PLAN.settings("density_ratio").get("caps"),
        permutations=PLAN.settings("density_ratio").get("permutations"),
        seed=CONFIG["seed"],
    message:
        "Measuring the regressors of {wildcards.dataset}"


use rule study_table as table_regressors with:
    input:
        **OF_REGRESSORS,
        roles=PLAN.roles_files(REGRESSED),
    output:
        **tables_of(
            "density_ratio",
            csv={"table": "regressor_correlations"},
            conclusions="conclusions",
            regressors="regressors",
            caps="caps",
        ),
        correlations="results/density_ratio/regressor_correlations.parquet",
        capped="results/density_ratio/caps.parquet",
    log:
        "logs/table_regressors.log",
    localrule: True
    params:
        **table_step("studies.density_ratio.regressor_tables.regressor_tables"),
    message:
        "Correlating estimators over regressors"


# Do the asterisks of the published correlations follow from these, and do ours have one?
# Needs: the published tables and our correlations. Makes: results/tables/density_ratio/regressor_asterisks.csv, .md and .tex.
use rule study_table as table_asterisks with:
    input:
        published=PLAN.published_files(
            f"density_ratio/table_{number}" for number in (1, 2, 8, 9)
        ),
        correlations="results/density_ratio/regressor_correlations.parquet",
        roles=PLAN.roles_files(REGRESSED),
    output:
        **tables_of("density_ratio", regressor_asterisks="regressor_asterisks"),
    log:
        "logs/table_asterisks.log",
    localrule: True
    params:
        **table_step("studies.density_ratio.regressor_tables.asterisk_rows"),
    message:
        "Comparing the asterisks of published correlations"


# Kernel classifiers on real data, with the intercept and as the cited package has it, beside the printed correlations.
# Needs: the published numbers and our correlations. Makes: results/tables/density_ratio/regressor_kernels.csv, .md and .tex.
use rule study_table as table_kernels with:
    input:
        published=PLAN.published_files(
            f"density_ratio/{name}" for name in ("table_1", "table_8", "section_5_2")
        ),
        correlations="results/density_ratio/regressor_correlations.parquet",
        roles=PLAN.roles_files(REGRESSED),
    output:
        **tables_of("density_ratio", regressor_kernels="regressor_kernels"),
    log:
        "logs/table_kernels.log",
    localrule: True
    params:
        **table_step("studies.density_ratio.regressor_tables.kernel_rows"),
    message:
        "Comparing two forms of kernels with printed correlations"


use rule study_step as figure_correlations with:
    input:
        table="results/tables/density_ratio/correlations.csv",
        published=PLAN.published_files(
            f"density_ratio/table_{number}" for number in (3, 4, 5)
        ),
    output:
        figures=of_study("results/figures/density_ratio/correlations", *FIGURE),
    log:
        "logs/figure_correlations.log",
    localrule: True
    params:
        **step("studies.density_ratio.figures.correlations"),
    message:
        "Drawing how far classifiers agree on synthetic data"


use rule study_step as figure_synthetic with:
    output:
        figures=of_study("results/figures/density_ratio/synthetic", *FIGURE),
    log:
        "logs/figure_synthetic.log",
    localrule: True
    params:
        **step("studies.density_ratio.figures.synthetic"),
        settings=density_ratio_study.settings(PLAN, "items", "means"),
        seed=CONFIG["seed"],
    message:
        "Drawing synthetic data of density ratios"


use rule study_step as figure_regressors with:
    input:
        **OF_REGRESSORS,
    output:
        figures=of_study("results/figures/density_ratio/regressors", *FIGURE),
    log:
        "logs/figure_regressors.log",
    localrule: True
    params:
        **step("studies.density_ratio.figures.regressors"),
    message:
        "Drawing the measures of regressors"
