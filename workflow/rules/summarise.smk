# Summarise an experiment: how often each test found a violation.
# Needs: the results of all its tests.
# Makes: results/summaries/<experiment>.parquet, results/tables/<experiment>.csv, .md and .tex.


rule summarise:
    input:
        results=test_results,
        package=package("reporting.summaries", "reporting.tables"),
    output:
        summary="results/summaries/{experiment}.parquet",
        tables=multiext("results/tables/{experiment}", ".csv", ".md", ".tex"),
    params:
        title=lambda wildcards: EXPERIMENTS[wildcards.experiment]["title"],
    log:
        "logs/summarise/{experiment}.log",
    message:
        "Summarising {wildcards.experiment}"
    conda:
        "../../environment.yml"
    script:
        "../scripts/summarise.py"
