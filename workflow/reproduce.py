"""Run the whole workflow: what `make reproduce` does.

First every data set is fetched and prepared on its own, so that one that fails does not stop the
others. Then everything is made that does not need a missing one, the first report before all else;
the report and the summary name what is missing and why, and the exit status is 1. All arguments go
to Snakemake; with targets among them, or for a dry run, there is one run of just these.
"""

import argparse
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from fairpairs.papers.run.launch import SNAKEMAKE, environment

PROFILES = Path(__file__).parents[1] / "profiles"
#: The exit status where Snakemake knows no such option.
WRONG_OPTIONS = 2


def main() -> int:
    """Fetch and prepare, then make the rest; return the exit status."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    # a run has one `--config` alone, with what is set here
    parser.add_argument("--config", "-C", nargs="+", default=[])
    parser.add_argument("--workflow-profile", type=Path, default=PROFILES / "default")
    options, others = parser.parse_known_args()
    if not (options.workflow_profile / "config.yaml").exists():
        known = ", ".join(sorted(path.parent.name for path in PROFILES.glob("*/config.yaml")))
        parser.error(
            f"there is no profile {options.workflow_profile}: name one of {known} "
            "(make reproduce PROFILE=…), or make a folder with a config.yaml."
        )
    start, stopped = time.monotonic(), Stopping()
    from snakemake.cli import get_argument_parser  # noqa: PLC0415  (a signal may come meanwhile)

    asked, _ = get_argument_parser().parse_known_args(others)

    def snakemake(*arguments: str, config: tuple[str, ...] = (), said: int | None = None) -> int:
        profile = ["--workflow-profile", str(options.workflow_profile)]
        command = [*SNAKEMAKE, *others, *profile, *arguments]
        if config or options.config:
            command += ["--config", *config, *options.config]
        return stopped.call(command, said)

    if asked.targets or asked.dryrun or asked.unlock:
        status = snakemake()
    else:
        print("FairPairs, 1 of 2: the data", file=sys.stderr)
        status = snakemake("prepared", "--keep-going")
        # options or a config that are wrong have been explained
        if status and snakemake("prepared", "--dry-run", said=subprocess.DEVNULL):
            return status
        print("FairPairs, 2 of 2: the results", file=sys.stderr)
        rest = ("all", "--keep-going", "--prioritize", "first_report")
        status = snakemake(*rest, config=("missing_data=skip",)) or status
    if not (asked.dryrun or status == WRONG_OPTIONS):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        took, processor = time.monotonic() - start, used.ru_utime + used.ru_stime
        print(f"  time: {_minutes(took)}; {_minutes(processor)} of processor time", file=sys.stderr)
    return status


class Stopping:
    """What ends the run: Ctrl-C and SIGTERM, which are handed on."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = self._starting = False
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGTERM, self._stop)

    def _stop(self, number: int, _: object) -> None:
        self._stopped = True
        if self._process is not None:  # it may have got Ctrl-C itself; another changes nothing
            self._process.send_signal(number)
        elif not self._starting:
            _end()

    def call(self, command: list[str], said: int | None) -> int:
        """Return the exit status of Snakemake; end here if it was stopped.

        Where what it says goes, is `said`, as for `subprocess`.
        """
        # the mask is for Snakemake: another thread of this process, as of numpy, may get a signal
        self._starting = True
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
        self._process = subprocess.Popen(command, env=environment(), stdout=said, stderr=said)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGTERM])
        self._starting = False
        if self._stopped:
            self._process.terminate()
        status = self._process.wait()
        self._process = None
        if self._stopped:
            _end()
        return status


def _end() -> None:
    print("fairpairs: stopped; the same command goes on from here.", file=sys.stderr)
    sys.exit(130)


def _minutes(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s"


if __name__ == "__main__":
    sys.exit(main())
