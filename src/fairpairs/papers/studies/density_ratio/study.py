"""The study of the paper on density ratios: synthetic data, and regressors on real data."""

from collections.abc import Iterable, Mapping

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.experiments.blocks import chunks
from fairpairs.papers.plan.data import Request
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, described
from fairpairs.papers.published.source import Result

NAME = "density_ratio"
FOLDER = f"results/{NAME}"


def settings(run: Run, *keys: str) -> Record:
    """Return those of the settings that the config has."""
    options = run.settings(NAME)
    return {key: options[key] for key in keys if key in options}


def measured(run: Run) -> list[str]:
    """Return the data sets whose regressors are measured, of those available."""
    return [name for name in run.settings(NAME).get("datasets", []) if name in run.datasets]


def synthetic_files(run: Run) -> list[str]:
    """Name the measures of synthetic data sets, a file for each chunk of seeds.

    Each seed with slow estimators is a chunk of its own, so that chunks take about equally long.
    """
    if not (options := run.settings(NAME)):
        return []
    slow = min(options["matching_repeats"], options["repeats"])
    parts = [*chunks(slow, 1), *chunks(options["repeats"], options["chunk_size"], since=slow)]
    return [f"{FOLDER}/synthetic/{chunk}.parquet" for chunk in parts]


def known_separation_files(run: Run) -> list[str]:
    """Name the measures of regressions of known separation, a file for each chunk of seeds."""
    if not (options := run.settings(NAME)):
        return []
    parts = chunks(options["known_separation"]["repeats"], options["chunk_size"])
    return [f"{FOLDER}/known_separation/{chunk}.parquet" for chunk in parts]


def requests(settings: Content) -> Iterable[Request]:
    """Name the data sets on which regressors are fitted."""
    yield Request(tuple(settings.get("datasets", [])))


def results(run: Run) -> Mapping[str, Result]:
    """Name what the published tables are reproduced from."""
    if not (options := run.settings(NAME)):
        return {}
    found = {"correlations": Result((f"{FOLDER}/correlations.parquet",))}
    for name in ("regressor_correlations", "caps"):
        files = (f"{FOLDER}/{name}.parquet",) if measured(run) else ()
        found[name] = Result(files, tuple(options["datasets"]))
    return found


def outputs(run: Run) -> Outputs:
    """Name the tables and figures of synthetic data, and of regressors where data are available."""
    if not run.settings(NAME):
        return Outputs()
    of_data = bool(measured(run))
    own = ("conclusions", "regressors", "caps", "regressor_kernels", "regressor_asterisks")
    return Outputs(
        tables=("estimators", "known_separation", *(own * of_data)),
        csv=("correlations", *(("regressor_correlations",) * of_data)),
        figures=("correlations", "synthetic", *(("regressors",) * of_data)),
        predictions=tuple(f"{FOLDER}/predictions/{name}.parquet" for name in measured(run)),
    )


def check(run: Run) -> None:
    """Raise for data sets on which no regressor can be fitted."""
    for name in run.settings(NAME).get("datasets", []):
        card, why = run.data.cards[name], ""
        if not card["label"].get("numeric"):
            why = "a label of 0 and 1, and regressors predict a number"
        elif {"text", "image"} & set(card["features"].values()):
            why = "texts or images, and regressors take numbers and categories"
        if why:
            raise InputError(f"config: {NAME}: the data set {name} has {why}: name another.")


STUDY = described(__file__, requests=requests, results=results, outputs=outputs, check=check)
