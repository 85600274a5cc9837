"""Logs of inspect_ai, version 2: `.eval` (a ZIP file) and JSON; a row per sample and epoch.

Columns: sample (its id), epoch, task, model, target, and of the scorer answer, score and, of C, P,
I and N, correct; with several scorers score_NAME …; then the metadata of the sample.

`.eval` files are compressed by Zstandard, which Python's zipfile reads from 3.14 on, so Arrow does.
"""

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

from fairpairs.base.errors import InputError, shown
from fairpairs.base.harnesses._rows import with_metadata
from fairpairs.base.plain_values import Record

ENDING = ".eval"
#: The version of the format that is read.
VERSION = 2
#: The number of Zstandard in a ZIP file, and the size of the head of a member.
ZSTANDARD, HEAD = 93, 30
#: What letters of a score are worth.
CORRECT = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
#: A log.
KNOWN = ({"version": object, "status": object, "eval": dict},)


def records(path: Path, content: bytes) -> list[Record]:
    """Return the log in a `.eval` file, with its samples."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            members = {info.filename: info for info in file.infolist()}
            names = [name for name in members if name.startswith("samples/")]
            # a log that was not finished has no header
            start = "header.json" if "header.json" in members else "_journal/start.json"
            log = _member(file, content, members[start])
            log.setdefault("status", "started")
            log["samples"] = [_member(file, content, members[name]) for name in names]
    except Exception as error:  # zipfile, its decompressors and JSON have many
        text = " ".join(str(error).split())
        raise InputError(
            f"{path}: no .eval log of inspect_ai ({text}): give the whole file, or the log as JSON."
        ) from error
    return [log]


def _member(file: zipfile.ZipFile, content: bytes, info: zipfile.ZipInfo) -> Record:
    if info.compress_type != ZSTANDARD:
        text: Any = file.read(info)
    else:
        import pyarrow as pa  # noqa: PLC0415  (slow)

        name, extra = struct.unpack_from("<HH", content, info.header_offset + HEAD - 4)
        start = info.header_offset + HEAD + name + extra
        packed = content[start : start + info.compress_size]
        text = pa.decompress(packed, info.file_size, codec="zstd", asbytes=True)
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError(f"{info.filename} holds no record")
    return value


def rows(records: list[Record], called: str) -> list[Record]:
    """Return a row per sample and epoch of each log."""
    return [row for log in records for row in _rows(log, called)]


def _rows(log: Record, called: str) -> list[Record]:
    if log["version"] != VERSION:
        raise InputError(
            f"{called}: a log of inspect_ai of version {shown(log['version'])}, and version "
            f"{VERSION} is read: convert it by `inspect log convert`."
        )
    samples = log.get("samples") or []
    without = sum(not sample.get("scores") for sample in samples)
    if without or not samples:
        which = f"{without:,} of its {len(samples):,} samples" if samples else "no sample"
        raise InputError(
            f"{called}: {which} {'have no' if samples else 'has a'} score (the status of the log "
            f"is {shown(log['status'])}): finish it by `inspect eval-retry`, or score it by "
            "`inspect score`."
        )
    spec = log["eval"]
    return [_row(sample, spec) for sample in samples]


def _row(sample: Record, spec: Record) -> Record:
    scores = sample["scores"]
    row: Record = {
        "sample": sample["id"], "epoch": sample["epoch"],
        "task": spec.get("task"), "model": spec.get("model"),
    }  # fmt: skip
    target = sample.get("target")
    row["target"] = target[0] if isinstance(target, list) and len(target) == 1 else target
    for name, score in scores.items():
        end = "" if len(scores) == 1 else f"_{name}"
        row |= _score(score, end)
    return with_metadata(row, sample.get("metadata"))


def _score(score: Record, end: str) -> Record:
    value = score.get("value")
    values: Record = {f"answer{end}": score.get("answer")}
    if isinstance(value, dict):
        return values | {f"score{end}_{key}": one for key, one in value.items()}
    values[f"score{end}"] = value
    if value in CORRECT:
        values[f"correct{end}"] = CORRECT[value]
    return values
