"""Read the plan of a run: check a config, the cards, the studies and the published tables."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairpairs.base import schemas
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import listed, meant
from fairpairs.papers import registry
from fairpairs.papers.datasets.card import find_card, find_cards, is_raw_only, read_card
from fairpairs.papers.experiments.arms import arms
from fairpairs.papers.experiments.checks import check_experiment
from fairpairs.papers.experiments.measures import ATTRIBUTES, measure_of
from fairpairs.papers.plan.data import Data, Request
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.files import prepared_files
from fairpairs.papers.plan.plan import Plan
from fairpairs.papers.plan.study import Study, find_studies
from fairpairs.papers.plan.study_files import OURS, cells_function, study_folders
from fairpairs.papers.published.measured import STATISTICS, measured
from fairpairs.papers.published.table import PublishedTable, Vocabulary, check_keys, read_published
from fairpairs.papers.run.failures import why_unavailable

#: Where the published tables of the checkout, and of the user's project, are.
FOLDER = "config/published"


def read_tables(
    base: Path, studies: Mapping[str, Study], schema: Path
) -> dict[str, PublishedTable]:
    """Read and check the tables that papers print, of the checkout and of the user's project."""
    tables: dict[str, PublishedTable] = {}
    for folder in dict.fromkeys([base.resolve(), Path().resolve()]):
        for path in _files(folder / FOLDER):
            table = read_published(path, schema)
            if table.study not in studies:
                raise InputError(
                    f"{path}: there is no study `{table.study}`{meant(table.study, studies)}: name "
                    f"the folder after one of {listed(studies)}."
                )
            if table.name in tables:
                if path.read_bytes() == tables[table.name].path.read_bytes():
                    continue  # a copy of config/, as a deployed workflow has it
                raise InputError(
                    f"{path}: {tables[table.name].path} has this table already: rename or drop one."
                )
            number = table.heading.lower().replace(" ", "_").replace(".", "_")
            if table.number != number:
                key = "table" if "table" in table.spec else "section"
                raise InputError(
                    f"{path}: it says that it is {table.heading}: rename the file to "
                    f"{number}.yaml, or correct `{key}`."
                )
            tables[table.name] = table
    return tables


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted([*folder.rglob("*.yaml"), *folder.rglob("*.yml")]):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue  # a file of an editor
        if path.suffix == ".yml" or path.parent.parent != folder:
            raise InputError(
                f"{path}: a published table is read from {FOLDER}/STUDY/table_N.yaml or "
                "section_N.yaml: move or rename the file."
            )
        yield path


def check_tables(plan: Plan, base: Path) -> None:
    """Check the published tables of the project against cards, registry, config and studies.

    Tables that are not in the folder of the run are left out: they are checked in their own
    project, whose cards may differ from those of the same name here. A shipped table may name
    experiments and results that the config of the checkout lacks: it is not part of the run.
    """
    cards = {name: plan.data.card(name) for name in plan.data.card_files}
    treatments, tests = (registry.known(kind, plan.extensions) for kind in ("treatments", "tests"))
    here = Path(FOLDER).resolve()
    for table in plan.published.values():
        if not table.path.is_relative_to(here):
            continue
        folder, shown = plan.folders[table.study], f"{FOLDER}/{table.name}.yaml"
        is_users = folder.parent != OURS or not table.path.is_relative_to(base.resolve())
        others = {t.number for t in plan.published.values() if t.study == table.study}
        known: dict[str, tuple[str, Any]] = {
            "datasets": ("data set", cards),
            "items": ("data set", cards),
            "published": ("other table of the study", others - {table.number}),
        }
        if is_users:
            known["experiments"] = ("experiment", plan.config["experiments"])
            known["results"] = ("result of the study", plan.results[table.study])
            if table.source.settings and not (folder / "settings.schema.yaml").exists():
                raise InputError(
                    f"{shown}: from.settings: the study {table.study} has no settings: write "
                    f"{folder / 'settings.schema.yaml'}, or name what the table is reproduced from."
                )
        table.source.check(shown, known)
        asked = plan.config["experiments"]
        named = [
            Experiment.from_settings(name, asked[name], plan.config, asked[name]["datasets"])
            for name in table.source.experiments
            if name in asked  # also without available data sets
        ]
        if table.source.experiments and not named and not is_users:
            continue  # its keys name measures and treatments that this config does not have
        trained = [experiment for experiment in named if experiment.measures]
        if is_users and named and not trained and any("measure" in k for k in table.cells["key"]):
            raise InputError(
                f"{shown}: the keys name measures, and {listed(table.source.experiments)} of the "
                "config has no `measures`: add them there, or correct `from.experiments`."
            )
        check_keys(
            table,
            cards=cards,
            treatments={
                *treatments,
                *(arm.treatment for one in trained for arm in one.arms.values()),
            },
            tests=tests,
            vocabulary={**_measures(trained), **plan.studies[table.study].vocabulary},
            datasets=plan.source_datasets(table.name),
        )
        if is_users:
            default = measured if trained else None
            for kind, cells in (("CELLS", table.cells), ("TEXTS", table.texts)):
                if len(cells):
                    found = cells_function(table.study, table.number, kind, folder, default)
                    if found is measured:
                        _check_series(shown, table, trained, cards)


def _check_series(
    shown: str,
    table: PublishedTable,
    experiments: Collection[Experiment],
    cards: Mapping[str, Content],
) -> None:
    """Check that the key of each cell names one series of repeats of a measure."""
    measures = {m.name: m for one in experiments for m in map(measure_of, one.measures)}
    datasets = {name for one in experiments for name in one.datasets}
    needed = ["statistic", "measure", "treatment"]
    needed += ["experiment"] if len(experiments) > 1 else []
    needed += ["model"] if len({model for one in experiments for model in one.models}) > 1 else []
    needed += ["dataset"] if len(datasets) > 1 else []
    for row, column, key in table.cells[["row", "column", "key"]].itertuples(index=False):
        where = f"{shown}: the cell ({row}; {column})"
        if "test" in key:
            raise InputError(f"{where}: a statistic of a measure has no `test`: drop it.")
        if lacking := [name for name in needed if name not in key]:
            raise InputError(f"{where}: the key lacks {listed(lacking)}: add it.")
        by_attribute = measures[key["measure"]].groups == ATTRIBUTES
        if "attribute" in key and not by_attribute:
            raise InputError(
                f"{where}: {key['measure']} is of no single attribute: drop `attribute`."
            )
        of_card = cards[key.get("dataset", min(datasets))].get("sensitive", {})
        if by_attribute and len(of_card) > 1 and "attribute" not in key:
            raise InputError(
                f"{where}: the key lacks the attribute of {key['measure']}: add `attribute`, one "
                f"of {listed(of_card)}."
            )


def _measures(experiments: Collection[Experiment]) -> Vocabulary:
    """Return what a key may name of the measures of experiments."""
    if not experiments:
        return {}
    names = {measure_of(named).name for one in experiments for named in one.measures}
    models = {model for one in experiments for model in one.models}
    return {"statistic": STATISTICS, "measure": names, "model": models}


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
