# The package of this checkout, and the config, which its reader checks before Snakemake reads it.
import os
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

from snakemake.exceptions import WorkflowError


def checkout(here):
    """The folder of FairPairs: a clone, or what the wheel has of one (`fairpairs.base.shipped`).

    A workflow that imports this one from a git host gets a folder made of the clone that Snakemake keeps,
    because the package, the schemas and the cards are more than the Snakefiles that Snakemake reads.
    """
    if here.is_local:
        return Path(here).parents[1]
    commit = here.hosted_repo.repo.commit(here.ref)
    folder = Path(f".snakemake/fairpairs/{commit}").absolute()
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            here.hosted_repo.repo.git.archive(here.ref, output=f"{made}/files.tar")
            with tarfile.open(f"{made}/files.tar") as files:
                files.extractall(f"{made}/files", filter="data")
            os.rename(f"{made}/files", folder)
    return folder


# what `pip install` without the extra leaves out, and Snakemake does not bring
MISSING = [name for name in ("grimp", "pooch") if find_spec(name) is None]
if MISSING:
    raise WorkflowError(
        f"The workflow needs {' and '.join(MISSING)}, which the package fairpairs alone does not: "
        "run `make environment`, or pip install 'fairpairs[workflow]'."
    )

if workflow.storage_settings.default_storage_provider:
    raise WorkflowError(
        "The workflow reads cards and a config in its folder, which a storage provider does not have: run it in a "
        "folder that all nodes share, without --default-storage-provider, and copy results/ when it has ended."
    )

BASE = checkout(workflow.current_basedir)
# scripts and this file use the package of the clone, installed or not
if (BASE / "src").is_dir():
    sys.path.insert(0, str(BASE / "src"))
    os.environ.update(
        PYTHONPATH=os.pathsep.join(
            [str(BASE / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
    )

from fairpairs.base.kernels import fix_kernels

# before numpy is loaded, here and in every script
fix_kernels(os.environ)

from fairpairs.base.errors import InputError
from fairpairs.papers.plan.config_files import (
    check_config_files,
    check_config_folder,
    replace_experiments,
)


def checked(read, *arguments, **keywords):
    """Call a reader of the package; what it says of bad input ends the run as one sentence."""
    try:
        return read(*arguments, **keywords)
    except InputError as error:
        raise WorkflowError(str(error)) from None


# Snakemake takes the last of two equal keys, and has no bounds; a module with a config of its own reads no file
checked(check_config_files, filter(os.path.exists, workflow.configfiles))
if not workflow.modifier.skip_configfile:
    checked(check_config_folder)


# of the folder in which it runs; a workflow that imports this one as a module gives its own
configfile: "config/config.yaml"


# each study's part of the config may be a file of its own
for file in sorted(Path("config/studies").glob("*.yaml")):

    configfile: file


if replace_experiments(config, workflow.config_settings.overwrite_config):
    if workflow.is_main_process:
        print("Of this config, only what --configfile names is run.", file=sys.stderr)
