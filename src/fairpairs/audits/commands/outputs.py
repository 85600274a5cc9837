"""What a command writes, and how it ends: paths are checked before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.audits.lines.files import FILES
from fairpairs.audits.lines.outcome import Outcome
from fairpairs.audits.lines.report import Report
from fairpairs.base.errors import InputError
from fairpairs.base.files import write_together
from fairpairs.base.terminal import VIOLATION, bad_input_in_one_sentence, show

#: The option --junit of all audits.
Junit = Annotated[
    Path | None,
    typer.Option(help="JUnit XML file to write: a test case for each line that counts."),
]


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
        if out.exists() and not out.is_dir():
            raise InputError(f"{out}: a file, not a folder: name another --out.")
        names = names if out.is_dir() else ()
    for name in names:
        check_file(out / name, "--out", inputs)


def check_file(path: Path | None, option: str, inputs: Sequence[Path]) -> None:
    """Raise InputError when a file cannot be written, or would replace an input."""
    if path is None:
        return
    with output_errors(path, option):
        if not path.parent.is_dir():
            raise InputError(f"{path}: there is no folder {path.parent}: make it first.")
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: not a file that can be written: name another {option}.")
        if path.exists() and any(file.exists() and path.samefile(file) for file in inputs):
            raise InputError(f"{path}: would overwrite its input: name another {option}.")


def check_outputs(
    command: str, out: Path | None, junit: Path | None, inputs: Sequence[Path]
) -> None:
    """Raise InputError when --out or --junit cannot be written, or would replace an input."""
    names = FILES[command]
    check_folder(out, names, inputs)
    check_file(junit, "--junit", inputs)
    if out is not None and junit is not None and junit in {out / name for name in names}:
        raise InputError(f"--junit: {junit} is a file of --out too: name another one.")


def write_outputs(
    result: Outcome, out: Path | None, junit: Path | None, *, unless_shown: bool = False
) -> None:
    """Write all that --out and --junit ask for, or nothing."""
    contents = {} if out is None else result.contents(out)
    if junit is not None:
        contents[junit] = result.to_junit(unless_shown=unless_shown)
    output, option = (junit, "--junit") if out is None else (out, "--out")
    if output is not None:
        with output_errors(output, option):
            write_together(contents)


def end(
    result: Outcome,
    out: Path | None,
    junit: Path | None,
    *,
    details: bool,
    refusal: str,
    violation: bool,
    unless_shown: bool = False,
    option: str = "--fail-on-violation",
) -> None:
    """Print the answer and the files that were written; exit with 1 if an option asks for it.

    `details` asks for all tables too.
    `refusal` says why neither `option`, which asks for `violation`, nor --fail-unless-shown can be
    answered, so that a build does not pass by it; an empty string where they can.
    """
    show_answer(result, details=details)
    if out is not None:
        show(f"Written to {out}: {', '.join(FILES[result.COMMAND])}")
    if junit is not None:
        show(f"Written: {junit}")
    if refusal and (violation or unless_shown):
        with bad_input_in_one_sentence():
            raise InputError(f"{'--fail-unless-shown' if unless_shown else option}: {refusal}")
    if (violation and result.failed) or (unless_shown and not result.shown):
        raise typer.Exit(VIOLATION)


def show_answer(result: Outcome | Report, *, details: bool) -> None:
    """Print the answer, and with `details` all tables below it."""
    show(result.answer.to_text())
    show(f"\n{result.to_text()}" if details else "All tables: --details.")


def end_report(report: Report, out: Path | None, *, details: bool) -> None:
    """Write the files of --out, and print the answer."""
    if out is not None:
        with output_errors(out, "--out"):
            report.write(out)
    show_answer(report, details=details)
    if out is not None:
        show(f"Written to {out}: {', '.join(FILES[report.command])}")
