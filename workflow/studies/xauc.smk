# Gather what the figures of a ranking show: ROC and xROC curves, densities, calibration.
# Needs: the predictions of the first treatment and the prepared data set.
# Makes: results/xauc/curves/<experiment>/<dataset>.parquet.

from fairpairs.papers.studies.xauc.study import FIGURES, curve_files


use rule study_step as curves with:
    input:
        predictions=lambda wildcards: PLAN.prediction_files(
            wildcards.experiment,
            [wildcards.dataset],
            experiment_of(wildcards).treatments[:1],
        ),
        table="data/prepared/{dataset}.parquet",
        roles="data/prepared/{dataset}.json",
        package=package("study_step", module="xauc.curves"),
    output:
        curves="results/xauc/curves/{experiment}/{dataset}.parquet",
    log:
        "logs/curves/{experiment}/{dataset}.log",
    localrule: FEW_REPEATS
    resources:
        mem_mb=growing(1000, each=1.5),
        runtime=growing(10, each=0.005),
    params:
        function="xauc.curves.ranking_curves",
        treatment=lambda wildcards: experiment_of(wildcards).treatments[0],
    message:
        "Gathering the curves of {wildcards.dataset}, {wildcards.experiment}"


use rule study_step as figure_ranking with:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        roles=roles_of,
        package=package("study_step", module="xauc.figures"),
    output:
        figures=of_study("results/figures/xauc/{experiment}", ".svg", ".png"),
    log:
        "logs/figure_ranking/{experiment}.log",
    localrule: True
    params:
        function="xauc.figures.ranking",
    message:
        "Drawing the ranking of {wildcards.experiment}"


use rule study_step as figure_curves with:
    input:
        shown=lambda wildcards: curve_files(
            wildcards.experiment, experiment_of(wildcards).datasets
        ),
        roles=roles_of,
        package=package("study_step", module="xauc.figures"),
    output:
        figures=[
            figure
            for kind in FIGURES
            for figure in of_study(
                f"results/figures/xauc/{kind}/{{experiment}}", ".svg", ".png"
            )
        ],
    log:
        "logs/figure_curves/{experiment}.log",
    localrule: True
    params:
        function="xauc.figures.all_curves",
    message:
        "Drawing the curves of {wildcards.experiment}"


# Show how the scores of an experiment rank within and across groups.
# Needs: the summary of the experiment and the roles of its data sets.
# Makes: results/tables/xauc/<experiment>.csv, .md and .tex.
use rule study_table as table_ranking with:
    input:
        summary=lambda wildcards: summary_files([wildcards.experiment]),
        roles=roles_of,
        package=package("study_table", module="xauc.tables"),
    output:
        **tables_of("xauc", ranking="{experiment}"),
    log:
        "logs/table_ranking/{experiment}.log",
    localrule: True
    params:
        function="xauc.tables.ranking_table",
        title=lambda wildcards: experiment_of(wildcards).title,
        words=lambda wildcards: PLAN.data.words(experiment_of(wildcards).datasets),
    message:
        "Showing the ranking of {wildcards.experiment}"


# Score all items of each data set, each by a model of the other folds, and test their ranking.
# Needs: the prepared data sets, and the files of the treatment and the model.
# Makes: results/tables/xauc/held_out/<experiment> and calibration/<experiment>, .csv, .md and .tex.
use rule study_table as held_out with:
    input:
        table=lambda wildcards: expand(
            "data/prepared/{dataset}.parquet",
            dataset=experiment_of(wildcards).datasets,
        ),
        roles=roles_of,
        package=lambda wildcards: package(
            "study_table", *arm_of(wildcards).parts, module="xauc.held_out"
        ),
        extensions=lambda wildcards: PLAN.extension_files(*arm_of(wildcards).parts),
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
        function="xauc.held_out.held_out_tables",
        model=lambda wildcards: arm_of(wildcards).spec,
        treatment=lambda wildcards: arm_of(wildcards).steps,
        folds=lambda wildcards: experiment_of(wildcards).folds,
        title=lambda wildcards: experiment_of(wildcards).title,
        seed=CONFIG["seed"],
    message:
        "Testing the ranking of all held-out items, {wildcards.experiment}"


# Compute ΔxAUC of normal scores with equal means, by the closed form of the paper.
# Makes: results/tables/xauc/normal_scores.csv.
use rule study_table as table_normal_scores with:
    input:
        package=package("study_table", module="xauc.tables"),
    output:
        **tables_of("xauc", csv={"tables": "normal_scores"}),
    log:
        "logs/table_normal_scores.log",
    localrule: True
    params:
        function="xauc.tables.normal_score_disparities",
    message:
        "Computing xAUC of normal scores"
