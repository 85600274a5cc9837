# Turn the texts or the images of a data set into vectors, once.
# Needs: the prepared data set, and an encoder of the config; for images their archive and the encoder's weights.
# Makes: data/embedded/<dataset>.<encoder>.parquet, with the identity of the encoder in its metadata.


rule embed:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        pictures=lambda wildcards: PLAN.data.image_files(
            wildcards.dataset, wildcards.encoder
        ),
        weights=lambda wildcards: PLAN.data.encoder_files(wildcards.encoder),
        package=package("embed"),
    output:
        vectors="data/embedded/{dataset}.{encoder}.parquet",
    log:
        "logs/embed/{dataset}.{encoder}.log",
    # the longest chain of jobs begins here: first, so that no core waits for it at the end
    priority: 2
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        encoder=lambda wildcards: PLAN.data.encoders[wildcards.encoder],
        card=lambda wildcards: {"files": PLAN.data.card(wildcards.dataset)["files"]},
        entry=lambda wildcards: PLAN.data.image_archive(
            wildcards.dataset, wildcards.encoder
        ).get("entry", ""),
    message:
        "Embedding {wildcards.dataset} by {wildcards.encoder}"
    script:
        "../scripts/embed.py"
