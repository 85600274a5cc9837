"""A step: the function that a rule names, called with what the rule reads and writes."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from inspect import getfile, signature
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pandas as pd

from fairpairs.base.files import read_parquet, read_parts, write_parquet
from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.datasets.prepared import PreparedDataset, read_prepared, read_roles
from fairpairs.papers.display.layouts import display, layouts
from fairpairs.papers.display.tables import read_table, write_table
from fairpairs.papers.experiments.summaries import read_summaries
from fairpairs.papers.published.table import read_published


def call(job: Any) -> None:
    """Call the function that a job of the workflow names.

    Each argument of the function has its value by its name: `stem` is the first output of the job;
    all else is an input, which is read, an output, of which the first file is named, a param or a
    wildcard. Several tables of an input are read as one for a DataFrame, by the stems of their
    files for a Mapping, and as a list for all else; `summary` is that of one experiment. A prepared
    data set, or an iterable of several, is of the inputs `table` and `roles`; a Sequence[str] has
    the paths of an input.

    What the function returns is written: a table as the first output, a tuple of tables as the
    first ones, or several by the names of the outputs. A CSV is also shown in words if
    `tables.yaml` of the study has a layout of that name, whose templates see the params, the
    wildcards and what comes with a table as a pair. The param `function` of the job is that in
    `fairpairs.papers`, as `studies.<study>.<module>.<function>`, its param `schema` that of
    published tables.
    """
    module, _, name = job.params.function.rpartition(".")
    function = getattr(import_module(f"fairpairs.papers.{module}"), name)
    kinds = get_type_hints(function)
    made = function(
        **{name: _argument(job, name, kinds[name]) for name in signature(function).parameters}
    )
    if made is None:
        return
    made = made if isinstance(made, tuple | Mapping) else (made,)
    tables = made if isinstance(made, Mapping) else dict(zip(job.output.keys(), made, strict=False))
    for output, table in tables.items():
        frame, values = (table, {}) if isinstance(table, pd.DataFrame) else table
        _write(job, function, output, frame, values)


def _write(
    job: Any, function: Callable[..., Any], output: str, frame: pd.DataFrame, values: Content
) -> None:
    """Write a table as an output, and in words if there is a layout of the output's name."""
    path = _first(job.output.get(output))
    if path.endswith(".parquet"):
        write_parquet(path, frame)
        return
    module = getfile(function)
    words = []
    if output in layouts(module):
        words.append(display(module, output, **{"rows": frame, **_named(job), **values}))
    write_table(path, frame, *words)


def _argument(job: Any, name: str, kind: Any) -> Any:
    """Return what a job has by this name, as an argument of this kind."""
    if name == "stem":
        return job.output[0]
    if PreparedDataset in (kind, *get_args(kind)):
        files = job.input.table, job.input.roles
        return read_prepared(*files) if kind is PreparedDataset else map(read_prepared, *files)
    if name in job.input.keys():  # noqa: SIM118  (a list of paths, some with names)
        return _read(name, job.input.get(name), kind, job.params.schema)
    if name in job.output.keys():  # noqa: SIM118
        return _first(job.output.get(name))
    return _named(job)[name]


def _first(path: str | Sequence[str]) -> str:
    return path if isinstance(path, str) else path[0]


def _named(job: Any) -> Record:
    """Return the wildcards and params of a job by name."""
    return {**dict(job.wildcards.items()), **dict(job.params.items())}


def _read(name: str, files: str | Sequence[str], kind: Any, schema: str) -> Any:
    """Read an input as an argument of this kind."""
    if name == "summary":
        (summary,) = read_summaries(files).values()
        return summary
    if kind == Sequence[str]:
        return files
    if isinstance(files, str):
        return _read_file(files, schema)
    if kind is pd.DataFrame:
        return read_parts(files)
    if get_origin(kind) is Mapping:
        return {Path(file).stem: _read_file(file, schema) for file in files}
    return [_read_file(file, schema) for file in files]


def _read_file(file: str, schema: str) -> Any:
    """Read a table, the description of a prepared data set, or a published table."""
    ending = Path(file).suffix
    if ending == ".parquet":
        return read_parquet(file)
    if ending == ".csv":
        return read_table(file)
    return read_roles(file) if ending == ".json" else read_published(file, schema)
