# Gather what the figures of a ranking show: ROC and xROC curves, densities, calibration.
# Needs: the predictions of the first treatment and the prepared data set.
# Makes: results/xauc/curves/<experiment>/<dataset>.parquet.

from fairpairs.papers.studies.xauc.study import FIGURES, curve_files


use rule study_step as curves with:
    input:
        predictions=lambda wildcards: PLAN.arm_files(
            "predictions",
            wildcards.experiment,
            [wildcards.dataset],
            experiment_of(wildcards).treatments[:1],
        ),
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
    output:
        curves="results/xauc/curves/{experiment}/{dataset}.parquet",
    log:
        "logs/curves/{experiment}/{dataset}.log",
    localrule: FEW_REPEATS
    resources:
        mem_mb=growing(1000, each=1.5),
        runtime=growing(10, each=0.005),
    params:
        **step("studies.xauc.curves.ranking_curves"),
        treatment=lambda wildcards: experiment_of(wildcards).treatments[0],
    message:
        "Gathering the curves of {wildcards.dataset}, {wildcards.experiment}"


use rule study_step as figure_ranking with:
    input:
        summary=summary_of,
        roles=roles_of,
    output:
        figures=of_study("results/figures/xauc/{experiment}", *FIGURE),
    log:
        "logs/figure_ranking/{experiment}.log",
    localrule: True
    params:
        **step("studies.xauc.figures.ranking"),
    message:
        "Drawing the ranking of {wildcards.experiment}"


use rule study_step as figure_curves with:
    input:
        shown=lambda wildcards: curve_files(
            wildcards.experiment, experiment_of(wildcards).datasets
        ),
        roles=roles_of,
    output:
        figures=[
            figure
            for kind in FIGURES
            for figure in of_study(
                f"results/figures/xauc/{kind}/{{experiment}}", *FIGURE
            )
        ],
    log:
        "logs/figure_curves/{experiment}.log",
    localrule: True
    params:
        **step("studies.xauc.figures.all_curves"),
    message:
        "Drawing the curves of {wildcards.experiment}"


# Show how the scores of an experiment rank within and across groups.
# Needs: the summary of the experiment and the roles of its data sets.
# Makes: results/tables/xauc/<experiment>.csv, .md and .tex.
use rule study_table as table_ranking with:
    input:
        summary=summary_of,
        roles=roles_of,
    output:
        **tables_of("xauc", ranking="{experiment}"),
    log:
        "logs/table_ranking/{experiment}.log",
    localrule: True
    params:
        **table_step("studies.xauc.tables.ranking_table"),
        title=of_experiment("title"),
        words=lambda wildcards: PLAN.data.words(experiment_of(wildcards).datasets),
    message:
        "Showing the ranking of {wildcards.experiment}"


# Score all items of each data set, each by a model of the other folds, and test their ranking.
# Needs: the prepared data sets, and the files of the treatment and the model.
# Makes: results/tables/xauc/held_out/<experiment> and calibration/<experiment>, .csv, .md and .tex.
use rule study_table as held_out with:
    input:
        table=prepared_of,
        roles=roles_of,
        extensions=extensions_of_arm,
    output:
        **tables_of(
            "xauc",
            held_out="held_out/{experiment}",
            calibration="calibration/{experiment}",
        ),
    log:
        "logs/held_out/{experiment}.log",
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        code=lambda wildcards: digest(
            "study_table", *arm_of(wildcards).parts, module="studies.xauc.held_out"
        ),
        function="studies.xauc.held_out.held_out_tables",
        model=of_arm("spec"),
        treatment=of_arm("steps"),
        folds=of_experiment("folds"),
        title=of_experiment("title"),
        seed=CONFIG["seed"],
    message:
        "Testing the ranking of all held-out items, {wildcards.experiment}"


# Compute ΔxAUC of normal scores with equal means, by the closed form of the paper.
# Makes: results/tables/xauc/normal_scores.csv.
use rule study_table as table_normal_scores with:
    output:
        **tables_of("xauc", csv={"tables": "normal_scores"}),
    log:
        "logs/table_normal_scores.log",
    localrule: True
    params:
        **table_step("studies.xauc.tables.normal_score_disparities"),
    message:
        "Computing xAUC of normal scores"
