"""Run the workflow on synthetic data: what `make demo` does.

The folder demo/ is what `fairpairs new` writes, with another config, and the workflow runs in it as
in any other. All arguments go to Snakemake.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from fairpairs.base.files import write_text
from fairpairs.base.schemas import read_yaml

CHECKOUT = Path(__file__).parent.parent
DEMO = Path("demo")


def main() -> int:
    """Write the project and run the workflow in it; return the exit status."""
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
    return subprocess.run([*command, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
