# Train on random splits and keep the predictions, for every test to come.
# Needs: the prepared data set, and the files of the treatment and the model, or the packages that have them. Makes:
# results/predictions/<experiment>/<dataset>/<treatment>/<chunk>.parquet.


rule train:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        embedded=lambda wildcards: PLAN.data.embedded(
            wildcards.dataset, experiment_of(wildcards).encoder
        ),
        package=lambda wildcards: package("train", *arm_of(wildcards).parts),
        extensions=lambda wildcards: PLAN.extension_files(*arm_of(wildcards).parts),
    output:
        predictions="results/predictions/{experiment}/{dataset}/{treatment}/{chunk}.parquet",
    log:
        "logs/train/{experiment}/{dataset}/{treatment}/{chunk}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1100, held=0.2),
        runtime=resuming("results/predictions", 5, each=0.003),
    params:
        model=lambda wildcards: arm_of(wildcards).spec,
        treatment=lambda wildcards: arm_of(wildcards).steps,
        versions=lambda wildcards: arm_of(wildcards).versions,
        test_fraction=lambda wildcards: experiment_of(wildcards).test_fraction,
        seed=CONFIG["seed"],
    message:
        "Training on {wildcards.dataset} with treatment {wildcards.treatment}, repeats {wildcards.chunk}"
    script:
        "../scripts/train.py"
