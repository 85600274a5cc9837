# Measure performance and gaps between groups in every repeat of an experiment.
# Needs: all its predictions, and the prepared data sets. Makes: results/measures/<experiment>.parquet.


rule measure:
    input:
        predictions=predictions_of,
        prepared=prepared_of,
        roles=roles_of,
    output:
        measures="results/measures/{experiment}.parquet",
    log:
        "logs/measure/{experiment}.log",
    localrule: FEW_REPEATS
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000, held=0.2),
        runtime=growing(10, each=0.05),
    params:
        code=digest("measure"),
        measures=of_experiment("measures"),
        versions=lambda wildcards: versions(list(experiment_of(wildcards).measures)),
        arms=lambda wildcards: {
            name: [arm.model, arm.treatment]
            for name, arm in experiment_of(wildcards).arms.items()
        },
    message:
        "Measuring the predictions of {wildcards.experiment}"
    script:
        "../scripts/measure.py"
