# Write the report: one HTML file that opens offline.
# Needs: everything above. Makes: results/report.html.


rule report:
    input:
        tables=PLAN.all_tables,
        comparisons=expand("results/comparisons/{table}.parquet", table=PLAN.tables),
        summaries=summary_files(EXPERIMENTS),
        results=PLAN.result_files,
        roles=PLAN.roles_files(PLAN.datasets),
        figures=PLAN.all_figures,
        provenance=PLAN.all_sidecars,
        published=PLAN.published_files(PLAN.tables),
        package=package("report"),
        template=beside("src/fairpairs/report/templates/report.html.j2"),
    output:
        report=report(
            "results/report.html", caption="../report/page.rst", category="Report"
        ),
    log:
        "logs/report.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        config=CONFIG,
        experiments={name: dataclasses.asdict(e) for name, e in EXPERIMENTS.items()},
        datasets=PLAN.datasets,
        missing={
            name: {"title": PLAN.data.card(name)["title"], "reason": reason}
            for name, reason in PLAN.missing.items()
        },
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Writing the report"
    script:
        "../scripts/report.py"
