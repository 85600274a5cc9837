"""The source of a published table: the part of a run that its `from:` names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from fairpairs.base.errors import InputError, check_tuples
from fairpairs.base.files import read_parquet, read_parts
from fairpairs.base.plain_values import Content
from fairpairs.base.texts import listed, meant
from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.experiments.summaries import Summary, read_summaries


@dataclass(frozen=True)
class Result:
    """A named intermediate result of a study, from which its tables are reproduced."""

    #: The Parquet files that hold it, chunk by chunk; none if its data sets are unavailable.
    files: tuple[str, ...]
    #: The data sets that it rests on; none if it is simulated.
    datasets: tuple[str, ...] = ()
    #: Number of its repeats, if a published table states its own.
    repeats: int | None = None

    def __post_init__(self) -> None:
        check_tuples(self, "files", "datasets")


@dataclass(frozen=True)
class Source:
    """The part of a run that a published table is reproduced from, as its `from:` says."""

    study: str
    #: Whether it is the study's part of the config.
    settings: bool = False
    #: The prepared data sets that the table describes.
    datasets: tuple[str, ...] = ()
    #: The prepared data set whose items the table shows.
    items: str = ""
    #: The experiments whose summaries and measures the table shows.
    experiments: tuple[str, ...] = ()
    #: The name of an intermediate result of the study (see `Result`).
    results: str = ""
    #: Other tables of the study, as `table_3`, from whose printed cells numbers follow.
    published: tuple[str, ...] = ()

    @classmethod
    def of(cls, study: str, spec: Content) -> Source:
        """Return the source that a `from:` describes."""
        lists = {key: tuple(value) for key, value in spec.items() if isinstance(value, list)}
        return cls(study, **{**spec, **lists})

    def check(self, file: str | Path, known: Mapping[str, tuple[str, Collection[str]]]) -> None:
        """Raise InputError if the `from:` of a file names something unknown.

        `known` maps a key of the `from:` to what its values are called, and which there are; other
        keys are not checked.
        """
        for key, (kind, names) in known.items():
            value = getattr(self, key)
            for name in [value] if isinstance(value, str) else value:
                if name and name not in names:
                    remedy = (
                        f"name one of {listed(sorted(names))}"
                        if names
                        else "there is none at all; add it, or drop the file"
                    )
                    raise InputError(
                        f"{file}: from.{key}: there is no {kind} `{name}`{meant(name, names)}: "
                        f"{remedy}."
                    )

    def rests_on(
        self, experiments: Mapping[str, Content], results: Mapping[str, Result]
    ) -> set[str]:
        """Return the data sets that the table is reproduced from."""
        names = {*self.datasets, self.items} - {""}
        for experiment in experiments.keys() & set(self.experiments):
            names |= set(experiments[experiment]["datasets"])
        if self.results in results:
            names |= set(results[self.results].datasets)
        return names

    def is_asked_for(
        self,
        datasets: Collection[str],
        experiments: Mapping[str, Content],
        results: Mapping[str, Result],
        settings: Content,
    ) -> bool:
        """Return whether a config requests the source of the table."""
        if self.settings:
            return bool(settings)
        if self.results in results and not results[self.results].datasets:
            return True
        return bool(self.rests_on(experiments, results) & set(datasets))

    def read(
        self,
        files: Mapping[str, Sequence[str | Path]],
        *,
        settings: Content | None,
        cells: pd.DataFrame,
        printed: Mapping[str, pd.DataFrame] | None = None,
        compare: Mapping[str, Content] | None = None,
    ) -> SourceData:
        """Read the source of a published table.

        `files` are those that the run has, by kind: `datasets` (descriptions of prepared data
        sets), `prepared` (the table of one), `summaries` and `measures` (of experiments) and
        `results`. `cells` are those of the table itself, `printed` those of the other published
        tables, `compare` how the config compares the treatments of experiments.
        """
        items, results = files.get("prepared", ()), files.get("results", ())
        measures = {Path(file).stem: read_parquet(file) for file in files.get("measures", ())}
        return SourceData(
            cells,
            settings if self.settings else None,
            {Path(file).stem: read_roles(file) for file in files.get("datasets", ())},
            read_parquet(items[0]) if items else None,
            read_summaries(files.get("summaries", ())),
            measures,
            read_parts(results) if results else None,
            printed or {},
            compare or {},
        )


@dataclass(frozen=True)
class SourceData:
    """The contents of the files that a published table is reproduced from (see `Source`)."""

    #: The published cells of the table itself.
    cells: pd.DataFrame
    #: The study's part of the config; None if the table does not need it, or the config has none.
    settings: Content | None = None
    #: Descriptions of prepared data sets, by name.
    datasets: Mapping[str, Content] = field(default_factory=dict)
    #: The items of a prepared data set; None if the run does not have it.
    items: pd.DataFrame | None = None
    #: Summaries of experiments, by name.
    experiments: Mapping[str, Summary] = field(default_factory=dict)
    #: Measures of experiments, by name (`fairpairs.papers.experiments.measures.COLUMNS`).
    measures: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    #: An intermediate result of the study; None if the run does not have it.
    results: pd.DataFrame | None = None
    #: The cells of other published tables, by name.
    printed: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    #: Arguments of `compare_treatments` by the name of an experiment.
    compare: Mapping[str, Content] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether no cell can be reproduced from it."""
        named = (self.settings, self.datasets, self.experiments, self.measures, self.printed)
        return not any(named) and self.items is None and self.results is None
