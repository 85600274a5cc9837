# Write the report: one HTML file that opens offline.
# Needs: everything above. Makes: results/report.html.


rule report:
    input:
        comparison="results/comparison.csv",
        text="results/comparison_of_text.csv",
        comparisons=expand("results/comparisons/{table}.parquet", table=TABLES),
        tables=table_files(TABLES),
        summaries=expand(
            "results/summaries/{experiment}.parquet", experiment=EXPERIMENTS
        ),
        experiments=table_files(EXPERIMENTS),
        roles=expand("data/prepared/{dataset}.json", dataset=PREPARED),
        figures=figure_files([*TABLES, *EXPERIMENTS]),
        comparison_figure=["results/figures/comparison.svg"] if TABLES else [],
        calibration=CALIBRATION_FILES,
        ranking=RANKING_FILES,
        decisions=DECISION_FILES,
        density_ratios=DENSITY_RATIO_FILES,
        provenance=ALL_SIDECARS,
        published=[beside(f"config/published/{table}.yaml") for table in TABLES],
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
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        config=CONFIG,
        experiments=EXPERIMENTS,
        bridges=BRIDGES,
        raters=RATED,
        measured=MEASURED,
        missing={
            name: {"title": CARDS[name]["title"], "reason": reason}
            for name, reason in MISSING.items()
        },
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Writing the report"
    script:
        "../scripts/report.py"
