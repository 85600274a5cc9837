# Fetch raw files, and weights of encoders: from the mirrors first, then from the public addresses, verified by sha256.
# Needs: the `files` of the card of a data set or of an encoder, and the mirrors, which are in the environment
# variable FAIRPAIRS_MIRROR: a param would have the files fetched again when it changes. Makes: data/raw/<dataset>/<file>.


rule fetch:
    input:
        listed=lambda wildcards: checked(
            PLAN.data.archive_list, wildcards.dataset, wildcards.file
        ),
    output:
        raw="data/raw/{dataset}/{file}",
    log:
        "logs/fetch/{dataset}/{file}.log",
    localrule: True
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(500),
        runtime=growing(30),
    params:
        entry=lambda wildcards: PLAN.data.raw_entry(wildcards.dataset, wildcards.file),
        notice=lambda wildcards: PLAN.data.notice(wildcards.dataset),
    message:
        "Fetching {wildcards.file} of {wildcards.dataset}"
    script:
        "../scripts/fetch.py"
