# Prepare a data set: one row an item, features, label and sensitive attributes coded by the card.
# Needs: the raw file and the card. Makes: data/prepared/<dataset>.parquet and the .json of its roles.


rule prepare:
    input:
        raw=lambda wildcards: checked(PLAN.data.raw_tables, wildcards.dataset),
        card=lambda wildcards: str(PLAN.data.card_files[wildcards.dataset]),
        package=package("prepare"),
    output:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
    log:
        "logs/prepare/{dataset}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        schema=beside("workflow/schemas/dataset.schema.yaml"),
    message:
        "Preparing {wildcards.dataset}"
    script:
        "../scripts/prepare.py"
