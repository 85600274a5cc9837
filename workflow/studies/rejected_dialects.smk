# Measure reward models in two dialects: what the paper prints, and comparative separation.
# Needs: the raw scores. Makes: results/rejected_dialects/effects.parquet and gaps.parquet.

from fairpairs.papers.studies.rejected_dialects import study as rejected_dialects_study


use rule study_step as measure_dialects with:
    input:
        scores=rejected_dialects_study.raw_files(PLAN),
    output:
        effects="results/rejected_dialects/effects.parquet",
        gaps="results/rejected_dialects/gaps.parquet",
    log:
        "logs/measure_dialects.log",
    localrule: True
    params:
        **step("studies.rejected_dialects.measures.measure_dialects"),
        models=PLAN.settings("rejected_dialects").get("models", []),
        alpha=CONFIG["alpha"],
    message:
        "Measuring reward models in two dialects"


use rule study_step as figure_dialects with:
    input:
        gaps="results/rejected_dialects/gaps.parquet",
    output:
        figures=of_study("results/figures/rejected_dialects/gaps", *FIGURE),
    log:
        "logs/figure_dialects.log",
    localrule: True
    params:
        **step("studies.rejected_dialects.figures.forest"),
    message:
        "Drawing the gaps of reward models"


# Show the gaps of all models, and whether the printed asterisks are ours too.
# Needs: effects and gaps, and the published tables. Makes: results/tables/rejected_dialects/gaps and asterisks, .csv, .md and .tex.
use rule study_table as table_dialects with:
    input:
        published=PLAN.published_files(
            f"rejected_dialects/table_{number}" for number in (1, 2, 3)
        ),
        effects="results/rejected_dialects/effects.parquet",
        gaps="results/rejected_dialects/gaps.parquet",
        roles=PLAN.roles_files([PLAN.settings("rejected_dialects").get("dataset")]),
    output:
        **tables_of("rejected_dialects", gaps="gaps", asterisks="asterisks"),
    log:
        "logs/table_dialects.log",
    localrule: True
    params:
        **table_step("studies.rejected_dialects.cells.dialect_tables"),
    message:
        "Showing reward models in two dialects"
