# Train on random splits and keep the predictions, for every test to come.
# Needs: the prepared data set, and the files of the treatment and the model, or the packages that have them. Makes:
# results/predictions/<experiment>/<dataset>/<treatment>/<chunk>.parquet.


rule train:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        embedded=embedded_of,
        extensions=extensions_of_arm,
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
        code=lambda wildcards: digest("train", *arm_of(wildcards).parts),
        model=of_arm("spec"),
        treatment=of_arm("steps"),
        versions=of_arm("versions"),
        test_fraction=of_experiment("test_fraction"),
        seed=CONFIG["seed"],
    message:
        "Training on {wildcards.dataset} with treatment {wildcards.treatment}, repeats {wildcards.chunk}"
    script:
        "../scripts/train.py"
