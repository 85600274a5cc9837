# FairPairs: from raw files to the tables and figures of papers, each number beside the published one.
#
#   snakemake --cores all                    everything
#   snakemake --cores all simulation         what needs no data
#   snakemake --cores all calibration        how well the tests hold their level
#   snakemake --cores all ranking            how scores rank: xAUC, xROC and their tests
#   snakemake --cores all decisions          differential parity: people, bridges, predictions against labels
#   snakemake --cores all density_ratios     measures of regression by density ratios, and how sensitive they are
#   snakemake --cores all audits             the files of your own models' predictions that the config names
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
include: "workflow/rules/audit.smk"


rule all:
    default_target: True
    input:
        "results/report.html",
        audit_files(),


rule audits:
    input:
        audit_files(),


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
