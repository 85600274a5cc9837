# Fetch raw files, and weights of encoders: from the mirrors first, then from the public addresses, verified by sha256.
# Needs: the `files` of the card of a data set or of an encoder, and the mirrors, which stand in the environment
# variable FAIRPAIRS_MIRROR: a param would have the files fetched again when it changes. Makes: data/raw/<dataset>/<file>.


rule fetch:
    input:
        listed=listed_by,
    output:
        raw="data/raw/{dataset}/{file}",
    log:
        "logs/fetch/{dataset}/{file}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(30),
    params:
        entry=raw_entry,
        notice=notice,
    message:
        "Fetching {wildcards.file} of {wildcards.dataset}"
    script:
        "../scripts/fetch.py"
