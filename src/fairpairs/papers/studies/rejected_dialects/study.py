"""The study of the paper on dialects: how reward models score answers in two dialects."""

from collections.abc import Iterable, Mapping
from itertools import product

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.data import Request
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, described
from fairpairs.papers.published.source import Result

NAME = "rejected_dialects"
#: The dialects of prompt and answers → their name in the files. WME: White Mainstream English,
#: AAL: African American Language.
CONDITIONS = {
    "wme": "w_prompt.orig",
    "aal": "w_prompt.vpAAL",
    "wme_prompt_aal_answers": "w_base_prompt_mod_candidate.vpAAL",
    "aal_prompt_wme_answers": "w_mod_prompt_base_candidate.vpAAL",
}


def raw_name(condition: str, model: str) -> str:
    """Return the name of the file with the scores of a model in a condition."""
    return f"{CONDITIONS[condition]}--{model.replace('/', '--')}.jsonl"


def raw_files(run: Run) -> list[str]:
    """Name the scores: the files of each model in turn, in the order of `CONDITIONS`."""
    settings = run.settings(NAME)
    return [
        f"data/raw/{settings['dataset']}/{raw_name(condition, model)}"
        for model in settings.get("models", [])
        for condition in CONDITIONS
    ]


def is_available(run: Run) -> bool:
    """Return whether the config asks for the study, and its scores are available."""
    return run.settings(NAME).get("dataset") in run.datasets


def requests(settings: Content) -> Iterable[Request]:
    """Name the data set with the scores."""
    if settings:
        yield Request((settings["dataset"],), raw=True)


def results(run: Run) -> Mapping[str, Result]:
    """Name what the published tables are reproduced from."""
    settings = run.settings(NAME)
    if not settings:
        return {}
    files = (f"results/{NAME}/effects.parquet",) if is_available(run) else ()
    return {"effects": Result(files, (settings["dataset"],))}


def outputs(run: Run) -> Outputs:
    """Name the tables of gaps and of asterisks, and the figure of gaps."""
    if not is_available(run):
        return Outputs()
    return Outputs(tables=("gaps", "asterisks"), figures=("gaps",))


def check(run: Run) -> None:
    """Raise when the card does not have the files of a model."""
    settings = run.settings(NAME)
    dataset, models = settings.get("dataset", ""), settings.get("models", [])
    names = [entry["name"] for entry in run.data.cards[dataset]["files"]] if models else []
    for model, condition in product(models, CONDITIONS):
        if (name := raw_name(condition, model)) not in names:
            raise InputError(
                f"config: {NAME}: the card of the data set {dataset} has no file {name}, the "
                f"scores of {model}: add it, or drop the model."
            )


STUDY = described(__file__, requests=requests, results=results, outputs=outputs, check=check)
