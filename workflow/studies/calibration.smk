# Designs: simulated test sets, how often each test of pairs rejects and how often it should.
# Levels: data of many kinds, whether every test keeps its level, coverage and planned power.
# Needs: the config. Makes: results/calibration/designs/<design>.parquet, results/calibration/levels/<test>.parquet,
# results/tables/calibration/rejections.csv, and items, pairs and levels as .csv, .md and .tex.

from fairpairs.papers.studies.calibration import study as calibration_study
from fairpairs.papers.studies.calibration.levels.suite import repeats_of

CALIBRATION = {"designs": {}, "levels": [], **PLAN.settings("calibration")}
CALIBRATION_SIZE = calibration_study.size(PLAN)


rule measure_designs:
    input:
        package=package("calibration/measure_designs"),
    output:
        study="results/calibration/designs/{design}.parquet",
    log:
        "logs/measure_designs/{design}.log",
    benchmark:
        "logs/measure_designs/{design}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        settings=lambda wildcards: CALIBRATION["designs"][wildcards.design],
        classifiers=calibration_study.classifiers(PLAN),
        size=CALIBRATION_SIZE,
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Simulating the design {wildcards.design}"
    script:
        "../scripts/calibration/measure_designs.py"


rule table_designs:
    input:
        designs=expand(
            "results/calibration/designs/{design}.parquet",
            design=CALIBRATION["designs"],
        ),
        package=package("calibration/table_designs"),
    output:
        study=of_study("results/tables/calibration/rejections", ".csv")[0],
        tables=[
            *of_study("results/tables/calibration/items", ".csv", ".md", ".tex"),
            *of_study("results/tables/calibration/pairs", ".csv", ".md", ".tex"),
        ],
        provenance=sidecars(
            "results/tables/calibration/rejections",
            "results/tables/calibration/items",
            "results/tables/calibration/pairs",
        ),
    log:
        "logs/table_designs.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Gathering the rejections of all designs"
    script:
        "../scripts/calibration/table_designs.py"


rule measure_levels:
    input:
        package=package("calibration/measure_levels"),
    output:
        study="results/calibration/levels/{test}.parquet",
    log:
        "logs/measure_levels/{test}.log",
    benchmark:
        "logs/measure_levels/{test}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(30),
    params:
        repeats=lambda wildcards: repeats_of(wildcards.test, CALIBRATION_SIZE),
        seed=CONFIG["seed"],
        alpha=CONFIG["alpha"],
    message:
        "Measuring level and coverage: {wildcards.test}"
    script:
        "../scripts/calibration/measure_levels.py"


rule table_levels:
    input:
        studies=expand(
            "results/calibration/levels/{test}.parquet", test=CALIBRATION["levels"]
        ),
        package=package("calibration/table_levels"),
    output:
        tables=of_study("results/tables/calibration/levels", ".csv", ".md", ".tex"),
        provenance=sidecars("results/tables/calibration/levels"),
    log:
        "logs/table_levels.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Gathering level, coverage and power of all tests"
    script:
        "../scripts/calibration/table_levels.py"


rule figure_designs:
    input:
        designs=expand(
            "results/calibration/designs/{design}.parquet",
            design=CALIBRATION["designs"],
        ),
        package=package("calibration/figure_designs"),
    output:
        figures=of_study("results/figures/calibration/rejections", ".svg", ".png"),
    log:
        "logs/figure_designs.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        alpha=CONFIG["alpha"],
    message:
        "Drawing the rejections of all designs"
    script:
        "../scripts/calibration/figure_designs.py"


rule figure_levels:
    input:
        studies=expand(
            "results/calibration/levels/{test}.parquet", test=CALIBRATION["levels"]
        ),
        package=package("calibration/figure_levels"),
    output:
        figures=of_study("results/figures/calibration/levels", ".svg", ".png"),
    log:
        "logs/figure_levels.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Drawing level, coverage and power of all tests"
    script:
        "../scripts/calibration/figure_levels.py"


rule figure_power:
    input:
        package=package("calibration/figure_power"),
    output:
        figures=of_study("results/figures/calibration/power", ".svg", ".png"),
    log:
        "logs/figure_power.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        alpha=CONFIG["alpha"],
    message:
        "Drawing power curves"
    script:
        "../scripts/calibration/figure_power.py"


rule figure_label_mix:
    input:
        package=package("calibration/figure_label_mix"),
    output:
        figures=of_study("results/figures/calibration/label_mix", ".svg", ".png"),
    log:
        "logs/figure_label_mix.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Drawing the raw gap by the shift of labels"
    script:
        "../scripts/calibration/figure_label_mix.py"
