# List the SHA-256 of every table and of all predictions, for `make verify`.
# Needs: all tables and predictions. Makes: results/checksums.txt, results/predictions.csv.


rule checksums:
    input:
        tables=ALL_TABLES,
        predictions=ALL_PREDICTIONS,
        roles=roles_files(ALL_DATASETS),
        package=package("checksums"),
    output:
        checksums="results/checksums.txt",
        predictions="results/predictions.csv",
        provenance=sidecars("results/predictions"),
    log:
        "logs/checksums.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    message:
        "Listing the checksums"
    script:
        "../scripts/checksums.py"
