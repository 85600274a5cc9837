# Measure reward models in two dialects: what the paper prints, and comparative separation.
# Needs: the raw scores. Makes: results/rejected_dialects/effects.parquet and gaps.parquet.

from fairpairs.papers.studies.rejected_dialects import study as rejected_dialects_study


rule measure_dialects:
    input:
        scores=rejected_dialects_study.raw_files(PLAN),
        package=package("rejected_dialects/measure_dialects"),
    output:
        effects="results/rejected_dialects/effects.parquet",
        gaps="results/rejected_dialects/gaps.parquet",
    log:
        "logs/measure_dialects.log",
    benchmark:
        "logs/measure_dialects.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        models=PLAN.settings("rejected_dialects").get("models", []),
        files_each=len(rejected_dialects_study.CONDITIONS),
        alpha=CONFIG["alpha"],
    message:
        "Measuring reward models in two dialects"
    script:
        "../scripts/rejected_dialects/measure_dialects.py"


rule figure_dialects:
    input:
        gaps="results/rejected_dialects/gaps.parquet",
        package=package("rejected_dialects/figure_dialects"),
    output:
        figures=of_study("results/figures/rejected_dialects/gaps", ".svg", ".png"),
    log:
        "logs/figure_dialects.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Drawing the gaps of reward models"
    script:
        "../scripts/rejected_dialects/figure_dialects.py"


# Show the gaps of all models, and whether the printed asterisks are ours too.
# Needs: effects and gaps, and the published tables. Makes: results/tables/rejected_dialects/gaps and asterisks, .csv, .md and .tex.
rule table_dialects:
    input:
        published=PLAN.published_files(
            f"rejected_dialects/table_{number}" for number in (1, 2, 3)
        ),
        effects="results/rejected_dialects/effects.parquet",
        gaps="results/rejected_dialects/gaps.parquet",
        roles=PLAN.roles_files([PLAN.settings("rejected_dialects").get("dataset")]),
        package=package("rejected_dialects/table_dialects"),
    output:
        gaps=of_study("results/tables/rejected_dialects/gaps", ".csv", ".md", ".tex"),
        asterisks=of_study(
            "results/tables/rejected_dialects/asterisks", ".csv", ".md", ".tex"
        ),
        provenance=sidecars(
            "results/tables/rejected_dialects/gaps",
            "results/tables/rejected_dialects/asterisks",
        ),
    log:
        "logs/table_dialects.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Showing reward models in two dialects"
    script:
        "../scripts/rejected_dialects/table_dialects.py"
