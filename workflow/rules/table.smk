# Put each number of a published table beside ours, with a verdict.
# Needs: config/published/<table>.yaml and what its `from` names, other published tables among it.
# Makes: results/tables/<table>.csv, .md and .tex, results/comparisons/<table>.parquet.


rule table:
    input:
        published=beside("config/published/{table}.yaml"),
        printed=lambda wildcards: [
            beside(f"config/published/{name}.yaml")
            for name in PUBLISHED[wildcards.table].about["from"].get("published", [])
        ],
        source=table_source,
        roles=lambda wildcards: roles_files(
            datasets_of(PUBLISHED[wildcards.table].about["from"])
        ),
        package=package("table"),
    output:
        tables=[
            report(
                "results/tables/{table}.csv",
                caption="../report/table.rst",
                category="Papers",
            ),
            *multiext("results/tables/{table}", ".md", ".tex"),
        ],
        provenance=sidecars("results/tables/{table}"),
        comparison="results/comparisons/{table}.parquet",
    log:
        "logs/table/{table}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
        settings=CONFIG.get("simulation"),
        missing=lambda wildcards: [
            name
            for name in MISSING
            if name in datasets_of(PUBLISHED[wildcards.table].about["from"])
        ],
    message:
        "Comparing {wildcards.table} with the published one"
    script:
        "../scripts/table.py"
