"""`fairpairs run`: Snakemake with the workflow, in the folder of a study."""

import argparse
import os
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from fairpairs.base.errors import InputError
from fairpairs.base.shipped import shipped
from fairpairs.base.terminal import bad_input_in_one_sentence
from fairpairs.base.texts import listed
from fairpairs.papers.run.launch import SNAKEMAKE, environment

EXAMPLES = """\b
Examples:
  fairpairs run
  fairpairs run -n
  fairpairs run results/tables/loans.csv
"""
#: What goes to Snakemake is not looked at.
CONTEXT = {"ignore_unknown_options": True}
#: What a folder of a study has.
CONFIG = "config/config.yaml"
#: Where a folder may have a workflow of its own.
SNAKEFILES = ("Snakefile", "workflow/Snakefile")


def run(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ARGUMENTS",
            help="Of snakemake: files to make, and options, such as -n for a dry run.",
        ),
    ] = None,
) -> None:
    """Run the workflow in the folder of a study, which has config/config.yaml.

    It is `snakemake` with the Snakefile and the profile (profiles/default) of the folder, or else
    those of FairPairs: on all cores, unless --cores is given.
    """
    with bad_input_in_one_sentence():
        command = snakemake_command(arguments or [])
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    os.execve(command[0], command, environment())  # so that Ctrl-C and the exit status are its own


def snakemake_command(arguments: list[str]) -> list[str]:
    """Return the command of Snakemake that runs the study of the working folder."""
    parser = argparse.ArgumentParser("fairpairs run", add_help=False, allow_abbrev=False)
    parser.add_argument("--directory", "-d", type=Path, default=Path())
    parser.add_argument("--snakefile", "-s")
    parser.add_argument("--workflow-profile", default="default")
    parser.add_argument("--configfile", nargs="+", type=Path, default=[])
    given, _ = parser.parse_known_args(arguments)
    _check(given.directory)
    if missing := next((path for path in given.configfile if not path.is_file()), None):
        raise InputError(f"{missing}: there is no such file: correct --configfile.")
    if find_spec("snakemake") is None:
        raise InputError("snakemake is not installed: run pip install 'fairpairs[workflow]'.")
    command = [*SNAKEMAKE]
    if given.snakefile is None:
        own = (given.directory / name for name in SNAKEFILES)
        command += ["--snakefile", str(next(filter(Path.is_file, own), shipped("Snakefile")))]
    return [*command, *arguments, *_profile(given.workflow_profile, given.directory)]


def _profile(name: str, folder: Path) -> list[str]:
    """Return the option of a profile of FairPairs, if its name is not that of one of the user's.

    It counts as the last one.
    """
    if name == "none" or any(path.exists() for path in (Path(name), folder / "profiles" / name)):
        return []
    ours = {path.name: path for path in shipped("profiles").iterdir()}
    if name not in ours:
        raise InputError(
            f"--workflow-profile {name}: there is no such profile: name one of "
            f"{listed(sorted(ours))}, or a folder with a config.yaml."
        )
    return ["--workflow-profile", str(ours[name])]


def _check(folder: Path) -> None:
    """Raise InputError unless a folder is that of a study and can be written to."""
    whole = folder.absolute()
    if not (whole / CONFIG).is_file():
        above = next((path for path in whole.parents if (path / CONFIG).is_file()), None)
        there = above or "the folder of a study, which `fairpairs new my_study` makes"
        raise InputError(f"{whole}: there is no {CONFIG}: run the command in {there}.")
    if not os.access(whole, os.W_OK):
        raise InputError(f"{whole}: you may not write to this folder: copy it elsewhere.")
