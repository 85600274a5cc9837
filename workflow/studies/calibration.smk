# Designs: simulated test sets, how often each test of pairs rejects and how often it should.
# Needs: the config. Makes: results/calibration/designs/<design>.parquet,
# results/tables/calibration/rejections.csv.

from fairpairs.papers.studies.calibration import study as calibration_study

CALIBRATION = {"designs": {}, **PLAN.settings("calibration")}


use rule study_step as measure_designs with:
    output:
        study="results/calibration/designs/{design}.parquet",
    log:
        "logs/measure_designs/{design}.log",
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        **{key: size for key, size in CALIBRATION.items() if key != "designs"},
        **step("studies.calibration.measure.measure_design"),
        name=lambda wildcards: wildcards.design,
        settings=lambda wildcards: CALIBRATION["designs"][wildcards.design],
        classifiers=calibration_study.classifiers(PLAN),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Simulating the design {wildcards.design}"


use rule study_table as table_designs with:
    input:
        designs=expand(
            "results/calibration/designs/{design}.parquet",
            design=CALIBRATION["designs"],
        ),
    output:
        **tables_of("calibration", csv={"study": "rejections"}),
    log:
        "logs/table_designs.log",
    localrule: True
    params:
        **table_step("studies.calibration.study.rejections"),
    message:
        "Gathering the rejections of all designs"
