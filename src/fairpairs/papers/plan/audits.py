"""Audits of many files: which are counted file by file, and under which names."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from fairpairs.audits.audit.criterion_names import ALIASES
from fairpairs.base.errors import InputError, shown
from fairpairs.base.plain_values import Content, Record
from fairpairs.base.reading.paths import expanded
from fairpairs.base.texts import meant

#: Settings of an audit that its counts depend on.
ROLES = ("label", "prediction", "score", "sensitive", "weight")
#: Hexadecimal digits of the sha256 of a path that make the name of its shard unique.
DIGITS = 10


def audited_files(audits: Mapping[str, Content]) -> dict[str, list[str]]:
    """Return the sorted files of each audit but comparisons; InputError if one has none."""
    return {name: _files(name, audit["file"]) for name, audit in audits.items() if "file" in audit}


def check_criteria(audits: Mapping[str, Content]) -> None:
    """Raise InputError where an audit names a criterion that does not exist."""
    for name, audit in audits.items():
        margin = audit.get("margin")
        named = [*audit.get("criterion", ()), *(margin if isinstance(margin, Mapping) else ())]
        if not named:
            continue
        from fairpairs.audits.audit.criteria import ALL_CRITERIA  # noqa: PLC0415  (slow to load)

        known = [*ALL_CRITERIA, *ALIASES]
        for criterion in named:
            if criterion not in known:
                raise InputError(
                    f"config: audits.{name}: there is no criterion {shown(criterion)}"
                    f"{meant(criterion, known)}: name one of {', '.join(known)}."
                )


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
