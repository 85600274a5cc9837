"""Checks of the files of a config before Snakemake reads them, which merges them silently."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fairpairs.base import schemas
from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.study_files import study_folders

#: The config of the folder in which the workflow runs, and the parts of studies.
CONFIG, PARTS = "config/config.yaml", "config/studies"


def check_config_files(files: Iterable[str | Path]) -> None:
    """Raise InputError unless each file given to Snakemake is a mapping with keys."""
    for file in files:
        _read(file)


def check_config_folder(folder: str | Path = ".") -> None:
    """Check the config of a folder, and its parts, each of which has the key of its study alone."""
    config = Path(folder, CONFIG)
    keys = _read(config) if config.exists() else {}
    for file in sorted(Path(folder, PARTS).rglob("*.y*ml")):
        study = file.stem
        if file.suffix != ".yaml" or file.parent != Path(folder, PARTS):
            raise InputError(f"{file}: not read: move it to {PARTS}/{study}.yaml.")
        other = next((key for key in _read(file) if key != study), None)
        if other is not None:
            raise InputError(
                f"{file}: the key `{other}` cannot be here, where `{study}` alone is read: "
                f"move it to {PARTS}/{other}.yaml if it is a study, or else to {CONFIG}."
            )
        if study in keys:
            raise InputError(f"{file}: the key `{study}` is in {config} too: drop one.")


def replace_experiments(config: dict[str, Any], given: Content) -> bool:
    """Let the experiments and studies of a config of one's own replace those of the folder.

    `given` is what the command line gives, which Snakemake has merged into the config. Return
    whether it names experiments.
    """
    if "experiments" not in given:
        return False
    config["experiments"] = given["experiments"]
    for key in {"first", *study_folders(config.get("extensions") or ())} - set(given):
        config.pop(key, None)
    return True


def _read(file: str | Path) -> Content:
    content = schemas.read_yaml(file)
    if not isinstance(content, dict) or not content:
        raise InputError(f"{file}: has no keys with values: write some, or remove the file.")
    return content
