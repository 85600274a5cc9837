"""Run the workflow on synthetic data: what `make demo` does.

The folder demo/ is what `fairpairs new` writes, with another config, and the workflow runs in it as
in any other. All arguments go to Snakemake.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import yaml

from fairpairs.base.files import write_text
from fairpairs.base.schemas import read_yaml

CHECKOUT = Path(__file__).parent.parent
DEMO = Path("demo")


def main() -> NoReturn:
    """Write the project and run the workflow in it."""
    shutil.copytree(CHECKOUT / "templates", DEMO, dirs_exist_ok=True)
    config = read_yaml(CHECKOUT / "config/config.yaml")
    classification = config["experiments"]["classification"]
    config.update(
        repeats=200,
        chunk_size=100,
        mirrors=[],
        experiments={"loans": {**classification, "title": "Made loans", "datasets": ["loans"]}},
    )
    # the other studies take minutes, or need data to download
    config |= read_yaml(CHECKOUT / "config/studies/comparative_separation.yaml")
    write_text(DEMO / "config/config.yaml", yaml.safe_dump(config, sort_keys=False))
    snakefile = ["--snakefile", str(CHECKOUT / "Snakefile"), "--directory", str(DEMO)]
    command = [sys.executable, str(CHECKOUT / "workflow/reproduce.py"), *snakefile]
    os.execv(sys.executable, [*command, *sys.argv[1:]])  # so that it gets the signals


if __name__ == "__main__":
    main()
