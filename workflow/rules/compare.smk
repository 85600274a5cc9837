# Gather the comparisons of all tables. Needs: results/comparisons/. Makes, as .csv, .md and .tex:
# results/comparison (cells of tables), results/comparison_of_text (numbers that a paper's text gives).


rule compare:
    input:
        comparisons=expand("results/comparisons/{table}.parquet", table=PLAN.tables),
        roles=PLAN.roles_files(
            {name for table in PLAN.tables for name in PLAN.source_datasets(table)}
        ),
    output:
        tables=shown_first(
            "results/comparison",
            TABLE,
            "comparison",
            AT_A_GLANCE,
            "All cells of published tables",
        ),
        text=shown_first(
            "results/comparison_of_text",
            TABLE,
            "comparison",
            AT_A_GLANCE,
            "All numbers of published texts",
        ),
        provenance=sidecars("results/comparison", "results/comparison_of_text"),
    log:
        "logs/compare.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=digest("compare"),
    message:
        "Gathering the comparisons"
    script:
        "../scripts/compare.py"
