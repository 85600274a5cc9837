"""The experiments and data sets of a config, and their files, without the studies."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from fairpairs.base.plain_values import Content
from fairpairs.papers import registry
from fairpairs.papers.plan.data import Data
from fairpairs.papers.plan.experiment import Experiment


@dataclass(frozen=True)
class Run:
    """The experiments and data sets of a config, from which a study makes its results."""

    #: The checked config, with defaults for keys that it lacks.
    config: Content
    #: The data sets and encoders that the config uses.
    data: Data
    #: Data sets that could not be fetched or prepared, and why; the run leaves them out.
    missing: Mapping[str, str]

    @property
    def extensions(self) -> list[str]:
        """The folders with parts of the user's project."""
        return list(self.config["extensions"])

    def settings(self, study: str) -> Content:
        """Return a study's part of the config; empty without one."""
        settings: Content = self.config.get(study, {})
        return settings

    @cached_property
    def datasets(self) -> list[str]:
        """The data sets that are available."""
        return sorted(set(self.data.requested) - set(self.missing))

    @cached_property
    def experiments(self) -> dict[str, Experiment]:
        """The experiments of the run: those with a data set that is available."""
        available = {
            name: [d for d in settings["datasets"] if d not in self.missing]
            for name, settings in self.config["experiments"].items()
        }
        return {
            name: Experiment.from_settings(
                name, self.config["experiments"][name], self.config, datasets
            )
            for name, datasets in available.items()
            if datasets
        }

    @property
    def tested(self) -> list[str]:
        """The experiments with tests, which are summarised."""
        return [name for name, experiment in self.experiments.items() if experiment.tests]

    @property
    def shown(self) -> list[str]:
        """The experiments that the report shows."""
        return [name for name, one in self.experiments.items() if one.compare or one.tests]

    @property
    def compared(self) -> list[str]:
        """The experiments whose treatments are compared."""
        return [name for name, experiment in self.experiments.items() if experiment.compare]

    def roles_files(self, datasets: Collection[str]) -> list[str]:
        """Name the descriptions of those data sets that are available."""
        return [f"data/prepared/{name}.json" for name in self.datasets if name in datasets]

    def extension_files(self, *parts: tuple[str, str]) -> list[str]:
        """Name the files of the user's project that have parts of an experiment."""
        return [
            str(registry.find(kind, name, self.extensions, where="config"))
            for kind, name in parts
            if name not in registry.known(kind)
        ]

    def arm_files(
        self,
        folder: str,
        experiment: str,
        datasets: Iterable[str] = (),
        treatments: Iterable[str] = (),
    ) -> list[str]:
        """Name the files of an experiment in a folder of results: all, or those of some arms."""
        of = self.experiments[experiment]
        return [
            f"results/{folder}/{experiment}/{dataset}/{treatment}/{chunk}.parquet"
            for dataset in datasets or of.datasets
            for treatment in treatments or of.treatments
            for chunk in of.chunks
        ]
