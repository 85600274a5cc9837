# Compare the treatments of an experiment with its baseline, by the corrected resampled t.
# Needs: the measures of all repeats. Makes: results/treatments/<experiment>.csv, .md and .tex, and
# results/figures/treatments/<experiment>.svg, .trade_off.svg and .ranks.svg, also as .png.


use rule study_table as compare_treatments with:
    input:
        measures="results/measures/{experiment}.parquet",
        roles=roles_of,
    output:
        tables=[
            *shown_first(
                "results/treatments/{experiment}",
                TABLE,
                "treatments",
                OF_EXPERIMENTS,
                "{experiment}, treatments",
            ),
            *multiext("results/treatments/{experiment}.over_datasets", *TABLE),
        ],
        provenance=sidecars(
            "results/treatments/{experiment}",
            "results/treatments/{experiment}.over_datasets",
        ),
    log:
        "logs/compare_treatments/{experiment}.log",
    localrule: True
    params:
        **table_step("display.treatments.write_treatments"),
        compare=of_experiment("compare"),
        title=of_experiment("title"),
        titles=titles_of,
        searches=lambda wildcards: criteria(experiment_of(wildcards).arms.values()),
    message:
        "Comparing the treatments of {wildcards.experiment}"


rule figure_treatments:
    input:
        measures="results/measures/{experiment}.parquet",
        comparison="results/treatments/{experiment}.csv",
    output:
        figures=multiext(
            "results/figures/treatments/{experiment}",
            *(
                f"{kind}.{ending}"
                for kind in ("", ".trade_off", ".ranks")
                for ending in ("svg", "png")
            ),
        ),
    log:
        "logs/figure_treatments/{experiment}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=digest("figure_treatments"),
        titles=titles_of,
        alpha=lambda wildcards: experiment_of(wildcards).compare["alpha"],
    message:
        "Drawing what the treatments of {wildcards.experiment} did"
    script:
        "../scripts/figure_treatments.py"
