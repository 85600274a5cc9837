# Simulate test sets by many designs: how often each test rejects, and what it should.
# Needs: the config. Makes: results/calibration/<design>.parquet and .csv of all,
# results/tables/calibration_items and _pairs.csv, .md and .tex.


rule calibrate:
    input:
        package=package("calibrate"),
    output:
        study="results/calibration/{design}.parquet",
    log:
        "logs/calibrate/{design}.log",
    benchmark:
        "logs/calibrate/{design}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        settings=lambda wildcards: CALIBRATION["designs"][wildcards.design],
        classifiers=CONFIG.get("simulation", {}).get("classifiers", {}),
        size=CALIBRATION["sizes"].get(CALIBRATION["size"]),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Calibrating {wildcards.design}"
    script:
        "../scripts/calibrate.py"


rule table_calibration:
    input:
        designs=expand(
            "results/calibration/{design}.parquet", design=CALIBRATION["designs"]
        ),
        package=package("table_calibration"),
    output:
        study="results/calibration.csv",
        tables=table_files(["calibration_items", "calibration_pairs"]),
        provenance=sidecars(
            "results/calibration",
            "results/tables/calibration_items",
            "results/tables/calibration_pairs",
        ),
    log:
        "logs/table_calibration.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Gathering the calibration study"
    script:
        "../scripts/table_calibration.py"
