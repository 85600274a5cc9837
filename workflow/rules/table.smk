# Put each number of a published table beside ours, with a verdict.
# Needs: config/published/<table>.yaml and what its `from` names, other published tables among it.
# Makes: results/tables/<table>.csv, .md and .tex, results/comparisons/<table>.parquet.


rule table:
    input:
        published=beside("config/published/{table}.yaml"),
        printed=lambda wildcards: [
            beside(f"config/published/{name}.yaml")
            for name in PLAN.published[wildcards.table]
            .about["from"]
            .get("published", [])
        ],
        source=lambda wildcards: PLAN.source_files(wildcards.table),
        roles=lambda wildcards: PLAN.roles_files(PLAN.source_datasets(wildcards.table)),
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
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
        settings=lambda wildcards: PLAN.settings(
            PLAN.published[wildcards.table].about["paper"]
        ).get("simulation"),
        missing=lambda wildcards: [
            name
            for name in PLAN.missing
            if name in PLAN.source_datasets(wildcards.table)
        ],
    message:
        "Comparing {wildcards.table} with the published one"
    script:
        "../scripts/table.py"
