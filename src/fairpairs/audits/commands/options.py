"""How a command takes options of the table: by a list of names, with words of its own."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fairpairs.audits.lines.files import FILES
from fairpairs.audits.options import OPTIONS, Option
from fairpairs.base.plain_values import Record

#: For an option that a command takes as it is in the table.
SHARED: Record = {}


def shared(*names: str) -> Record:
    """Return options that a command takes as they are in the table.

    >>> shared("alpha", "seed")
    {'alpha': {}, 'seed': {}}
    """
    return dict.fromkeys(names, SHARED)


#: The options of every command that reads data and reports.
COMMON = shared("separator", "decimal", "details", "out")
#: The argument of the files that an audit reads.
Predictions = Annotated[
    list[Path],
    typer.Argument(
        metavar="PREDICTIONS...",
        help="CSV, JSON lines or Parquet, one prediction per row; of CSV and Parquet also several "
        "files, of any size; or counts files (see fairpairs count).",
    ),
]


@dataclass(frozen=True)
class Given:
    """The options that a command was given."""

    values: Record
    options: Mapping[str, Option]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    def named(self, *names: str) -> Record:
        """Return the values of some options, by their names in the shell."""
        return {f"--{name.replace('_', '-')}": self.values[name] for name in names}

    def read(self) -> Record:
        """Return what the options say, of which some hold texts; InputError for what is none."""
        readers = {name: option.read for name, option in self.options.items()}
        return {
            name: value if (reader := readers[name]) is None else reader(value)
            for name, value in self.values.items()
        }


def takes(
    command: str, **options: str | Record | Option
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a function the options of a command, which it takes as its last argument.

    An option has its words, what else differs from the table, or all if it is not there.
    """
    files, own = ", ".join(FILES.get(command, ())), {}
    for name, option in options.items():
        if not isinstance(option, Option):
            differs = {"help": option} if isinstance(option, str) else option
            option = replace(OPTIONS[name], **differs)  # noqa: PLW2901
        own[name] = replace(option, help=option.help.replace("{files}", files))

    def of_command(run: Callable[..., None]) -> Callable[..., None]:
        *arguments, _ = inspect.signature(run, eval_str=True).parameters.values()

        def of_typer(**given: Any) -> None:
            positional = [given.pop(argument.name) for argument in arguments]
            run(*positional, options=Given(given, own))

        parameters = [*arguments, *(_parameter(name, option) for name, option in own.items())]
        of_typer.__doc__ = run.__doc__
        of_typer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        of_typer.__annotations__ = {each.name: each.annotation for each in parameters}
        return of_typer

    return of_command


def _parameter(name: str, option: Option) -> inspect.Parameter:
    flags = option.flags or ((f"--{name.replace('_', '-')}",) if option.type is bool else ())
    told = typer.Option(
        option.default, *flags, help=option.help, metavar=option.metavar, min=option.least,
        max=option.most, show_default=option.show_default,
    )  # fmt: skip
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=told, annotation=option.type)
