# Put each number of a published table beside ours, with a verdict.
# Needs: config/published/<table>.yaml and what its `from` names.
# Makes: results/tables/<table>.csv, .md and .tex, results/comparisons/<table>.parquet.


rule table:
    input:
        published=beside("config/published/{table}.yaml"),
        source=table_source,
        package=package("table"),
    output:
        tables=multiext("results/tables/{table}", ".csv", ".md", ".tex"),
        comparison="results/comparisons/{table}.parquet",
    log:
        "logs/table/{table}.log",
    conda:
        "../../environment.yml"
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
        settings=CONFIG.get("simulation"),
        missing=MISSING,
    message:
        "Comparing {wildcards.table} with the published one"
    script:
        "../scripts/table.py"
