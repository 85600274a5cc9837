# Gather what the figures of a ranking show: ROC and xROC curves, densities, calibration.
# Needs: the predictions of the first treatment and the prepared data set.
# Makes: results/curves/<experiment>/<dataset>.parquet.


rule curves:
    input:
        predictions=lambda wildcards: expand(
            "results/predictions/{experiment}/{dataset}/{treatment}/{chunk}.parquet",
            experiment=wildcards.experiment,
            dataset=wildcards.dataset,
            treatment=EXPERIMENTS[wildcards.experiment]["treatments"][0],
            chunk=chunks(EXPERIMENTS[wildcards.experiment]),
        ),
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("curves"),
    output:
        curves="results/curves/{experiment}/{dataset}.parquet",
    log:
        "logs/curves/{experiment}/{dataset}.log",
    benchmark:
        "logs/curves/{experiment}/{dataset}.tsv"
    localrule: FEW_REPEATS
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000, each=1.5),
        runtime=growing(10, each=0.005),
    params:
        treatment=lambda wildcards: EXPERIMENTS[wildcards.experiment]["treatments"][0],
    message:
        "Gathering the curves of {wildcards.dataset}, {wildcards.experiment}"
    script:
        "../scripts/curves.py"
