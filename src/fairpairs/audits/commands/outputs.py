"""What a command writes, and how it ends: paths are checked before anything is computed."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from fairpairs.audits.commands.options import COMMON, Given
from fairpairs.audits.lines.answer import window
from fairpairs.audits.lines.card import placed
from fairpairs.audits.lines.files import FILES
from fairpairs.audits.lines.outcome import Outcome, Report
from fairpairs.base.errors import InputError
from fairpairs.base.files import write_together
from fairpairs.base.plain_values import Record
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.reading.paths import PATTERN
from fairpairs.base.results import FIGURES
from fairpairs.base.terminal import VIOLATION, bad_input_in_one_sentence, show

#: Options of the files that an audit writes.
OUTPUTS = ("out", "junit", "card", "figure")
#: Options of a monitor that let it fail → what of the result does.
CHANGES = {"fail_now": "differs_now", "fail_on_new": "new_gap"}
#: Options that say what becomes of the result.
NO_SETTINGS = {
    *COMMON,
    *OUTPUTS,
    "fail_on_violation",
    "fail_on_worse",
    "fail_unless_shown",
    *CHANGES,
}


@contextmanager
def output_errors(output: Path, option: str = "--output") -> Iterator[None]:
    """Turn an OSError on an output into an InputError that names its option."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{output}: cannot be written ({error.strerror}): name another {option}."
        ) from error


def check_folder(out: Path | None, names: Iterable[str], inputs: Sequence[Path]) -> None:
    """Raise InputError when files of these names cannot go to a folder, or would replace inputs."""
    if out is None:
        return
    with output_errors(out, "--out"):
        if out.suffix.lower() == ".csv" and not out.exists():
            raise InputError(f"{out}: --out names a folder: name one that does not end in .csv.")
        if not out.is_dir() and (out.exists() or _is_one_of(out, inputs)):
            raise InputError(f"{out}: a file, not a folder: name another --out.")
        names = names if out.is_dir() else ()
    for name in names:
        check_file(out / name, "--out", inputs)


def check_file(
    path: Path,
    option: str,
    inputs: Sequence[Path],
    written: Mapping[str, Sequence[Path]] | None = None,
) -> None:
    """Raise InputError when a file cannot be written, or would replace another.

    `written` has the files of other options; the first one of --out is its folder.
    """
    written = written or {}
    with output_errors(path, option):
        for other, files in written.items():
            if _is_one_of(path, files):
                raise InputError(f"{option}: {path} is written by {other} too: name another one.")
        if not path.parent.is_dir() and not _is_one_of(path.parent, written.get("--out", ())[:1]):
            raise InputError(f"{path}: there is no folder {path.parent}: make it first.")
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: not a file that can be written: name another {option}.")
        if _is_one_of(path, inputs):
            raise InputError(f"{path}: would overwrite its input: name another {option}.")


def check_outputs(
    command: str, inputs: Sequence[Path], out: Path | None, files: Mapping[str, Path | None]
) -> None:
    """Raise InputError when files cannot be written, would replace an input, or are the same one.

    Nothing is computed before.
    """
    check_folder(out, FILES[command], inputs)
    written: dict[str, Sequence[Path]] = {}
    if out is not None:
        written["--out"] = [out, *(out / name for name in FILES[command])]
    for option, path in files.items():
        if path is not None:
            check_file(path, option, inputs, written)
            written[option] = [path]


def _is_one_of(path: Path, files: Iterable[Path]) -> bool:
    """Return whether a path names one of some files, of which a state may not exist yet."""
    return any(
        os.path.realpath(path) == os.path.realpath(file)
        or (path.exists() and file.exists() and path.samefile(file))
        for file in files
    )


@dataclass
class Run:
    """An audit that a command runs: the values of its options, and what it sets as the result."""

    values: Record
    #: Whether no more than the answer is printed, and nothing is written.
    answer_only: bool
    result: Any = None


@contextmanager
def auditing(
    command: str,
    inputs: Sequence[Path],
    options: Given,
    *,
    several: Sequence[Path] = (),
    with_margin: bool = False,
) -> Iterator[Run]:
    """Check the files and options of an audit; print and write what its block finds, and exit.

    `several` are files of one argument; `with_margin` is whether there is one already. A build does
    not pass by what could not be tested.
    """
    unless_shown = options.values.get("fail_unless_shown", False)
    fails = "fail_on_worse" if "fail_on_worse" in options.values else "fail_on_violation"
    settings = {name: value for name, value in options.values.items() if name not in NO_SETTINGS}
    with bad_input_in_one_sentence(), read_as(options.separator, options.decimal):
        check_files(several)
        given = {option: path for option, path in options.named(*OUTPUTS).items() if path}
        if given:
            check_outputs(command, inputs, options.out, options.named("junit", "card", "figure"))
            if options.figure is not None and options.figure.suffix.lower() not in FIGURES:
                ends = "a file that ends in .svg or .png"
                raise InputError(f"{options.figure}: give --figure {ends}.")
            if options.card is not None:
                placed("", options.card)  # which refuses what is no card
        if unless_shown and not with_margin and settings["margin"] in (None, []):
            raise InputError("--fail-unless-shown needs a margin: give one, such as --margin 0.05.")
        answer_only = not (given or options.details)
        run = Run(replace(options, values=settings).read(), answer_only)
        yield run
        result: Outcome = run.result
        if given:
            contents = _contents(result, options, unless_shown=unless_shown)
            option, output = next(iter(given.items()))
            with output_errors(output, option):
                write_together(contents)
    show_answer(result, command, options)
    for option, path in given.items():
        if option != "--out":
            show(f"Written: {path}")
    if options.values[fails] or unless_shown:
        option = "--fail-unless-shown" if unless_shown else f"--{fails.replace('_', '-')}"
        with bad_input_in_one_sentence():
            if refusal := result.untested(against_margin=unless_shown):
                raise InputError(f"{option}: {refusal}")
        if (options.values[fails] and result.failed) or (unless_shown and not result.shown):
            raise typer.Exit(VIOLATION)
    if any(getattr(result, found) for fail, found in CHANGES.items() if options.values.get(fail)):
        raise typer.Exit(VIOLATION)


def _contents(result: Outcome, options: Given, *, unless_shown: bool) -> dict[Path, str | bytes]:
    """Return the content of each file that a command was asked to write."""
    out, junit, into_card, figure = (options.values[name] for name in OUTPUTS)
    contents: dict[Path, str | bytes] = {} if out is None else {**result.contents(out)}
    if junit is not None:
        contents[junit] = result.to_junit(unless_shown=unless_shown)
    if into_card is not None:
        contents[into_card] = placed(result.to_card(), into_card)
    return contents if figure is None else {**contents, **result.drawn(figure)}


def check_files(paths: Sequence[Path]) -> None:
    """Raise where one of several arguments is no file, as the second value of an option."""
    if len(paths) < 2:
        return
    missing = next(
        (path for path in paths if not path.exists() and not PATTERN & set(str(path))), None
    )
    if missing is not None:
        raise InputError(
            f"{missing}: there is no such file; several values of an option are given with a "
            "comma, or by repeating the option."
        )


def end_report(report: Report, options: Given) -> None:
    """Write the files of --out, and print the answer."""
    if options.out is not None:
        with output_errors(options.out, "--out"):
            report.write(options.out)
    show_answer(report, report.command, options)


def show_answer(result: Outcome | Report, command: str, options: Given) -> None:
    """Print the answer, with --details all tables below it, and the files of --out."""
    rows = None if options.details else window()
    show(result.answer.to_text(rows and rows - 1))  # the last row is for the tables
    show(f"\n{result.to_text()}" if options.details else "All tables: --details.")
    if options.out is not None:
        show(f"Written to {options.out}: {', '.join(FILES[command])}")
