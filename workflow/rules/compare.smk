# Gather the comparisons of all tables.
# Needs: results/comparisons/. Makes: results/comparison.csv, .md and .tex (cells of tables), and
# results/comparison_of_text.csv, .md and .tex (numbers that a paper's text gives).


rule compare:
    input:
        comparisons=expand("results/comparisons/{table}.parquet", table=TABLES),
        roles=roles_files(
            {
                name
                for table in TABLES
                for name in datasets_of(PUBLISHED[table].about["from"])
            }
        ),
        package=package("compare"),
    output:
        tables=[
            report(
                "results/comparison.csv",
                caption="../report/comparison.rst",
                category="Papers",
            ),
            *multiext("results/comparison", ".md", ".tex"),
        ],
        text=multiext("results/comparison_of_text", ".csv", ".md", ".tex"),
        provenance=sidecars("results/comparison", "results/comparison_of_text"),
    log:
        "logs/compare.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Gathering the comparisons"
    script:
        "../scripts/compare.py"
