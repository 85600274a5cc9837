"""Audits of many files: which are counted file by file, and under which names."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from fairpairs.base.errors import InputError
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.paths import expanded

#: Settings of an audit that its counts depend on.
ROLES = ("label", "prediction", "score", "sensitive", "weight")
#: Hexadecimal digits of the sha256 of a path that make the name of its shard unique.
DIGITS = 10


def audited_files(audits: Mapping[str, Content]) -> dict[str, list[str]]:
    """Return the sorted files of each audit but comparisons; InputError if one has none."""
    return {name: _files(name, audit["file"]) for name, audit in audits.items() if "file" in audit}


def _files(name: str, named: str | list[str]) -> list[str]:
    try:
        files = expanded([Path(file) for file in ([named] if isinstance(named, str) else named)])
    except InputError as error:
        raise InputError(f"config: audits.{name}: {error}") from error
    for file in files:
        if braces := re.search("[{}]", str(file)):
            raise InputError(
                f"config: audits.{name}: {file}: Snakemake takes what is in braces for a wildcard: "
                f"rename the file without {braces[0]}."
            )
    return [str(file) for file in files]


def shards(audit: Content, files: list[str]) -> dict[str, str]:
    """Return the files that are counted one by one, by the names of their counts files.

    A single file is audited as it is. So are rows with clusters or controls, or with weights that
    are no counts, because counts do not tell which rows have them, and rows with a threshold or
    with cheap labels.

    >>> shards({"file": ["a/1.csv", "b/1.csv"]}, ["a/1.csv", "b/1.csv"])
    {'1-e5119b0f7a': 'a/1.csv', '1-3b50432ccd': 'b/1.csv'}
    """
    whole = {"cluster", "control", "threshold", "cheap_label"} & {*audit} or (
        "weight" in audit and audit.get("weight_kind") != "frequency"
    )
    single = isinstance(audit["file"], str) and [str(Path(audit["file"]))] == files
    return {} if single or whole else {shard_name(file): file for file in files}


def counting_settings(audit: Content) -> Record:
    """Return the settings of an audit that its counts depend on."""
    return {name: value for name, value in audit.items() if name in ROLES}


def auditing_settings(audit: Content, *, counted: bool) -> Record:
    """Return the settings of an audit of its files, or of their counts, which know the others."""
    known = {"file", *ROLES, "weight_kind"} if counted else {"file"}
    return {name: value for name, value in audit.items() if name not in known}


def shard_name(file: str) -> str:
    """Return the name of the counts of a file: its own, and digits that depend on its folder."""
    digits = hashlib.sha256(Path(file).as_posix().encode()).hexdigest()[:DIGITS]
    return f"{re.sub('[^A-Za-z0-9_]+', '_', Path(file).name.partition('.')[0])}-{digits}"


def files_read(settings: Content) -> list[str]:
    """Return the files that an audit of judgments in the config reads.

    >>> files_read({"judgments": "a.csv", "predictions": "b.csv"})
    ['a.csv', 'b.csv']
    """
    named = [settings.get("judgments"), settings.get("predictions")]
    return [*filter(None, named), *settings.get("group", {}).values()]
