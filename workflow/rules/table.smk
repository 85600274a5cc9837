# Put each number of a published table beside ours, with a verdict.
# Needs: config/published/<table>.yaml and what its `from` names, other published tables among it.
# Makes: results/tables/<table>.csv, .md and .tex, results/comparisons/<table>.parquet.


rule table:
    input:
        published=beside("config/published/{table}.yaml"),
        printed=lambda wildcards: [
            beside(f"config/published/{name}.yaml")
            for name in PUBLISHED[wildcards.table].about["from"].get("published", [])
        ],
        source=table_source,
        roles=lambda wildcards: roles_files(
            datasets_of(PUBLISHED[wildcards.table].about["from"])
        ),
        package=package("table"),
    output:
        tables=[
            report(
                "results/tables/{table}.csv",
                caption="../report/table.rst",
                category="Papers",
            ),
            *multiext("results/tables/{table}", ".md", ".tex"),
        ],
        provenance=sidecars("results/tables/{table}"),
        comparison="results/comparisons/{table}.parquet",
    log:
        "logs/table/{table}.log",
    localrule: True
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        schema=beside("workflow/schemas/published.schema.yaml"),
        settings=CONFIG.get("simulation"),
        missing=lambda wildcards: [
            name
            for name in MISSING
            if name in datasets_of(PUBLISHED[wildcards.table].about["from"])
        ],
    message:
        "Comparing {wildcards.table} with the published one"
    script:
        "../scripts/table.py"


# Show how the scores of an experiment rank within and across groups.
# Needs: the summary of the experiment and the roles of its data sets.
# Makes: results/tables/ranking/<experiment>.csv, .md and .tex.
rule table_ranking:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        roles=roles_of,
        package=package("table_ranking"),
    output:
        tables=multiext("results/tables/ranking/{experiment}", ".csv", ".md", ".tex"),
        provenance=sidecars("results/tables/ranking/{experiment}"),
    log:
        "logs/table_ranking/{experiment}.log",
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
        "Showing the ranking of {wildcards.experiment}"
    script:
        "../scripts/table_ranking.py"


# Show a study of bridges in the layout of the paper's table, and how many conclusions agree.
# Needs: all chunks of the study, the published table and text. Makes: results/tables/bridges/<study>.csv, .md
# and .tex, and the same of <study>_conclusions.
rule table_bridges:
    input:
        results=lambda wildcards: study_results(wildcards.study),
        printed=beside("config/published/differential_parity_table_3.yaml"),
        text=beside("config/published/differential_parity_section_4.yaml"),
        roles=lambda wildcards: roles_files([BRIDGES[wildcards.study]["dataset"]]),
        package=package("table_bridges"),
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
        "../scripts/table_bridges.py"


# Show everyone who decided beside all others.
# Needs: the comparison of all people. Makes: results/tables/raters/<dataset>.csv, .md and .tex, and .pairs.csv.
rule table_raters:
    input:
        pairs="results/raters/{dataset}.pairs.parquet",
        people="results/raters/{dataset}.people.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("table_raters"),
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
        "../scripts/table_raters.py"


# Show predictions against labels as two sets of decisions, next to separation.
# Needs: the summary of the experiment. Makes: results/tables/differential_parity/<experiment>.csv, .md and .tex.
rule table_differential_parity:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        roles=roles_of,
        package=package("table_differential_parity"),
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
        "../scripts/table_differential_parity.py"
