# Gather the comparisons of all tables, and measure what their verdicts are worth.
# Needs: results/comparisons/, the published tables and the planted bugs of the studies. Makes, as .csv, .md and .tex:
# results/comparison (cells of tables), results/comparison_of_text (numbers that a paper's text gives),
# results/comparison_power (what "agrees" is worth, per table) and results/planted_bugs (which tables notice which bug).


rule compare:
    input:
        comparisons=expand("results/comparisons/{table}.parquet", table=PLAN.tables),
        published=PLAN.published_files(PLAN.tables),
        bugs=list(PLAN.bug_files.values()),
        roles=PLAN.roles_files(
            {name for table in PLAN.tables for name in PLAN.source_datasets(table)}
        ),
        package=package("compare"),
    output:
        tables=[
            shown(
                "results/comparison.csv",
                "comparison",
                AT_A_GLANCE,
                "All cells of published tables",
            ),
            *multiext("results/comparison", ".md", ".tex"),
        ],
        text=[
            shown(
                "results/comparison_of_text.csv",
                "comparison",
                AT_A_GLANCE,
                "All numbers of published texts",
            ),
            *multiext("results/comparison_of_text", ".md", ".tex"),
        ],
        power=[
            shown(
                "results/comparison_power.csv",
                "power",
                AT_A_GLANCE,
                'What "agrees" is worth',
            ),
            *multiext("results/comparison_power", ".md", ".tex"),
        ],
        planted=[
            shown(
                "results/planted_bugs.csv",
                "planted_bugs",
                AT_A_GLANCE,
                "Planted bugs",
            ),
            *multiext("results/planted_bugs", ".md", ".tex"),
        ],
        provenance=sidecars(
            "results/comparison",
            "results/comparison_of_text",
            "results/comparison_power",
            "results/planted_bugs",
        ),
    log:
        "logs/compare.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
        bugs_schema=beside("workflow/schemas/planted_bugs.schema.yaml"),
        bugs=PLAN.bug_files,
        seed=CONFIG["seed"],
    message:
        "Gathering the comparisons"
    script:
        "../scripts/compare.py"
