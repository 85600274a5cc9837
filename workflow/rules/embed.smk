# Turn the texts of a data set into vectors, once.
# Needs: the prepared data set, and an encoder of the config.
# Makes: data/embedded/<dataset>.<encoder>.parquet, with the identity of the encoder in its metadata.


rule embed:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("experiments.embed"),
    output:
        vectors="data/embedded/{dataset}.{encoder}.parquet",
    params:
        encoder=lambda wildcards: CONFIG["encoders"][wildcards.encoder],
    threads: 2
    log:
        "logs/embed/{dataset}.{encoder}.log",
    message:
        "Embedding the texts of {wildcards.dataset} by {wildcards.encoder}"
    conda:
        "../../environment.yml"
    script:
        "../scripts/embed.py"
