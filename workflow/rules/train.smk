# Train on random splits and keep the predictions, for every test to come.
# Needs: the prepared data set, and the files of the treatment and the model. Makes:
# results/predictions/<experiment>/<dataset>/<treatment>/<chunk>.parquet.


rule train:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        embedded=lambda wildcards: embedded(
            wildcards.dataset, EXPERIMENTS[wildcards.experiment].get("encoder")
        ),
        package=lambda wildcards: package("train", *trained_by(wildcards)),
        extensions=lambda wildcards: extension_files(*trained_by(wildcards)),
    output:
        predictions="results/predictions/{experiment}/{dataset}/{treatment}/{chunk}.parquet",
    log:
        "logs/train/{experiment}/{dataset}/{treatment}/{chunk}.log",
    benchmark:
        "logs/train/{experiment}/{dataset}/{treatment}/{chunk}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1100, each=0.2),
        runtime=growing(5, each=0.01),
    params:
        model=lambda wildcards: EXPERIMENTS[wildcards.experiment]["model"],
        test_fraction=lambda wildcards: EXPERIMENTS[wildcards.experiment][
            "test_fraction"
        ],
        rounds=lambda wildcards: EXPERIMENTS[wildcards.experiment].get("rounds"),
        repeats=lambda wildcards: chunk_repeats(wildcards.chunk),
        seed=CONFIG["seed"],
    message:
        "Training on {wildcards.dataset} with treatment {wildcards.treatment}, repeats {wildcards.chunk}"
    script:
        "../scripts/train.py"
