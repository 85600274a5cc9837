"""The plan of a run: its experiments, data sets and tables, and their files.

The rules of the workflow ask the plan for the names of files; they decide nothing themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fairpairs import registry, schemas
from fairpairs.datasets.card import find_card, find_cards, is_raw_only, read_card
from fairpairs.errors import InputError
from fairpairs.experiments.checks import check_experiment, parts
from fairpairs.output.failures import why_unavailable
from fairpairs.plan.data import Data, Request
from fairpairs.plan.files import (
    CLAIMS,
    TABLE_ENDINGS,
    figure_files,
    prepared_files,
    sidecars,
    summary_files,
    table_files,
)
from fairpairs.plan.published import check_tables, read_tables
from fairpairs.plan.run import Run
from fairpairs.plan.studies import find_studies
from fairpairs.plan.study import Outputs, Study
from fairpairs.plan.study_files import OURS, study_folders
from fairpairs.published.source import Result
from fairpairs.published.table import PublishedTable
from fairpairs.texts import meant

#: Keys of earlier configs → where their settings are now.
MOVED = {
    "simulation": "comparative_separation.simulation",
    "bridges": "differential_parity.bridges",
    "raters": "differential_parity.raters",
}


def check_config(config: Any, schema: Path, *, name: str = "config") -> None:
    """Check a config against its schema, and each study's part against that of the study.

    Raises
    ------
    InputError
        Names the error, the key and the remedy.
    """
    if not isinstance(config, dict):
        schemas.check(config, schema, name=name)
    for old, new in MOVED.items():
        if old in config:
            raise InputError(f"{name}: the key `{old}` is now `{new}`: move its content there.")
    extensions = config.get("extensions")
    listed = extensions if isinstance(extensions, list) else []
    folders = study_folders(folder for folder in listed if isinstance(folder, str))
    taken = {*schemas.read_yaml(schema)["properties"], *_targets(schema.parents[2])}
    for study, folder in folders.items():
        if folder.parent != OURS and study in taken:
            raise InputError(
                f"{folder}: `{study}` is a key of the config, a rule or a folder of results: "
                "rename the folder."
            )
    settings = {name: folder / "settings.schema.yaml" for name, folder in folders.items()}
    parts = {name: path for name, path in settings.items() if path.exists()}
    schemas.check(config, schema, name=name, parts=parts)


def _targets(base: Path) -> set[str]:
    """Name the rules of the workflow, and the folders of results that it has."""
    files = [base / "Snakefile", base / "workflow/Snakefile", *base.glob("workflow/*/*.smk")]
    texts = [file.read_text("utf-8") for file in files if file.exists()]
    rules = {rule for text in texts for rule in re.findall(r"^rule (\w+):", text, re.MULTILINE)}
    return {*rules, "figures", "predictions", "summaries", "tests"}


def _read_data(
    config: Mapping[str, Any], studies: Mapping[str, Study], base: Path, schema: Path
) -> Data:
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
    """Raise when a study names a data set that there is not."""
    for dataset in datasets:
        try:
            find_card(dataset, card_files)
        except InputError as error:
            raise InputError(f"the study {study}: {error}") from None


def _check_items(request: Request, cards: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise when an experiment or a study needs items of a data set that has files alone."""
    for name in request.datasets:
        if is_raw_only(cards[name]) and not request.raw:
            raise InputError(
                f"config: the card of the data set {name} is `raw_only`, and has no items to learn "
                "from or to compare: name another data set."
            )


@dataclass(frozen=True)
class Plan(Run):
    """The results of a run, and their files.

    Attributes
    ----------
    studies
        All studies, in the order of the report.
    folders
        Their folders.
    published
        The tables that papers print, by name.
    """

    studies: Mapping[str, Study]
    folders: Mapping[str, Path]
    published: Mapping[str, PublishedTable]

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], base: str | Path, *, load_extensions: bool = True
    ) -> Plan:
        """Check a config and plan its run, in the folder in which the workflow runs.

        Parameters
        ----------
        config
            The content of config.yaml.
        base
            The checkout of FairPairs, with its schemas, cards and published tables.
        load_extensions
            Whether to import the files of the user's project that experiments name, so that an
            error in one ends the run before any job starts.

        Raises
        ------
        InputError
            For anything in the config or in a card that cannot be run.
        """
        schema = Path(base, "workflow/schemas")
        check_config(config, schema / "config.schema.yaml")
        defaults = {
            "mirrors": [],
            "missing_data": "stop",
            "first": [],
            "encoders": {},
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
        plan = cls(config, data, {}, studies, folders, published)
        plan._check(load_extensions=load_extensions)
        for name in config["first"]:
            if name not in published:
                raise InputError(
                    f"config: first: there is no published table `{name}`{meant(name, published)}: "
                    "name one of config/published, as comparative_separation/table_5."
                )
        if load_extensions:  # once a run
            check_tables(plan, Path(base))
        missing = plan._unavailable() if config["missing_data"] == "skip" else {}
        return replace(plan, missing=missing)

    def _check(self, *, load_extensions: bool) -> None:
        data = self.data
        for name, experiment in self.config["experiments"].items():
            check_experiment(name, experiment, data.cards, data.encoders, self.extensions)
            for part in parts(experiment):
                files = self.extension_files(part)
                if files and load_extensions:
                    registry.load(*part, files)
        for name in sorted(set(data.cards) & set(data.encoders)):
            raise InputError(
                f"config: `{name}` is a data set and an encoder, whose files lie in one folder: "
                "rename one."
            )
        for name, study in self.studies.items():
            study.check(self)
            for request in study.requests(self.settings(name)):
                if request.encoder not in {None, *data.encoders}:
                    raise InputError(
                        f"the study {name}: there is no encoder `{request.encoder}`: name one of "
                        "the `encoders` of the config."
                    )
            used = (d for result in self.results[name].values() for d in result.datasets)
            _check_datasets(name, used, data.card_files)
        _ = self.outputs  # an error of a study ends the run here

    def _unavailable(self) -> dict[str, str]:
        reasons = {
            name: why_unavailable(
                self.data.raw_files([name]), prepared_files([name])[0], self.data.card_files[name]
            )
            for name in self.data.requested
        }
        return {name: reason for name, reason in reasons.items() if reason}

    # Studies

    def study_extension_files(self, study: str) -> list[str]:
        """Name the Python files of a study of the user's project; none for built-in ones."""
        folder = self.folders[study]
        ours = folder.parent == OURS
        return [] if ours else sorted(map(str, folder.glob("*.py")))

    @cached_property
    def outputs(self) -> dict[str, Outputs]:
        """The outputs of each study in this run."""
        return {name: study.outputs(self) for name, study in self.studies.items()}

    def study_tables(self, study: str) -> list[str]:
        """Name the tables of a study, besides its published ones."""
        made = self.outputs[study]
        return [
            *table_files(f"{study}/{name}" for name in made.tables),
            *(f"results/tables/{study}/{name}.csv" for name in made.csv),
        ]

    def study_files(self, study: str) -> list[str]:
        """Name all tables and figures that this run makes of a study."""
        tables = self.tables_of(study)
        return [
            *self.study_tables(study),
            *figure_files(f"{study}/{name}" for name in self.outputs[study].figures),
            *table_files(tables),
            *figure_files(name for name in tables if name in self.drawn),
        ]

    # Published tables

    def source_datasets(self, table: str) -> set[str]:
        """Return the data sets that a published table is reproduced from, available or not."""
        published = self.published[table]
        return published.source.rests_on(self.config["experiments"], self.results[published.study])

    def source_files(self, table: str) -> dict[str, list[str]]:
        """Name the files that a published table is reproduced from, by kind, of those available."""
        source = self.published[table].source
        result = self.results[source.study].get(source.results)
        return {
            "datasets": self.roles_files(source.datasets),
            "prepared": prepared_files({source.items} & set(self.datasets)),
            "summaries": summary_files(n for n in source.experiments if n in self.experiments),
            "results": list(result.files) if result else [],
        }

    def repeats(self, table: str) -> int | None:
        """Return the number of repeats behind a published table; None if it has none."""
        source = self.published[table].source
        result = self.results[source.study].get(source.results)
        counts = [self.experiments[n].repeats for n in source.experiments if n in self.experiments]
        if result is not None and result.repeats is not None:
            counts.append(result.repeats)
        return min(counts, default=None)

    def published_files(self, tables: Iterable[str]) -> list[str]:
        """Name the files of published tables, as seen from the folder of the run."""
        return [os.path.relpath(self.published[name].path) for name in tables]

    def printed_files(self, table: str) -> list[str]:
        """Name the files of the other published tables from which the numbers of one follow."""
        source = self.published[table].source
        return self.published_files(f"{source.study}/{name}" for name in source.published)

    @cached_property
    def results(self) -> dict[str, Mapping[str, Result]]:
        """The named intermediate results of each study."""
        return {name: study.results(self) for name, study in self.studies.items()}

    @cached_property
    def tables(self) -> list[str]:
        """The published tables whose results the config asks for."""
        return [name for name in self.published if self._is_requested(name)]

    def _is_requested(self, table: str, *, above: tuple[str, ...] = ()) -> bool:
        published = self.published[table]
        if published.source.is_only_printed:
            others = {f"{published.study}/{number}" for number in published.source.published}
            return any(
                self._is_requested(name, above=(*above, table)) for name in others - set(above)
            )
        return published.source.is_asked_for(
            self.data.requested,
            self.config["experiments"],
            self.results[published.study],
            self.settings(published.study),
        )

    def tables_of(self, study: str) -> list[str]:
        """Return the published tables of a study that the run reproduces."""
        return [name for name in self.tables if self.published[name].study == study]

    @cached_property
    def drawn(self) -> list[str]:
        """The published tables that are drawn: those whose numbers are of several repeats."""
        unavailable = set(self.config["experiments"]) - set(self.experiments)
        return [
            name
            for name in self.tables
            if "table" in self.published[name].spec
            and self.published[name].spec.get("runs", 0) > 1
            and not set(self.published[name].source.experiments) & unavailable
        ]

    # All of a run

    @cached_property
    def all_tables(self) -> list[str]:
        """Every table of the run; each is byte-identical on every machine."""
        long = [f"results/{name}.{ending}" for name in ("comparison", "comparison_of_text")
                for ending in TABLE_ENDINGS]  # fmt: skip
        return [
            *table_files([*self.tables, *self.experiments]),
            *(file for name in self.studies for file in self.study_tables(name)),
            *long,
            CLAIMS,
        ]

    @cached_property
    def all_figures(self) -> list[str]:
        """Every figure of the run."""
        overview = ["results/figures/comparison.svg"] if self.tables else []
        of_studies = [
            f"{name}/{figure}"
            for name, outputs in self.outputs.items()
            for figure in outputs.figures
        ]
        return [*overview, *figure_files([*self.drawn, *self.experiments, *of_studies])]

    @cached_property
    def result_files(self) -> list[str]:
        """The named intermediate results of all studies."""
        return [
            file
            for results in self.results.values()
            for result in results.values()
            for file in result.files
        ]

    @cached_property
    def all_sidecars(self) -> list[str]:
        """The origin of every table."""
        csv = [file for file in self.all_tables if file.endswith(".csv")]
        return sidecars(*(file.removesuffix(".csv") for file in csv))

    @cached_property
    def all_predictions(self) -> list[str]:
        """All predictions of the run."""
        return [
            *(
                file
                for name, experiment in self.experiments.items()
                for file in self.prediction_files(name, experiment.datasets, experiment.treatments)
            ),
            *(file for outputs in self.outputs.values() for file in outputs.predictions),
        ]
