# FairPairs: from raw files to the tables and figures of papers, each number beside the published one.
#
#   snakemake --cores all                    everything
#   snakemake --cores all comparative_separation   one study; likewise xauc, differential_parity, density_ratio
#   snakemake --cores all calibration        how well the tests hold their level; needs no data
#   snakemake --cores all audits             the files of your own models' predictions that the config names
#   snakemake --cores all tables             all tables of papers and experiments
#   snakemake --cores all results/tables/comparative_separation/table_3.md
#   snakemake --cores all --config repeats=50   a quick look
#
# The settings are in config/, the default options of Snakemake in profiles/default, the stages in workflow/.


include: "workflow/Snakefile"


# `include` keeps the default target of this file, so there must be one
rule everything:
    default_target: True
    input:
        rules.all.input,
