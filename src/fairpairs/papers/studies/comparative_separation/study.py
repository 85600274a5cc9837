"""The study of the paper on comparative separation: its simulations; its tests are experiments."""

from collections.abc import Mapping

from fairpairs.papers.experiments.known_classifiers import distribution
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, Study
from fairpairs.papers.published.keys import Vocabulary
from fairpairs.papers.published.source import Result

#: Keys of published cells other than data sets, attributes, treatments and tests.
VOCABULARY: Vocabulary = {
    **dict.fromkeys(("prediction", "label", "group", "value"), (0, 1)),
    "measure": ("TPR(A=1)-TPR(A=0)", "FPR(A=1)-FPR(A=0)", "TPR(1,0)-TPR(0,1)", "TPR(1,1)-TPR(0,0)"),
    "notion": ("separation", "comparative_separation"),
    "quantity": ("mean", "variance"),
    "estimate": ("expected", "simulated"),
    "hypothesis": ("MAE", "Pearson", "Spearman", "I_sep"),
    "count": ("rows",),
    "column": ("sensitive_is_internal", "label", "title"),
    "role": ("sensitive", "label"),
    **dict.fromkeys(("classifier", "item"), str),
    **dict.fromkeys(("size", "items", "pairs"), int),
}


def results(run: Run) -> Mapping[str, Result]:
    """Name what the published tables of the simulations are reproduced from."""
    simulation = run.settings("comparative_separation").get("simulation")
    if simulation is None:
        return {}
    file = "results/comparative_separation/simulation.parquet"
    return {"simulation": Result((file,), repeats=simulation["repeats"])}


def outputs(run: Run) -> Outputs:
    """Name the tables of the simulations, and the figure of the paper that needs no data."""
    settings = run.settings("comparative_separation")
    named = {"simulation": "normality", "regression": "pairs_in_regression"}
    return Outputs(
        csv=tuple(table for part, table in named.items() if part in settings),
        figures=("figure_1",) if results(run) else (),
    )


def check(run: Run) -> None:
    """Raise for classifiers whose probabilities do not sum to 1."""
    simulation = run.settings("comparative_separation").get("simulation", {})
    for name, cells in simulation.get("classifiers", {}).items():
        distribution(cells, name=f"config: comparative_separation.simulation.classifiers.{name}")


STUDY = Study(
    title="Comparative separation",
    citation="Xi, Capak, Stockwell and Yu: Comparative Separation: Evaluating Separation on "
    "Comparative Judgment Test Data",
    words={
        "Fresh pairs": (
            "Pairs of items of which none occurs in another pair, as the paper's test assumes."
        ),
        "Pairs of one test set": (
            "Pairs drawn from the same items, as in the paper's experiments: they share items, so "
            "they are not independent."
        ),
        "Dyadic test": (
            "The test of comparative separation with a variance that takes into account that "
            "pairs share items."
        ),
        "Test of all pairs": (
            "The same for every pair of the items, instead of a sample of pairs."
        ),
        "f0 to f3": "The simulated classifiers: f0 is fair, f1 to f3 are not.",
        "I_sep": (
            "The information that a prediction has about the group beyond the label; 0 where "
            "separation holds."
        ),
    },
    position=0,
    results=results,
    outputs=outputs,
    check=check,
    vocabulary=VOCABULARY,
)
