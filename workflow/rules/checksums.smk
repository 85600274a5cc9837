# List the SHA-256 of every table and of all predictions, for `make verify`.
# Needs: all tables and predictions. Makes: results/checksums.txt, results/predictions.csv.


rule checksums:
    input:
        tables=PLAN.all_tables,
        predictions=PLAN.all_predictions,
        roles=PLAN.roles_files(DATASETS),
    output:
        checksums="results/checksums.txt",
        predictions="results/predictions.csv",
        provenance=sidecars("results/predictions"),
    log:
        "logs/checksums.log",
    localrule: True
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        code=digest("checksums"),
    message:
        "Listing the checksums"
    script:
        "../scripts/checksums.py"
