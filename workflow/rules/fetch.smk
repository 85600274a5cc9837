# Fetch raw files, and weights of encoders: from the mirrors first, then from the public addresses, verified by sha256.
# Needs: the `files` of the card of a data set or of an encoder, and the mirrors, which are in the environment
# variable FAIRPAIRS_MIRROR: a param would have the files fetched again when it changes. Makes: data/raw/<dataset>/<file>.


rule fetch:
    input:
        listed=list_of_archive,
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
        sha256=lambda wildcards: entry_of(wildcards)["sha256"],
        source=source_of,
    message:
        "Fetching {wildcards.file} of {wildcards.dataset}"
    script:
        "../scripts/fetch.py"
