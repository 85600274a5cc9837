# Put each number of a published table beside ours, with a verdict.
# Needs: config/published/<study>/<table>.yaml and what its `from` names, including other published tables.
# Makes: results/tables/<study>/<table>.csv, .md and .tex, results/comparisons/<study>/<table>.parquet.


rule table:
    input:
        unpack(sources_of),
        published=published_of,
        printed=printed_of,
        roles=roles_of_table,
        extension=lambda wildcards: PLAN.study_extension_files(wildcards.study),
    output:
        tables=shown_first(
            "results/tables/{study}/{table}",
            TABLE,
            "table",
            PAPERS,
            title_of_table,
            title_of_study,
        ),
        provenance=sidecars("results/tables/{study}/{table}"),
        comparison="results/comparisons/{study}/{table}.parquet",
    log:
        "logs/table/{study}/{table}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=lambda wildcards: digest("table", studies=[wildcards.study]),
        schema=beside("workflow/schemas/published.schema.yaml"),
        settings=lambda wildcards: (
            PLAN.settings(wildcards.study)
            if PLAN.published[published_name(wildcards)].source.settings
            else None
        ),
        compared_by=lambda wildcards: {
            name: PLAN.experiments[name].compare
            for name in PLAN.published[published_name(wildcards)].source.experiments
            if name in PLAN.experiments and PLAN.experiments[name].compare
        },
        study=lambda wildcards: PLAN.folders[wildcards.study],
        missing=lambda wildcards: [
            name
            for name in PLAN.missing
            if name in PLAN.source_datasets(published_name(wildcards))
        ],
    message:
        "Comparing {wildcards.table} of {wildcards.study} with the published one"
    script:
        "../scripts/table.py"
