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
#   snakemake --cores all results/tables/comparative_separation/table_3.md
#   snakemake --cores all --config repeats=50   a quick look
#
# The settings are in config/config.yaml, the default options of Snakemake in profiles/default, the stages in workflow/.


include: "workflow/Snakefile"


# `include` keeps the default target of this file, so there must be one
rule everything:
    default_target: True
    input:
        rules.all.input,
