"""Run the whole workflow: what `make reproduce` does.

First every data set is fetched and prepared on its own, so that one that fails does not stop the
others. Then everything is made that does not need a missing one, the first report before all else;
the report and the summary name what is missing and why, and the exit status is 1. All arguments go
to Snakemake; with targets among them, or for a dry run, there is one run of just these.
"""

import argparse
import fcntl
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NoReturn

from fairpairs.papers.run.launch import SNAKEMAKE

PROFILES = Path(__file__).parents[1] / "profiles"


def main() -> int:
    """Fetch and prepare, then make the rest; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    overrides = {"nargs": "+", "default": [], "metavar": "KEY=VALUE", "help": "overrides"}
    parser.add_argument("--config", "-C", **overrides)
    parser.add_argument("--workflow-profile", type=Path, default=PROFILES / "default")
    parser.add_argument("--directory", "-d", type=Path, default=Path())
    options, others = parser.parse_known_args()
    if not (options.workflow_profile / "config.yaml").exists():
        known = ", ".join(sorted(path.parent.name for path in PROFILES.glob("*/config.yaml")))
        parser.error(
            f"there is no profile {options.workflow_profile}: name one of {known} "
            "(make reproduce PROFILE=…), or make a folder with a config.yaml."
        )
    from snakemake.cli import get_argument_parser  # noqa: PLC0415  (Ctrl-C may come meanwhile)

    asked, unknown = get_argument_parser().parse_known_args(others)
    if unknown:
        parser.error(f"Snakemake has no option {unknown[0]}: see `snakemake --help`.")
    profile = ["--workflow-profile", str(options.workflow_profile)]
    start = time.monotonic()
    lock = None if asked.dryrun else _locked(options.directory)
    if not (asked.dryrun or asked.unlock):
        _check_left_locks(options.directory)

    def snakemake(*arguments: str, config: tuple[str, ...] = (), quiet: bool = False) -> int:
        folder = ["--directory", str(options.directory)]
        command = [*SNAKEMAKE, *others, *profile, *folder, *arguments]
        if config or options.config:
            command += ["--config", *config, *options.config]
        return _run(command, lock, quiet=quiet)

    if asked.targets or asked.dryrun:
        status = snakemake()
    else:
        print("FairPairs, 1 of 2: the data", file=sys.stderr)
        status = snakemake("prepared", "--keep-going")
        # a config that is wrong has been explained
        if status and snakemake("prepared", "--dry-run", quiet=True):
            return 1
        print("FairPairs, 2 of 2: the results", file=sys.stderr)
        rest = ("all", "--keep-going", "--prioritize", "first_report")
        status = int(bool(snakemake(*rest, config=("missing_data=skip",)) or status))
    print(f"  time: {_minutes(time.monotonic() - start)}", end="", file=sys.stderr)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"; {_minutes(used.ru_utime + used.ru_stime)} of processor time", file=sys.stderr)
    return status


def _locked(folder: Path) -> IO[str] | None:
    """Lock a folder until this process and the Snakemake that it starts have ended.

    Snakemake locks files of a run, and another run that has nothing to do removes the lock.
    """
    try:
        (folder / ".snakemake").mkdir(parents=True, exist_ok=True)
        lock = (folder / ".snakemake/reproduce.lock").open("w")
    except OSError:  # Snakemake says why the folder cannot be written
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(
            f"fairpairs: another run works in {folder.resolve()}: wait for its end, or stop it."
        )
    except OSError:  # a file system without locks
        lock.close()
        return None
    return lock


def _check_left_locks(folder: Path) -> None:
    """Exit with the remedy where Snakemake's own locks are left, as of a run that was killed."""
    if any((folder / ".snakemake/locks").glob("*.lock")):
        where = "" if folder.resolve() == Path.cwd() else f" --directory {shlex.quote(str(folder))}"
        sys.exit(
            f"fairpairs: {folder.resolve()} is locked, by a run of Snakemake that was killed or "
            f"still works: if none works, run `snakemake --unlock{where}`, then the same command "
            "again."
        )


def _run(command: Sequence[str], lock: IO[str] | None, *, quiet: bool) -> int:
    """Run a command to its end, also if it is interrupted, and return its exit status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    process = subprocess.Popen(
        command,
        # bars of single jobs would break the lines of the run
        env={"TQDM_DISABLE": "1", **os.environ},
        pass_fds=[lock.fileno()] if lock else [],
        stdout=subprocess.DEVNULL if quiet else None,
        stderr=subprocess.DEVNULL if quiet else None,
    )

    def stop(*_: object) -> NoReturn:
        process.send_signal(signal.SIGINT)  # after which Snakemake unlocks the folder
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        return process.wait()
    finally:
        process.wait()
        signal.signal(signal.SIGTERM, before)


def _minutes(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("fairpairs: stopped; the same command goes on from here.", file=sys.stderr)
        sys.exit(130)
