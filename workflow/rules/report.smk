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
        package=package("report", studies=PLAN.studies, file="section"),
        extension=[
            file for name in PLAN.studies for file in PLAN.study_extension_files(name)
        ],
        templates=[
            os.path.relpath(file)
            for folder in [
                BASE / "src/fairpairs/report/templates",
                *PLAN.folders.values(),
            ]
            for file in sorted(folder.iterdir())
            if file.suffix in (".j2", ".css", ".js")
        ],
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
        studies={
            name: {
                "title": study.title,
                "citation": study.citation,
                "folder": os.path.relpath(PLAN.folders[name]),
            }
            for name, study in PLAN.studies.items()
        },
        repeats={table: PLAN.repeats(table) for table in PLAN.tables},
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Writing the report"
    script:
        "../scripts/report.py"
