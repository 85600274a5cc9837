# FairPairs: from raw files to the tables and figures of papers, with each number beside the published
# one.
#
#   snakemake --cores all                             everything
#   snakemake --cores all comparative_separation      one study: its tables and figures
#   snakemake --cores all xauc                        how scores rank: xAUC, xROC and their tests
#   snakemake --cores all differential_parity         raters, bridges, predictions against labels
#   snakemake --cores all density_ratio               density-ratio measures of regression
#   snakemake --cores all calibration                 how well the tests keep their level
#   snakemake --cores all tables                      all tables of papers and experiments
#   snakemake --cores all audits                      the audits of your own models' predictions
#   snakemake --cores all fetched                     the raw data; `prepared` also prepares them
#   snakemake --cores all results/tables/comparative_separation/table_3.md
#   snakemake --cores all --config repeats=50         a quick run
#
# Settings: config/. Default options of Snakemake: profiles/default. Rules: workflow/.


include: "workflow/Snakefile"


# `include` keeps the default target of this file, so there must be one
rule everything:
    default_target: True
    input:
        rules.all.input,
