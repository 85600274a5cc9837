"""The study of the paper on xAUC: how the scores of experiments rank within and across groups."""

from collections.abc import Iterable, Mapping

from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, Study
from fairpairs.papers.published.keys import Vocabulary
from fairpairs.papers.published.source import Result

#: Tests whose results are shown as a ranking.
TESTS = {"ranking", "xauc"}
#: Kind of figure of an experiment with `curves` → its name in a report.
FIGURES = {
    "xroc": "ROC curves within groups and xROC curves across them",
    "balanced_xroc": "Balanced xROC curves: one group against everyone",
    "score_densities": "Densities of the scores by group and label (first repeat)",
    "conditional_xauc": "Conditional xAUC of the negative items; dotted: its mean, the xAUC",
    "calibration": "Calibration by group, in bins that half of the repeats have",
}
#: Tables of an experiment with `folds`.
HELD_OUT = ("held_out", "calibration")
#: Keys of published cells other than data sets, attributes and experiments.
VOCABULARY: Vocabulary = {
    "group": (0, 1),
    "measure": ("AUC", "Brier", "xAUC", "xAUC_1", "xAUC_0", "ΔxAUC", "misranked"),
    "count": ("rows", "features"),
    "basis": ("printed", "run"),
}


def ranked(run: Run) -> list[Experiment]:
    """Return the experiments whose ranking is shown."""
    return [e for e in run.experiments.values() if set(e.tests) >= TESTS]


def curve_files(experiment: str, datasets: Iterable[str]) -> tuple[str, ...]:
    """Name the curves of an experiment for data sets."""
    return tuple(f"results/xauc/curves/{experiment}/{name}.parquet" for name in datasets)


def results(run: Run) -> Mapping[str, Result]:
    """Name the curves of each experiment that has them."""
    return {
        f"curves/{name}": Result(
            curve_files(name, run.experiments[name].datasets if name in run.experiments else ()),
            tuple(settings["datasets"]),
        )
        for name, settings in run.config["experiments"].items()
        if settings.get("curves")
    }


def outputs(run: Run) -> Outputs:
    """Name a table and figures for each of these experiments, and tables of held-out items."""
    names = [experiment.name for experiment in ranked(run)]
    curved = [e.name for e in run.experiments.values() if e.curves]
    folded = [e.name for e in run.experiments.values() if e.folds]
    held_out = [f"{kind}/{name}" for name in folded for kind in HELD_OUT]
    return Outputs(
        tables=(*names, *held_out),
        csv=("normal_scores",) if held_out else (),
        figures=(*names, *(f"{kind}/{name}" for kind in FIGURES for name in curved)),
    )


STUDY = Study(
    title="xAUC",
    citation="Kallus and Zhou: The Fairness of Risk Scores Beyond Classification: Bipartite "
    "Ranking and the xAUC Metric (arXiv 1902.05826)",
    words={
        "AUC": "How often a random item with label 1 is ranked above a random one with label 0.",
        "xAUC(a, b), ΔxAUC": (
            "The same where the item with label 1 is of group a, and the one with label 0 of "
            "group b; ΔxAUC is xAUC(0, 1) − xAUC(1, 0)."
        ),
        "xAUC_1, xAUC_0": (
            "The items with label 1, or with label 0, of one group against all others."
        ),
        "Label 1": (
            "The good outcome: on COMPAS, not to reoffend; on German credit, good credit; on "
            "Adult, a high income. On Framingham it is heart disease."
        ),
    },
    position=1,
    results=results,
    outputs=outputs,
    vocabulary=VOCABULARY,
)
