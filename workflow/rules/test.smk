# Run all tests of an experiment on the kept predictions; nothing is trained here.
# Needs: predictions, the prepared data set and the files of the tests.
# Makes: results/tests/<experiment>/<dataset>/<treatment>/<chunk>.parquet.


rule test:
    input:
        predictions="results/predictions/{experiment}/{dataset}/{treatment}/{chunk}.parquet",
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        extensions=lambda wildcards: PLAN.extension_files(
            *experiment_of(wildcards).tested_by
        ),
    output:
        results="results/tests/{experiment}/{dataset}/{treatment}/{chunk}.parquet",
    log:
        "logs/test/{experiment}/{dataset}/{treatment}/{chunk}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000, held=0.6),
        runtime=resuming("results/tests", 5, each=0.002),
    params:
        code=lambda wildcards: digest("test", *experiment_of(wildcards).tested_by),
        tests=of_experiment("tests"),
        pairs_per_item=of_experiment("pairs_per_item"),
        draws=of_experiment("draws"),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Testing the predictions on {wildcards.dataset}, {wildcards.treatment}, repeats {wildcards.chunk}"
    script:
        "../scripts/test.py"
