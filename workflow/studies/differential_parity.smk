# Compare the decisions of several people on random splits, also by models as bridges between them.
# Needs: the prepared data set, and its vectors or, for a model that trains on images, their archive and the
# encoder's weights. Makes: results/differential_parity/bridges/<bridge>/<chunk>.parquet.

from fairpairs.papers.studies.differential_parity.study import (
    bridge_archive_entry,
    bridge_files,
    bridge_inputs,
    bridge_raw_files,
    bridge_studies,
    with_effect,
)

BRIDGES = bridge_studies(PLAN)


wildcard_constraints:
    bridge="|".join(PLAN.settings("differential_parity").get("bridges", {}))
    or "no study",


rule bridge_study:
    input:
        unpack(lambda wildcards: bridge_inputs(PLAN, BRIDGES[wildcards.bridge])),
    output:
        results="results/differential_parity/bridges/{bridge}/{chunk}.parquet",
    log:
        "logs/bridge_study/{bridge}/{chunk}.log",
    # the longest job: begun early, so that no core waits for it at the end
    priority: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        code=digest("differential_parity/bridge_study"),
        settings=lambda wildcards: with_effect(BRIDGES[wildcards.bridge]),
        entry=lambda wildcards: bridge_archive_entry(PLAN, BRIDGES[wildcards.bridge]),
        files=lambda wildcards: bridge_raw_files(PLAN, BRIDGES[wildcards.bridge]),
        repeats=repeats_of,
        seed=CONFIG["seed"],
    message:
        "Comparing people in {wildcards.bridge}, repeats {wildcards.chunk}"
    script:
        "../scripts/differential_parity/bridge_study.py"


# Compare everyone who decided with everyone else.
# Needs: the prepared data set. Makes: results/differential_parity/raters/<dataset>.pairs.parquet and .people.parquet.


use rule study_step as raters with:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
    output:
        pairs="results/differential_parity/raters/{dataset}.pairs.parquet",
        people="results/differential_parity/raters/{dataset}.people.parquet",
    log:
        "logs/raters/{dataset}.log",
    localrule: True
    params:
        **step("studies.differential_parity.raters.compare_raters"),
    message:
        "Comparing the people of {wildcards.dataset}"


use rule study_step as figure_bridges with:
    input:
        results=lambda wildcards: bridge_files(
            wildcards.bridge, BRIDGES[wildcards.bridge]
        ),
        printed=PLAN.published_files(["differential_parity/table_3"]),
    output:
        figures=of_study(
            "results/figures/differential_parity/bridges/{bridge}", *FIGURE
        ),
    log:
        "logs/figure_bridges/{bridge}.log",
    localrule: True
    params:
        **step("studies.differential_parity.figures.bridges_of_study"),
    message:
        "Drawing the bridges of {wildcards.bridge}"


use rule study_step as figure_raters with:
    input:
        pairs="results/differential_parity/raters/{dataset}.pairs.parquet",
        people="results/differential_parity/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
    output:
        figures=of_study(
            "results/figures/differential_parity/raters/{dataset}", *FIGURE
        ),
    log:
        "logs/figure_raters/{dataset}.log",
    localrule: True
    params:
        **step("studies.differential_parity.figures.raters"),
    message:
        "Drawing the people of {wildcards.dataset}"


use rule study_step as figure_differential_parity with:
    input:
        summary=summary_of,
    output:
        figures=of_study(
            "results/figures/differential_parity/predictions/{experiment}",
            *FIGURE,
        ),
    log:
        "logs/figure_differential_parity/{experiment}.log",
    localrule: True
    params:
        **step("studies.differential_parity.figures.predictions_and_labels"),
    message:
        "Drawing predictions against labels of {wildcards.experiment}"


# Show a study of bridges in the layout of the paper's table, and how many conclusions agree.
# Needs: all chunks of the study, the published table and text.
# Makes: results/tables/differential_parity/bridges/<bridge>.csv, .md and .tex, and the same of <bridge>_conclusions.
use rule study_table as table_bridges with:
    input:
        results=lambda wildcards: bridge_files(
            wildcards.bridge, BRIDGES[wildcards.bridge]
        ),
        printed=PLAN.published_files(["differential_parity/table_3"]),
        text=PLAN.published_files(["differential_parity/section_4"]),
        roles=lambda wildcards: PLAN.roles_files([BRIDGES[wildcards.bridge]["dataset"]]),
    output:
        **tables_of(
            "differential_parity",
            cells="bridges/{bridge}",
            conclusions="bridges/{bridge}_conclusions",
        ),
    log:
        "logs/table_bridges/{bridge}.log",
    localrule: True
    params:
        **table_step("studies.differential_parity.bridge_tables.bridge_tables"),
        title=lambda wildcards: BRIDGES[wildcards.bridge]["title"],
    message:
        "Showing the bridges of {wildcards.bridge}"


# Show everyone who decided beside all others.
# Needs: the comparison of all people. Makes: results/tables/differential_parity/raters/<dataset>.csv, .md and .tex, and .pairs.csv.
use rule study_table as table_raters with:
    input:
        pairs="results/differential_parity/raters/{dataset}.pairs.parquet",
        people="results/differential_parity/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
    output:
        **tables_of(
            "differential_parity",
            csv={"pairs": "raters/{dataset}.pairs"},
            people="raters/{dataset}",
        ),
    log:
        "logs/table_raters/{dataset}.log",
    localrule: True
    params:
        **table_step("studies.differential_parity.raters.rater_tables"),
        title=lambda wildcards: PLAN.data.titles([wildcards.dataset])[wildcards.dataset],
    message:
        "Showing the people of {wildcards.dataset}"


# Show predictions against labels as two sets of decisions, next to separation.
# Needs: the summary of the experiment. Makes: results/tables/differential_parity/predictions/<experiment>.csv, .md and .tex.
use rule study_table as table_differential_parity with:
    input:
        summary=summary_of,
        roles=roles_of,
    output:
        **tables_of("differential_parity", predictions="predictions/{experiment}"),
    log:
        "logs/table_differential_parity/{experiment}.log",
    localrule: True
    params:
        **table_step("studies.differential_parity.predictions_and_labels.parity_rows"),
        title=of_experiment("title"),
    message:
        "Comparing predictions and labels of {wildcards.experiment}"
