# Summarise an experiment: how often each test found a violation.
# Needs: the results of all its tests.
# Makes: results/summaries/<experiment>.parquet and .estimates.parquet, results/tables/<experiment>.csv, .md and .tex.


rule summarise:
    input:
        results=tests_of,
        roles=roles_of,
    output:
        violations="results/summaries/{experiment}.parquet",
        estimates="results/summaries/{experiment}.estimates.parquet",
        tables=shown_first(
            "results/tables/{experiment}",
            TABLE,
            "experiment",
            OF_EXPERIMENTS,
            "{experiment}",
        ),
        provenance=sidecars("results/tables/{experiment}"),
    log:
        "logs/summarise/{experiment}.log",
    localrule: FEW_REPEATS
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000, held=0.1),
        runtime=growing(10, each=0.00002),
    params:
        code=digest("summarise"),
        title=of_experiment("title"),
    message:
        "Summarising {wildcards.experiment}"
    script:
        "../scripts/summarise.py"
