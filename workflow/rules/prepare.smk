# Prepare a data set: one row an item, features, label and sensitive attributes coded by the card.
# Needs: the raw file, and what the card says but for its words. Makes: data/prepared/<dataset>.parquet and the .json of its roles.


# The data sets of the config whose cards have files alone.
FILES_ALONE = "|".join(PLAN.data.raw_only) or "no data set"


rule prepare:
    input:
        raw=raw_of_table,
    output:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
    log:
        "logs/prepare/{dataset}.log",
    wildcard_constraints:
        dataset=rf"(?!({FILES_ALONE})\.json$).+",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=digest("prepare"),
        card=coding_of,
    message:
        "Preparing {wildcards.dataset}"
    script:
        "../scripts/prepare.py"


# The same of a card that has files alone: only the .json, with the sha256 of the files.
rule describe:
    input:
        raw=raw_of,
    output:
        roles="data/prepared/{dataset}.json",
    log:
        "logs/describe/{dataset}.log",
    wildcard_constraints:
        dataset=FILES_ALONE,
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=digest("describe"),
        card=coding_of,
    message:
        "Describing {wildcards.dataset}"
    script:
        "../scripts/describe.py"
