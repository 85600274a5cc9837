# Write the report, and one of the first tables before all others are made: HTML files that open offline.
# Needs: everything above. Makes: results/report.html, results/first_report.html.


rule report:
    input:
        **report_inputs(PLAN),
        extension=[
            file for name in PLAN.studies for file in PLAN.study_extension_files(name)
        ],
        templates=template_files(PLAN),
    output:
        report=shown(
            "results/report.html", "page", AT_A_GLANCE, "Everything on one page"
        ),
    log:
        "logs/report.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        **report_params(PLAN, BASE),
        code=digest("report", studies=PLAN.studies, file="section"),
        schema=beside("workflow/schemas/published.schema.yaml"),
        first=False,
    message:
        "Writing the report"
    script:
        "../scripts/report.py"


# `make reproduce` makes it before all else: `first` of the config names its tables
use rule report as first_report with:
    input:
        **first_inputs(FIRST),
        templates=template_files(FIRST),
    output:
        report="results/first_report.html",
    log:
        "logs/first_report.log",
    localrule: True
    params:
        **report_params(FIRST, BASE),
        code=digest("report"),
        schema=beside("workflow/schemas/published.schema.yaml"),
        first=True,
    message:
        "Writing the report of the first tables"
