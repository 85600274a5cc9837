# FairPairs: from raw files to the tables and figures of papers, each number beside the published one.
#
#   snakemake --cores all                    everything
#   snakemake --cores all simulation         what needs no data
#   snakemake --cores all calibration        how well the tests hold their level
#   snakemake --cores all ranking            how scores rank: xAUC, xROC and their tests
#   snakemake --cores all decisions          differential parity: people, bridges, predictions against labels
#   snakemake --cores all density_ratios     measures of regression by density ratios, and how sensitive they are
#   snakemake --cores all tables             all tables of papers and experiments
#   snakemake --cores all results/tables/comparative_separation_table_3.md
#   snakemake --cores all --config repeats=50   a quick look
#
# The data goes one way, and each stage is a file in workflow/rules/:
# fetch → prepare → embed → train, bridge_study, raters → test, curves → summarise → table, figure → compare → report
from snakemake.utils import min_version

min_version("9.5")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/embed.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/test.smk"
include: "workflow/rules/curves.smk"
include: "workflow/rules/bridge_study.smk"
include: "workflow/rules/raters.smk"
include: "workflow/rules/density_ratio.smk"
include: "workflow/rules/summarise.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/calibrate.smk"
include: "workflow/rules/table.smk"
include: "workflow/rules/figure.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/report.smk"


# On a cluster these run beside the main process: a few seconds each, on any number of repeats.
localrules:
    compare,
    fetch,
    figure_acceptance_region,
    figure_bridges,
    figure_calibration,
    figure_curves,
    figure_density_ratio,
    figure_differential_parity,
    figure_experiment,
    figure_label_mix,
    figure_power,
    figure_ranking,
    figure_raters,
    figure_regressors,
    figure_table,
    prepare,
    raters,
    report,
    simulate,
    table,
    table_bridges,
    table_calibration,
    table_density_ratio,
    table_differential_parity,
    table_ranking,
    table_raters,
    table_regressors,


rule all:
    default_target: True
    input:
        "results/report.html",


rule fetched:
    input:
        raw_files(ALL_DATASETS),


rule simulation:
    input:
        table_files(SIMULATION_TABLES),
        figure_files(SIMULATION_TABLES),


rule calibration:
    input:
        CALIBRATION_FILES,


rule tables:
    input:
        table_files(TABLES),
        table_files(EXPERIMENTS),
        table_files(f"ranking/{name}" for name in RANKED),
        "results/comparison.csv",


rule ranking:
    input:
        RANKING_FILES,


rule decisions:
    input:
        DECISION_FILES,


rule density_ratios:
    input:
        DENSITY_RATIO_FILES,
        table_files(name for name in TABLES if name.startswith("density_ratio")),


onsuccess:
    print_summary()
