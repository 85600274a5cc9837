"""The plan of a run: its experiments, data sets and tables, and their files.

The rules of the workflow take the names of files from the plan.
`read_plan` of `fairpairs.papers.plan.read` makes it from a config.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from fairpairs.base.shipped import from_here
from fairpairs.papers.plan import files
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, Study
from fairpairs.papers.plan.study_files import OURS
from fairpairs.papers.published.source import Result, Source
from fairpairs.papers.published.table import PublishedTable


@dataclass(frozen=True)
class Plan(Run):
    """The results of a run, and their files."""

    #: All studies, in the order of the report.
    studies: Mapping[str, Study]
    #: Study → its folder.
    folders: Mapping[str, Path]
    #: The tables that papers print, by name.
    published: Mapping[str, PublishedTable]

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
        """Name the tables of a study without its published ones."""
        outputs = self.outputs[study]
        return [
            *files.table_files(f"{study}/{name}" for name in outputs.tables),
            *(f"results/tables/{study}/{name}.csv" for name in outputs.csv),
        ]

    def study_files(self, study: str) -> list[str]:
        """Name all tables and figures that this run makes of a study."""
        tables = self.tables_of(study)
        return [
            *self.study_tables(study),
            *files.figure_files(f"{study}/{name}" for name in self.outputs[study].figures),
            *files.table_files(tables),
            *files.figure_files(name for name in tables if name in self.drawn),
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
        experiments = [self.experiments[n] for n in source.experiments if n in self.experiments]
        return {
            "datasets": self.roles_files(source.datasets),
            "prepared": files.prepared_files({source.items} & set(self.datasets)),
            "summaries": files.summary_files(one.name for one in experiments if one.tests),
            "measures": files.measure_files(one.name for one in experiments if one.measures),
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
        """Name the files of published tables."""
        return [from_here(self.published[name].path) for name in tables]

    @cached_property
    def results(self) -> dict[str, Mapping[str, Result]]:
        """The named intermediate results of each study."""
        return {name: study.results(self) for name, study in self.studies.items()}

    @cached_property
    def tables(self) -> list[str]:
        """The published tables whose results the config asks for.

        A study whose tables only describe data sets is left out: other experiments have them, too.
        """
        asked = [name for name in self.published if self._is_requested(name)]
        of_more = {
            table.study
            for table in map(self.published.__getitem__, asked)
            if any((table.source.settings, table.source.experiments, table.source.results))
            or self.folders[table.study].parent != OURS
        }
        return [name for name in asked if self.published[name].study in of_more]

    def _is_requested(self, table: str, *, above: tuple[str, ...] = ()) -> bool:
        published = self.published[table]
        if replace(published.source, published=()) == Source(published.study):  # of printed cells
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
            and self.published[name].spec.get("drawn", True)
            and self.published[name].spec.get("runs", 0) > 1
            and not set(self.published[name].source.experiments) & unavailable
        ]

    # All of a run

    @cached_property
    def all_tables(self) -> list[str]:
        """Every table of the run; each is byte-identical on every machine."""
        long = [
            f"results/{name}.{ending}"
            for name in files.COMPARISONS
            for ending in files.TABLE_ENDINGS
        ]
        return [
            *files.table_files([*self.tables, *self.tested]),
            *files.treatment_files(self.compared),
            *(file for name in self.studies for file in self.study_tables(name)),
            *long,
            files.CLAIMS,
        ]

    @cached_property
    def all_figures(self) -> list[str]:
        """Every figure of the run."""
        overview = ["results/figures/comparison.svg"] if self.tables else []
        figures = [
            f"{name}/{figure}"
            for name, outputs in self.outputs.items()
            for figure in outputs.figures
        ]
        figures += [f"treatments/{name}" for name in self.compared]
        return [*overview, *files.figure_files([*self.drawn, *self.tested, *figures])]

    @cached_property
    def all_sidecars(self) -> list[str]:
        """The origin of every table."""
        csv = [file for file in self.all_tables if file.endswith(".csv")]
        return files.sidecars(*(file.removesuffix(".csv") for file in csv))

    @cached_property
    def all_predictions(self) -> list[str]:
        """All predictions of the run, and their measures."""
        return [
            *(file for name in self.experiments for file in self.arm_files("predictions", name)),
            *files.measure_files(name for name, one in self.experiments.items() if one.measures),
            *(file for outputs in self.outputs.values() for file in outputs.predictions),
        ]
