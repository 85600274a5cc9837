# Compare everyone who decided with everyone else.
# Needs: the prepared data set. Makes: results/raters/<dataset>.pairs.parquet and .people.parquet.


rule raters:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("raters"),
    output:
        pairs="results/raters/{dataset}.pairs.parquet",
        people="results/raters/{dataset}.people.parquet",
    log:
        "logs/raters/{dataset}.log",
    benchmark:
        "logs/raters/{dataset}.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Comparing the people of {wildcards.dataset}"
    script:
        "../scripts/raters.py"
