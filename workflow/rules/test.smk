# Test the kept predictions; nothing is trained here.
# Needs: predictions, the prepared data set and the file of the test.
# Makes: results/tests/<experiment>/<dataset>/<treatment>/<test>/<chunk>.parquet.


rule test:
    input:
        predictions="results/predictions/{experiment}/{dataset}/{treatment}/{chunk}.parquet",
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=lambda wildcards: package("test", ("tests", wildcards.test)),
        extensions=lambda wildcards: PLAN.extension_files(("tests", wildcards.test)),
    output:
        results="results/tests/{experiment}/{dataset}/{treatment}/{test}/{chunk}.parquet",
    log:
        "logs/test/{experiment}/{dataset}/{treatment}/{test}/{chunk}.log",
    benchmark:
        "logs/test/{experiment}/{dataset}/{treatment}/{test}/{chunk}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(900, each=0.5),
        runtime=growing(5, each=0.006),
    params:
        pairs_per_item=lambda wildcards: experiment_of(wildcards).pairs_per_item,
        draws=lambda wildcards: experiment_of(wildcards).draws,
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Testing {wildcards.test} on {wildcards.dataset}, {wildcards.treatment}, repeats {wildcards.chunk}"
    script:
        "../scripts/test.py"
