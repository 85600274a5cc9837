"""The results of a finished run for the report: tables, figures and summaries by name."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from fairpairs.base.files import read_parquet
from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.display.svg import embedded
from fairpairs.papers.display.tables import read_table, read_words
from fairpairs.papers.experiments.summaries import Summary, read_summaries
from fairpairs.papers.plan.experiment import Experiment
from fairpairs.papers.plan.files import summary_files


@dataclass(frozen=True)
class Results:
    """The results of a finished run, as the section of a study and checks of claims read them."""

    #: The study.
    study: str
    #: The folder in which the workflow ran, with `results` and `data`.
    folder: Path
    #: The config of the run.
    config: Content
    #: The experiments of the run, by name.
    experiments: Mapping[str, Experiment]
    #: The data sets that are available.
    datasets: Collection[str]
    #: What their cards say to readers: title, licence, citation, warning and homepage.
    cards: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: The paths under `results/` that `table` was asked for so far.
    read: list[str] = field(default_factory=list, compare=False)

    @property
    def settings(self) -> Content:
        """The study's part of the config; empty without one."""
        settings: Content = self.config.get(self.study, {})
        return settings

    def csv(self, table: str, *, text: Collection[str] = ()) -> pd.DataFrame | None:
        """Read `results/tables/<study>/<table>.csv`; None if the run did not make it.

        The columns of `text` stay as they are, even where they look like numbers.
        """
        return self.table(f"tables/{self.study}/{table}.csv", text=text)

    def table(self, path: str, *, text: Collection[str] = ()) -> pd.DataFrame | None:
        """Read any CSV under `results/`, as `tables/classification.csv`; otherwise as `csv`."""
        self.read.append(path)
        file = self.folder / "results" / path
        return read_table(file, text=text) if file.exists() else None

    def words(self, table: str) -> pd.DataFrame | None:
        """Read a table of the study as it is written, its numbers as text; None without it."""
        path = self.folder / f"results/tables/{self.study}/{table}.csv"
        return read_words(path) if path.exists() else None

    def parquet(self, name: str) -> pd.DataFrame:
        """Read an intermediate result of the study, `results/<study>/<name>.parquet`."""
        return read_parquet(self.folder / f"results/{self.study}/{name}.parquet")

    def svg(self, figure: str) -> str:
        """Return `results/figures/<study>/<figure>.svg` for the page; empty without such a file."""
        path = self.folder / f"results/figures/{self.study}/{figure}.svg"
        return embedded(path, f"{self.study}-{figure.replace('/', '-')}")

    def roles(self, dataset: str) -> Record:
        """Read the roles of a prepared data set, with the words of its card."""
        roles = read_roles(self.folder / f"data/prepared/{dataset}.json")
        return {**roles, **self.cards.get(dataset, {})}

    def summary(self, experiment: str) -> Summary:
        """Read the `violations` and `estimates` of an experiment."""
        files = [self.folder / file for file in summary_files([experiment])]
        return read_summaries(files)[experiment]
