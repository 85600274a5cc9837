# Put each number of a published table beside ours, with a verdict.
# Needs: config/published/<study>/<table>.yaml and what its `from` names, including other published tables.
# Makes: results/tables/<study>/<table>.csv, .md and .tex, results/comparisons/<study>/<table>.parquet.


rule table:
    input:
        unpack(lambda wildcards: PLAN.source_files(published_name(wildcards))),
        published=lambda wildcards: PLAN.published_files([published_name(wildcards)]),
        printed=lambda wildcards: PLAN.printed_files(published_name(wildcards)),
        roles=lambda wildcards: PLAN.roles_files(
            PLAN.source_datasets(published_name(wildcards))
        ),
        package=lambda wildcards: package("table", studies=[wildcards.study]),
        extension=lambda wildcards: PLAN.study_extension_files(wildcards.study),
    output:
        tables=[
            shown(
                "results/tables/{study}/{table}.csv",
                "table",
                PAPERS,
                title_of_table,
                title_of_study,
            ),
            *multiext("results/tables/{study}/{table}", ".md", ".tex"),
        ],
        provenance=sidecars("results/tables/{study}/{table}"),
        comparison="results/comparisons/{study}/{table}.parquet",
    log:
        "logs/table/{study}/{table}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
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
