"""The study of the paper on xAUC: how the scores of experiments rank within and across groups."""

from collections.abc import Iterable, Mapping

from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, described
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
    names = [e.name for e in run.experiments.values() if set(e.tests) >= TESTS]
    curved = [e.name for e in run.experiments.values() if e.curves]
    folded = [e.name for e in run.experiments.values() if e.folds]
    held_out = [f"{kind}/{name}" for name in folded for kind in HELD_OUT]
    return Outputs(
        tables=(*names, *held_out),
        csv=("normal_scores",) if held_out else (),
        figures=(*names, *(f"{kind}/{name}" for kind in FIGURES for name in curved)),
    )


STUDY = described(__file__, results=results, outputs=outputs)
