# Compare the decisions of several people on random splits, also by models as bridges between them.
# Needs: the prepared data set, and its vectors or, for a model that trains on images, their archive and the
# encoder's weights. Makes: results/differential_parity/bridges/<bridge>/<chunk>.parquet.

from fairpairs.papers.studies.differential_parity.study import (
    bridge_archive_entry,
    bridge_inputs,
    bridge_raw_files,
    bridge_studies,
)

BRIDGES = bridge_studies(PLAN)


wildcard_constraints:
    bridge="|".join(PLAN.settings("differential_parity").get("bridges", {}))
    or "no study",


rule bridge_study:
    input:
        unpack(lambda wildcards: bridge_inputs(PLAN, BRIDGES[wildcards.bridge])),
        package=package("differential_parity/bridge_study"),
    output:
        results="results/differential_parity/bridges/{bridge}/{chunk}.parquet",
    log:
        "logs/bridge_study/{bridge}/{chunk}.log",
    benchmark:
        "logs/bridge_study/{bridge}/{chunk}.tsv"
    # the longest job: begun early, so that no core waits for it at the end
    priority: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        settings=lambda wildcards: BRIDGES[wildcards.bridge].settings,
        entry=lambda wildcards: bridge_archive_entry(PLAN, BRIDGES[wildcards.bridge]),
        files=lambda wildcards: bridge_raw_files(PLAN, BRIDGES[wildcards.bridge]),
        repeats=lambda wildcards: chunk_repeats(wildcards.chunk),
        seed=CONFIG["seed"],
    message:
        "Comparing people in {wildcards.bridge}, repeats {wildcards.chunk}"
    script:
        "../scripts/differential_parity/bridge_study.py"


# Compare everyone who decided with everyone else.
# Needs: the prepared data set. Makes: results/differential_parity/raters/<dataset>.pairs.parquet and .people.parquet.


rule raters:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("differential_parity/raters"),
    output:
        pairs="results/differential_parity/raters/{dataset}.pairs.parquet",
        people="results/differential_parity/raters/{dataset}.people.parquet",
    log:
        "logs/raters/{dataset}.log",
    benchmark:
        "logs/raters/{dataset}.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Comparing the people of {wildcards.dataset}"
    script:
        "../scripts/differential_parity/raters.py"


rule figure_bridges:
    input:
        results=lambda wildcards: BRIDGES[wildcards.bridge].files,
        printed=PLAN.published_files(["differential_parity/table_3"]),
        package=package("differential_parity/figure_bridges"),
    output:
        figures=of_study(
            "results/figures/differential_parity/bridges/{bridge}", ".svg", ".png"
        ),
    log:
        "logs/figure_bridges/{bridge}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Drawing the bridges of {wildcards.bridge}"
    script:
        "../scripts/differential_parity/figure_bridges.py"


rule figure_raters:
    input:
        pairs="results/differential_parity/raters/{dataset}.pairs.parquet",
        people="results/differential_parity/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("differential_parity/figure_raters"),
    output:
        figures=of_study(
            "results/figures/differential_parity/raters/{dataset}", ".svg", ".png"
        ),
    log:
        "logs/figure_raters/{dataset}.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Drawing the people of {wildcards.dataset}"
    script:
        "../scripts/differential_parity/figure_raters.py"


rule figure_differential_parity:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        package=package("differential_parity/figure_differential_parity"),
    output:
        figures=of_study(
            "results/figures/differential_parity/predictions/{experiment}",
            ".svg",
            ".png",
        ),
    log:
        "logs/figure_differential_parity/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Drawing predictions against labels of {wildcards.experiment}"
    script:
        "../scripts/differential_parity/figure_differential_parity.py"


# Show a study of bridges in the layout of the paper's table, and how many conclusions agree.
# Needs: all chunks of the study, the published table and text.
# Makes: results/tables/differential_parity/bridges/<bridge>.csv, .md and .tex, and the same of <bridge>_conclusions.
rule table_bridges:
    input:
        results=lambda wildcards: BRIDGES[wildcards.bridge].files,
        printed=PLAN.published_files(["differential_parity/table_3"]),
        text=PLAN.published_files(["differential_parity/section_4"]),
        roles=lambda wildcards: PLAN.roles_files([BRIDGES[wildcards.bridge].dataset]),
        package=package("differential_parity/table_bridges"),
    output:
        cells=of_study(
            "results/tables/differential_parity/bridges/{bridge}",
            ".csv",
            ".md",
            ".tex",
        ),
        conclusions=of_study(
            "results/tables/differential_parity/bridges/{bridge}_conclusions",
            ".csv",
            ".md",
            ".tex",
        ),
        provenance=sidecars(
            "results/tables/differential_parity/bridges/{bridge}",
            "results/tables/differential_parity/bridges/{bridge}_conclusions",
        ),
    log:
        "logs/table_bridges/{bridge}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        title=lambda wildcards: BRIDGES[wildcards.bridge].title,
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Showing the bridges of {wildcards.bridge}"
    script:
        "../scripts/differential_parity/table_bridges.py"


# Show everyone who decided beside all others.
# Needs: the comparison of all people. Makes: results/tables/differential_parity/raters/<dataset>.csv, .md and .tex, and .pairs.csv.
rule table_raters:
    input:
        pairs="results/differential_parity/raters/{dataset}.pairs.parquet",
        people="results/differential_parity/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("differential_parity/table_raters"),
    output:
        tables=of_study(
            "results/tables/differential_parity/raters/{dataset}",
            ".csv",
            ".md",
            ".tex",
        ),
        pairs=of_study(
            "results/tables/differential_parity/raters/{dataset}.pairs", ".csv"
        )[0],
        provenance=sidecars(
            "results/tables/differential_parity/raters/{dataset}",
            "results/tables/differential_parity/raters/{dataset}.pairs",
        ),
    log:
        "logs/table_raters/{dataset}.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Showing the people of {wildcards.dataset}"
    script:
        "../scripts/differential_parity/table_raters.py"


# Show predictions against labels as two sets of decisions, next to separation.
# Needs: the summary of the experiment. Makes: results/tables/differential_parity/predictions/<experiment>.csv, .md and .tex.
rule table_differential_parity:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        roles=roles_of,
        package=package("differential_parity/table_differential_parity"),
    output:
        tables=of_study(
            "results/tables/differential_parity/predictions/{experiment}",
            ".csv",
            ".md",
            ".tex",
        ),
        provenance=sidecars(
            "results/tables/differential_parity/predictions/{experiment}"
        ),
    log:
        "logs/table_differential_parity/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        title=lambda wildcards: experiment_of(wildcards).title,
    message:
        "Comparing predictions and labels of {wildcards.experiment}"
    script:
        "../scripts/differential_parity/table_differential_parity.py"
