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
        missing=lambda wildcards: [
            name
            for name in MISSING
            if name in datasets_of(PUBLISHED[wildcards.table].about["from"])
        ],
    message:
        "Comparing {wildcards.table} with the published one"
    script:
        "../scripts/table.py"


# Show how the scores of an experiment rank within and across groups.
# Needs: the summary of the experiment and the roles of its data sets.
# Makes: results/tables/ranking/<experiment>.csv, .md and .tex.
rule table_ranking:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        roles=roles_of,
        package=package("table_ranking"),
    output:
        tables=multiext("results/tables/ranking/{experiment}", ".csv", ".md", ".tex"),
    log:
        "logs/table_ranking/{experiment}.log",
    conda:
        "../../environment.yml"
    params:
        title=lambda wildcards: EXPERIMENTS[wildcards.experiment]["title"],
    message:
        "Showing the ranking of {wildcards.experiment}"
    script:
        "../scripts/table_ranking.py"
