"""Run the whole workflow: what `make reproduce` does.

First every data set is fetched and prepared on its own, so that one that fails does not stop the
others. Then everything is made that does not need a missing one; the report and the summary name
what is missing and why, and the exit status is 1. All arguments go to Snakemake; with targets among
them, or for a dry run, there is one run of just these.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from snakemake.cli import get_argument_parser

from fairpairs.output.summary import time_text

SNAKEMAKE = [sys.executable, "-m", "snakemake"]
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
    asked, unknown = get_argument_parser().parse_known_args(others)
    if unknown:
        parser.error(f"Snakemake has no option {unknown[0]}: see `snakemake --help`.")
    profile = ["--workflow-profile", str(options.workflow_profile)]
    start, begun = time.monotonic(), time.time()

    def snakemake(*arguments: str, config: tuple[str, ...] = (), capture: bool = False) -> int:
        command = [*SNAKEMAKE, *others, *profile, "--directory", str(options.directory), *arguments]
        if config or options.config:
            command += ["--config", *config, *options.config]
        process = subprocess.run(command, capture_output=capture, text=True, check=False)
        if capture and process.returncode:
            print(process.stdout, process.stderr, sep="", end="", file=sys.stderr)
        return process.returncode

    if asked.targets or asked.dryrun:
        status = snakemake()
    elif snakemake("prepared", "--dry-run", "--quiet", "all", capture=True):
        return 1  # what is wrong with the config is said once, not by every run
    else:
        prepared = snakemake("prepared", "--keep-going")
        made = snakemake("all", "--keep-going", config=("missing_data=skip",))
        status = int(bool(prepared or made))
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"  time: {minutes} min {seconds} s", file=sys.stderr)
    # on a cluster the times hold the waiting for a place
    local = options.workflow_profile.name == "default"
    if local and (where := time_text(options.directory / ".snakemake/metadata", begun)):
        print(where, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
