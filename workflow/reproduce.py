"""Run the whole workflow: what `make reproduce` does.

First the raw files are fetched, each on its own, so that one that cannot be had does not stop the
others. Then everything is made that does not need a missing one; the report and the summary name
what is missing, and the exit status is 1. All arguments go to Snakemake.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from fairpairs.reporting.summary import time_text

SNAKEMAKE = [sys.executable, "-m", "snakemake"]
PROFILES = Path(__file__).parents[1] / "profiles"


def main() -> int:
    """Fetch, then make the rest; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE", help="overrides")
    parser.add_argument("--workflow-profile", type=Path, default=PROFILES / "default")
    parser.add_argument("--directory", type=Path, default=Path())
    options, others = parser.parse_known_args()
    others += ["--directory", str(options.directory)]
    if not (options.workflow_profile / "config.yaml").exists():
        known = ", ".join(sorted(path.parent.name for path in PROFILES.glob("*/config.yaml")))
        parser.error(
            f"there is no profile {options.workflow_profile}: name one of {known} "
            "(make reproduce PROFILE=…), or make a folder with a config.yaml."
        )
    profile = ["--workflow-profile", str(options.workflow_profile)]
    start, begun = time.monotonic(), time.time()

    def snakemake(*arguments: str) -> int:
        command = [*SNAKEMAKE, *profile, *others, *arguments]
        return subprocess.run(command, check=False).returncode

    overrides = options.config
    plan = [*SNAKEMAKE, *profile, *others, "fetched", "--dry-run", "--quiet", "all"]
    planned = subprocess.run(
        [*plan, *(["--config", *overrides] if overrides else [])],
        capture_output=True,
        text=True,
        check=False,
    )
    if planned.returncode:  # what is wrong with the config is said once, not by every run
        print(planned.stdout, planned.stderr, sep="", end="", file=sys.stderr)
        return 1
    fetched = snakemake("fetched", *(["--config", *overrides] if overrides else []))
    made = snakemake("all", "--config", "missing_data=skip", *overrides)
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"  time: {minutes} min {seconds} s", file=sys.stderr)
    # on a cluster the times hold the waiting for a place
    local = options.workflow_profile.name == "default"
    if local and (where := time_text(options.directory / ".snakemake/metadata", begun)):
        print(where, file=sys.stderr)
    return int(bool(fetched or made))


if __name__ == "__main__":
    sys.exit(main())
