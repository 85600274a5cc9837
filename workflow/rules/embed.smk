# Turn the texts or the images of a data set into vectors, once.
# Needs: the prepared data set, and an encoder of the config; for images their archive and the encoder's weights.
# Makes: data/embedded/<dataset>.<encoder>.parquet, with the identity of the encoder in its metadata.


rule embed:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        pictures=pictures_of,
        weights=weights_of,
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
        code=digest("embed"),
        encoder=lambda wildcards: CONFIG["encoders"][wildcards.encoder],
        card=files_of_card,
        entry=place_of_pictures,
    message:
        "Embedding {wildcards.dataset} by {wildcards.encoder}"
    script:
        "../scripts/embed.py"
