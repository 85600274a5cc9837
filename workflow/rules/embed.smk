# Turn the texts of a data set into vectors, once.
# Needs: the prepared data set, and an encoder of the config.
# Makes: data/embedded/<dataset>.<encoder>.parquet, with the identity of the encoder in its metadata.


rule embed:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("embed"),
    output:
        vectors="data/embedded/{dataset}.{encoder}.parquet",
    log:
        "logs/embed/{dataset}.{encoder}.log",
    conda:
        "../../environment.yml"
    threads: 2
    params:
        encoder=lambda wildcards: CONFIG["encoders"][wildcards.encoder],
    message:
        "Embedding the texts of {wildcards.dataset} by {wildcards.encoder}"
    script:
        "../scripts/embed.py"
