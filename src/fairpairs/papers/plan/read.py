"""Read the plan of a run: check a config, the cards, the studies and the published tables."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairpairs.base import schemas
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import meant
from fairpairs.papers import registry
from fairpairs.papers.datasets.card import find_card, find_cards, is_raw_only, read_card
from fairpairs.papers.experiments.arms import arms
from fairpairs.papers.experiments.checks import check_experiment
from fairpairs.papers.plan.data import Data, Request
from fairpairs.papers.plan.files import prepared_files
from fairpairs.papers.plan.plan import Plan
from fairpairs.papers.plan.published import check_tables, read_tables
from fairpairs.papers.plan.study import Study, find_studies
from fairpairs.papers.plan.study_files import OURS, study_folders
from fairpairs.papers.run.failures import why_unavailable

#: What the workflow calls folders of results.
FOLDERS = {"figures", "predictions", "summaries", "tests"}


def check_config(config: Any, schema: Path, *, name: str = "config") -> None:
    """Check a config against its schema, and each study's part against that of the study."""
    if not isinstance(config, dict):
        schemas.check(config, schema, name=name)
    extensions = config.get("extensions")
    listed = extensions if isinstance(extensions, list) else []
    folders = study_folders(folder for folder in listed if isinstance(folder, str))
    taken = {*schemas.read_yaml(schema)["properties"], *FOLDERS}
    for study, folder in folders.items():
        if folder.parent != OURS and study in taken:
            raise InputError(
                f"{folder}: `{study}` is a key of the config or a folder of results: rename the "
                "folder."
            )
    settings = {name: folder / "settings.schema.yaml" for name, folder in folders.items()}
    parts = {name: path for name, path in settings.items() if path.exists()}
    schemas.check(config, schema, name=name, parts=parts)


def _read_data(config: Content, studies: Mapping[str, Study], base: Path, schema: Path) -> Data:
    """Read the cards of the data sets that experiments and studies use."""
    shipped = base / "config/datasets"
    card_files = find_cards("config/datasets", config["extensions"], shipped=shipped)
    requests = [
        Request(tuple(experiment["datasets"]), experiment.get("encoder"))
        for experiment in config["experiments"].values()
    ]
    for name, study in studies.items():
        asked = list(study.requests(config.get(name, {})))
        _check_datasets(name, (d for request in asked for d in request.datasets), card_files)
        requests += asked
    requested = sorted({name for request in requests for name in request.datasets})
    cards = {name: read_card(find_card(name, card_files), schema) for name in requested}
    for request in requests:
        _check_items(request, cards)
    return Data(card_files, schema, cards, config["encoders"], requests)


def _check_datasets(study: str, datasets: Iterable[str], card_files: Mapping[str, Path]) -> None:
    """Raise when a study names an unknown data set."""
    for dataset in datasets:
        try:
            find_card(dataset, card_files)
        except InputError as error:
            raise InputError(f"the study {study}: {error}") from None


def _check_items(request: Request, cards: Mapping[str, Content]) -> None:
    """Raise when an experiment or a study needs items of a data set that is `raw_only`."""
    for name in request.datasets:
        if is_raw_only(cards[name]) and not request.raw:
            raise InputError(
                f"config: the card of the data set {name} is `raw_only`, and has no items to learn "
                "from or to compare: name another data set."
            )


def read_plan(config: Content, base: str | Path, *, load_extensions: bool = True) -> Plan:
    """Check a config and plan its run, in the folder in which the workflow runs.

    `base` is the checkout of FairPairs. With `load_extensions` what experiments name is imported
    and tried, so that an error in it ends the run before any job starts.
    """
    schema = Path(base, "workflow/schemas")
    check_config(config, schema / "config.schema.yaml")
    defaults = {
        "mirrors": [],
        "missing_data": "stop",
        "container": "",
        "first": [],
        "encoders": {},
        "models": {},
        "treatments": {},
        "audits": {},
        "judgments": {},
    }
    config = {**defaults, "extensions": [], **config}
    extensions = config["extensions"]
    for kind in registry.KINDS:
        registry.known(kind, extensions)
    folders, studies = study_folders(extensions), find_studies(extensions)
    data = _read_data(config, studies, Path(base), schema / "dataset.schema.yaml")
    published = read_tables(Path(base), studies, schema / "published.schema.yaml")
    plan = Plan(config, data, {}, studies, folders, published)
    _check(plan, load_extensions=load_extensions)
    for name in config["first"]:
        if name not in published:
            raise InputError(
                f"config: first: there is no published table `{name}`{meant(name, published)}: "
                "name one of config/published, as comparative_separation/table_5."
            )
    if load_extensions:  # once per run
        check_tables(plan, Path(base))
    missing = _unavailable(plan) if config["missing_data"] == "skip" else {}
    return replace(plan, missing=missing)


def _check(plan: Plan, *, load_extensions: bool) -> None:
    data = plan.data
    for kind in ("models", "treatments"):
        for name in sorted(set(plan.config[kind]) & set(registry.known(kind, plan.extensions))):
            raise InputError(
                f"config: {kind}: there is a {registry.KINDS[kind].word} `{name}` already: choose "
                "another name."
            )
    for name, experiment in plan.config["experiments"].items():
        trained = [*arms(f"config: experiments.{name}", experiment, plan.config).values()]
        check_experiment(name, experiment, data.cards, data.encoders, plan.extensions, plan.config)
        files = plan.extension_files(*{part: None for arm in trained for part in arm.parts})
        if load_extensions:
            from fairpairs.papers.experiments.part_checks import check_parts  # noqa: PLC0415 (slow)

            check_parts(name, experiment, trained, data.cards, files)
        for test in experiment.get("tests", []) if load_extensions else ():
            registry.load("tests", test, plan.extension_files(("tests", test)))
    for name in sorted(set(data.cards) & set(data.encoders)):
        raise InputError(
            f"config: `{name}` is a data set and an encoder, whose files lie in one folder: "
            "rename one."
        )
    for name, study in plan.studies.items():
        study.check(plan)
        for request in study.requests(plan.settings(name)):
            if request.encoder not in {None, *data.encoders}:
                raise InputError(
                    f"the study {name}: there is no encoder `{request.encoder}`: name one of "
                    "the `encoders` of the config."
                )
        used = (d for result in plan.results[name].values() for d in result.datasets)
        _check_datasets(name, used, data.card_files)
    _ = plan.outputs  # an error of a study ends the run here


def _unavailable(plan: Plan) -> dict[str, str]:
    reasons = {
        name: why_unavailable(
            plan.data.raw_files([name]), prepared_files([name])[0], plan.data.card_files[name]
        )
        for name in plan.data.requested
    }
    return {name: reason for name, reason in reasons.items() if reason}
