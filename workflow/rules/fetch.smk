# Fetch raw files: from the mirrors first, then from the public addresses, verified by sha256.
# Needs: the `files` of config/datasets/<dataset>.yaml, and the mirrors, which stand in the environment
# variable FAIRPAIRS_MIRROR: a param would have the files fetched again when it changes. Makes: data/raw/<dataset>/<file>.


rule fetch:
    output:
        raw="data/raw/{dataset}/{file}",
    log:
        "logs/fetch/{dataset}/{file}.log",
    conda:
        "../../environment.yml"
    params:
        entry=lambda wildcards: raw_file(CARDS[wildcards.dataset], wildcards.file),
    message:
        "Fetching {wildcards.file} of {wildcards.dataset}"
    script:
        "../scripts/fetch.py"
