"""Run the whole workflow: what `make reproduce` does.

First every data set is fetched and prepared on its own, so that one that fails does not stop the
others. Then everything is made that does not need a missing one, the first report before all else;
the report and the summary name what is missing and why, and the exit status is 1. All arguments go
to Snakemake; with targets among them, or for a dry run, there is one run of just these.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from snakemake.cli import get_argument_parser

from fairpairs.output.times import SECONDS, time_text

SNAKEMAKE = [sys.executable, "-m", "snakemake"]
CHECKOUT = Path(__file__).parents[1]
PROFILES = CHECKOUT / "profiles"
#: Lines on the progress in place of Snakemake's.
LOGGER = ["--logger", "fairpairs", "--logger-fairpairs-seconds", str(CHECKOUT / SECONDS)]


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
    asked, unknown = get_argument_parser().parse_known_args(others)
    if unknown:
        parser.error(f"Snakemake has no option {unknown[0]}: see `snakemake --help`.")
    profile = ["--workflow-profile", str(options.workflow_profile)]
    start, begun = time.monotonic(), time.time()

    def snakemake(*arguments: str, config: tuple[str, ...] = (), quiet: bool = False) -> int:
        folder = ["--directory", str(options.directory)]
        command = [*SNAKEMAKE, *LOGGER, *others, *profile, *folder, *arguments]
        if config or options.config:
            command += ["--config", *config, *options.config]
        # where Snakemake finds the logger
        path = os.pathsep.join([str(CHECKOUT / "src"), os.environ.get("PYTHONPATH", "")])
        # the lines on the progress are those of the run, not of single jobs
        environment = {"TQDM_DISABLE": "1", **os.environ, "PYTHONPATH": path.rstrip(os.pathsep)}
        run = subprocess.run(command, env=environment, capture_output=quiet, check=False)
        return run.returncode

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
    # on a cluster the times hold the waiting for a place
    local = options.workflow_profile.name == "default"
    if local and (where := time_text(options.directory / ".snakemake/metadata", begun)):
        print(where, file=sys.stderr)
    return status


def _minutes(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s"


if __name__ == "__main__":
    sys.exit(main())
