# Prepare a data set: one row an item, features, label and sensitive attributes coded by the card.
# Needs: the raw file, and what the card says but for its words. Makes: data/prepared/<dataset>.parquet and the .json of its roles.


# The data sets of the config whose cards have files alone.
FILES_ALONE = "|".join(PLAN.data.raw_only) or "no data set"


# The same of a card that has files alone: only the .json, with the sha256 of the files.
rule describe:
    input:
        raw=lambda wildcards: PLAN.data.raw_tables(wildcards.dataset),
        package=package("describe"),
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
        card=lambda wildcards: checked(PLAN.data.coding, wildcards.dataset),
    message:
        "Describing {wildcards.dataset}"
    script:
        "../scripts/describe.py"


rule prepare:
    input:
        raw=lambda wildcards: checked(PLAN.data.prepared_from, wildcards.dataset),
        package=package("prepare"),
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
        card=lambda wildcards: checked(PLAN.data.coding, wildcards.dataset),
    message:
        "Preparing {wildcards.dataset}"
    script:
        "../scripts/prepare.py"
