# FairPairs: from raw files to the tables and figures of papers, with each number beside the published one.
#
#   snakemake --cores all                             everything
#   snakemake --cores all comparative_separation      one study: xauc, differential_parity, density_ratio, …
#   snakemake --cores all tables                      all tables of papers and experiments
#   snakemake --cores all audits                      the audits of your own models' predictions
#   snakemake --cores all results/tables/comparative_separation/table_3.md
#   snakemake --cores all --config repeats=50         a quick run
#   snakemake --workflow-profile none -n FILE         the jobs that make a file, and why
#
# Settings: config/. Default options of Snakemake: profiles/default. A cell of a published table is made by
# fetch, prepare, train, test, summarise, table, compare and report; each rule calls workflow/scripts/<rule>.py.
from snakemake.utils import min_version

min_version("9.5")


report: "workflow/report/workflow.rst"


# what comes before the rules: the config, checked, and what they share
include: "workflow/rules/package.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/by_wildcards.smk"
# the stages, in the order of the data
include: "workflow/rules/fetch.smk"  # → data/raw/<dataset>/<file>
include: "workflow/rules/prepare.smk"  # → data/prepared/<dataset>.parquet
include: "workflow/rules/embed.smk"  # → data/embedded/<dataset>.<encoder>.parquet
include: "workflow/rules/train.smk"  # → results/predictions/<experiment>/<dataset>/<treatment>/
include: "workflow/rules/test.smk"  # → results/tests/<experiment>/<dataset>/<treatment>/
include: "workflow/rules/measure.smk"  # → results/measures/<experiment>.parquet
include: "workflow/rules/summarise.smk"  # → results/summaries/<experiment>.parquet
include: "workflow/rules/study.smk"  # → what only one study has: workflow/studies/<study>.smk
include: "workflow/rules/compare_treatments.smk"  # → results/treatments/<experiment>.csv
include: "workflow/rules/table.smk"  # → results/tables/<study>/<table>.csv
include: "workflow/rules/figure.smk"  # → results/figures/
include: "workflow/rules/compare.smk"  # → results/comparison.csv
include: "workflow/rules/claims.smk"  # → results/claims.csv
include: "workflow/rules/report.smk"  # → results/report.html
include: "workflow/rules/checksums.smk"  # → results/checksums.txt
# models of your own
include: "workflow/rules/count.smk"  # → results/counts/<audit>/
include: "workflow/rules/audit.smk"  # → results/audits/<audit>/
include: "workflow/rules/audit_judgments.smk"  # → results/judgments/<name>/


rule all:
    default_target: True
    input:
        "results/report.html",
        "results/checksums.txt",
        rules.audits.input,
    localrule: True


rule fetched:
    input:
        raw_files(DATASETS),
    localrule: True


rule prepared:
    input:
        raw_files(DATASETS),
        prepared(DATASETS),
    localrule: True


rule tables:
    input:
        PLAN.all_tables,
    localrule: True


# a target for each study: its tables and figures
for name in PLAN.studies:

    rule:
        name:
            name
        input:
            PLAN.study_files(name),
        localrule: True
