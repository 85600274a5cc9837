# Compare the decisions of several people on random splits, also by models as bridges between them.
# Needs: the prepared data set, and its vectors or, for a model that trains on images, their archive and the
# encoder's weights. Makes: results/bridges/<study>/<chunk>.parquet.


rule bridge_study:
    input:
        unpack(study_inputs),
        package=package("bridge_study"),
    output:
        results="results/bridges/{study}/{chunk}.parquet",
    log:
        "logs/bridge_study/{study}/{chunk}.log",
    benchmark:
        "logs/bridge_study/{study}/{chunk}.tsv"
    # the longest job: begun early, so that no core waits for it at the end
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        settings=lambda wildcards: {
            key: value
            for key, value in BRIDGES[wildcards.study].items()
            if key not in ("title", "repeats", "chunk_size")
        },
        entry=lambda wildcards: card_of(BRIDGES[wildcards.study]["dataset"])
        .get("archives", {})
        .get("images", {})
        .get("entry", ""),
        files=lambda wildcards: [
            *card_of(BRIDGES[wildcards.study]["dataset"])["files"],
            *CONFIG["encoders"]
            .get(BRIDGES[wildcards.study].get("encoder"), {})
            .get("files", []),
        ],
        repeats=lambda wildcards: chunk_repeats(wildcards.chunk),
        seed=CONFIG["seed"],
    message:
        "Comparing people in {wildcards.study}, repeats {wildcards.chunk}"
    script:
        "../scripts/bridge_study.py"
