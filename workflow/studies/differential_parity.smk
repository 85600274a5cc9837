# Compare the decisions of several people on random splits, also by models as bridges between them.
# Needs: the prepared data set, and its vectors or, for a model that trains on images, their archive and the
# encoder's weights. Makes: results/bridges/<study>/<chunk>.parquet.


rule bridge_study:
    input:
        unpack(study_inputs),
        package=package("differential_parity/bridge_study"),
    output:
        results="results/bridges/{study}/{chunk}.parquet",
    log:
        "logs/bridge_study/{study}/{chunk}.log",
    benchmark:
        "logs/bridge_study/{study}/{chunk}.tsv"
    # the longest job: begun early, so that no core waits for it at the end
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        settings=lambda wildcards: {
            key: value
            for key, value in BRIDGES[wildcards.study].items()
            if key not in ("title", "repeats", "chunk_size")
        },
        entry=lambda wildcards: card_of(BRIDGES[wildcards.study]["dataset"])
        .get("archives", {})
        .get("images", {})
        .get("entry", ""),
        files=lambda wildcards: [
            *card_of(BRIDGES[wildcards.study]["dataset"])["files"],
            *CONFIG["encoders"]
            .get(BRIDGES[wildcards.study].get("encoder"), {})
            .get("files", []),
        ],
        repeats=lambda wildcards: chunk_repeats(wildcards.chunk),
        seed=CONFIG["seed"],
    message:
        "Comparing people in {wildcards.study}, repeats {wildcards.chunk}"
    script:
        "../scripts/differential_parity/bridge_study.py"


# Compare everyone who decided with everyone else.
# Needs: the prepared data set. Makes: results/raters/<dataset>.pairs.parquet and .people.parquet.


rule raters:
    input:
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("differential_parity/raters"),
    output:
        pairs="results/raters/{dataset}.pairs.parquet",
        people="results/raters/{dataset}.people.parquet",
    log:
        "logs/raters/{dataset}.log",
    benchmark:
        "logs/raters/{dataset}.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Comparing the people of {wildcards.dataset}"
    script:
        "../scripts/differential_parity/raters.py"


rule figure_bridges:
    input:
        results=lambda wildcards: study_results(wildcards.study),
        printed=beside("config/published/differential_parity_table_3.yaml"),
        package=package("differential_parity/figure_bridges"),
    output:
        figures=multiext("results/figures/bridges/{study}", ".svg", ".png"),
    log:
        "logs/figure_bridges/{study}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Drawing the bridges of {wildcards.study}"
    script:
        "../scripts/differential_parity/figure_bridges.py"


rule figure_raters:
    input:
        pairs="results/raters/{dataset}.pairs.parquet",
        people="results/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("differential_parity/figure_raters"),
    output:
        figures=multiext("results/figures/raters/{dataset}", ".svg", ".png"),
    log:
        "logs/figure_raters/{dataset}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing the people of {wildcards.dataset}"
    script:
        "../scripts/differential_parity/figure_raters.py"


rule figure_differential_parity:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        package=package("differential_parity/figure_differential_parity"),
    output:
        figures=multiext(
            "results/figures/differential_parity/{experiment}", ".svg", ".png"
        ),
    log:
        "logs/figure_differential_parity/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Drawing predictions against labels of {wildcards.experiment}"
    script:
        "../scripts/differential_parity/figure_differential_parity.py"


# Show a study of bridges in the layout of the paper's table, and how many conclusions agree.
# Needs: all chunks of the study, the published table and text. Makes: results/tables/bridges/<study>.csv, .md
# and .tex, and the same of <study>_conclusions.
rule table_bridges:
    input:
        results=lambda wildcards: study_results(wildcards.study),
        printed=beside("config/published/differential_parity_table_3.yaml"),
        text=beside("config/published/differential_parity_section_4.yaml"),
        roles=lambda wildcards: roles_files([BRIDGES[wildcards.study]["dataset"]]),
        package=package("differential_parity/table_bridges"),
    output:
        cells=multiext("results/tables/bridges/{study}", ".csv", ".md", ".tex"),
        conclusions=multiext(
            "results/tables/bridges/{study}_conclusions", ".csv", ".md", ".tex"
        ),
        provenance=sidecars(
            "results/tables/bridges/{study}",
            "results/tables/bridges/{study}_conclusions",
        ),
    log:
        "logs/table_bridges/{study}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        title=lambda wildcards: BRIDGES[wildcards.study]["title"],
        schema=beside("workflow/schemas/published.schema.yaml"),
    message:
        "Showing the bridges of {wildcards.study}"
    script:
        "../scripts/differential_parity/table_bridges.py"


# Show everyone who decided beside all others.
# Needs: the comparison of all people. Makes: results/tables/raters/<dataset>.csv, .md and .tex, and .pairs.csv.
rule table_raters:
    input:
        pairs="results/raters/{dataset}.pairs.parquet",
        people="results/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("differential_parity/table_raters"),
    output:
        tables=multiext("results/tables/raters/{dataset}", ".csv", ".md", ".tex"),
        pairs="results/tables/raters/{dataset}.pairs.csv",
        provenance=sidecars(
            "results/tables/raters/{dataset}", "results/tables/raters/{dataset}.pairs"
        ),
    log:
        "logs/table_raters/{dataset}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    message:
        "Showing the people of {wildcards.dataset}"
    script:
        "../scripts/differential_parity/table_raters.py"


# Show predictions against labels as two sets of decisions, next to separation.
# Needs: the summary of the experiment. Makes: results/tables/differential_parity/<experiment>.csv, .md and .tex.
rule table_differential_parity:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        roles=roles_of,
        package=package("differential_parity/table_differential_parity"),
    output:
        tables=multiext(
            "results/tables/differential_parity/{experiment}", ".csv", ".md", ".tex"
        ),
        provenance=sidecars("results/tables/differential_parity/{experiment}"),
    log:
        "logs/table_differential_parity/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        title=lambda wildcards: EXPERIMENTS[wildcards.experiment]["title"],
    message:
        "Comparing predictions and labels of {wildcards.experiment}"
    script:
        "../scripts/differential_parity/table_differential_parity.py"
