"""The published tables of a run: read, and checked against cards, registry and studies."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import listed, meant
from fairpairs.papers import registry
from fairpairs.papers.experiments.measures import ATTRIBUTES, measure_of
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.plan import Plan
from fairpairs.papers.plan.study import Study
from fairpairs.papers.plan.study_files import OURS, cells_function
from fairpairs.papers.published.measured import STATISTICS, measured
from fairpairs.papers.published.table import PublishedTable, Vocabulary, check_keys, read_published

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
